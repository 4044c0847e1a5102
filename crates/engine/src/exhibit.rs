//! What the scenes Couplings and Proof ask for: many draws from distributions that a person
//! supplies, by the kernels that write text.
//!
//! The museum's mistakes are reached from here and from nowhere else: no [`Settings`] and so no
//! run can name one.
//!
//! [`Settings`]: couplet_protocol::Settings

use std::cell::Cell;

use couplet_kernels::couple::{self, CoupleError};
use couplet_kernels::rounds::{MAX_TEXTS, Player, Rows, count};
use couplet_kernels::{Device, KernelRule, RunSettings};
use couplet_protocol::{
    BackendKind, CoupleRequest, Coupled, CouplingName, MAX_SEED, Mistake, RoundsCounted,
    RoundsRequest, Settings,
};
use couplet_speculation::{Coupling, InputError, Pair, argmax};

use crate::EngineError;
use crate::kernel_choice::KernelSet;
use crate::rule::{kernel_rule, run_settings, seed_words};

// What pages promise is what the kernels have numbers for.
const _: () = assert!(RoundsRequest::MAX_TEXTS == MAX_TEXTS);

fn refuse<T>(argument: &'static str, sentence: String) -> Result<T, EngineError> {
    Err(EngineError::Request { argument, sentence })
}

/// Which kind of device it is.
fn backend_of(device: &Device) -> BackendKind {
    match device {
        Device::Gpu(_) => BackendKind::Gpu,
        Device::Cpu => BackendKind::Cpu,
    }
}

/// An argument at fault, by its name; the sentence does not repeat it.
fn at_fault(error: &InputError) -> EngineError {
    let (argument, sentence) = (error.argument().name(), error.to_string());
    let sentence = sentence
        .strip_prefix(&format!("`{argument}`: "))
        .unwrap_or(&sentence)
        .to_owned();
    EngineError::Request { argument, sentence }
}

/// What something takes, but for the time that others have in between.
struct Stopwatch {
    clock: fn() -> f64,
    start: f64,
    left_out: Cell<f64>,
}

impl Stopwatch {
    fn start(clock: fn() -> f64) -> Self {
        Self {
            clock,
            start: clock(),
            left_out: Cell::default(),
        }
    }

    async fn leave_out<T>(&self, others: impl Future<Output = T>) -> T {
        let since = (self.clock)();
        let result = others.await;
        self.left_out
            .set(self.left_out.get() + (self.clock)() - since);
        result
    }

    fn milliseconds(&self) -> f64 {
        (self.clock)() - self.start - self.left_out.get()
    }
}

/// Throws pairs of tokens and counts them. Between two pieces `between` is asked whether to go on.
///
/// # Errors
///
/// If an argument is out of range, or the device fails or counts otherwise than the processor.
pub async fn couple(
    device: &Device,
    request: &CoupleRequest,
    clock: fn() -> f64,
    mut between: impl AsyncFnMut(u64) -> bool,
) -> Result<Coupled, EngineError> {
    let pair = Pair::new(&request.draft, &request.target).map_err(|error| at_fault(&error))?;
    if request.seed > MAX_SEED {
        let sentence = format!("{} is out of range; choose 0 to {MAX_SEED}", request.seed);
        return refuse("seed", sentence);
    }
    let watch = Stopwatch::start(clock);
    let between = async |done| watch.leave_out(between(done)).await;
    let asked = couple::Trials {
        pair: &pair,
        coupling: match request.rule {
            CouplingName::Independent => Coupling::Independent,
            CouplingName::MinHash => Coupling::MinHash,
            CouplingName::Gumbel => Coupling::Gumbel,
            CouplingName::Optimal => Coupling::Optimal,
        },
        seed: request.seed,
        trials: request.trials,
    };
    let thrown = couple::couple(device, asked, clock, between)
        .await
        .map_err(|error| match error {
            CoupleError::Input(error) => at_fault(&error),
            CoupleError::Device(error) => error.into(),
        })?;
    Ok(Coupled {
        counts: thrown.counts,
        trials: thrown.trials,
        backend: backend_of(device),
        milliseconds: watch.milliseconds(),
    })
}

