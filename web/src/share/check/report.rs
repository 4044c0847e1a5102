//! Whether the report of a measurement from a file can be drawn: every number is looked at once.

use couplet_playback::tr;
use couplet_protocol::{
    GammaSpeed, MAX_GAMMA, RaceRound, Settings, SpeedReport, SpeedRequest, TokensPerSecond, VERSION,
};
use couplet_speculation::statistics::{confidence_of_each, median, median_interval};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{LONGEST_TEXT, said};
use crate::permalink::shorten;
use crate::speed::predicted;

/// The largest time in milliseconds, and the largest number of tokens a second, that is drawn.
const MOST: f64 = 1e9;
/// The largest factor that is drawn.
const LARGEST_FACTOR: f64 = 1e4;

/// Reads the text of a file; `None` where it is no report.
///
/// # Errors
///
/// A sentence that says what is wrong with it and what to do.
pub fn read(text: &str) -> Option<Result<SpeedReport, String>> {
    let text = text.trim_start_matches('\u{feff}');
    // Lists are read for structs as well.
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let head: Head = serde_json::from_str(text).ok()?;
    let is_report = head.request.is_some() && head.gammas.is_some();
    is_report.then(|| {
        whole(head.version, text).map_err(|clause| {
            tr!(
                "This measurement is damaged: {clause}. Choose the file that “JSON” in Speed gave.",
                clause
            )
        })
    })
}

/// What tells a report from other files, of which nothing else is kept: they may be large.
#[derive(Deserialize)]
struct Head {
    version: Option<Value>,
    request: Option<IgnoredAny>,
    gammas: Option<IgnoredAny>,
}

fn whole(version: Option<Value>, text: &str) -> Result<SpeedReport, String> {
    if let Some(version) = version
        && version != VERSION
    {
        return Err(tr!(
            "its version is {found}, not the number {known}",
            found = shorten(&version.to_string()),
            known = VERSION
        ));
    }
    let report: SpeedReport = serde_json::from_str(text).map_err(|error| {
        tr!(
            "at line {line}, column {column} something is missing or of another kind",
            line = error.line(),
            column = error.column()
        )
    })?;
    check(&report)?;
    Ok(report)
}

/// Checks everything that the page relies on.
fn check(report: &SpeedReport) -> Result<(), String> {
    let request = &report.request;
    request
        .check()
        .map_err(|error| format!("request.{}", said(&error)))?;
    let device = &report.device;
    let told = [&report.taken_at, &report.build, &report.user_agent];
    let texts = [&device.name, &device.variant].into_iter();
    let mut texts = texts
        .chain(&device.reason)
        .chain(told.into_iter().flatten());
    let counted = report.gammas.iter().map(|row| row.gamma);
    let asked = request.gammas.iter().copied().map(f64::from);
    let parts = [
        (
            "device",
            texts.all(|text| text.chars().count() <= LONGEST_TEXT),
        ),
        ("tokens", report.tokens <= Settings::MAX_TOKENS),
        (
            "weights",
            report.weights.iter().all(|hashes| {
                [&hashes.target, &hashes.draft]
                    .iter()
                    .all(|hash| hash.chars().count() <= LONGEST_TEXT)
            }),
        ),
        ("tick", report.tick.is_none_or(is_time)),
        ("target_alone", is_speed(&report.target_alone)),
        (
            "gammas",
            counted.eq(asked) && report.gammas.iter().all(|row| is_row(row, request)),
        ),
        (
            "auto",
            request.auto == report.auto.is_some()
                && report.auto.iter().all(|row| is_row(row, request)),
        ),
        ("costs", are_costs(report)),
        (
            "costs",
            // What is drawn of them.
            request
                .gammas
                .iter()
                .all(|gamma| predicted(report, *gamma).is_none_or(is_factor)),
        ),
        (
            "costs",
            report.gammas.iter().all(|row| is_predicted(row, report)),
        ),
        ("shares", are_shares(report)),
        (
            "race",
            report.race.len() <= 2
                && report.race.iter().all(|lane| {
                    lane.gamma <= MAX_GAMMA
                        && lane.rounds.len() <= Settings::MAX_TOKENS as usize
                        && lane.rounds.iter().all(is_round)
                        && lane
                            .rounds
                            .iter()
                            .map(|round| round.tokens.len())
                            .sum::<usize>()
                            <= Settings::MAX_TOKENS as usize
                }),
        ),
    ];
    match parts.into_iter().find(|(_, right)| !right) {
        Some((name, _)) => Err(tr!("{name} cannot be so", name)),
        None => Ok(()),
    }
}

fn is_time(value: f64) -> bool {
    (0.0..=MOST).contains(&value)
}

fn is_factor(value: f64) -> bool {
    value > 0.0 && value <= LARGEST_FACTOR
}

fn is_interval([low, high]: [f64; 2]) -> bool {
    is_factor(low) && is_factor(high) && low <= high
}

