//! A report as files.

use couplet_protocol::{GammaSpeed, Parameter, Settings, SpeedReport, Verdict};

use super::reading::{alpha, c, v};
use super::words;
use crate::browser;
use crate::share::csv;

/// What the files of a report are called, without an ending.
pub fn name(report: &SpeedReport) -> String {
    let settings = &report.request.settings;
    let name = format!(
        "couplet-speed-{}-{}-t{}-{}",
        settings.pair,
        settings.rule.name().replace('_', "-"),
        settings.temperature,
        words::backend(report.device.backend).to_ascii_lowercase()
    );
    match report.taken_at.as_deref().map(to_the_second) {
        Some(time) => format!("{name}-{time}"),
        None => name,
    }
}

/// A time as names of files may hold it: "20260301T123456Z".
fn to_the_second(taken_at: &str) -> String {
    let (seconds, _) = taken_at.split_once('.').unwrap_or((taken_at, ""));
    let letters = seconds.chars().filter(char::is_ascii_alphanumeric);
    letters.chain(['Z']).collect()
}

/// The report, as `couplet.bench` gives it.
pub fn json(report: &SpeedReport) -> String {
    let text = serde_json::to_string(report).unwrap_or_default();
    browser::indented(&text).unwrap_or(text)
}

/// One row for every draft length, each with all that it takes to read it alone.
pub fn csv(report: &SpeedReport) -> String {
    let head = [
        "gamma",
        "auto",
        "speed_up",
        "interval_low",
        "interval_high",
        "interval_among_all_low",
        "interval_among_all_high",
        "confidence",
        "confidence_among_all",
        "verdict",
        "predicted",
        "v",
        "c",
        "alpha_all_rows",
        "drafted",
        "accepted",
        "judged",
        "rounds",
        "tokens",
        "tokens_per_second",
        "tokens_per_second_min",
        "tokens_per_second_max",
        "alone_tokens_per_second",
        "alone_tokens_per_second_min",
        "alone_tokens_per_second_max",
        "pairs",
        "tokens_per_run",
        "pair",
        "rule",
        "lenience",
        "epsilon",
        "delta",
        "temperature",
        "top_k",
        "top_p",
        "drafter",
        "backend",
        "device",
        "variant",
        "seed",
        "hidden",
        "taken_at",
        "build",
        "user_agent",
        "prompt",
    ];
    let mut text = csv::line(&head);
    let fixed = report.gammas.iter().map(|row| (row, false));
    for (row, auto) in fixed.chain(report.auto.iter().map(|row| (row, true))) {
        text.push_str(&csv::line(&cells(report, &report.with_verdict(row), auto)));
    }
    text
}

