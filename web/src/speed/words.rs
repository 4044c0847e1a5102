//! What a report allows to say, in words.

use couplet_playback::{Cut, count_word, decimal, grouped, shortest, tr};
use couplet_protocol::{
    Drafter, GammaSpeed, Headline, PairInfo, Settings, SpeedReport, SpeedRequest, Verdict,
};

use super::reading::{alpha, c, level, pays, predicted, round_of, v};
use crate::language;
use crate::stage::{drafter_title, rule_parameters, rule_title};
use crate::store::Kept;
pub use crate::words::backend;
use crate::words::token_count;

/// The verdict behind the number: "faster", "slower", "can’t tell".
pub fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Faster => tr!("faster"),
        Verdict::Slower => tr!("slower"),
        Verdict::CannotTell => tr!("can’t tell"),
    }
}

/// A factor: "1.72×".
pub fn factor(value: f64) -> String {
    format!("{}×", decimal(value, 2))
}

/// An end of an interval: with a third decimal where two would make it 1, which it is not.
pub fn bound(value: f64) -> String {
    let is_one = format!("{value:.2}") == "1.00";
    decimal(value, if is_one { 3 } else { 2 })
}

/// How the intervals of a report are called, each wide enough for the best of what was timed: too few
/// pairs give the range of their ratios, and no confidence.
pub fn interval_name(request: &SpeedRequest) -> String {
    match (request.has_enough_pairs(), request.contenders()) {
        (false, _) => tr!("range of the pairs, too few for 95 %"),
        (true, 1) => tr!("95 % interval"),
        (true, among) => tr!("95 % interval for the best of {}", count_word(among)),
    }
}

/// The interval in words.
pub fn interval(headline: &Headline, request: &SpeedRequest) -> String {
    let [low, high] = headline.interval.map(bound);
    let name = interval_name(request);
    match headline.verdict {
        _ if !request.has_enough_pairs() => tr!("{name}: {low} to {high}", name, low, high),
        Verdict::CannotTell => tr!("{name} {low} to {high}, which contains 1", name, low, high),
        _ => tr!("{name} {low} to {high}", name, low, high),
    }
}

/// What came of a measurement, for whoever hears it.
pub fn in_short(kept: &Kept) -> Option<String> {
    let headline = kept.report.headline()?;
    let [low, high] = headline.interval.map(bound);
    Some(format!(
        "{}: {} {} {}",
        tr!("Speed-up, measured"),
        factor(headline.row.speed_up),
        couplet_playback::interval(low, high),
        verdict(headline.verdict)
    ))
}

/// By what a picture of a report can be cited, besides what it is about.
pub fn origin(report: &SpeedReport) -> String {
    let runs = tr!(
        "{pairs} pairs, {tokens} a run, seed {seed}",
        pairs = report.request.pairs,
        tokens = token_count(report.tokens as usize),
        seed = report.request.settings.seed
    );
    let variant = &report.device.variant;
    let variant = (!variant.is_empty()).then(|| language::of_engine(variant));
    let build = report
        .build
        .as_ref()
        .map(|build| format!("Couplet {build}"));
    let parts = [Some(runs), variant, report.taken_at.clone(), build];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}

/// The rule with its parameters, and what else of the settings is not the usual: another drafter,
/// filters.
pub fn rule(settings: &Settings, pair: &PairInfo) -> String {
    let title = rule_title(settings.rule);
    let rule = match rule_parameters(settings) {
        Some(parameters) => format!("{title} {parameters}"),
        None => title.to_owned(),
    };
    std::iter::once(rule)
        .chain(beside_rule(settings, pair))
        .collect::<Vec<_>>()
        .join(", ")
}

/// What is set on the Stage alone and counts here too, where it is not the usual.
pub fn beside_rule(settings: &Settings, pair: &PairInfo) -> Vec<String> {
    // What has a field in this scene, or does not change how fast a text is written.
    let Settings {
        pair: _,
        prompt: _,
        gamma: _,
        auto_gamma: _,
        rule: _,
        lenience: _,
        epsilon: _,
        delta: _,
        drafter,
        temperature: _,
        top_k,
        top_p,
        seed: _,
        max_tokens: _,
    } = *settings;
    let drafter = (drafter != Drafter::Model)
        .then(|| tr!("drafter: {}", drafter_title(drafter, Cut::of(&pair.tokens))));
    let top_k = (top_k > 0).then(|| format!("{} {top_k}", tr!("top-k")));
    let top_p = (top_p < 1.0).then(|| format!("{} {}", tr!("top-p"), shortest(top_p)));
    [drafter, top_k, top_p].into_iter().flatten().collect()
}

