//! A device's kernels are held to what the processor computes, before anybody is shown what they do.

use std::rc::Rc;

use couplet_kernels::{DeviceError, Kernel};
use couplet_protocol::{Drafter, Rule, Settings};

use super::{OF_FIRST_KERNELS, Sampled, TOLERANCE, TRIAL_ROWS, Trial, agree, plain};
use crate::auto_gamma;
use crate::programs::Portion;
use crate::{Backend, Engine, EngineError, Pair};

/// Seeds under which a rule's kernels are tried: one round alone may miss what they get wrong.
const SEEDS: u64 = 4;

/// How much of the target's logits there is then in those that stand for them; the rest is the draft's.
/// Behind a text that nobody would write the two hardly agree, and nothing but first tokens would be
/// rejected.
const OF_TARGET: f32 = 0.2;

/// Whose kernels are tried together: a rule's own, or those that draw for whoever is no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleTrial {
    Judging(Rule),
    OtherDrafters,
}

impl RuleTrial {
    fn all() -> impl Iterator<Item = Self> {
        let rules = Rule::ALL.into_iter().map(Self::Judging);
        rules.chain([Self::OtherDrafters])
    }

    /// What a run with these settings needs.
    fn needed(settings: &Settings) -> impl Iterator<Item = Self> {
        let other = settings.drafter != Drafter::Model;
        let drafters = other.then_some(Self::OtherDrafters);
        [Self::Judging(settings.rule)].into_iter().chain(drafters)
    }

    fn settings(self) -> impl Iterator<Item = Settings> {
        let settings = match self {
            // By the usual ones Typical would keep whatever is drafted here.
            Self::Judging(rule @ Rule::Typical) => Settings {
                epsilon: 0.5,
                delta: 0.6,
                ..plain(rule)
            },
            Self::Judging(rule) => plain(rule),
            Self::OtherDrafters => Settings {
                drafter: Drafter::Uniform,
                ..plain(Rule::Rejection)
            },
        };
        (1..=SEEDS).map(move |seed| Settings {
            seed,
            ..settings.clone()
        })
    }
}

/// How many rows an invocation computes together where a run with these settings verifies: for each
/// number of them there are kernels of their own.
fn rows_needed(settings: &Settings) -> impl Iterator<Item = usize> {
    let gamma = settings.gamma as usize;
    let gammas = if settings.auto_gamma {
        0..=auto_gamma::LARGEST
    } else {
        gamma..=gamma
    };
    gammas.map(|gamma| Kernel::GateUp.rows_together(gamma as u32 + 1) as usize)
}

/// The target's rows with less of their own in them, and the draft's.
fn alike(logits: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let [target, draft] = logits else {
        return logits.to_vec();
    };
    let draft_again = draft.iter().cycle();
    let blended = target.iter().zip(draft_again);
    let blended = blended.map(|(target, draft)| draft + OF_TARGET * (target - draft));
    vec![blended.collect(), draft.clone()]
}

/// What the processor computes of a pair, to hold a GPU to.
#[derive(Clone, Debug)]
pub struct Reference {
    trial: Trial,
    /// Logits of two models that agree often, and not always; likewise.
    alike: Vec<Vec<f32>>,
    /// What each of [`RuleTrial::all`] samples from them.
    rules: Vec<Vec<Sampled>>,
}

impl Reference {
    /// Has the processor compute a short text. Of its engine nothing stays in memory.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`].
    pub async fn new(pair: &Rc<Pair>, clock: fn() -> f64) -> Result<Self, EngineError> {
        let twin = Engine::new(pair.clone(), &Backend::cpu(), clock).await?;
        let trial = twin.trial(None).await?;
        let alike = alike(&trial.logits);
        let mut rules = Vec::new();
        for kernels in RuleTrial::all() {
            rules.push(twin.sample_under(kernels.settings(), &alike).await?);
        }
        Ok(Self {
            trial,
            alike,
            rules,
        })
    }
}

