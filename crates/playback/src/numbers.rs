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

/// Probabilities of the draft and the target with as many significant digits, two at least, as divide to
/// what is told of the target's share, at most 1, of so much of the draft's.
pub fn dividing([draft, target]: [f64; 2], lenience: f64, told: &str) -> [String; 2] {
    let rounded = |value: f64, digits: i32| {
        let printed = format!("{value:.*e}", (digits - 1) as usize);
        printed.parse().unwrap_or(value)
    };
    let divides = |digits: &i32| {
        let quotient = rounded(target, *digits) / (lenience * rounded(draft, *digits));
        (2..7).any(|told_to| significant(quotient.min(1.0), told_to) == told)
    };
    let digits = (2..6).find(divides).unwrap_or(6);
    [draft, target].map(|value| significant(value, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_divided_has_the_digits_that_its_quotient_takes() {
        let check = |probs, lenience, told, expect: [&str; 2]| {
            assert_eq!(dividing(probs, lenience, told), expect);
        };
        check([0.5, 0.25], 1.0, "0.50", ["0.50", "0.25"]);
        check([0.1332, 0.1252], 1.0, "0.94", ["0.133", "0.125"]);
        check([0.469, 0.284], 1.0, "0.61", ["0.469", "0.284"]);
        check([0.469, 0.284], 0.9, "0.67", ["0.469", "0.284"]);
        check([0.5, 0.27], 0.9, "0.60", ["0.50", "0.27"]);
        // More than its due is kept for certain.
        check([0.2, 0.3], 1.0, "1", ["0.20", "0.30"]);
    }

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
