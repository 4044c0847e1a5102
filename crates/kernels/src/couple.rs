//! Many coupled pairs of tokens: the kernel `couple`, dispatched in pieces.

use couplet_speculation::input::{InputError, MAX_JOINT_TOKENS, check_trials};
use couplet_speculation::random::arithmetic::fixed_point;
use couplet_speculation::{Coupling, Pair};

use crate::params::{
    COUPLING_GUMBEL, COUPLING_INDEPENDENT, COUPLING_MINHASH, COUPLING_OPTIMAL, Throws,
};
use crate::{Buffer, Device, DeviceError, Dispatch, Kernel, Read};

/// How long a piece should keep the device, in milliseconds: a page that draws on the same GPU
/// gets its turn after each, and so does whoever wants to stop.
const PIECE_MILLISECONDS: f64 = 80.0;
/// What the first piece has to do, in random numbers. A device that makes five million in a second
/// needs 100 ms for it; later pieces follow the clock.
const FIRST_PIECE: u64 = 500_000;
/// A GPU's first piece in trials, which the CPU throws too before they count.
const COMPARED: u64 = 256;
/// How many of those may differ, where a GPU rounds the last place of a number otherwise.
const MAY_DIFFER: u64 = 2;
/// How much longer than the one before a piece may be.
const GROWTH: f64 = 8.0;
/// Invocations of a workgroup.
const WORKGROUP: u32 = Kernel::Couple.invocations();
/// Workgroups that are filled before an invocation gets a second trial.
const FILLED_FIRST: u32 = 32;
/// Trials of an invocation when all workgroups are filled. Invocations that run in step wait for
/// the slowest of them, and over several trials their times even out.
const TRIALS_PER_INVOCATION: u32 = 64;
/// Workgroups that every device allows in a row.
const MAX_WORKGROUPS: u32 = 65_535;

/// Pairs of tokens to throw.
#[derive(Clone, Copy, Debug)]
pub struct Trials<'a> {
    /// The draft's and the target's distribution. The kernel sees them in f32.
    pub pair: &'a Pair,
    /// How the two tokens are drawn together.
    pub coupling: Coupling,
    /// The seed of the numbers. A trial has the numbers that [`Pair::sample`] gives the trial of
    /// this index, from 0.
    pub seed: u64,
    /// How many pairs, from 1 to [`MAX_TRIALS`](couplet_speculation::input::MAX_TRIALS).
    pub trials: u64,
}

/// The pairs that were thrown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoupleCounts {
    /// How often which pair, rows draft, columns target, row after row; their sum is `trials`.
    /// Shape: (tokens, tokens).
    pub counts: Vec<u32>,
    /// How many pairs; fewer than were asked for if they were stopped.
    pub trials: u64,
}

/// Why no pairs were thrown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CoupleError {
    /// The request is at fault.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The device is.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Throws coupled pairs and counts them, in pieces of about 80 ms.
///
/// Trials are the same in every run with the same seed and on every device, in pieces of any size:
/// the counts of the first thousand are part of those of the first million. `now` tells the time
/// in milliseconds from any beginning. `between` is called after every piece with the trials done
/// so far, from 1 to all; when it says false, the rest is not thrown.
///
/// A GPU's first trials are held to the CPU's, as nothing else has used this kernel there.
///
/// # Errors
///
/// If the number of trials is not allowed, if the pair has more than
/// [`MAX_JOINT_TOKENS`] tokens, or if the GPU is lost, refuses or throws otherwise than the CPU.
pub async fn couple(
    device: &Device,
    request: Trials<'_>,
    now: impl Fn() -> f64,
    mut between: impl AsyncFnMut(u64) -> bool,
) -> Result<CoupleCounts, CoupleError> {
    check_trials(request.trials)?;
    let tokens = request.pair.vocabulary();
    if tokens > MAX_JOINT_TOKENS {
        return Err(InputError::JointTooLarge { count: tokens }.into());
    }
    let [draft_probs, target_probs] = [request.pair.draft_probs(), request.pair.target_probs()]
        .map(|probs| probs.iter().map(|&prob| prob as f32).collect::<Vec<f32>>());
    let highest = draft_probs.iter().chain(&target_probs).copied();
    let mut throws = Throws {
        seed: [request.seed as u32, (request.seed >> 32) as u32],
        coupling: number_of(request.coupling),
        tokens: tokens as u32,
        highest: fixed_point(highest.fold(0.0, f32::max)),
        ..Throws::default()
    };
    let table = Table::new(device, &throws, &draft_probs, &target_probs);
    let usual_piece = FIRST_PIECE.div_ceil(numbers_per_trial(request.coupling, tokens as u64));
    let is_gpu = matches!(device, Device::Gpu(_));
    let mut done = 0;
    let mut piece = if is_gpu { COMPARED } else { usual_piece };
    while done < request.trials {
        let start = now();
        throws.first_trial = done as u32;
        throws.trials = piece.min(request.trials - done) as u32;
        table.throw(&mut throws).await?;
        let milliseconds = now() - start;
        if is_gpu && done == 0 {
            let processor = Table::new(&Device::Cpu, &throws, &draft_probs, &target_probs);
            processor.throw(&mut throws).await?;
            let (expected, found) = (processor.counts().await?, table.counts().await?);
            if !are_as_expected(&expected, &found) {
                return Err(DeviceError::Differs.into());
            }
            piece = usual_piece;
        } else {
            let factor = PIECE_MILLISECONDS / milliseconds.max(1.0);
            let next = f64::from(throws.trials) * factor.min(GROWTH);
            piece = (next as u64).max(u64::from(WORKGROUP));
        }
        done += u64::from(throws.trials);
        if !between(done).await {
            break;
        }
    }
    Ok(CoupleCounts {
        counts: table.counts().await?,
        trials: done,
    })
}

