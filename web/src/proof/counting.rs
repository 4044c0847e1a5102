//! Asking the engine to play rounds, and what came of it.

use couplet_playback::tr;
use couplet_protocol::{
    BackendKind, Command, FailureKind, Mistake, Reply, RoundsCounted, RoundsRequest, Rule, Settings,
};
use couplet_speculation::statistics::SMALLEST_EXPECTED_COUNT;
use couplet_speculation::{ChiSquare, chi_square, chi_square_tail};
use leptos::prelude::*;

use super::pair::ProofPair;
use super::theory::target_joint;
use crate::engine_client::EngineState;
use crate::errors::Said;
use crate::language;
use crate::store::Store;

/// How many texts are asked for at once.
pub const BATCH: u64 = 20_000;

/// A p-value below it is no accident: even with all rules and mistakes tried a thousand times. So far
/// out, a χ² test whose cells expect few texts calls more often than it says, for which that leaves
/// room.
pub const NO_ACCIDENT: f64 = 1e-6;

/// Texts that were counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How often which text; the first token changes slowest. Shape: (tokens, ..., tokens).
    pub counts: Vec<u64>,
    /// How often the first round kept 0, 1, ... `gamma` tokens. Shape: (gamma + 1).
    pub kept: Vec<u64>,
    /// How many texts.
    pub trials: u64,
    /// Where they were written: another backend goes on where the first was lost.
    pub backends: Vec<BackendKind>,
}

impl Tally {
    /// Adds what came for a pair of `tokens` tokens and `gamma` drafted ones.
    ///
    /// # Errors
    /// When the reply does not fit what was asked.
    pub fn add(&mut self, counted: &RoundsCounted, tokens: usize, gamma: u32) -> Result<(), Said> {
        let sum: u64 = counted.counts.iter().map(|count| u64::from(*count)).sum();
        let fits = counted.counts.len() == tokens.pow(gamma + 1)
            && counted.accepted.len() == gamma as usize + 1
            && sum == counted.trials;
        if !fits {
            return Err(Said::new(|| {
                tr!(
                    "The engine’s answer does not fit the question, so it was not counted. Start over, or load the page again."
                )
            }));
        }
        self.counts.resize(counted.counts.len(), 0);
        self.kept.resize(counted.accepted.len(), 0);
        for (total, count) in self.counts.iter_mut().zip(&counted.counts) {
            *total += u64::from(*count);
        }
        for (total, count) in self.kept.iter_mut().zip(&counted.accepted) {
            *total += count;
        }
        self.trials += counted.trials;
        if !self.backends.contains(&counted.backend) {
            self.backends.push(counted.backend);
        }
        Ok(())
    }

    /// The test of all texts against the target's; none before anything was counted.
    pub fn test(&self, pair: &ProofPair, gamma: u32) -> Option<ChiSquare> {
        let expected = target_joint(&pair.target, gamma as usize + 1);
        (self.trials > 0 && expected.len() == self.counts.len())
            .then(|| chi_square(&self.counts, &expected))
    }

    /// How many drafted tokens the first round kept on average, and half the width of that mean's
    /// 95 % interval.
    pub fn mean_kept(&self) -> Option<(f64, f64)> {
        let trials: f64 = self.kept.iter().map(|count| *count as f64).sum();
        if trials < 2.0 {
            return None;
        }
        let moment = |power: i32| -> f64 {
            (self.kept.iter().enumerate())
                .map(|(kept, count)| (kept as f64).powi(power) * *count as f64)
                .sum::<f64>()
                / trials
        };
        let mean = moment(1);
        let variance = (moment(2) - mean * mean).max(0.0) * trials / (trials - 1.0);
        Some((mean, 1.96 * (variance / trials).sqrt()))
    }
}

