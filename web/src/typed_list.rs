//! Lists of numbers that a person types or pastes, and what is wrong with them.

use couplet_playback::{at_most, tr};
use couplet_speculation::distribution::DistributionError;

/// The numbers in a text: separated by commas, semicolons or white space, in brackets or not.
/// `0,5 0,3 0,2` is three numbers below 1, as half of the world writes them.
///
/// # Errors
///
/// The first word that is no number, as the beginning of a sentence.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let words = |commas: &str| {
        let between = |c: char| c.is_whitespace() || ";[]".contains(c) || commas.contains(c);
        let words = text.split(between).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = words("");
    let is_fraction = |word: &String| word.starts_with("0,") && word.matches(',').count() == 1;
    let is_listed = |word: &String| is_fraction(word) || !word.contains([',', '.']);
    let comma_is_point =
        whole.len() > 1 && whole.iter().any(is_fraction) && whole.iter().all(is_listed);
    let words = match comma_is_point {
        true => whole.iter().map(|word| word.replace(',', ".")).collect(),
        false => words(","),
    };
    words
        .into_iter()
        .map(|word| {
            // A minus sign from a typeset page is one all the same.
            let plain = word.replace('−', "-");
            plain
                .parse()
                .map_err(|_| tr!("“{word}” is not a number", word))
        })
        .collect()
}

/// Letters for a list that came without; numbers where there are not enough letters.
pub fn labels(count: usize) -> Vec<String> {
    let letter = |index: usize| char::from(b'a' + index as u8).to_string();
    (0..count)
        .map(|index| {
            if count <= 26 {
                letter(index)
            } else {
                (index + 1).to_string()
            }
        })
        .collect()
}

/// A number without the noise of binary fractions: up to six decimals.
pub fn number(value: f64) -> String {
    let text = at_most(value, 6);
    let text = if text == "-0" { "0" } else { &text };
    text.replace('-', "−")
}

/// What is wrong with a list of numbers, to stand after its name.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_in_many_shapes() {
        for text in ["0.5,0.5", "[0.5, 0.5]", "0.5 0.5", "0.5\n0.5\n", ".5;5e-1"] {
            assert_eq!(numbers(text), Ok(vec![0.5, 0.5]), "{text}");
        }
        for text in ["0,5 0,5", "0,5; 0,5", "[0,5\n0,5]"] {
            assert_eq!(numbers(text), Ok(vec![0.5, 0.5]), "{text}");
        }
        assert_eq!(numbers("0,25 0,75 0"), Ok(vec![0.25, 0.75, 0.0]));
        // Rows of a table, and lists that begin with nothing.
        assert_eq!(numbers("1,2\n3,4"), Ok(vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(numbers("0,5"), Ok(vec![0.0, 5.0]));
        assert_eq!(numbers("0,5, 3,2"), Ok(vec![0.0, 5.0, 3.0, 2.0]));
        assert_eq!(
            numbers("0.5, half"),
            Err("“half” is not a number".to_owned())
        );
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1.25), "1.25");
        assert_eq!(number(0.1 + 0.2 - 0.3), "0");
        assert_eq!(number(-0.25), "−0.25");
        assert_eq!(number(2.0), "2");
    }
}