/// Whether counts are those expected, but for trials that rounding may move to another cell.
fn are_as_expected(expected: &[u32], found: &[u32]) -> bool {
    let gained = |(expected, found): (&u32, &u32)| u64::from(found.saturating_sub(*expected));
    let total = |counts: &[u32]| counts.iter().map(|&count| u64::from(count)).sum::<u64>();
    let moved: u64 = expected.iter().zip(found).map(gained).sum();
    total(expected) == total(found) && moved <= MAY_DIFFER
}

/// Two rows on a device, and what was counted of them there.
struct Table<'a> {
    device: &'a Device,
    block: Buffer,
    counts: Buffer,
    bindings: Vec<Buffer>,
    tokens: usize,
}

impl Drop for Table<'_> {
    fn drop(&mut self) {
        self.bindings.iter().for_each(Buffer::free);
    }
}

impl<'a> Table<'a> {
    fn new(device: &'a Device, throws: &Throws, draft_probs: &[f32], target_probs: &[f32]) -> Self {
        let tokens = throws.tokens as usize;
        let block = device.uniform(throws);
        let counts = device.zeros(tokens * tokens);
        let bindings = vec![
            block.clone(),
            device.floats(draft_probs),
            device.floats(target_probs),
            device.floats(&running_sums(draft_probs, target_probs)),
            counts.clone(),
        ];
        Self {
            device,
            block,
            counts,
            bindings,
            tokens,
        }
    }

    /// Throws a piece and waits for it.
    async fn throw(&self, throws: &mut Throws) -> Result<(), DeviceError> {
        let workgroups = workgroups(throws.trials);
        throws.invocations = workgroups * WORKGROUP;
        let block = bytemuck::cast_slice(bytemuck::bytes_of(throws));
        self.device.write(&self.block, 0, block);
        let program = self.device.program(vec![Dispatch {
            kernel: Kernel::Couple,
            bindings: self.bindings.clone(),
            rows_together: 1,
            workgroups: [workgroups, 1],
        }]);
        // Reading one word waits for the piece.
        let wait = Read {
            buffer: &self.counts,
            words: 0..1,
        };
        self.device.run(&[&program], &[wait]).await.map(drop)
    }

    /// How often which pair so far. Shape: (tokens, tokens).
    async fn counts(&self) -> Result<Vec<u32>, DeviceError> {
        let all = Read {
            buffer: &self.counts,
            words: 0..self.tokens * self.tokens,
        };
        Ok(self.device.run(&[], &[all]).await?.concat())
    }
}

fn number_of(coupling: Coupling) -> u32 {
    match coupling {
        Coupling::Independent => COUPLING_INDEPENDENT,
        Coupling::MinHash => COUPLING_MINHASH,
        Coupling::Gumbel => COUPLING_GUMBEL,
        Coupling::Optimal => COUPLING_OPTIMAL,
    }
}

/// About how many random numbers a trial takes.
fn numbers_per_trial(coupling: Coupling, tokens: u64) -> u64 {
    match coupling {
        Coupling::Independent | Coupling::Optimal => 3,
        Coupling::Gumbel => tokens,
        // As many darts as tokens until one is under either row, and up to half as many again
        // until the other model has one too.
        Coupling::MinHash => tokens + tokens / 2,
    }
}

fn workgroups(trials: u32) -> u32 {
    let one_each = trials.div_ceil(WORKGROUP);
    let several_each = trials.div_ceil(WORKGROUP * TRIALS_PER_INVOCATION);
    one_each
        .min(FILLED_FIRST)
        .max(several_each)
        .min(MAX_WORKGROUPS)
}

/// Running sums of the draft, the target and the residual, in the order of ids.
///
/// Shape: (3, tokens).
fn running_sums(draft_probs: &[f32], target_probs: &[f32]) -> Vec<f32> {
    let mut residual: Vec<f32> = draft_probs
        .iter()
        .zip(target_probs)
        .map(|(draft, target)| (target - draft).max(0.0))
        .collect();
    if residual.iter().all(|&left| left == 0.0) {
        // Only rounding rejects a token now: the target's own distribution serves.
        residual.copy_from_slice(target_probs);
    }
    [draft_probs, target_probs, &residual]
        .into_iter()
        .flat_map(|row| {
            row.iter().scan(0.0, |sum: &mut f32, weight| {
                *sum += weight;
                Some(*sum)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_may_round_and_not_err() {
        let expected = [200, 56, 0];
        assert!(are_as_expected(&expected, &expected));
        assert!(are_as_expected(&expected, &[198, 57, 1]));
        assert!(!are_as_expected(&expected, &[197, 57, 2]));
        // A kernel that did nothing, and one that counted twice.
        assert!(!are_as_expected(&expected, &[0, 0, 0]));
        assert!(!are_as_expected(&expected, &[400, 112, 0]));
    }
}
