//! Whether events follow each other as those of a run do.

use couplet_protocol::{Event, MAX_GAMMA, Rule, Settings};
use tr::tr;

use super::{SLACK, at, check_distribution, share};

/// What has been seen of the round that is open.
#[derive(Default)]
struct Open {
    drafted: Vec<u32>,
    judged: usize,
    accepted: usize,
    discarded: usize,
    closing: Option<u32>,
    committed: bool,
}

/// Checks the order of the events, their tokens and their numbers.
///
/// # Errors
///
/// A clause about the first that is wrong, with its place.
pub fn check(events: &[Event], vocabulary: usize, settings: &Settings) -> Result<(), String> {
    let Some(Event::Started {
        prompt_tokens,
        milliseconds,
    }) = events.first()
    else {
        return Err(tr!("its first event is not “started”"));
    };
    known(prompt_tokens, vocabulary, &tr!("in the prompt"))?;
    duration(*milliseconds, &tr!("in the first event"))?;
    let most = MAX_GAMMA.max(settings.gamma) as usize;
    let (mut round, mut open) = (0_u32, Open::default());
    // The position of the round's first token.
    let mut start = prompt_tokens.len();
    let mut written = 0;
    let mut finished = false;
    for (index, event) in events.iter().enumerate().skip(1) {
        let place = tr!("in event {}", index + 1);
        let order = |clause: String| Err(at(clause, &place));
        if finished {
            return order(tr!("something follows the end of the run"));
        }
        if number(event).is_some_and(|number| number != round) {
            return order(tr!("a round other than {round} is named", round));
        }
        match event {
            Event::Started { .. } => return order(tr!("the run starts twice")),
            Event::Drafted {
                token,
                position,
                draft_distribution,
                ..
            } => {
                if *position as usize != start + open.drafted.len() {
                    return order(tr!("a position is left out or comes twice"));
                }
                if open.judged > 0 || open.closing.is_some() || open.committed {
                    return order(tr!("a token is drafted after the judging began"));
                }
                if open.drafted.len() >= most {
                    return order(tr!("more tokens are drafted than a round can have"));
                }
                known(&[*token], vocabulary, &place)?;
                check_distribution(draft_distribution, vocabulary, &place)?;
                open.drafted.push(*token);
            }
            Event::Verified {
                token,
                position,
                draft_prob,
                target_prob,
                draw,
                threshold,
                own_token,
                accepted,
                target_distribution,
                ..
            } => {
                if open.closing.is_some()
                    || open.committed
                    || open.discarded > 0
                    || open.drafted.get(open.judged) != Some(token)
                {
                    return order(tr!("a token is judged that was not drafted there"));
                }
                if *position as usize != start + open.judged {
                    return order(tr!("a position is left out or comes twice"));
                }
                for (value, name) in [
                    (draft_prob, "draft_prob"),
                    (target_prob, "target_prob"),
                    (draw, "draw"),
                ] {
                    share(*value, name, &place)?;
                }
                if let Some(threshold) = threshold {
                    share(*threshold, "threshold", &place)?;
                }
                let evidence = Evidence {
                    probs: [*draft_prob, *target_prob],
                    draw: *draw,
                    threshold: *threshold,
                    is_own: own_token.map(|own| own == *token),
                };
                if !evidence.allows(*accepted, settings) {
                    return order(tr!(
                        "a token's verdict is not the one that its numbers give"
                    ));
                }
                known(own_token.as_slice(), vocabulary, &place)?;
                check_distribution(target_distribution, vocabulary, &place)?;
                if *accepted && open.accepted < open.judged {
                    return order(tr!("a token is kept behind a rejected one"));
                }
                open.judged += 1;
                open.accepted += usize::from(*accepted);
            }
            Event::Discarded {
                token,
                position,
                draft_prob,
                target_prob,
                target_distribution,
                ..
            } => {
                let column = open.judged + open.discarded;
                if open.closing.is_some()
                    || open.committed
                    || open.accepted >= open.judged
                    || open.drafted.get(column) != Some(token)
                {
                    return order(tr!("a token is discarded that was not drafted there"));
                }
                if *position as usize != start + column {
                    return order(tr!("a position is left out or comes twice"));
                }
                for (value, name) in [(draft_prob, "draft_prob"), (target_prob, "target_prob")] {
                    share(*value, name, &place)?;
                }
                check_distribution(target_distribution, vocabulary, &place)?;
                open.discarded += 1;
            }
            Event::Resampled {
                token,
                residual,
                residual_mass,
                draw,
                ..
            } => {
                if open.closing.is_some() || open.committed || open.accepted >= open.judged {
                    return order(tr!("a token is redrawn where none was rejected"));
                }
                // Of all discarded tokens, or, in old traces, of none.
                if open.discarded > 0 && open.judged + open.discarded != open.drafted.len() {
                    return order(tr!("a position is left out or comes twice"));
                }
                known(&[*token], vocabulary, &place)?;
                check_distribution(residual, vocabulary, &place)?;
                share(*residual_mass, "residual_mass", &place)?;
                share(*draw, "draw", &place)?;
                open.closing = Some(*token);
            }
            Event::Bonus {
                token,
                target_distribution,
                draw,
                ..
            } => {
                if open.closing.is_some() || open.committed || open.accepted < open.drafted.len() {
                    return order(tr!("a bonus token comes though not everything was kept"));
                }
                known(&[*token], vocabulary, &place)?;
                check_distribution(target_distribution, vocabulary, &place)?;
                share(*draw, "draw", &place)?;
                open.closing = Some(*token);
            }
            Event::Committed { tokens, .. } => {
                let kept = open.drafted.iter().take(open.accepted).chain(&open.closing);
                // The end of the text or of the run may cut a round short.
                let cut = tokens.iter().zip(kept).all(|(token, kept)| token == kept);
                let most = open.accepted + usize::from(open.closing.is_some());
                if open.committed
                    || open.closing.is_none()
                    || tokens.is_empty()
                    || tokens.len() > most
                    || !cut
                {
                    return order(tr!("other tokens become text than were kept"));
                }
                open.committed = true;
                written = tokens.len();
            }
            Event::RoundEnded { timings, .. } => {
                if !open.committed {
                    return order(tr!("a round ends before its tokens become text"));
                }
                duration(timings.milliseconds, &place)?;
                open = Open::default();
                start += written;
                round += 1;
                if start > prompt_tokens.len() + settings.max_tokens as usize {
                    return order(tr!("more tokens are written than were asked for"));
                }
            }
            Event::Finished { .. } => {
                if !open.drafted.is_empty() || open.closing.is_some() {
                    return order(tr!("the run ends inside a round"));
                }
                finished = true;
            }
        }
    }
    if !open.drafted.is_empty() || open.closing.is_some() {
        return Err(tr!("its last round is not complete"));
    }
    Ok(())
}

