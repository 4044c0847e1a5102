//! A run as a table: a row for every drafted token that was judged.

use std::collections::HashMap;

use couplet_protocol::{Event, Trace};

use super::csv;

const HEAD: [&str; 18] = [
    "round",
    "column",
    "position",
    "token_id",
    "token",
    "draft_prob",
    "target_prob",
    "draw",
    "threshold",
    "own_token",
    "accepted",
    "tested",
    "round_accepted",
    "closing",
    "closing_token",
    "residual_mass",
    "round_tokens",
    "round_milliseconds",
];

/// What is known of a round once it is over.
#[derive(Default)]
struct RoundFacts {
    accepted: u32,
    closing: &'static str,
    closing_token: String,
    residual_mass: Option<f32>,
    tokens: usize,
    milliseconds: f64,
}

/// The table. Rounds and columns count from 0, as in the trace.
pub fn trace_csv(trace: &Trace) -> String {
    let text_of = |token: u32| {
        trace
            .pair
            .tokens
            .get(token as usize)
            .cloned()
            .unwrap_or_default()
    };
    let rounds = round_facts(trace, text_of);
    let optional = |value: Option<f32>| value.map_or_else(String::new, |value| value.to_string());
    let mut text = csv::line(&HEAD);
    let mut column = HashMap::<u32, u32>::new();
    for event in &trace.events {
        let Event::Verified {
            round,
            position,
            token,
            draft_prob,
            target_prob,
            draw,
            threshold,
            own_token,
            accepted,
            ..
        } = event
        else {
            continue;
        };
        let place = column.entry(*round).or_default();
        let none = RoundFacts::default();
        let facts = rounds.get(round).unwrap_or(&none);
        text.push_str(&csv::line(&[
            round.to_string(),
            place.to_string(),
            position.to_string(),
            token.to_string(),
            text_of(*token),
            draft_prob.to_string(),
            target_prob.to_string(),
            draw.to_string(),
            optional(*threshold),
            own_token.map_or_else(String::new, text_of),
            accepted.to_string(),
            // Block judges behind its cut too, which is no test.
            (*place <= facts.accepted).to_string(),
            facts.accepted.to_string(),
            facts.closing.to_owned(),
            facts.closing_token.clone(),
            optional(facts.residual_mass),
            facts.tokens.to_string(),
            facts.milliseconds.to_string(),
        ]));
        *place += 1;
    }
    text
}

fn round_facts(trace: &Trace, text_of: impl Fn(u32) -> String) -> HashMap<u32, RoundFacts> {
    let mut rounds = HashMap::<u32, RoundFacts>::new();
    for event in &trace.events {
        match event {
            Event::Verified {
                round,
                accepted: true,
                ..
            } => rounds.entry(*round).or_default().accepted += 1,
            Event::Resampled {
                round,
                token,
                residual_mass,
                ..
            } => {
                let facts = rounds.entry(*round).or_default();
                facts.closing = "resampled";
                facts.closing_token = text_of(*token);
                facts.residual_mass = Some(*residual_mass);
            }
            Event::Bonus { round, token, .. } => {
                let facts = rounds.entry(*round).or_default();
                facts.closing = "bonus";
                facts.closing_token = text_of(*token);
            }
            Event::Committed { round, tokens } => {
                rounds.entry(*round).or_default().tokens = tokens.len()
            }
            Event::RoundEnded { round, timings } => {
                rounds.entry(*round).or_default().milliseconds = timings.milliseconds;
            }
            _ => {}
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::super::check::tests::recording;
    use super::*;
    use couplet_playback::{Round, Run};

    /// (accepted, tested, rows) of a table, and of the same run as the page counts it.
    fn counts(trace: &Trace) -> [(usize, usize, usize); 2] {
        // The one cell with a separator in it.
        let text = trace_csv(trace).replace("\",\"", "comma");
        let named = |name: &str| HEAD.iter().position(|title| *title == name).unwrap();
        let (accepted, tested) = (named("accepted"), named("tested"));
        let rows: Vec<Vec<&str>> = text
            .split_terminator("\r\n")
            .skip(1)
            .map(|row| row.split(',').collect())
            .collect();
        assert!(rows.iter().all(|cells| cells.len() == HEAD.len()));
        let count = |column: usize| rows.iter().filter(|cells| cells[column] == "true").count();
        let run = Run::from_events(&trace.events);
        let sum = |of: fn(&Round) -> usize| run.rounds().iter().map(|round| of(round)).sum();
        let judged = |round: &Round| {
            let verdicts = round.proposals.iter();
            verdicts.filter(|it| it.verdict.is_some()).count()
        };
        [
            (count(accepted), count(tested), rows.len()),
            (sum(Round::accepted), sum(Round::tested), sum(judged)),
        ]
    }

    #[test]
    fn accepted_of_tested_is_what_the_page_counts() {
        let mut trace = recording();
        let [table, page] = counts(&trace);
        assert_eq!(table, page);
        assert_eq!(page.1, page.2, "every token is tested by itself");
        // As Block has it: with a draw and a threshold, and verdicts behind the cut.
        let judged_too = |event: Event| match event {
            Event::Discarded {
                round,
                position,
                token,
                draft_prob,
                target_prob,
                target_distribution,
            } => Event::Verified {
                round,
                position,
                token,
                draft_prob,
                target_prob,
                draw: 0.5,
                threshold: Some(0.25),
                own_token: None,
                accepted: false,
                target_distribution,
            },
            event => event,
        };
        trace.events = trace.events.into_iter().map(judged_too).collect();
        let [table, page] = counts(&trace);
        assert_eq!(table, page);
        assert!(page.1 < page.2, "some are judged behind a cut");
    }

    #[test]
    fn every_judged_token_has_a_row() {
        let trace = recording();
        let judged = trace
            .events
            .iter()
            .filter(|event| matches!(event, Event::Verified { .. }));
        let text = trace_csv(&trace);
        // A line break that is a token stands in quotes, so rows are counted by their ends.
        assert_eq!(text.matches("\r\n").count(), judged.count() + 1);
        let mut rows = text.split("\r\n");
        assert_eq!(rows.next(), Some(&*HEAD.join(",")));
        // The first one whole, told apart from the code that writes it.
        let first = trace.events.iter().find_map(|event| match event {
            Event::Verified {
                token,
                draft_prob,
                target_prob,
                draw,
                position,
                ..
            } => Some((token, draft_prob, target_prob, draw, position)),
            _ => None,
        });
        let (token, draft_prob, target_prob, draw, position) = first.unwrap();
        let milliseconds = trace.events.iter().find_map(|event| match event {
            Event::RoundEnded { timings, .. } => Some(timings.milliseconds),
            _ => None,
        });
        let milliseconds = milliseconds.unwrap();
        let mass = trace.events.iter().find_map(|event| match event {
            Event::Resampled { residual_mass, .. } => Some(residual_mass),
            _ => None,
        });
        let mass = mass.unwrap();
        let expected = format!(
            "0,0,{position},{token},N,{draft_prob},{target_prob},{draw},,,true,true,4,resampled,l,{mass},5,{milliseconds}"
        );
        assert_eq!(rows.next(), Some(&*expected));
    }
}
