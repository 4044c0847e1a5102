//! Probabilities and draws as they are told, so that the same one reads the same everywhere.

/// A number with so many significant digits, so that a quotient of small ones can be checked.
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || value >= 1.0 {
        return value.to_string();
    }
    let scientific = format!("{value:.*e}", (digits - 1).max(0) as usize);
    let exponent = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    match (exponent, scientific.split_once('e')) {
        (Some(exponent), _) if exponent >= -4 => {
            format!("{value:.*}", (digits - 1 - exponent).max(0) as usize)
        }
        (_, Some((mantissa, exponent))) => format!("{mantissa} · 10^{exponent}"),
        _ => value.to_string(),
    }
}

/// Two numbers with as many significant digits, two at least, as show which is larger.
pub fn told_apart(a: f64, b: f64) -> [String; 2] {
    let both = |digits| [a, b].map(|value| significant(value, digits));
    if a == b {
        return both(2);
    }
    let number = |text: &str| text.parse::<f64>().ok();
    (2..7)
        .map(both)
        .find(|[left, right]| match (number(left), number(right)) {
            (Some(left), Some(right)) => left != right,
            _ => left != right,
        })
        .unwrap_or_else(|| both(7))
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
        assert_eq!(shown(0.996), "1.0");
        assert_eq!(shown(1.0), "1");
        assert_eq!(shown(0.0), "0");
        assert_eq!(shown(0.000_012), "1.2 · 10^-5");
    }

    #[test]
    fn what_decided_is_told_with_digits_enough() {
        assert_eq!(told_apart(0.54, 0.177), ["0.54", "0.18"]);
        assert_eq!(told_apart(0.1772, 0.1768), ["0.1772", "0.1768"]);
        assert_eq!(told_apart(0.9996, 1.0), ["0.9996", "1"]);
        assert_eq!(told_apart(0.97, 0.97), ["0.97", "0.97"]);
    }
}