/// How many texts, by doubling what is added at once, are enough for a test to tell one joint
/// distribution from another beyond accident, nine times in ten; `None` if not even all those are
/// that one seed serves for.
///
/// The statistic of counts that come from elsewhere is a noncentral χ², whose mean is its degrees of
/// freedom and λ, the statistic of the mean counts; a normal distribution stands for it here.
///
/// Source: Patnaik 1949, "The non-central χ² and F distributions", for its mean and variance.
pub fn enough(joint: &[f64], expected: &[f64]) -> Option<u64> {
    /// What nine of ten normal draws exceed, in standard deviations.
    const NINE_OF_TEN: f64 = -1.2816;
    /// Nine of ten samples have what is in them so often on average: −ln 0.1 (Poisson).
    const NINE_OF_TEN_MEET: f64 = std::f64::consts::LN_10;
    let tells = |texts: &u64| {
        let mean = |prob: f64| prob * *texts as f64;
        let cells = || joint.iter().zip(expected);
        // One text that the target never writes is enough.
        let impossible = cells().filter(|(_, expected)| **expected == 0.0);
        let impossible: f64 = impossible.map(|(prob, _)| mean(*prob)).sum();
        if impossible > NINE_OF_TEN_MEET {
            return true;
        }
        // All but one text are too rare for a normal law: nine of ten samples have so many of them.
        let (usual, most) = most_probable(expected);
        let rare = 1.0 - most;
        if rare > 0.0 && mean(rare) < SMALLEST_EXPECTED_COUNT {
            let others = mean(1.0 - joint[usual]);
            let low = (others + NINE_OF_TEN * others.sqrt()).max(0.0) as u64;
            return chi_square(&[*texts - low, low], &[most, rare]).p_value < NO_ACCIDENT;
        }
        let possible = cells().map(|(prob, expected)| match expected {
            0.0 => 0,
            _ => mean(*prob).round() as u64,
        });
        let found = chi_square(&possible.collect::<Vec<_>>(), expected);
        let (lambda, degrees) = (found.statistic, found.degrees_of_freedom);
        let freedom = degrees as f64;
        let spread = (2.0 * (freedom + 2.0 * lambda)).sqrt();
        let low = (freedom + lambda + NINE_OF_TEN * spread).max(0.0);
        degrees > 0 && chi_square_tail(low, degrees) < NO_ACCIDENT
    };
    (0..)
        .map(|doubled| BATCH << doubled)
        .take_while(|texts| *texts <= RoundsRequest::MAX_TEXTS)
        .find(tells)
}

/// Where the largest probability is, and that.
fn most_probable(probs: &[f64]) -> (usize, f64) {
    let all = probs.iter().copied().enumerate();
    all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
}

/// The request for so many more texts.
pub fn request(
    pair: &ProofPair,
    rule: Rule,
    gamma: u32,
    mistake: Option<Mistake>,
    first_trial: u64,
    seed: u64,
) -> RoundsRequest {
    let Settings {
        lenience,
        epsilon,
        delta,
        ..
    } = Settings::default();
    RoundsRequest {
        draft: pair.draft.clone(),
        target: pair.target.clone(),
        gamma,
        rule,
        lenience,
        epsilon,
        delta,
        mistake,
        trials: BATCH,
        first_trial,
        seed,
    }
}

/// Sends a request and returns its number; `done` is called once, with the counts or with why there
/// are none.
pub fn ask(
    store: Store,
    request: RoundsRequest,
    done: impl FnOnce(Result<RoundsCounted, Said>) + 'static,
) -> u32 {
    let mut done = Some(done);
    store.engine.request_aside(
        |id| Command::CountRounds { id, request },
        move |reply| {
            let result = match reply {
                Reply::RoundsCounted { counted, .. } => Ok(counted.clone()),
                Reply::Failed { failure, .. } => Err(Said::ByEngine(failure.sentence.clone())),
                _ => return,
            };
            if let Some(done) = done.take() {
                done(result);
            }
        },
    )
}