/// What an engine's kernels are held to, and which of them have been.
#[derive(Debug, Default)]
pub(crate) struct Held {
    reference: Option<Rc<Reference>>,
    passed: Vec<RuleTrial>,
    /// Numbers of rows whose kernels have been, besides those of [`TRIAL_ROWS`].
    rows: Vec<usize>,
}

impl Held {
    /// Forgets what has been held: other kernels are in use.
    pub(crate) fn forget(&mut self) {
        self.passed.clear();
        self.rows.clear();
    }
}

impl Engine {
    /// Compares what the kernels in use compute with what the processor does: the logits of both
    /// models after forty tokens and what the next token is drafted from, up to a thousandth, and
    /// that token; then probabilities and rounds that are made of equal logits. A run that needs other kernels holds those to the reference first.
    ///
    /// # Errors
    ///
    /// [`DeviceError::Differs`] if it is something else, or if the device fails.
    pub async fn hold_to(&self, reference: &Rc<Reference>) -> Result<(), EngineError> {
        let trial = &reference.trial;
        let found = self.trial_under(Some(trial), OF_FIRST_KERNELS).await?;
        if !found.agrees_with(trial) {
            return Err(DeviceError::Differs.into());
        }
        self.held.borrow_mut().reference = Some(reference.clone());
        Ok(())
    }

    /// Compares what the kernels that a run with these settings needs, and no run before it has
    /// needed, compute, sample and judge with what the processor does: those of its numbers of rows,
    /// of its rule and of its drafter, but for the rounds that the end of the context shortens.
    /// Where nothing was [held to](Self::hold_to) a reference, there is nothing to compare.
    ///
    /// # Errors
    ///
    /// As [`Engine::hold_to`].
    pub async fn hold_run(&self, settings: &Settings) -> Result<(), EngineError> {
        let Some(reference) = self.held.borrow().reference.clone() else {
            return Ok(());
        };
        for rows in rows_needed(settings) {
            if rows == TRIAL_ROWS || self.held.borrow().rows.contains(&rows) {
                continue;
            }
            self.prepare_trial();
            let found = self.trial_pass(&self.target, Portion::TargetPass, rows - 1, rows);
            let found = found.await?;
            let expected = reference
                .trial
                .logits
                .first()
                .map(|all| &all[..found.len()]);
            if !expected.is_some_and(|expected| agree(expected, &found, TOLERANCE)) {
                return Err(DeviceError::Differs.into());
            }
            self.held.borrow_mut().rows.push(rows);
        }
        for needed in RuleTrial::needed(settings) {
            if self.held.borrow().passed.contains(&needed) {
                continue;
            }
            let found = self
                .sample_under(needed.settings(), &reference.alike)
                .await?;
            let place = RuleTrial::all().position(|it| it == needed);
            let expected = place.and_then(|place| reference.rules.get(place));
            let same = |(expected, found): (&Sampled, &Sampled)| found.agrees_with(expected);
            let agrees = |expected: &Vec<Sampled>| {
                expected.len() == found.len() && expected.iter().zip(&found).all(same)
            };
            if !expected.is_some_and(agrees) {
                return Err(DeviceError::Differs.into());
            }
            self.held.borrow_mut().passed.push(needed);
        }
        Ok(())
    }

    /// What the kernels in use sample from logits, the target's and the draft's, under each of some
    /// settings.
    async fn sample_under(
        &self,
        settings: impl Iterator<Item = Settings>,
        logits: &[Vec<f32>],
    ) -> Result<Vec<Sampled>, EngineError> {
        self.show(logits);
        let mut sampled = Vec::new();
        for (turn, settings) in settings.enumerate() {
            let mut found = self.sampled(&settings, self.trial_length()).await?;
            // Equal logits give the same under every seed.
            if turn > 0 {
                found.probs.clear();
                found.probs.shrink_to_fit();
            }
            sampled.push(found);
        }
        Ok(sampled)
    }
}

#[cfg(test)]
mod tests {
    use couplet_kernels::{Read, record};

    use super::super::{DRAFT_SETTINGS, Drafted, ProgramKind};
    use super::*;

