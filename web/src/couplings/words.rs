//! Numbers and errors in words.

use couplet_speculation::distribution::DistributionError;
use couplet_speculation::input::{InputError, MAX_JOINT_TOKENS, MAX_TOKENS, MAX_TRIALS};

/// A number without the noise of binary fractions: up to six decimals.
pub fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let text = if text == "-0" { "0" } else { text };
    text.replace('-', "−")
}

/// A probability in so many decimals that a list of them still sums to one.
pub fn precise(prob: f64) -> String {
    let text = format!("{prob:.10}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// What is wrong with a list of numbers, to stand behind its name.
pub fn of_distribution(error: &DistributionError) -> String {
    match *error {
        DistributionError::Empty => "there are no numbers".to_owned(),
        DistributionError::NotFinite { token, .. } => {
            format!(
                "number {} of the list is not a number; write 0 or more",
                token + 1
            )
        }
        DistributionError::Negative { token, prob } => format!(
            "number {} of the list is negative ({}); a probability is 0 or more",
            token + 1,
            number(prob)
        ),
        DistributionError::AllZero => {
            "every probability is zero; at least one must be above it".to_owned()
        }
        DistributionError::NotOne { sum, excess } => {
            let (amount, way) = (
                number(excess.abs()),
                if excess > 0.0 { "much" } else { "little" },
            );
            format!(
                "the probabilities sum to {}, {amount} too {way}; divided by their sum they total 1",
                number(sum)
            )
        }
    }
}

/// What is wrong with an argument, to stand behind its name.
pub fn of_input(error: &InputError) -> String {
    match error {
        InputError::Distribution { error, .. } => of_distribution(error),
        InputError::TooFew { count, .. } => {
            format!("has {count} of the at least 2 probabilities")
        }
        InputError::TooMany { count, .. } => {
            format!("has {count} probabilities; at most {MAX_TOKENS} are possible")
        }
        InputError::LengthsDiffer { draft, target } => {
            format!("has {target} probabilities and the draft has {draft}; they need as many")
        }
        InputError::Trials(_) => format!("must be a whole number, 1 to {MAX_TRIALS}"),
        InputError::JointTooLarge { count } => {
            format!("has {count} probabilities; at most {MAX_JOINT_TOKENS} can be coupled")
        }
        InputError::Unreachable { token } => {
            format!("never draws token {token}, which the target does")
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
