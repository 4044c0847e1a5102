//! Tables as files that any spreadsheet reads.

/// A line of a table, its end included.
pub fn line<S: AsRef<str>>(cells: &[S]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell.as_ref())).collect();
    format!("{}\r\n", cells.join(","))
}

/// A cell as RFC 4180 wants it; what a spreadsheet would take for a formula is kept from it.
fn quoted(cell: &str) -> String {
    // A sign alone is none.
    let formula = cell.len() > 1
        && (cell.starts_with(['=', '+', '@'])
            || cell.starts_with('-') && cell.parse::<f64>().is_err());
    let cell = if formula {
        format!("'{cell}")
    } else {
        cell.to_owned()
    };
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_number_stays_one() {
        assert_eq!(line(&["-0.5", "-x"]), "-0.5,'-x\r\n");
    }

    #[test]
    fn a_sign_that_is_a_token_stays_one() {
        assert_eq!(line(&["-", "=", "+1"]), "-,=,'+1\r\n");
    }

    #[test]
    fn separators_and_quotes_stay_inside_their_cell() {
        assert_eq!(line(&["=A, \"B\"", "\n"]), "\"'=A, \"\"B\"\"\",\"\n\"\r\n");
    }
}