fn check_rounds(request: &RoundsRequest) -> Result<(), EngineError> {
    Pair::new(&request.draft, &request.target).map_err(|error| at_fault(&error))?;
    let (vocab, gamma) = (request.target.len(), request.gamma);
    let outcomes = vocab.checked_pow(gamma.saturating_add(1));
    let most = RoundsRequest::MAX_GAMMA;
    if !(1..=most).contains(&gamma) {
        return refuse(
            "gamma",
            format!("{gamma} is out of range; choose 1 to {most}"),
        );
    }
    if outcomes.is_none_or(|outcomes| outcomes > RoundsRequest::MAX_OUTCOMES) {
        let most = RoundsRequest::MAX_OUTCOMES;
        return refuse(
            "gamma",
            format!(
                "{} tokens of {vocab} letters make more than {most} texts, too many to count; \
                 choose a smaller one",
                gamma + 1
            ),
        );
    }
    let last = request.first_trial.checked_add(request.trials);
    if request.trials == 0 || last.is_none_or(|last| last > RoundsRequest::MAX_TEXTS) {
        return refuse(
            "trials",
            format!(
                "one seed serves for 1 to {} texts; choose another seed for more",
                RoundsRequest::MAX_TEXTS
            ),
        );
    }
    let settings = Settings {
        seed: request.seed,
        lenience: request.lenience,
        epsilon: request.epsilon,
        delta: request.delta,
        ..Settings::default()
    };
    Ok(settings.check()?)
}

/// Plays rounds between two fixed distributions, by the kernels of `kernel_set`, and counts what
/// they write. Between two pieces `between` is asked whether to go on.
///
/// # Errors
///
/// If an argument is out of range, or the device fails or counts otherwise than the processor.
pub async fn count_rounds(
    device: &Device,
    kernel_set: KernelSet,
    request: &RoundsRequest,
    clock: fn() -> f64,
    mut between: impl AsyncFnMut(u64) -> bool,
) -> Result<RoundsCounted, EngineError> {
    check_rounds(request)?;
    let watch = Stopwatch::start(clock);
    let between = async |done| watch.leave_out(between(done)).await;
    let gamma = request.gamma as usize;
    let rounded = |probs: &[f64]| -> Vec<f32> { probs.iter().map(|prob| *prob as f32).collect() };
    let (draft, target) = (rounded(&request.draft), rounded(&request.target));
    let mut proposal = draft.clone();
    if request.mistake == Some(Mistake::GreedyDraft) {
        proposal.fill(0.0);
        proposal[argmax(&request.draft)] = 1.0;
    }
    let as_asked = run_settings(&Settings {
        lenience: request.lenience,
        epsilon: request.epsilon,
        delta: request.delta,
        ..Settings::default()
    });
    let settings = RunSettings {
        seed: seed_words(request.seed),
        rule: request
            .mistake
            .map_or(kernel_rule(request.rule), kernel_mistake) as u32,
        ..as_asked
    };
    let rows = Rows {
        vocab: target.len(),
        proposal: proposal.repeat(gamma),
        draft: draft.repeat(gamma),
        target: target.repeat(gamma + 1),
    };
    let (first, texts) = (request.first_trial, request.trials);
    let player = Player {
        device,
        shares_sums: kernel_set.shares_sums(),
    };
    let counts = count(player, settings, &rows, first, texts, between).await?;
    Ok(RoundsCounted {
        counts: counts.joint,
        accepted: counts.accepted,
        trials: counts.texts,
        backend: backend_of(device),
        milliseconds: watch.milliseconds(),
    })
}

fn kernel_mistake(mistake: Mistake) -> KernelRule {
    match mistake {
        // The mistake is in the drawing; what is drawn is judged rightly.
        Mistake::GreedyDraft => KernelRule::Rejection,
        Mistake::ResamplesFromTarget => KernelRule::ResamplesFromTarget,
        Mistake::MatchThenResidual => KernelRule::MatchThenResidual,
        Mistake::DropsImprobableDrafts => KernelRule::DropsImprobableDrafts,
        Mistake::MatchOrRatio => KernelRule::MatchOrRatio,
        Mistake::RatioUpsideDown => KernelRule::RatioUpsideDown,
        Mistake::OneCoinForAllPositions => KernelRule::OneCoinForAllPositions,
        Mistake::ReplacementWithTheSameCoin => KernelRule::ReplacementWithTheSameCoin,
    }
}

