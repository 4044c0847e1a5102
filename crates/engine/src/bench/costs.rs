//! What the passes of a round cost, each timed by itself.

use std::collections::VecDeque;
use std::rc::Rc;

use couplet_kernels::{Device, Program, Read, Readback, Step, record};
use couplet_protocol::{PassCosts, Settings, SpeedRequest};
use couplet_speculation::statistics::median;

use crate::programs::{Portion, ProgramKind};
use crate::{Engine, EngineError};

/// Tokens that one sample covers at least.
const TOKENS: usize = 16;

/// Submissions of them that are under way together; on a GPU others follow them where they are quick.
const SUBMISSIONS: usize = 3;

/// Milliseconds after which no more submissions follow. On a graphics card three take a few, which is as
/// often as a browser looks whether something is done.
const LONG_ENOUGH: f64 = 30.0;

/// Samples of all costs.
#[derive(Debug)]
pub(super) struct CostSamples {
    gammas: Vec<usize>,
    target_step: Vec<f64>,
    /// Drafting one token.
    draft_one: Vec<f64>,
    /// Drafting as many as the longest draft has, and two at least: the first step reads two rows, so
    /// it alone does not tell what a further one costs.
    draft_most: Vec<f64>,
    /// By place in `gammas`.
    verify: Vec<Vec<f64>>,
}

impl CostSamples {
    pub(super) fn new(request: &SpeedRequest) -> Self {
        let gammas: Vec<usize> = request.gammas.iter().map(|gamma| *gamma as usize).collect();
        Self {
            verify: vec![Vec::new(); gammas.len()],
            gammas,
            target_step: Vec::new(),
            draft_one: Vec::new(),
            draft_most: Vec::new(),
        }
    }

