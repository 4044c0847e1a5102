//! Lists of numbers that a person types or pastes.

use tr::tr;

/// The numbers in a text: separated by commas, semicolons or white space, in brackets or not.
///
/// # Errors
///
/// The first word that is no number, as the beginning of a sentence.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(|c: char| c.is_whitespace() || ",;[]".contains(c))
        .filter(|word| !word.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_in_many_shapes() {
        for text in ["0.5,0.5", "[0.5, 0.5]", "0.5 0.5", "0.5\n0.5\n", ".5;5e-1"] {
            assert_eq!(numbers(text), Ok(vec![0.5, 0.5]), "{text}");
        }
        assert_eq!(
            numbers("0.5, half"),
            Err("“half” is not a number".to_owned())
        );
    }
}