#[cfg(test)]
mod tests {
    use couplet_playback::{procedure, wrong};
    use couplet_protocol::Rule;
    use couplet_speculation::exact_round;
    use couplet_speculation::rules::{Procedure, joint_of_rounds};
    use couplet_speculation::statistics::chi_square;

    use super::*;

    const SEEDS_END: u64 = MAX_SEED + 1;

    type Change<'a> = &'a dyn Fn(&mut RoundsRequest);

    fn argument_at_fault<T: std::fmt::Debug>(result: Result<T, EngineError>) -> &'static str {
        match result {
            Err(EngineError::Request { argument, .. }) => argument,
            other => panic!("{other:?}"),
        }
    }

    fn rounds_request() -> RoundsRequest {
        RoundsRequest {
            draft: vec![0.5, 0.25, 0.25],
            target: vec![0.25, 0.25, 0.5],
            gamma: 2,
            rule: Rule::Rejection,
            lenience: 1.0,
            epsilon: 0.09,
            delta: 0.3,
            mistake: None,
            trials: 10,
            first_trial: 0,
            seed: 1,
        }
    }

    fn rounds(change: impl Fn(&mut RoundsRequest)) -> Result<u64, EngineError> {
        let mut request = rounds_request();
        change(&mut request);
        let set = KernelSet::default();
        let counted = count_rounds(&Device::Cpu, set, &request, || 0.0, async |_| true);
        pollster::block_on(counted).map(|counted| counted.trials)
    }

    /// What comes back for a name is what the rule or mistake of that name writes, with the
    /// parameters that were asked for.
    #[test]
    fn what_is_counted_is_the_rule_or_mistake_that_was_asked_for() {
        let plain = RoundsRequest {
            draft: vec![0.625, 0.25, 0.125],
            target: vec![0.2, 0.3, 0.5],
            lenience: 0.5,
            // A threshold between the target's probabilities, which either number alone, or the one
            // in the other's place, would not be.
            epsilon: 0.25,
            delta: 0.9,
            trials: 100_000,
            ..rounds_request()
        };
        let check = |request: &RoundsRequest, procedure: &dyn Procedure| {
            let set = KernelSet::default();
            let counted = count_rounds(&Device::Cpu, set, request, || 0.0, async |_| true);
            let counted = pollster::block_on(counted).unwrap();
            let draft = |_: &[usize]| request.draft.clone();
            let target = |_: &[usize]| request.target.clone();
            let round = exact_round(procedure, 2, draft, target);
            let mut expected = vec![0.0; 27];
            for (text, prob) in joint_of_rounds(&round, 3) {
                expected[text.iter().fold(0, |place, token| 3 * place + token)] += prob;
            }
            let counts: Vec<u64> = counted.counts.into_iter().map(u64::from).collect();
            let found = chi_square(&counts, &expected);
            assert!(found.p_value > 1e-4, "{request:?}: {found:?}");
        };
        for rule in Rule::ALL {
            let request = RoundsRequest {
                rule,
                ..plain.clone()
            };
            let settings = Settings {
                rule,
                lenience: request.lenience,
                epsilon: request.epsilon,
                delta: request.delta,
                ..Settings::default()
            };
            check(&request, &procedure(&settings));
        }
        for mistake in Mistake::ALL {
            let request = RoundsRequest {
                mistake: Some(mistake),
                ..plain.clone()
            };
            check(&request, &wrong(mistake));
        }
    }

    /// One number too many would count the same texts twice, or ask for more memory than there is.
    #[test]
    fn what_is_counted_has_limits() {
        const LAST: u64 = RoundsRequest::MAX_TEXTS;
        assert_eq!(rounds(|_| ()).unwrap(), 10);
        assert_eq!(rounds(|it| it.gamma = 8).unwrap(), 10);
        assert_eq!(rounds(|it| it.first_trial = LAST - 10).unwrap(), 10);
        assert_eq!(rounds(|it| it.seed = MAX_SEED).unwrap(), 10);
        let wide = |vocab: usize| vec![1.0 / vocab as f64; vocab];
        let widest = |it: &mut RoundsRequest| {
            // 1,024 squared are the most outcomes that are counted.
            (it.draft, it.target, it.gamma) = (wide(1024), wide(1024), 1);
        };
        assert_eq!(rounds(widest).unwrap(), 10);

        let refused: [(&str, Change); 11] = [
            ("gamma", &|it| it.gamma = 0),
            ("gamma", &|it| it.gamma = 9),
            ("gamma", &|it| it.gamma = u32::MAX),
            ("gamma", &|it| {
                widest(it);
                it.gamma = 2;
            }),
            ("trials", &|it| it.trials = 0),
            ("trials", &|it| it.trials = LAST + 1),
            ("trials", &|it| it.first_trial = LAST - 9),
            ("trials", &|it| it.first_trial = u64::MAX),
            ("draft", &|it| it.draft[0] = f64::NAN),
            ("target", &|it| it.target[0] = -0.5),
            ("target", &|it| it.target = vec![1.0, 0.0]),
        ];
        for (place, (argument, change)) in refused.into_iter().enumerate() {
            assert_eq!(argument_at_fault(rounds(change)), argument, "{place}");
        }
        for change in [
            &(|it: &mut RoundsRequest| it.seed = SEEDS_END) as Change,
            &|it| it.lenience = 0.0,
            &|it| it.epsilon = 2.0,
            &|it| it.delta = f64::NAN,
        ] {
            assert!(matches!(rounds(change), Err(EngineError::Settings(_))));
        }
    }

    #[test]
    fn what_is_thrown_has_limits() {
        let throw = |draft: Vec<f64>, trials, seed| {
            let request = CoupleRequest {
                draft,
                target: vec![0.25, 0.75],
                rule: CouplingName::Gumbel,
                trials,
                seed,
            };
            let coupled = couple(&Device::Cpu, &request, || 0.0, async |_| true);
            pollster::block_on(coupled).map(|coupled| coupled.trials)
        };
        let even = || vec![0.5, 0.5];
        assert_eq!(throw(even(), 10, MAX_SEED).unwrap(), 10);
        assert_eq!(argument_at_fault(throw(even(), 10, SEEDS_END)), "seed");
        assert_eq!(argument_at_fault(throw(even(), 0, 1)), "trials");
        assert_eq!(argument_at_fault(throw(even(), u64::MAX, 1)), "trials");
        assert_eq!(argument_at_fault(throw(vec![0.5, 0.6], 10, 1)), "draft");
    }

    /// Pieces that wait for other requests are not slower for that.
    #[test]
    fn what_others_do_in_between_is_not_timed() {
        thread_local! {
            static NOW: Cell<f64> = const { Cell::new(0.0) };
        }
        // A tick whenever somebody looks, and a second for others.
        let clock: fn() -> f64 = || {
            NOW.set(NOW.get() + 1.0);
            NOW.get()
        };
        let others = async |_| {
            NOW.set(NOW.get() + 1_000.0);
            true
        };
        let thrown = CoupleRequest {
            draft: vec![0.5, 0.5],
            target: vec![0.25, 0.75],
            rule: CouplingName::Gumbel,
            trials: 1_000_000,
            seed: 1,
        };
        let coupled = couple(&Device::Cpu, &thrown, clock, others);
        let took = pollster::block_on(coupled).unwrap().milliseconds;
        assert!((1.0..500.0).contains(&took), "{took}");
        let counted = rounds_request();
        let set = KernelSet::default();
        let counted = count_rounds(&Device::Cpu, set, &counted, clock, others);
        let took = pollster::block_on(counted).unwrap().milliseconds;
        assert!((1.0..500.0).contains(&took), "{took}");
    }
}