fn cells(report: &SpeedReport, row: &GammaSpeed, auto: bool) -> Vec<String> {
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let said = |text: &Option<String>| text.clone().unwrap_or_default();
    let fixed = (!auto).then_some(row.gamma as u32);
    // γ and the tokens are the row's own.
    let Settings {
        pair,
        prompt,
        gamma: _,
        auto_gamma: _,
        rule,
        lenience: _,
        epsilon: _,
        delta: _,
        drafter,
        temperature,
        top_k,
        top_p,
        seed,
        max_tokens: _,
    } = &report.request.settings;
    let settings = &report.request.settings;
    let of = |parameter| optional(rule.reads(parameter).then(|| settings.parameter(parameter)));
    let speeds = [row.speculation, row.target_alone]
        .into_iter()
        .flat_map(|speed| [speed.median, speed.min, speed.max])
        .map(|speed| speed.to_string());
    let mut cells = vec![
        row.gamma.to_string(),
        auto.to_string(),
        row.speed_up.to_string(),
        row.interval[0].to_string(),
        row.interval[1].to_string(),
        optional(row.interval_among_all.map(|[low, _]| low)),
        optional(row.interval_among_all.map(|[_, high]| high)),
        optional(row.confidence),
        optional(row.confidence_among_all),
        row.verdict
            .map(Verdict::name)
            .unwrap_or_default()
            .to_owned(),
        optional(row.predicted),
        optional(fixed.and_then(|gamma| v(report, f64::from(gamma)))),
        optional(c(report)),
        optional(alpha(report)),
        optional(row.drafted.map(f64::from)),
        row.accepted.to_string(),
        row.judged.to_string(),
        row.rounds.to_string(),
        row.tokens.to_string(),
    ];
    cells.extend(speeds);
    cells.extend([
        report.request.pairs.to_string(),
        report.tokens.to_string(),
        pair.clone(),
        rule.name().to_owned(),
        of(Parameter::Lenience),
        of(Parameter::Epsilon),
        of(Parameter::Delta),
        temperature.to_string(),
        top_k.to_string(),
        top_p.to_string(),
        drafter.name().to_owned(),
        words::backend(report.device.backend).to_ascii_lowercase(),
        report.device.name.clone(),
        report.device.variant.clone(),
        seed.to_string(),
        report
            .hidden
            .map_or_else(String::new, |hidden| hidden.to_string()),
        said(&report.taken_at),
        said(&report.build),
        said(&report.user_agent),
        prompt.clone(),
    ]);
    cells
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::report;
    use super::*;
    use couplet_protocol::Rule;

    #[test]
    fn every_row_has_a_cell_for_every_column() {
        let mut report = report(&[(1, [1.0, 1.1]), (2, [1.2, 1.3])]);
        report.device.name = "=A, \"B\"".to_owned();
        report.request.settings.prompt = "ROMEO".to_owned();
        let text = csv(&report);
        let lines: Vec<&str> = text.trim_end().split("\r\n").collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].contains("\"'=A, \"\"B\"\"\""), "{}", lines[1]);
        let commas = |line: &str| line.matches(',').count();
        assert_eq!(
            commas(lines[0]),
            commas(lines[1]) - 1,
            "one comma is quoted"
        );
    }

    #[test]
    fn two_measurements_have_files_of_two_names() {
        let mut report = report(&[(1, [1.0, 1.1])]);
        report.request.settings.pair = "shakespeare".to_owned();
        report.request.settings.temperature = 0.8;
        assert_eq!(
            name(&report),
            "couplet-speed-shakespeare-rejection-t0.8-cpu"
        );
        report.taken_at = Some("2026-03-01T12:34:56.789Z".to_owned());
        assert_eq!(
            name(&report),
            "couplet-speed-shakespeare-rejection-t0.8-cpu-20260301T123456Z"
        );
    }

    /// The cells of the first row under these names.
    fn cells_of<const N: usize>(report: &SpeedReport, names: [&str; N]) -> [String; N] {
        let text = csv(report);
        let mut lines = text.lines().map(|line| line.split(','));
        let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
        let cells = head.zip(row).collect::<Vec<_>>();
        names.map(|name| {
            let cell = cells.iter().find(|(column, _)| *column == name);
            cell.unwrap().1.to_owned()
        })
    }

    #[test]
    fn a_row_tells_how_sure_it_is_and_what_the_engine_predicted() {
        let names = [
            "confidence",
            "confidence_among_all",
            "verdict",
            "predicted",
            "drafted",
        ];
        let mut report = report(&[(1, [1.1, 1.3]), (2, [1.2, 1.3])]);
        assert_eq!(cells_of(&report, names), ["0.95", "0.95", "faster", "", ""]);
        report.request.pairs = 6;
        let row = &mut report.gammas[0];
        (row.predicted, row.drafted) = (Some(0.1 + 0.2), Some(48));
        let expect = ["0.95", "", "cannot_tell", "0.30000000000000004", "48"];
        assert_eq!(cells_of(&report, names), expect);
        report.request.pairs = 5;
        assert_eq!(cells_of(&report, names)[0], "");
    }

    #[test]
    fn a_row_tells_the_parameters_of_its_rule_and_of_no_other() {
        let parameters = |rule: Rule| {
            let mut report = report(&[(1, [1.0, 1.1])]);
            report.request.settings.rule = rule;
            cells_of(&report, ["lenience", "epsilon", "delta"]).map(|cell| !cell.is_empty())
        };
        assert_eq!(parameters(Rule::Rejection), [false; 3]);
        assert_eq!(parameters(Rule::Lenience), [true, false, false]);
        assert_eq!(parameters(Rule::Typical), [false, true, true]);
    }
}