fn is_speed(speed: &TokensPerSecond) -> bool {
    let TokensPerSecond { median, min, max } = *speed;
    min >= 0.0 && min <= median && median <= max && max <= MOST
}

fn is_row(row: &GammaSpeed, request: &SpeedRequest) -> bool {
    let pairs = request.pairs;
    let times = row.runs.iter().flatten();
    (0.0..=f64::from(MAX_GAMMA)).contains(&row.gamma)
        && is_speed(&row.speculation)
        && is_speed(&row.target_alone)
        && row.runs.len() <= pairs as usize
        && times.clone().all(|run| is_time(run.milliseconds))
        && times.clone().all(|run| run.tokens <= Settings::MAX_TOKENS)
        && row.ratios.len() <= pairs as usize
        && row.ratios.iter().all(|ratio| is_factor(*ratio))
        && is_factor(row.speed_up)
        && is_interval(row.interval)
        && row.interval_among_all.is_none_or(is_interval)
        && row.accepted <= row.judged
        && row.predicted.is_none_or(is_factor)
        && follows_from_runs(row, request)
}

/// Whether a row says of its runs what they give; there are reports that do not name them.
fn follows_from_runs(row: &GammaSpeed, request: &SpeedRequest) -> bool {
    if row.runs.is_empty() {
        return true;
    }
    let ratios: Vec<f64> = row
        .runs
        .iter()
        .map(|[speculation, alone]| speculation.speed() / alone.speed())
        .collect();
    // Medians are of numbers alone: a run without tokens or time gives none.
    if ratios.len() != request.pairs as usize || !ratios.iter().all(|ratio| is_factor(*ratio)) {
        return false;
    }
    let each = confidence_of_each(SpeedReport::CONFIDENCE, request.contenders());
    let among_all = median_interval(&ratios, each);
    are_alike(&ratios, &row.ratios)
        && are_alike(&[median(&ratios)], &[row.speed_up])
        && are_alike(
            &median_interval(&ratios, SpeedReport::CONFIDENCE),
            &row.interval,
        )
        && row
            .interval_among_all
            .is_none_or(|interval| are_alike(&among_all, &interval))
}

/// Whether a prediction is the one that the formula gives; there are reports without any.
fn is_predicted(row: &GammaSpeed, report: &SpeedReport) -> bool {
    let computed = predicted(report, row.gamma as u32);
    row.predicted
        .zip(computed)
        .is_none_or(|(kept, computed)| are_alike(&[kept], &[computed]))
}

/// Whether numbers differ by what writing them down may change.
fn are_alike(numbers: &[f64], others: &[f64]) -> bool {
    let alike = |(one, other): (&f64, &f64)| (one - other).abs() <= 1e-6 * one.abs();
    numbers.len() == others.len() && numbers.iter().zip(others).all(alike)
}

fn are_costs(report: &SpeedReport) -> bool {
    let costs = &report.costs;
    let steps = [costs.target_step, costs.draft_step];
    costs.verify.len() == report.gammas.len()
        && steps.iter().chain(&costs.verify).all(|time| is_time(*time))
        && is_time(costs.draft_first_extra.abs())
}

fn are_shares(report: &SpeedReport) -> bool {
    report.shares.len() <= 2
        && report.shares.iter().all(|share| {
            let times = [share.draft, share.target, share.sampling];
            times.into_iter().all(is_time) && is_time(share.rest.abs())
        })
}