/// What a rule looks at.
struct Evidence {
    /// The draft's of the token and the target's.
    probs: [f32; 2],
    draw: f32,
    threshold: Option<f32>,
    /// Whether the target draws the token by itself.
    is_own: Option<bool>,
}

impl Evidence {
    /// Whether the rule can have come to this, up to rounding. Block's verdicts hang together, so only
    /// what they look at is asked for; what Greedy compares is not in the event.
    fn allows(&self, accepted: bool, settings: &Settings) -> bool {
        let [draft, target] = self.probs;
        let by_least = |least: f32| {
            let over = least - target;
            if accepted {
                over <= SLACK
            } else {
                over >= -SLACK
            }
        };
        let by_ratio = |factor: f32| by_least(self.draw * factor * draft);
        match settings.rule {
            Rule::Rejection => by_ratio(1.0),
            Rule::Lenience => by_ratio(settings.lenience as f32),
            Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch => self.is_own == Some(accepted),
            Rule::Block => self.threshold.is_some(),
            Rule::Typical => self.threshold.is_some_and(by_least),
            Rule::Greedy => true,
        }
    }
}

/// The round that an event names.
fn number(event: &Event) -> Option<u32> {
    match event {
        Event::Started { .. } | Event::Finished { .. } => None,
        Event::Drafted { round, .. }
        | Event::Verified { round, .. }
        | Event::Discarded { round, .. }
        | Event::Resampled { round, .. }
        | Event::Bonus { round, .. }
        | Event::Committed { round, .. }
        | Event::RoundEnded { round, .. } => Some(*round),
    }
}

fn known(tokens: &[u32], vocabulary: usize, place: &str) -> Result<(), String> {
    match tokens.iter().find(|token| **token as usize >= vocabulary) {
        Some(token) => {
            let clause = tr!(
                "token {token} is none of the pair's {vocabulary}",
                token,
                vocabulary
            );
            Err(at(clause, place))
        }
        None => Ok(()),
    }
}

fn duration(milliseconds: f64, place: &str) -> Result<(), String> {
    if milliseconds.is_finite() && milliseconds >= 0.0 {
        Ok(())
    } else {
        Err(at(tr!("milliseconds is no duration"), place))
    }
}
