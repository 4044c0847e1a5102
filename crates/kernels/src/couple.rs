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
/// How much longer than the one before a piece may be.
const GROWTH: f64 = 8.0;
/// Invocations of a workgroup; `shaders/couple.wgsl`.
const WORKGROUP: u32 = 64;
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
/// # Errors
///
/// If the number of trials is not allowed, if the pair has more than
/// [`MAX_JOINT_TOKENS`] tokens, or if the GPU is lost or refuses.
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
    let block = device.uniform(&throws);
    let counts = device.zeros(tokens * tokens);
    let bindings = vec![
        block.clone(),
        device.floats(&draft_probs),
        device.floats(&target_probs),
        device.floats(&running_sums(&draft_probs, &target_probs)),
        counts.clone(),
    ];

    let mut done = 0;
    let mut piece = FIRST_PIECE.div_ceil(numbers_per_trial(request.coupling, tokens as u64));
    while done < request.trials {
        let start = now();
        throws.first_trial = done as u32;
        throws.trials = piece.min(request.trials - done) as u32;
        let workgroups = workgroups(throws.trials);
        throws.invocations = workgroups * WORKGROUP;
        device.write(&block, 0, bytemuck::cast_slice(bytemuck::bytes_of(&throws)));
        let program = device.program(vec![Dispatch {
            kernel: Kernel::Couple,
            bindings: bindings.clone(),
            rows_together: 1,
            workgroups: [workgroups, 1],
        }]);
        // Reading one word waits for the piece.
        let wait = Read {
            buffer: &counts,
            words: 0..1,
        };
        device.run(&[&program], &[wait]).await?;
        done += u64::from(throws.trials);
        let factor = PIECE_MILLISECONDS / (now() - start).max(1.0);
        let next = f64::from(throws.trials) * factor.min(GROWTH);
        piece = (next as u64).max(u64::from(WORKGROUP));
        if !between(done).await {
            break;
        }
    }
    let all = Read {
        buffer: &counts,
        words: 0..tokens * tokens,
    };
    let words = device.run(&[], &[all]).await?.concat();
    bindings.iter().for_each(Buffer::free);
    Ok(CoupleCounts {
        counts: words,
        trials: done,
    })
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