fn is_round(round: &RaceRound) -> bool {
    is_time(round.end)
        && round.gamma <= MAX_GAMMA
        && round.accepted <= round.gamma
        && round.tokens.len() <= MAX_GAMMA as usize + 1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report() -> Value {
        let report = crate::speed::test::report(&[(1, [1.0, 1.1]), (2, [1.2, 1.3])]);
        let mut value = serde_json::to_value(report).unwrap();
        value["gammas"][0]["interval_among_all"] = json!([0.9, 1.2]);
        value["weights"] = json!({"target": "0123", "draft": "4567"});
        value["tick"] = json!(0.125);
        value["race"] = json!([
            {"gamma": 0, "readbacks": 0, "rounds": [{"end": 1.0, "gamma": 0, "accepted": 0, "tokens": [1]}]},
            {"gamma": 2, "readbacks": 0, "rounds": [{"end": 1.0, "gamma": 2, "accepted": 1, "tokens": [1, 0]}]},
        ]);
        value
    }

    #[test]
    fn what_the_page_saves_is_read_again() {
        let text = report().to_string();
        let read = read(&text).unwrap().unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), report());
        let marked = format!("\u{feff}{text}");
        assert!(
            super::read(&marked).unwrap().is_ok(),
            "as some editors save it"
        );
        assert!(super::read("{}").is_none());
        assert!(super::read(r#"{"version": 1, "events": []}"#).is_none());
        assert!(super::read("[").is_none());
    }

    #[test]
    fn every_number_that_cannot_be_drawn_is_refused_by_the_name_of_its_part() {
        let round = json!({"end": 1.0, "gamma": 0, "accepted": 0, "tokens": [0, 0]});
        let cases: [(&str, Value); 26] = [
            ("/version", json!(2)),
            ("/request/pairs", json!(1)),
            ("/request/settings/temperature", json!(9)),
            ("/request/gammas", json!([1, 3])),
            ("/device/name", json!("x".repeat(LONGEST_TEXT + 1))),
            ("/tokens", json!(u32::MAX)),
            ("/weights/draft", json!("x".repeat(LONGEST_TEXT + 1))),
            ("/tick", json!(-0.1)),
            ("/target_alone/min", json!(-1)),
            ("/target_alone/max", json!(1e300)),
            ("/gammas/0/gamma", json!(-1)),
            ("/gammas/0/interval", json!([1.2, 1.1])),
            ("/gammas/0/interval_among_all", json!([0, 1])),
            ("/gammas/0/speed_up", json!(1e5)),
            ("/gammas/1/ratios", json!([-1.0])),
            (
                "/gammas/1/runs",
                json!([[{"tokens": 1, "milliseconds": -1.0}, {"tokens": 1, "milliseconds": 1.0}]]),
            ),
            ("/gammas/1/accepted", json!(u32::MAX)),
            ("/costs/target_step", json!(-0.1)),
            ("/costs/verify", json!([1.0])),
            (
                "/costs",
                json!({"target_step": 2.0, "draft_step": 1e-9, "draft_first_extra": 0.0, "verify": [1e-9, 1e-9]}),
            ),
            (
                "/race/0/rounds",
                json!(vec![round; Settings::MAX_TOKENS as usize]),
            ),
            (
                "/shares",
                json!([{"gamma": 0, "draft": 0, "target": -1, "sampling": 0, "rest": 0}]),
            ),
            ("/race/0/rounds/0/end", json!(1e12)),
            ("/race/0/rounds/0/tokens", json!(vec![0; 18])),
            ("/race/1/rounds/0/accepted", json!(3)),
            ("/race/1/gamma", json!(17)),
        ];
        for (place, wrong) in cases {
            let mut value = report();
            let part = value.pointer_mut(place).expect(place);
            *part = wrong;
            let sentence = read(&value.to_string()).unwrap().expect_err(place);
            let name = place.split('/').nth(1).unwrap();
            let name = if place == "/request/gammas" {
                "gammas"
            } else {
                name
            };
            assert!(sentence.contains(name), "{place}: {sentence}");
            assert!(sentence.contains("“JSON” in Speed"), "{sentence}");
        }
    }

    #[test]
    fn a_report_whose_numbers_do_not_follow_from_its_runs_is_refused() {
        let run = |milliseconds: f64| json!({"tokens": 10, "milliseconds": milliseconds});
        let ratios: Vec<f64> = (0..13).map(|pair| 1.0 + 0.1 * f64::from(pair)).collect();
        let mut value = report();
        let row = &mut value["gammas"][0];
        row["runs"] = ratios
            .iter()
            .map(|ratio| json!([run(5.0), run(5.0 * ratio)]))
            .collect();
        row["ratios"] = json!(ratios);
        row["speed_up"] = json!(median(&ratios));
        row["interval"] = json!(median_interval(&ratios, SpeedReport::CONFIDENCE));
        row["interval_among_all"] = json!(median_interval(
            &ratios,
            confidence_of_each(SpeedReport::CONFIDENCE, 2)
        ));
        let gives = |value: &Value| read(&value.to_string()).unwrap().map(drop);
        value["gammas"][0]["predicted"] = json!(predicted(
            &serde_json::from_value(value.clone()).unwrap(),
            1
        ));
        assert_eq!(gives(&value), Ok(()));
        for (place, other, name) in [
            ("/gammas/0/speed_up", json!(1.7), "gammas"),
            ("/gammas/0/interval", json!([1.5, 1.7]), "gammas"),
            ("/gammas/0/interval_among_all", json!([1.5, 1.7]), "gammas"),
            ("/gammas/0/ratios/3", json!(1.5), "gammas"),
            ("/gammas/0/runs/3/0/milliseconds", json!(4.0), "gammas"),
            (
                "/gammas/0/runs/3",
                json!([{"tokens": 0, "milliseconds": 1.0}, {"tokens": 0, "milliseconds": 1.0}]),
                "gammas",
            ),
            ("/request/pairs", json!(50), "gammas"),
            ("/gammas/0/accepted", json!(1), "costs"),
            ("/costs/verify/0", json!(0.2), "costs"),
        ] {
            let mut changed = value.clone();
            *changed.pointer_mut(place).unwrap() = other;
            let sentence = gives(&changed).expect_err(place);
            assert!(sentence.contains(name), "{place}: {sentence}");
        }
    }

    #[test]
    fn what_is_missing_is_told_by_its_place() {
        let mut value = report();
        value.as_object_mut().unwrap().remove("costs");
        let sentence = read(&value.to_string()).unwrap().unwrap_err();
        assert!(sentence.contains("at line 1, column"), "{sentence}");
    }
}
