//! What rounds cost on this device, timed when γ is first left to the engine.

use couplet_kernels::{Device, Read, Step};

use super::{AutoGamma, Experience};
use crate::programs::ProgramKind;
use crate::{Engine, EngineError, Run};

/// Milliseconds for one γ on the CPU and on a GPU: with coarse clocks less is not worth much, and
/// a GPU's readback, which a run's next batch hides, must not count for much.
const ENOUGH: [f64; 2] = [3.0, 25.0];

/// Most rounds for one γ, likewise.
const MOST_ROUNDS: [usize; 2] = [8, 32];

/// How often each γ has its turn at least, while there is patience: the shortest time counts,
/// because whatever else the machine does only ever adds to it.
const TURNS: usize = 4;

/// The part of the shortest time before that makes another turn worth while: a browser may still
/// be compiling, or the machine may have been busy until now.
const MUCH_SHORTER: f64 = 0.9;

/// Milliseconds after which the remaining costs are left to a straight line, or to what is known.
const PATIENCE: f64 = 300.0;

/// The γ that are timed, those first of which a line can be made. Groups of rows that share what
/// they read end at four to six, so costs may have steps after γ = 3, 4, 5 and 7. On the CPU, where
/// timing one more is done in some milliseconds, γ = 2 is off the line too.
const SAMPLED: [&[usize]; 2] = [&[0, 3, 1, 7, 4, 2], &[0, 3, 1, 7, 4]];

/// Ticks of the clock that are waited for to learn how long one is, and how often it is read for
/// one at most.
const TICKS: usize = 3;
const PATIENT_LOOKS: usize = 1_000_000;

/// Chunks of unseen tokens for which programs are prepared before a run.
const PREPARED_CHUNKS: usize = 4;

impl Engine {
    /// Readies the chooser of γ for a run whose first rounds are to come: times rounds of some γ
    /// where the run stands, unless that was done before, and puts the committed length right
    /// again.
    pub(crate) async fn ready_chooser(&self, run: &Run) -> Result<(), EngineError> {
        let key = Experience::key(&run.settings);
        if !self.has_chooser(run) {
            let known = Experience::new(
                self.pair.card.acceptance_rate,
                &self.time_some_rounds(run).await?,
            );
            let auto = AutoGamma::new(known, self.tick());
            self.choosers.borrow_mut().insert(key, auto);
        }
        // What is prepared now need not be when the device may be lost.
        for place in 0..PREPARED_CHUNKS {
            self.catching_up(place);
        }
        if let Some(auto) = self.choosers.borrow_mut().get_mut(&key) {
            auto.begin(&run.settings);
        }
        Ok(())
    }

    /// The shortest time that the clock can tell from none, in milliseconds.
    pub(crate) fn tick(&self) -> f64 {
        let mut shortest = f64::INFINITY;
        let mut last = self.now();
        for _ in 0..TICKS {
            // A clock that stands still is none to learn from.
            let next = (0..PATIENT_LOOKS)
                .map(|_| self.now())
                .find(|now| *now > last);
            let Some(next) = next else { break };
            shortest = shortest.min(next - last);
            last = next;
        }
        if shortest.is_finite() { shortest } else { 0.0 }
    }

    /// Where a pair of constants has the one for this device: 0 on the CPU, 1 on a GPU.
    fn device_place(&self) -> usize {
        usize::from(matches!(self.device, Device::Gpu(_)))
    }

    /// γ and milliseconds of a round, with rising γ.
    async fn time_some_rounds(&self, run: &Run) -> Result<Vec<(usize, f64)>, EngineError> {
        let start = self.now();
        let sampled = SAMPLED[self.device_place()];
        let mut shortest: Vec<Option<f64>> = vec![None; sampled.len()];
        'turns: for turn in 0.. {
            let mut settled = true;
            for (place, &gamma) in sampled.iter().enumerate() {
                if (turn > 0 || place >= 2) && self.now() - start > PATIENCE {
                    break 'turns;
                }
                if let Some(found) = self.time_rounds(run, gamma, turn == 0).await? {
                    let best = shortest[place].get_or_insert(found);
                    settled &= found >= MUCH_SHORTER * *best;
                    *best = best.min(found);
                }
            }
            if settled && turn + 1 >= TURNS {
                break;
            }
        }
        let timed = sampled.iter().zip(shortest);
        let mut samples: Vec<(usize, f64)> = timed
            .filter_map(|(gamma, time)| Some((*gamma, time?)))
            .collect();
        samples.sort_by_key(|sample| sample.0);
        Ok(samples)
    }

    /// Milliseconds of a round, from rounds that are then forgotten; `None` where the context has
    /// no room for them. The first ones of a kind are not timed: they warm the pipelines.
    async fn time_rounds(
        &self,
        run: &Run,
        gamma: usize,
        first: bool,
    ) -> Result<Option<f64>, EngineError> {
        let length = run.tokens.len();
        let fit = (self.pair.context() - length) / (gamma + 1);
        if fit == 0 {
            return Ok(None);
        }
        let program = self.prepared(ProgramKind::round(&run.settings, gamma));
        let read = [Read {
            buffer: &self.record,
            words: 0..1,
        }];
        let step = Step {
            programs: &[&program],
            reads: &read,
        };
        let place = self.device_place();
        let (enough, most) = (ENOUGH[place], MOST_ROUNDS[place].min(fit));
        let mut rounds = 1;
        // A processor's caches hold the weights of another γ's rounds, every time.
        let mut warm = !first && place > 0;
        loop {
            let batch = vec![step.clone(); rounds];
            let start = self.now();
            self.device.begin(&batch)?.finish().await?;
            let taken = self.now() - start;
            self.device.write(&self.state, 0, &[length as u32]);
            if warm && (taken >= enough || rounds >= most) {
                return Ok(Some((taken / rounds as f64).max(1e-3)));
            }
            if taken < enough {
                let wanted = (1.2 * enough / taken.max(0.1) * rounds as f64) as usize;
                rounds = wanted.clamp(2 * rounds, most.max(2 * rounds)).min(most);
            }
            warm = true;
        }
    }
}