    fn shipped(name: &str) -> Rc<Pair> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/pairs/").to_owned() + name;
        let files = crate::PairFiles::from_folder(folder.as_ref()).unwrap();
        Rc::new(Pair::new(files).unwrap())
    }

    /// A GPU may err by some units in the last place of an exponential or a logarithm, and has to be
    /// taken all the same: no number that is drawn lies on the edge of two tokens.
    #[test]
    fn what_rules_are_held_to_does_not_hang_on_rounding() {
        for name in ["shakespeare", "stories"] {
            let pair = shipped(name);
            let reference = pollster::block_on(Reference::new(&pair, || 0.0)).unwrap();
            let engine = pollster::block_on(Engine::new(pair, &Backend::cpu(), || 0.0)).unwrap();
            for turn in 0..4 {
                let mut logits = reference.alike.clone();
                for (i, logit) in logits.iter_mut().flatten().enumerate() {
                    let way = [-1.0, 0.0, 1.0][(i * 31 + turn * 17) % 7 % 3];
                    *logit += 2e-5 * way;
                }
                for (kernels, expected) in RuleTrial::all().zip(&reference.rules) {
                    let found = engine.sample_under(kernels.settings(), &logits);
                    let found = pollster::block_on(found).unwrap();
                    for (found, expected) in found.iter().zip(expected) {
                        let same = found.agrees_with(expected);
                        assert!(same, "{name}, {kernels:?}, {turn}: {found:?}, {expected:?}");
                    }
                }
            }
        }
    }

    /// Nor do a filter's cut and the token that is drafted after the trial's text.
    #[test]
    fn what_is_drafted_does_not_hang_on_rounding() {
        for name in ["shakespeare", "stories"] {
            let pair = shipped(name);
            let vocab = pair.target_config.vocab_size;
            let engine = pollster::block_on(Engine::new(pair, &Backend::cpu(), || 0.0)).unwrap();
            let length = engine.prepare_trial();
            let own = engine.trial_pass(&engine.draft, Portion::DraftPasses, 1, 1);
            let logits = pollster::block_on(own).unwrap();
            for settings in DRAFT_SETTINGS {
                let settings = settings();
                let expected = pollster::block_on(engine.drafted(&settings, length)).unwrap();
                let possible = expected.probs.iter().filter(|prob| **prob > 0.0).count();
                let filtered = settings.rule == Rule::Rejection;
                assert_eq!(possible < vocab, filtered, "{name}: {possible}");
                assert!(possible > 1, "{name}: nothing to draw");
                let sampling = ProgramKind::part(&settings, 1, Portion::Sampling);
                let reads = [
                    (&engine.draft_probs, vocab),
                    (&engine.record, record::words(1)),
                ]
                .map(|(buffer, words)| Read {
                    buffer,
                    words: 0..words,
                });
                for turn in 0..8 {
                    let mut logits = logits.clone();
                    for (i, logit) in logits.iter_mut().enumerate() {
                        *logit += 1e-4 * [-1.0, 0.0, 1.0][(i * 31 + turn * 17) % 7 % 3];
                    }
                    engine.show(&[Vec::new(), logits]);
                    engine.begin_trial(&settings, length);
                    let program = engine.prepared(sampling);
                    let found = pollster::block_on(engine.device.run(&[&program], &reads)).unwrap();
                    // Where the token stands that the verdict may replace.
                    let found = Drafted {
                        token: found[1][record::HEAD + record::ENTRY_TOKEN],
                        probs: bytemuck::cast_slice(&found[0]).to_vec(),
                    };
                    assert!(
                        found.agrees_with(&expected),
                        "{name}, {filtered}, {turn}: {} instead of {}",
                        found.token,
                        expected.token
                    );
                }
            }
        }
    }

    /// What is compared tells errors apart: tokens are kept and rejected, and thresholds are none that
    /// every kernel comes to.
    #[test]
    fn rules_are_tried_where_they_have_something_to_decide() {
        for name in ["shakespeare", "stories"] {
            let reference = pollster::block_on(Reference::new(&shipped(name), || 0.0)).unwrap();
            for (kernels, sampled) in RuleTrial::all().zip(&reference.rules) {
                let accepted: Vec<u32> = sampled.iter().map(|it| it.round[1]).collect();
                let tests = sampled
                    .iter()
                    .flat_map(|it| it.numbers[3..].chunks_exact(4));
                let open = |test: &&[f32]| (0.05..0.95).contains(&test[3]);
                // The others run the kernels of these.
                if let RuleTrial::Judging(
                    Rule::Rejection | Rule::Block | Rule::Typical | Rule::Gumbel | Rule::MinHash,
                ) = kernels
                {
                    let mixed = (3..=17).contains(&accepted.iter().sum::<u32>());
                    assert!(mixed, "{name}, {kernels:?}: {accepted:?}");
                }
                if kernels == RuleTrial::Judging(Rule::Block) {
                    assert!(tests.filter(open).count() >= 4, "{name}");
                }
            }
        }
    }

    /// A device on which one rule's kernels err judges by the others and not by that one.
    #[test]
    fn a_rule_is_held_to_the_processor_before_its_first_run() {
        let pair = shipped("shakespeare");
        let mut reference = pollster::block_on(Reference::new(&pair, || 0.0)).unwrap();
        let block = RuleTrial::all().position(|it| it == RuleTrial::Judging(Rule::Block));
        // As if Block accepted one token more or less, in one round of those tried.
        reference.rules[block.unwrap()][SEEDS as usize - 1].round[1] += 1;
        let engine = pollster::block_on(Engine::new(pair, &Backend::cpu(), || 0.0)).unwrap();
        let start = |rule| pollster::block_on(engine.start(&plain(rule)));
        assert!(start(Rule::Block).is_ok(), "nothing to hold it to yet");
        pollster::block_on(engine.hold_to(&Rc::new(reference))).unwrap();
        let error = start(Rule::Block).map(|_| ()).unwrap_err();
        assert!(matches!(error, EngineError::Device(DeviceError::Differs)));
        for rule in [Rule::Rejection, Rule::Typical, Rule::Gumbel] {
            start(rule).unwrap();
        }
        let of_model = [
            RuleTrial::Judging(Rule::Rejection),
            RuleTrial::Judging(Rule::Typical),
            RuleTrial::Judging(Rule::Gumbel),
        ];
        assert_eq!(engine.held.borrow().passed, of_model);
        engine.use_kernel_set(engine.kernel_set());
        assert!(engine.held.borrow().passed.is_empty());
    }

    /// A device whose kernels for some number of rows err writes with other numbers and not with that.
    #[test]
    fn rows_are_held_to_the_processor_before_the_first_run_that_verifies_so_many() {
        let pair = shipped("shakespeare");
        let vocab = pair.target_config.vocab_size;
        let mut reference = pollster::block_on(Reference::new(&pair, || 0.0)).unwrap();
        let engine = pollster::block_on(Engine::new(pair, &Backend::cpu(), || 0.0)).unwrap();
        pollster::block_on(engine.hold_to(&Rc::new(reference.clone()))).unwrap();
        let start = |engine: &Engine, gamma, auto_gamma| {
            let settings = Settings {
                gamma,
                auto_gamma,
                ..plain(Rule::Rejection)
            };
            pollster::block_on(engine.start(&settings)).map(drop)
        };
        // As if the kernels for three rows and more came to something else in the third.
        reference.trial.logits[0][2 * vocab] += 1.0;
        engine.held.borrow_mut().reference = Some(Rc::new(reference));
        // Seven rows are computed as four and three.
        for (gamma, auto, fits) in [
            (1, false, true),
            (2, false, false),
            (6, false, false),
            (0, false, true),
            (5, false, true),
            (1, true, false),
        ] {
            let started = start(&engine, gamma, auto);
            assert_eq!(started.is_ok(), fits, "γ {gamma}, {auto}: {started:?}");
        }
        assert_eq!(engine.held.borrow().rows, [2, 1]);
    }
}