/// A draft length: "5", under the engine's choice its mean.
pub fn gamma(row: &GammaSpeed) -> String {
    if row.gamma.fract() == 0.0 {
        format!("{:.0}", row.gamma)
    } else {
        decimal(row.gamma, 1)
    }
}

/// A speed with no more digits than its noise leaves meaning.
pub fn rate(speed: f64) -> String {
    if speed < 99.95 {
        return decimal(speed, 1);
    }
    grouped(speed.round() as usize)
}

/// Milliseconds with three digits.
pub fn milliseconds(value: f64) -> String {
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else if value >= 0.9995 {
        2
    } else {
        3
    };
    decimal(value, decimals)
}

/// What is said of the sweep: of every draft length only what its interval allows.
pub fn sweep(report: &SpeedReport) -> String {
    let Some(best) = report.best() else {
        return String::new();
    };
    let rows = &report.gammas;
    let request = &report.request;
    if !request.has_enough_pairs() {
        return format!("{} {}", too_few(request), why(report, best));
    }
    if rows.len() == 1 {
        return one(report, best);
    }
    let verdict = |row: &GammaSpeed| report.verdict(row);
    match verdict(best) {
        Verdict::Faster => {
            let mut sentences = vec![level_lengths(report, best)];
            let open = rows
                .iter()
                .filter(|row| verdict(row) == Verdict::CannotTell);
            let open: Vec<String> = open.map(gamma).collect();
            if !open.is_empty() {
                sentences.push(tr!(
                    "The interval of γ {gammas} contains 1."
                        | "The intervals of γ {gammas} contain 1." % open.len(),
                    gammas = list(&open)
                ));
            }
            sentences.extend(falls(report, best));
            let behind = rows.iter().filter(|row| row.gamma > best.gamma);
            let slower = |row: &&GammaSpeed| verdict(row) == Verdict::Slower;
            let last_open = behind.clone().rfind(|row| !slower(row));
            let from = last_open.map_or(best.gamma, |row| row.gamma);
            if let Some(slower) = behind.clone().find(|row| row.gamma > from) {
                sentences.push(tr!(
                    "From γ {} on, drafting costs more than it saves.",
                    gamma(slower)
                ));
            }
            sentences.join(" ")
        }
        Verdict::Slower => {
            format!(
                "{} {}",
                tr!("Every draft length is slower."),
                why(report, best)
            )
        }
        Verdict::CannotTell => {
            let slower: Vec<String> = rows
                .iter()
                .filter(|row| verdict(row) == Verdict::Slower)
                .map(gamma)
                .collect();
            let by_itself = report.auto.as_ref().map(verdict);
            let says = if slower.is_empty() && by_itself.is_some_and(|it| it != Verdict::CannotTell)
            {
                tr!("The interval of every fixed draft length contains 1.")
            } else if slower.is_empty() {
                tr!("Every interval contains 1: these runs cannot tell whether drafting pays.")
            } else {
                tr!(
                    "No fixed draft length is faster beyond the noise, and γ {gammas} is slower."
                        | "No fixed draft length is faster beyond the noise, and γ {gammas} are slower."
                            % slower.len(),
                    gammas = list(&slower)
                )
            };
            format!("{says} {}", why(report, best))
        }
    }
}

fn too_few(request: &SpeedRequest) -> String {
    tr!(
        "{pairs} pairs are too few to tell anything at 95 %: here it takes {enough}.",
        pairs = request.pairs,
        enough = SpeedRequest::enough_pairs(request.contenders())
    )
}

/// Why a report comes to its verdict: where nothing is decided, that first, and what the formula alone
/// would expect; then what a round costs and brings.
pub fn reason(report: &SpeedReport) -> Option<String> {
    let headline = report.headline()?;
    let why = why(report, headline.row);
    if headline.verdict != Verdict::CannotTell {
        return Some(why);
    }
    let open = match report.request.has_enough_pairs() {
        true => tr!(
            "The interval contains 1, so these runs cannot tell: what the draft gains or costs is smaller than their noise."
        ),
        false => too_few(&report.request),
    };
    let drafted = headline.row.gamma.round() as u32;
    let expected = predicted(report, drafted).filter(|_| drafted > 0);
    let expected =
        expected.map(|speed_up| tr!("The formula alone would expect {}.", factor(speed_up)));
    let says = [Some(open), expected, Some(why)].into_iter().flatten();
    Some(says.collect::<Vec<_>>().join(" "))
}

