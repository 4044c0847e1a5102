//! Probabilities and errors in words.

use couplet_playback::{at_most, tr};
use couplet_speculation::input::{InputError, MAX_JOINT_TOKENS, MAX_TOKENS, MAX_TRIALS};

use crate::typed_list::of_distribution;

/// A probability in so many decimals that a list of them still sums to one.
pub fn precise(prob: f64) -> String {
    at_most(prob, 10)
}

/// What is wrong with an argument, to stand after its name.
pub fn of_input(error: &InputError) -> String {
    match error {
        InputError::Distribution { error, .. } => of_distribution(error),
        InputError::TooFew { count, .. } => {
            tr!(
                "has only {count}; at least 2 probabilities are needed",
                count
            )
        }
        InputError::TooMany { count, .. } => {
            tr!(
                "has {count} probabilities; at most {most} are possible",
                count,
                most = MAX_TOKENS
            )
        }
        InputError::LengthsDiffer { draft, target } => {
            tr!(
                "has {target} probabilities and the draft has {draft}; they need equally many",
                target,
                draft
            )
        }
        InputError::Trials(_) => tr!("must be a whole number, 1 to {}", MAX_TRIALS),
        InputError::JointTooLarge { count } => {
            tr!(
                "has {count} probabilities; at most {most} can be coupled",
                count,
                most = MAX_JOINT_TOKENS
            )
        }
        InputError::Unreachable { token } => {
            tr!("never draws token {token}, which the target does", token)
        }
    }
}
