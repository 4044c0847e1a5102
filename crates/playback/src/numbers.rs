//! Numbers as they are told, so that the same one reads the same everywhere, and as the page's
//! language writes it.

use std::fmt::Display;

use crate::tr;

/// What stands between whole and parts of a number that is printed with a point, in the page's
/// language: "0.54", "0,54".
pub fn written(printed: &str) -> String {
    printed.replace('.', &tr!("decimal" => "."))
}

/// A number with so many decimals.
pub fn decimal(value: impl Into<f64>, decimals: usize) -> String {
    written(&format!("{:.decimals$}", value.into()))
}

/// A number with at most so many decimals, none of them an idle nought at the end.
pub fn at_most(value: impl Into<f64>, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.into());
    written(without_idle_noughts(&text))
}

/// A number as it is printed with a point, without noughts at the end that say nothing.
pub fn without_idle_noughts(printed: &str) -> &str {
    match printed.contains('.') {
        true => printed.trim_end_matches('0').trim_end_matches('.'),
        false => printed,
    }
}

/// A number with the fewest digits that tell it from all others.
pub fn shortest(value: f64) -> String {
    written(&value.to_string())
}

/// `12345` as `12,345`.
pub fn grouped(number: usize) -> String {
    let (thousands, rest) = (number / 1000, number % 1000);
    if thousands == 0 {
        rest.to_string()
    } else {
        format!("{}{}{rest:03}", grouped(thousands), tr!("thousands" => ","))
    }
}

/// What stands between two numbers, each of which may have a decimal comma.
pub fn separator() -> String {
    tr!("between numbers" => ", ")
}

/// Two ends: "[0.12, 0.34]".
pub fn interval(low: impl Display, high: impl Display) -> String {
    format!("[{low}{}{high}]", separator())
}

/// A number with so many significant digits, so that a quotient of small ones can be checked.
pub fn significant(value: f64, digits: i32) -> String {
    written(&with_digits(value, digits))
}

fn with_digits(value: f64, digits: i32) -> String {
    if value == 0.0 || value >= 1.0 {
        return value.to_string();
    }
    let scientific = format!("{value:.*e}", (digits - 1).max(0) as usize);
    // What two digits would make a 1.0 of has a third; what reads as 1 then, is as good as that.
    if scientific.ends_with("e0") {
        return match digits {
            ..3 => with_digits(value, 3),
            _ => "1".to_owned(),
        };
    }
    let exponent = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    match (exponent, scientific.split_once('e')) {
        (Some(exponent), _) if exponent >= -4 => {
            format!("{value:.*}", (digits - 1 - exponent).max(0) as usize)
        }
        (_, Some((mantissa, exponent))) => {
            // Spaces at which no line is broken, and which are narrow.
            format!("{mantissa}\u{202f}·\u{202f}10{}", raised(exponent))
        }
        _ => value.to_string(),
    }
}

const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// A printed whole number in raised digits.
fn raised(exponent: &str) -> String {
    exponent
        .chars()
        .map(|letter| {
            let digit = letter.to_digit(10).map(|digit| digit as usize);
            digit.map_or('⁻', |digit| RAISED[digit])
        })
        .collect()
}

/// Two numbers with as many significant digits, two at least, as show which is larger.
pub fn told_apart(a: f64, b: f64) -> [String; 2] {
    let both = |digits| [a, b].map(|value| with_digits(value, digits));
    let number = |text: &str| text.parse::<f64>().ok();
    let told = (2..7)
        .map(both)
        .find(|[left, right]| match (number(left), number(right)) {
            (Some(left), Some(right)) => left != right,
            _ => left != right,
        });
    let told = match a == b {
        true => both(2),
        false => told.unwrap_or_else(|| both(7)),
    };
    told.map(|printed| written(&printed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_significant_digits_give_a_quotient_that_can_be_checked() {
        let shown = |value| significant(value, 2);
        assert_eq!(shown(0.0684), "0.068");
        assert_eq!(shown(0.0121), "0.012");
        assert_eq!(shown(0.54), "0.54");
        assert_eq!(shown(0.994), "0.99");
        assert_eq!(shown(0.996), "0.996");
        assert_eq!(shown(0.9998), "1");
        assert_eq!(shown(1.0), "1");
        assert_eq!(shown(0.0), "0");
        assert_eq!(shown(0.000_012), "1.2\u{202f}·\u{202f}10⁻⁵");
        assert_eq!(shown(1.2e-36), "1.2\u{202f}·\u{202f}10⁻³⁶");
        assert_eq!(raised("-1234567890"), "⁻¹²³⁴⁵⁶⁷⁸⁹⁰");
    }

    #[test]
    fn what_decided_is_told_with_digits_enough() {
        assert_eq!(told_apart(0.54, 0.177), ["0.54", "0.18"]);
        assert_eq!(told_apart(0.1772, 0.1768), ["0.1772", "0.1768"]);
        assert_eq!(told_apart(0.9996, 1.0), ["0.9996", "1"]);
        assert_eq!(told_apart(0.97, 0.97), ["0.97", "0.97"]);
        let small = told_apart(0.000_012_1, 0.000_012_4);
        let mantissas = small.map(|text| text.split('\u{202f}').next().map(str::to_owned));
        assert_eq!(
            mantissas,
            ["1.21", "1.24"].map(|text| Some(text.to_owned()))
        );
    }

    #[test]
    fn idle_noughts_go_and_others_stay() {
        assert_eq!(at_most(0.5, 3), "0.5");
        assert_eq!(at_most(3.0, 3), "3");
        assert_eq!(at_most(120.0, 0), "120");
        assert_eq!(shortest(0.05), "0.05");
        assert_eq!(grouped(1_234_005), "1,234,005");
        assert_eq!(
            interval(decimal(0.5, 2), decimal(1.0_f32, 2)),
            "[0.50, 1.00]"
        );
    }
}