/// The last word of a sweep in which nothing is faster beyond the noise, as plainly as its
/// intervals allow: none while all of them hold 1, which is said already.
pub fn last_word(report: &SpeedReport) -> Option<String> {
    let headline = report.headline().filter(|_| !pays(report))?;
    let mut rows = report.gammas.iter().chain(&report.auto);
    match headline.verdict {
        // The best is the one for which most may be said, so all the others are slower too.
        Verdict::Slower => Some(tr!("Drafting does not pay.")),
        _ if !rows.any(|row| report.verdict(row) == Verdict::Slower) => None,
        _ if report.is_about_auto() => Some(tr!(
            "Whether drafting pays where the engine chooses γ, these runs cannot tell."
        )),
        _ => Some(tr!(
            "Whether γ {} pays, these runs cannot tell.",
            gamma(headline.row)
        )),
    }
}

/// The best draft length and those that may be as good, or that there is none.
pub fn best_gamma(report: &SpeedReport) -> Option<String> {
    let best = report.best().filter(|_| report.gammas.len() > 1)?;
    Some(match report.verdict(best) {
        Verdict::Slower => tr!("none, the target alone is faster"),
        Verdict::CannotTell => tr!("{}, but these runs cannot tell", gamma(best)),
        Verdict::Faster => {
            let others = level(report, best).into_iter().filter(|row| *row != best);
            let others: Vec<String> = others.map(gamma).collect();
            if others.is_empty() {
                gamma(best)
            } else {
                tr!(
                    "{best}; the interval of {others} overlaps its own"
                        | "{best}; those of {others} overlap its interval" % others.len(),
                    best = gamma(best),
                    others = list(&others)
                )
            }
        }
    })
}

fn one(report: &SpeedReport, row: &GammaSpeed) -> String {
    let says = match report.verdict(row) {
        Verdict::Faster => tr!("At γ {} speculation pays.", gamma(row)),
        Verdict::Slower => tr!("At γ {} speculation does not pay.", gamma(row)),
        Verdict::CannotTell => tr!(
            "At γ {} the interval contains 1: these runs cannot tell.",
            gamma(row)
        ),
    };
    format!("{says} {}", why(report, row))
}

/// Which draft lengths have intervals that overlap that of the best, which is faster than the target
/// alone.
fn level_lengths(report: &SpeedReport, best: &GammaSpeed) -> String {
    let others = level(report, best).into_iter().filter(|row| *row != best);
    let others: Vec<String> = others.map(gamma).collect();
    // Another's median may be larger, with an interval that holds 1.
    let is_first = !report.gammas.iter().any(|row| row.speed_up > best.speed_up);
    let best = gamma(best);
    let first = match is_first {
        true => tr!("γ {} has the largest median.", best),
        false => tr!(
            "γ {} has the largest median of those beyond the noise.",
            best
        ),
    };
    let level = match others.len() {
        0 => return tr!("γ {} is the fastest beyond the noise.", best),
        all if all + 1 == report.gammas.len() => tr!("All other intervals overlap its own."),
        count => tr!(
            "The interval of γ {others} overlaps its own."
                | "The intervals of γ {others} overlap its own." % count,
            others = list(&others)
        ),
    };
    format!("{first} {level}")
}

/// Where the speed-up falls behind the best for good, and what becomes of the last pencilled token.
fn falls(report: &SpeedReport, best: &GammaSpeed) -> Option<String> {
    let behind = |row: &&GammaSpeed| row.gamma > best.gamma;
    let below = |row: &GammaSpeed| row.simultaneous_interval()[1] < best.simultaneous_interval()[0];
    let last_level = report
        .gammas
        .iter()
        .filter(behind)
        .rfind(|row| !below(row))
        .unwrap_or(best);
    report
        .gammas
        .iter()
        .filter(behind)
        .find(|row| row.gamma > last_level.gamma)?;
    let past = gamma(last_level);
    let alpha = alpha(report).filter(|_| report.request.has_formula());
    Some(match alpha {
        Some(alpha) => match (100.0 * alpha.powf(last_level.gamma + 1.0)).round() as u32 {
            0 => tr!(
                "Past γ {past} it falls: by the formula, the next pencilled token is reached and kept less than once in 100.",
                past
            ),
            kept => tr!(
                "Past γ {past} it falls: by the formula, the next pencilled token is reached and kept only once in 100."
                    | "Past γ {past} it falls: by the formula, the next pencilled token is reached and kept only {n} times in 100."
                        % kept,
                past
            ),
        },
        None => tr!("Past γ {past} it falls.", past),
    })
}

