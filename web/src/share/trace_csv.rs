//! A run as a table: a row for every drafted token that was judged.

use couplet_playback::{ClosingKind, Run};
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
    let run = Run::from_events(&trace.events);
    let optional = |value: Option<f32>| value.map_or_else(String::new, |value| value.to_string());
    let mut text = csv::line(&HEAD);
    let mut columns = vec![0_u32; run.rounds().len()];
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
        let index = *round as usize;
        let Some((facts, place)) = run.rounds().get(index).zip(columns.get_mut(index)) else {
            continue;
        };
        // Block judges after its cut too, and whatever judges goes on past the end of a text.
        let tested = (*place as usize) < facts.tested();
        let closing = facts.closing.as_ref();
        let resampled = closing.filter(|closing| closing.kind == ClosingKind::Resampled);
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
            (*accepted && tested).to_string(),
            tested.to_string(),
            facts.accepted().to_string(),
            closing.map_or("", |closing| name(closing.kind)).to_owned(),
            closing.map_or_else(String::new, |closing| text_of(closing.token)),
            optional(resampled.map(|closing| closing.mass)),
            facts.committed.len().to_string(),
            facts.timings.milliseconds.to_string(),
        ]));
        *place += 1;
    }
    text
}

fn name(kind: ClosingKind) -> &'static str {
    match kind {
        ClosingKind::Resampled => "resampled",
        ClosingKind::Bonus => "bonus",
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::tests::recording;
    use super::*;
    use couplet_playback::Round;
    use couplet_protocol::FinishReason;

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
        // As Block has it: with a draw and a threshold, and verdicts after the cut.
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
        assert!(page.1 < page.2, "some are judged after a cut");
    }

    #[test]
    fn what_was_kept_behind_the_end_of_the_text_does_not_count() {
        let mut trace = recording();
        let committed = trace.events.iter_mut().rev().find_map(|event| match event {
            Event::Committed { tokens, .. } => Some(tokens),
            _ => None,
        });
        // As if the first token of the last round, which was kept whole, had ended the text.
        committed.unwrap().truncate(1);
        trace.events.pop();
        trace.events.push(Event::Finished {
            reason: FinishReason::EndOfText,
        });
        let [table, page] = counts(&trace);
        assert_eq!(table, page);
        assert!(page.1 < page.2, "some are judged past the end");
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