/// What keeps the engine from counting at once, in a sentence; it needs no models.
pub fn waits_for(store: Store) -> Option<String> {
    if store.measuring.busy() {
        return Some(tr!(
            "A measurement is under way, which counting would disturb; what you ask for is counted after it."
        ));
    }
    match store.engine.state.get() {
        EngineState::Starting => Some(tr!(
            "The engine is starting; what you ask for is counted as soon as it runs."
        )),
        EngineState::Failed(failure) if failure.kind == FailureKind::Device => Some(tr!(
            "No engine runs: {} What you ask for starts it again.",
            language::of_engine(&failure.sentence)
        )),
        EngineState::Crashed => Some(tr!(
            "The engine has stopped; what you ask for starts it again. The argument above needs none."
        )),
        EngineState::Ready | EngineState::Loading { .. } | EngineState::Failed(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of a hundred rounds keep a token: the mean scatters by half over their root, times n − 1 for n.
    #[test]
    fn the_mean_of_what_is_kept_has_its_interval() {
        let of = |kept: Vec<u64>| {
            Tally {
                kept,
                ..Tally::default()
            }
            .mean_kept()
        };
        let (mean, half) = of(vec![50, 50]).unwrap();
        assert!((mean - 0.5).abs() < 1e-12);
        assert!((half - 1.96 * 0.5 / 99f64.sqrt()).abs() < 1e-9, "{half}");
        let (mean, half) = of(vec![0, 0, 7]).unwrap();
        assert_eq!((mean, half), (2.0, 0.0));
        assert_eq!(of(vec![1, 0]), None);
    }

    #[test]
    fn texts_that_another_backend_adds_are_counted_and_both_are_named() {
        let mut tally = Tally::default();
        for (backend, trials) in [
            (BackendKind::Gpu, 30),
            (BackendKind::Gpu, 10),
            (BackendKind::Cpu, 20),
        ] {
            let counted = RoundsCounted {
                counts: vec![trials, 0, 0, 0],
                accepted: vec![0, u64::from(trials)],
                trials: u64::from(trials),
                backend,
                milliseconds: 1.0,
            };
            assert!(tally.add(&counted, 2, 1).is_ok());
        }
        assert_eq!((tally.counts[0], tally.trials), (60, 60));
        assert_eq!(tally.backends, [BackendKind::Gpu, BackendKind::Cpu]);
    }

    #[test]
    fn texts_too_rare_for_a_normal_law_are_counted_exactly() {
        let expected = [0.99999, 6e-6, 4e-6];
        assert_eq!(enough(&[0.9, 0.1, 0.0], &expected), Some(BATCH));
        assert_eq!(enough(&[0.1, 0.2, 0.7], &expected), Some(BATCH));
        assert!(enough(&[0.9998, 0.0002, 0.0], &expected) > Some(BATCH));
        assert_eq!(enough(&expected, &expected), None);
        // What the target never writes tells by itself.
        let expected = [0.99999, 1e-5, 0.0];
        assert_eq!(enough(&[0.9998, 0.0, 0.0002], &expected), Some(BATCH));
    }

    /// Half the square of a difference counts, so a tenth of it takes a hundred times as many.
    #[test]
    fn a_smaller_difference_takes_more_texts() {
        let even = [0.25; 4];
        let off = |by: f64| [0.25 + by, 0.25 - by, 0.25, 0.25];
        assert_eq!(enough(&off(0.05), &even), Some(BATCH));
        assert_eq!(enough(&off(0.005), &even), Some(16 * BATCH));
        assert_eq!(enough(&off(0.0001), &even), None);
        assert_eq!(enough(&even, &even), None);
        // A text that the target never writes shows at once.
        assert_eq!(enough(&[0.5, 0.5, 0.0], &[0.5, 0.0, 0.5]), Some(BATCH));
        // Seldom ones show where nine of ten samples have one: the first time with 2.4 on average.
        let seldom = [0.5 - 3e-5, 3e-5, 0.5];
        assert_eq!(enough(&seldom, &[0.5, 0.0, 0.5]), Some(4 * BATCH));
    }
}