/// What a round costs and brings.
pub fn why(report: &SpeedReport, row: &GammaSpeed) -> String {
    let drafted = row.gamma.round() as u32;
    if drafted == 0 {
        return tr!("The engine drafts next to nothing here, so this is nearly the target alone.");
    }
    let Some(checking) = v(report, f64::from(drafted)) else {
        return String::new();
    };
    let checking = decimal(checking, 2);
    let tokens = count_word(drafted as usize + 1);
    let Some(drafting) = c(report) else {
        return tr!(
            "Checking {tokens} positions costs {checking} times one.",
            tokens,
            checking
        );
    };
    let drafting = decimal(drafting, 2);
    match round_of(report, drafted).filter(|_| report.request.has_formula()) {
        Some((written, cost)) => tr!(
            "Checking {tokens} positions costs {checking} times one and drafting a token costs {drafting}: by the formula a round of γ {drafted} would write {written} tokens for the price of {cost}.",
            tokens,
            checking,
            drafting,
            drafted,
            written = decimal(written, 2),
            cost = decimal(cost, 2)
        ),
        None => tr!(
            "Checking {tokens} positions costs {checking} times one and drafting a token costs {drafting}.",
            tokens,
            checking,
            drafting
        ),
    }
}

/// "2, 3 and 4", or "2 to 4" where they follow each other.
fn list(items: &[String]) -> String {
    let numbers: Vec<f64> = items.iter().filter_map(|item| item.parse().ok()).collect();
    let runs = numbers.len() == items.len()
        && numbers.len() > 2
        && numbers.windows(2).all(|two| two[1] == two[0] + 1.0);
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first, .., last] if runs => tr!("{first} to {last}", first, last),
        [most @ .., last] => tr!("{most} and {last}", most = most.join(", "), last),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::report;
    use super::*;
    use couplet_speculation::statistics::confidence_of_each;

    #[test]
    fn nothing_is_said_that_the_intervals_do_not_hold() {
        let says = |rows: &[(u32, [f64; 2])]| sweep(&report(rows));
        let open = says(&[(1, [0.9, 1.1]), (2, [0.95, 1.2])]);
        assert!(open.starts_with("Every interval contains 1"), "{open}");
        // Slower once, which the next one cannot confirm, and then for good.
        let tail = says(&[
            (1, [1.1, 1.3]),
            (2, [0.8, 0.9]),
            (3, [0.8, 1.1]),
            (4, [0.7, 0.8]),
            (5, [0.6, 0.7]),
        ]);
        assert!(tail.contains("From γ 4 on"), "{tail}");
        let slower = says(&[(1, [0.8, 0.95]), (2, [0.7, 0.8])]);
        assert!(
            slower.starts_with("Every draft length is slower."),
            "{slower}"
        );
        let mixed = says(&[(1, [0.9, 1.1]), (2, [0.7, 0.8])]);
        assert!(mixed.contains("γ 2 is slower"), "{mixed}");
        // The largest median holds 1, others do not.
        let wide = says(&[(1, [1.1, 1.3]), (2, [0.9, 2.0]), (3, [0.8, 1.1])]);
        assert!(!wide.contains("Every interval"), "{wide}");
        assert!(
            wide.starts_with("γ 1 has the largest median of those beyond the noise."),
            "{wide}"
        );
        assert!(
            wide.contains("The intervals of γ 2 and 3 contain 1."),
            "{wide}"
        );
        let mut auto = report(&[(1, [0.9, 1.1]), (2, [0.9, 1.1])]);
        auto.auto = report(&[(2, [1.1, 1.2])]).gammas.pop();
        let text = sweep(&auto);
        assert!(text.starts_with("The interval of every fixed"), "{text}");
        auto.auto = report(&[(2, [0.8, 0.9])]).gammas.pop();
        let text = sweep(&auto);
        assert!(text.starts_with("The interval of every fixed"), "{text}");
        auto.auto = report(&[(2, [0.9, 1.2])]).gammas.pop();
        let text = sweep(&auto);
        assert!(text.starts_with("Every interval contains 1"), "{text}");
    }

    #[test]
    fn the_best_of_several_is_not_called_faster_for_its_luck() {
        let mut lucky = report(&[(1, [1.05, 1.3]), (2, [0.9, 1.2])]);
        lucky.gammas[0].interval_among_all = Some([0.98, 1.4]);
        let text = sweep(&lucky);
        assert!(text.starts_with("Every interval contains 1"), "{text}");
        let best = best_gamma(&lucky).unwrap();
        assert_eq!(best, "1, but these runs cannot tell");
        lucky.gammas[0].interval_among_all = Some([1.01, 1.4]);
        assert!(sweep(&lucky).starts_with("γ 1 has the largest median."));
        // Nor is what is picked out called slower for its bad luck.
        let mut unlucky = report(&[(1, [1.1, 1.3]), (2, [0.8, 0.95])]);
        assert!(sweep(&unlucky).contains("From γ 2 on"));
        unlucky.gammas[1].interval_among_all = Some([0.75, 1.01]);
        let text = sweep(&unlucky);
        assert!(!text.contains("costs more than it saves"), "{text}");
        assert!(text.contains("The interval of γ 2 contains 1."), "{text}");
    }

    #[test]
    fn too_few_pairs_are_called_so_and_nothing_is_made_of_them() {
        let of = |count: u32, pairs: u32| {
            let rows: Vec<_> = (1..=count).map(|gamma| (gamma, [1.2, 1.4])).collect();
            let mut report = report(&rows);
            report.request.pairs = pairs;
            report
        };
        let name = |count, pairs| interval_name(&of(count, pairs).request);
        assert_eq!(name(1, 5), "range of the pairs, too few for 95 %");
        assert_eq!(name(1, 6), "95 % interval");
        assert_eq!(name(9, 8), "range of the pairs, too few for 95 %");
        assert_eq!(name(9, 9), "95 % interval for the best of nine");
        let few = of(8, 5);
        let headline = few.headline().unwrap();
        assert_eq!(verdict(headline.verdict), "can’t tell");
        assert_eq!(
            interval(&headline, &few.request),
            "range of the pairs, too few for 95 %: 1.20 to 1.40"
        );
        let text = sweep(&few);
        assert!(
            text.starts_with("5 pairs are too few to tell anything at 95 %: here it takes 9."),
            "{text}"
        );
        assert_eq!(last_word(&few), None);
        assert_eq!(best_gamma(&few).unwrap(), "1, but these runs cannot tell");
    }

    /// What a report is judged by, and what the engine makes its intervals by, are one.
    #[test]
    fn enough_pairs_are_those_whose_range_has_the_confidence() {
        for contenders in 1..=17 {
            let missed = 1.0 - confidence_of_each(SpeedReport::CONFIDENCE, contenders);
            let enough = SpeedRequest::enough_pairs(contenders);
            let range_misses = |pairs: u32| 0.5f64.powi(pairs as i32 - 1);
            assert!(range_misses(enough) <= missed, "{contenders}");
            assert!(range_misses(enough - 1) > missed, "{contenders}");
        }
    }

    #[test]
    fn the_last_word_is_as_plain_as_the_intervals_allow() {
        let says = |rows: &[(u32, [f64; 2])]| last_word(&report(rows));
        let plain = says(&[(1, [0.8, 0.95]), (2, [0.7, 0.8])]);
        assert_eq!(plain.as_deref(), Some("Drafting does not pay."));
        let mixed = says(&[(1, [0.9, 1.1]), (2, [0.7, 0.8])]).unwrap();
        assert_eq!(mixed, "Whether γ 1 pays, these runs cannot tell.");
        assert_eq!(says(&[(1, [0.9, 1.1]), (2, [0.9, 1.1])]), None);
        assert_eq!(says(&[(1, [1.1, 1.2]), (2, [0.7, 0.8])]), None);
        // The largest median is slower, another one may not be.
        let hidden = [(1, [0.97, 0.99]), (2, [0.8, 1.1])];
        let open = says(&hidden).unwrap();
        assert_eq!(open, "Whether γ 2 pays, these runs cannot tell.");
        let text = sweep(&report(&hidden));
        assert!(text.contains("and γ 1 is slower"), "{text}");
        let mut by_itself = report(&[(1, [0.8, 0.95])]);
        by_itself.auto = report(&[(2, [0.9, 1.05])]).gammas.pop();
        let open = last_word(&by_itself).unwrap();
        assert!(open.contains("where the engine chooses γ"), "{open}");
        let mut auto = report(&[(1, [0.8, 0.95])]);
        auto.auto = report(&[(2, [1.1, 1.2])]).gammas.pop();
        assert_eq!(last_word(&auto), None);
    }

    #[test]
    fn a_verdict_that_is_open_is_not_explained_as_a_gain() {
        let says = |rows: &[(u32, [f64; 2])]| reason(&report(rows)).unwrap();
        let open = says(&[(1, [0.9, 1.3])]);
        let parts = [
            "The interval contains 1,",
            "The formula alone would expect 1.",
            "Checking",
        ];
        let places = parts.map(|part| open.find(part));
        assert!(places[0] == Some(0) && places.is_sorted(), "{open}");
        for decided in [[1.1, 1.3], [0.7, 0.9]] {
            let text = says(&[(1, decided)]);
            assert!(text.starts_with("Checking"), "{text}");
        }
        let mut few = report(&[(1, [1.1, 1.3])]);
        few.request.pairs = 3;
        let text = reason(&few).unwrap();
        assert!(text.starts_with("3 pairs are too few"), "{text}");
    }

    #[test]
    fn the_best_length_stands_with_those_that_are_as_good() {
        let says = |rows: &[(u32, [f64; 2])]| best_gamma(&report(rows)).unwrap();
        assert_eq!(says(&[(1, [1.1, 1.2]), (2, [1.4, 1.6])]), "2");
        let rows = [(1, [1.4, 1.5]), (2, [1.4, 1.6]), (3, [1.3, 1.5])];
        assert_eq!(says(&rows), "2; those of 1 and 3 overlap its interval");
        assert!(says(&[(1, [0.8, 0.9]), (2, [0.7, 0.8])]).starts_with("none"));
        let hidden = [(1, [0.97, 0.99]), (2, [0.8, 1.1])];
        assert_eq!(says(&hidden), "2, but these runs cannot tell");
    }

    #[test]
    fn a_picture_says_what_it_is_cited_by() {
        let mut report = report(&[(1, [1.1, 1.2])]);
        report.request.settings.seed = 7;
        assert_eq!(origin(&report), "13 pairs, 10 tokens a run, seed 7");
        report.device.variant = "fused".to_owned();
        report.taken_at = Some("2026-03-01T12:34:56.789Z".to_owned());
        report.build = Some("0.1.0 0123456789abcdef".to_owned());
        assert_eq!(
            origin(&report),
            "13 pairs, 10 tokens a run, seed 7; fused; 2026-03-01T12:34:56.789Z; Couplet 0.1.0 0123456789abcdef"
        );
    }

    #[test]
    fn level_lengths_are_named_and_so_is_the_fall() {
        let text = sweep(&report(&[
            (1, [1.1, 1.2]),
            (2, [1.4, 1.6]),
            (3, [1.45, 1.65]),
            (4, [1.42, 1.6]),
            (5, [1.2, 1.3]),
        ]));
        assert!(
            text.contains("The intervals of γ 2 and 4 overlap its own."),
            "{text}"
        );
        assert!(text.contains("Past γ 4 it falls"), "{text}");
    }

    #[test]
    fn a_round_that_drafts_nothing_is_not_priced() {
        let report = report(&[(1, [0.8, 0.9])]);
        let of = |gamma: f64| {
            let row = GammaSpeed {
                gamma,
                ..report.gammas[0].clone()
            };
            why(&report, &row)
        };
        assert!(of(0.4).contains("next to nothing"), "{}", of(0.4));
        assert!(of(1.0).starts_with("Checking two positions"), "{}", of(1.0));
    }

    #[test]
    fn lists_read_as_a_person_would_write_them() {
        let said = |items: &[&str]| {
            list(
                &items
                    .iter()
                    .map(|item| (*item).to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(said(&["4"]), "4");
        assert_eq!(said(&["4", "5"]), "4 and 5");
        assert_eq!(said(&["4", "5", "6"]), "4 to 6");
        assert_eq!(said(&["2", "5", "6"]), "2, 5 and 6");
    }
}