    /// Times everything once, at a place `share` of the way through the text that the engine holds.
    /// `go_on` is asked after each pass; `false` when it says no.
    pub(super) async fn sample(
        &mut self,
        engine: &Engine,
        settings: &Settings,
        share: f64,
        mut go_on: impl AsyncFnMut() -> bool,
    ) -> Result<bool, EngineError> {
        let longest = longest_draft(&self.gammas);
        let verify = self.gammas.iter().zip(&mut self.verify);
        let verify = verify.map(|(gamma, samples)| (*gamma, Portion::Verify, samples));
        let one = longest.map(|_| (1, Portion::Draft, &mut self.draft_one));
        let most = longest.map(|longest| (longest, Portion::Draft, &mut self.draft_most));
        let alone = (0, Portion::Round, &mut self.target_step);
        let all = std::iter::once(alone).chain(verify).chain(one).chain(most);
        for (gamma, portion, samples) in all {
            samples.push(time(engine, settings, gamma, portion, share).await?);
            if !go_on().await {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The middle of the samples. The first step of a draft computes two rows, the later ones one:
    /// what the first costs more is paid once a round and counted there.
    pub(super) fn medians(&self) -> PassCosts {
        let middle = |samples: &Vec<f64>| match samples.as_slice() {
            [] => 0.0,
            samples => median(samples),
        };
        let (one, most) = (middle(&self.draft_one), middle(&self.draft_most));
        let draft_step = match longest_draft(&self.gammas) {
            // Noise must not make a step cost nothing.
            Some(longest) => ((most - one) / (longest as f64 - 1.0)).max(0.05 * one),
            None => one,
        };
        let draft_first_extra = (one - draft_step).max(0.0);
        PassCosts {
            target_step: middle(&self.target_step),
            draft_step,
            draft_first_extra,
            verify: self
                .verify
                .iter()
                .map(|samples| middle(samples) + draft_first_extra)
                .collect(),
        }
    }
}

/// The longest draft that is timed, of rising lengths; `None` where no draft is.
fn longest_draft(gammas: &[usize]) -> Option<usize> {
    gammas.last().map(|longest| *longest.max(&2))
}

/// A portion of a round, ready to be timed.
pub(crate) struct Sample {
    pub(super) program: Rc<Program>,
    pub(super) repeats: usize,
    /// Committed length at the beginning.
    place: u32,
}

impl Sample {
    /// A portion repeated as often in a submission as rounds are when speed counts, at a place
    /// `share` of the way through the longest text that the settings allow.
    pub(crate) fn new(
        engine: &Engine,
        settings: &Settings,
        gamma: usize,
        portion: Portion,
        share: f64,
    ) -> Result<Self, EngineError> {
        let program = engine.prepared(ProgramKind::part(settings, gamma, portion));
        let prompt = engine.prompt_tokens(&settings.prompt)?.len();
        let free = engine.pair.context() - prompt;
        let text = free.min(settings.max_tokens as usize);
        let fit = (free / (SUBMISSIONS * (gamma + 1))).max(1);
        let repeats = TOKENS.div_ceil(gamma + 1).max(3).min(fit);
        let rows = SUBMISSIONS * repeats * (gamma + 1);
        let room = text.saturating_sub(rows);
        let place = prompt + (share * room as f64) as usize;
        // Behind a long prompt there is no room: then among its last tokens, which cost the same.
        let place = place.min(engine.pair.context().saturating_sub(rows)).max(1);
        let sample = Self {
            program,
            repeats,
            place: place as u32,
        };
        sample.go_to_place(engine);
        Ok(sample)
    }

    /// Milliseconds of one repetition.
    pub(crate) async fn time(&self, engine: &Engine) -> Result<f64, EngineError> {
        match engine.device {
            Device::Cpu => {
                // As many as on a GPU: browsers tell time in steps of a tenth of a millisecond.
                let repeats = SUBMISSIONS * self.repeats;
                let start = engine.now();
                for _ in 0..repeats {
                    self.begin(engine, 1)?.finish().await?;
                }
                Ok((engine.now() - start) / repeats as f64)
            }
            Device::Gpu(_) => {
                // Of several submissions under way the first may wait for other work, and the
                // others follow each other as those of a run do.
                let start = engine.now();
                let mut under_way = VecDeque::new();
                for _ in 0..SUBMISSIONS {
                    under_way.push_back(self.begin(engine, self.repeats)?);
                }
                let mut begun = SUBMISSIONS;
                let mut ends = Vec::new();
                while let Some(readback) = under_way.pop_front() {
                    readback.finish().await?;
                    let end = engine.now();
                    ends.push(end);
                    if end - start < LONG_ENOUGH {
                        if begun.is_multiple_of(SUBMISSIONS) {
                            self.go_to_place(engine);
                        }
                        under_way.push_back(self.begin(engine, self.repeats)?);
                        begun += 1;
                    }
                }
                let passes = (ends.len() - 1) * self.repeats;
                Ok((ends[ends.len() - 1] - ends[0]) / passes as f64)
            }
        }
    }

    /// Has the text end where the sample begins.
    fn go_to_place(&self, engine: &Engine) {
        engine.device.write(&engine.state, 0, &[self.place]);
    }

    fn begin(&self, engine: &Engine, repeats: usize) -> Result<Readback, EngineError> {
        let step = Step {
            programs: &[&self.program],
            reads: &[Read {
                buffer: &engine.record,
                words: 0..record::HEAD,
            }],
        };
        Ok(engine.device.begin(&vec![step; repeats])?)
    }
}

async fn time(
    engine: &Engine,
    settings: &Settings,
    gamma: usize,
    portion: Portion,
    share: f64,
) -> Result<f64, EngineError> {
    let sample = Sample::new(engine, settings, gamma, portion, share)?;
    sample.time(engine).await
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::{Backend, Pair, PairFiles};

    /// A millisecond later whenever somebody asks.
    fn ticking() -> f64 {
        static TIME: AtomicU32 = AtomicU32::new(0);
        f64::from(TIME.fetch_add(1, Ordering::Relaxed))
    }

    #[test]
    fn a_quick_gpu_is_timed_long_enough_and_writes_the_same_place_again() {
        let Ok(backend) = pollster::block_on(Backend::gpu()) else {
            assert!(std::env::var_os("COUPLET_WITHOUT_GPU").is_some());
            return;
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/pairs/shakespeare");
        let pair = PairFiles::from_folder(&folder).and_then(Pair::new).unwrap();
        let settings = Settings {
            pair: pair.card.name.clone(),
            prompt: pair.card.prompt.clone(),
            max_tokens: 120,
            ..Settings::default()
        };
        let engine = Engine::new(Rc::new(pair), &backend, ticking);
        let engine = pollster::block_on(engine).unwrap();
        let sample = Sample::new(&engine, &settings, 3, Portion::Round, 0.5).unwrap();
        let before = engine.device.readbacks();
        let time = pollster::block_on(sample.time(&engine)).unwrap();
        // One ends in every millisecond, and those that are under way then are waited for.
        let submissions = LONG_ENOUGH as usize + SUBMISSIONS - 1;
        assert_eq!(engine.device.readbacks() - before, submissions);
        assert!((time - 1.0 / sample.repeats as f64).abs() < 1e-9, "{time}");
        let state = Read {
            buffer: &engine.state,
            words: 0..1,
        };
        let length = pollster::block_on(engine.device.run(&[], &[state])).unwrap()[0][0];
        let most = SUBMISSIONS * sample.repeats * 4;
        assert!(length - sample.place <= most as u32, "{length}");
    }

    fn samples(gammas: &[usize], draft_one: f64, draft_most: f64) -> PassCosts {
        let samples = CostSamples {
            gammas: gammas.to_vec(),
            target_step: vec![1.1, 0.9, 1.0],
            // The middle one of three counts, whatever the others met.
            draft_one: vec![9.0, draft_one, draft_one],
            draft_most: vec![draft_most, draft_most, 0.0],
            verify: vec![vec![1.5, 1.5, 7.0]; gammas.len()],
        };
        samples.medians()
    }

    #[test]
    fn what_the_first_drafted_token_takes_longer_is_paid_once_a_round() {
        // Four tokens: 0.5 for the first, 0.3 for each of the others.
        let costs = samples(&[1, 4], 0.5, 1.4);
        assert!((costs.draft_step - 0.3).abs() < 1e-12);
        assert!((costs.draft_first_extra - 0.2).abs() < 1e-12);
        assert_eq!(costs.target_step, 1.0);
        assert!(costs.verify.iter().all(|cost| (cost - 1.7).abs() < 1e-12));
    }

    #[test]
    fn no_noise_makes_a_drafted_token_cost_nothing() {
        let costs = samples(&[8], 0.5, 0.4);
        assert!((costs.draft_step - 0.025).abs() < 1e-12);
        let undrafted = samples(&[], 0.0, 0.0);
        assert_eq!(undrafted.draft_step, 0.0);
    }

    #[test]
    fn a_drafted_token_costs_the_same_whatever_else_is_timed() {
        // 0.5 for the first token, 0.3 for the second.
        let alone = samples(&[1], 0.5, 0.8);
        let others = samples(&[1, 2, 3, 4], 0.5, 1.4);
        for costs in [alone, others] {
            assert!((costs.draft_step - 0.3).abs() < 1e-12);
            assert!((costs.draft_first_extra - 0.2).abs() < 1e-12);
        }
    }
}
