//! Numbers and errors in words.

use couplet_playback::at_most;
use couplet_speculation::distribution::DistributionError;
use couplet_speculation::input::{InputError, MAX_JOINT_TOKENS, MAX_TOKENS, MAX_TRIALS};
use tr::tr;

/// A number without the noise of binary fractions: up to six decimals.
pub fn number(value: f64) -> String {
    let text = at_most(value, 6);
    let text = if text == "-0" { "0" } else { &text };
    text.replace('-', "−")
}

/// A probability in so many decimals that a list of them still sums to one.
pub fn precise(prob: f64) -> String {
    at_most(prob, 10)
}

/// What is wrong with a list of numbers, to stand behind its name.
pub fn of_distribution(error: &DistributionError) -> String {
    match *error {
        DistributionError::Empty => tr!("there are no numbers"),
        DistributionError::NotFinite { token, .. } => {
            tr!(
                "number {} of the list is not a number; write 0 or more",
                token + 1
            )
        }
        DistributionError::Negative { token, prob } => tr!(
            "number {} of the list is negative ({}); a probability is 0 or more",
            token + 1,
            number(prob)
        ),
        DistributionError::AllZero => {
            tr!("every probability is zero; at least one must be above it")
        }
        DistributionError::NotOne { sum, excess } => {
            let (sum, amount) = (number(sum), number(excess.abs()));
            match excess > 0.0 {
                true => tr!(
                    "the probabilities sum to {sum}, {amount} too much; divided by their sum they total 1",
                    sum,
                    amount
                ),
                false => tr!(
                    "the probabilities sum to {sum}, {amount} too little; divided by their sum they total 1",
                    sum,
                    amount
                ),
            }
        }
    }
}

/// What is wrong with an argument, to stand behind its name.
pub fn of_input(error: &InputError) -> String {
    match error {
        InputError::Distribution { error, .. } => of_distribution(error),
        InputError::TooFew { count, .. } => {
            tr!("has {count} of the at least 2 probabilities", count)
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
                "has {target} probabilities and the draft has {draft}; they need as many",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1.25), "1.25");
        assert_eq!(number(0.1 + 0.2 - 0.3), "0");
        assert_eq!(number(-0.25), "−0.25");
        assert_eq!(number(2.0), "2");
    }
}
