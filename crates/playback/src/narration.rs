use couplet_protocol::Rule;

use crate::visible::spoken;
use crate::{ClosingKind, Phase, Round, Step, Verdict};

/// Part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Running text.
    Text(String),
    /// A token of the text, to be set apart.
    Token(String),
}

/// A sentence without its typography, for the live region.
pub fn plain(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Token(token) => spoken(token),
        })
        .collect()
}

/// Small numbers in words.
pub fn count_word(count: usize) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    WORDS
        .get(count)
        .map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

struct Sentence(Vec<Piece>);

impl Sentence {
    fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Text(text.into()));
        self
    }

    fn token(mut self, token: String) -> Self {
        self.0.push(Piece::Token(token));
        self
    }

    fn list(mut self, tokens: Vec<String>) -> Self {
        let last = tokens.len().saturating_sub(1);
        for (index, token) in tokens.into_iter().enumerate() {
            self = match index {
                0 => self,
                _ if index == last => self.text(" and "),
                _ => self.text(", "),
            };
            self = self.token(token);
        }
        self
    }
}

/// What happens in a step, in one or two sentences. `show` gives a token as it can be seen.
pub fn narrate(round: &Round, step: Step, rule: Rule, show: impl Fn(u32) -> String) -> Vec<Piece> {
    let say = Sentence(Vec::new());
    let sentence = match step.phase {
        Phase::Draft => {
            let tokens: Vec<String> = round.proposals.iter().map(|proposal| show(proposal.token)).collect();
            say.text("The draft pencils ").list(tokens).text(if round.proposals.len() > 1 {
                ", one after another."
            } else {
                "."
            })
        }
        Phase::Verify if round.proposals.len() == 1 => {
            say.text("The target reads it in one pass and gives it a probability of its own.")
        }
        Phase::Verify => say.text(format!(
            "The target reads all {} in one pass and gives each a probability of its own.",
            count_word(round.proposals.len())
        )),
        Phase::Judge => match round.proposals.get(step.column) {
            Some(proposal) => {
                let token = show(proposal.token);
                match &proposal.verdict {
                    Some(verdict) if rule == Rule::Greedy => judge_greedy(say, token, verdict),
                    Some(verdict) => judge(say, token, verdict),
                    None => say,
                }
            }
            None => say,
        },
        Phase::Resample | Phase::Bonus => match &round.closing {
            Some(closing) if closing.kind == ClosingKind::Bonus && round.proposals.is_empty() => {
                say.text("Nothing was drafted: the target writes ").token(show(closing.token)).text(" alone.")
            }
            Some(closing) if closing.kind == ClosingKind::Bonus => {
                let all = match round.proposals.len() {
                    1 => "The drafted token was inked.".to_owned(),
                    count => format!("All {} were inked.", count_word(count)),
                };
                say.text(format!("{all} The same pass already holds the target’s next token, so "))
                    .token(show(closing.token))
                    .text(" comes free.")
            }
            Some(closing) if rule == Rule::Greedy => {
                say.text("The target’s own most probable token is ").token(show(closing.token)).text(", so that is inked.")
            }
            Some(closing) => say
                .text(format!(
                    "Where the target has more than the draft lies the residual. u′ {:.2} lands in ",
                    closing.draw
                ))
                .token(show(closing.token))
                .text(", which is inked instead."),
            None => say,
        },
        Phase::Commit => say.text(commit(round)),
    };
    sentence.0
}

fn judge(say: Sentence, token: String, verdict: &Verdict) -> Sentence {
    let only = if verdict.target_prob < verdict.draft_prob {
        "only "
    } else {
        ""
    };
    let say = say
        .text("The draft gave ")
        .token(token.clone())
        .text(format!(
            " {:.2}; the target {only}{:.2}. ",
            verdict.draft_prob, verdict.target_prob
        ));
    if verdict.accepted {
        say.text("The needle fell in the green, so ")
            .token(token)
            .text(" is inked.")
    } else {
        say.text("The needle fell in the hatching, so ")
            .token(token)
            .text(" is struck.")
    }
}

fn judge_greedy(say: Sentence, token: String, verdict: &Verdict) -> Sentence {
    let say = say.token(token);
    if verdict.accepted {
        say.text(" is the target’s most probable token, so it is inked.")
    } else {
        say.text(" is not the target’s most probable token, so it is struck.")
    }
}

fn commit(round: &Round) -> String {
    let mut parts = Vec::new();
    match round.accepted() {
        0 => {}
        count => parts.push(format!("{} inked", count_word(count))),
    }
    match round.closing.as_ref().map(|closing| closing.kind) {
        Some(ClosingKind::Resampled) => parts.push("one resampled".to_owned()),
        Some(ClosingKind::Bonus) if !round.proposals.is_empty() => {
            parts.push("one bonus".to_owned())
        }
        _ => {}
    }
    if round.discarded() > 0 {
        parts.push(format!("{} thrown away", count_word(round.discarded())));
    }
    let tokens = match round.committed.len() {
        1 => "one token".to_owned(),
        count => format!("{} tokens", count_word(count)),
    };
    let mut sentence = parts.join(", ");
    if sentence.is_empty() {
        sentence = tokens;
    } else {
        sentence = format!("{sentence}: {tokens}");
    }
    // The last round may bring more than was asked for or than the context holds.
    let cut = if round.committed.len() <= round.accepted() && round.closing.is_some() {
        ", cut where the text ends"
    } else {
        ""
    };
    capital(&format!(
        "{sentence} from a single pass of the target{cut}."
    ))
}

/// One sentence about a whole round, for people who listen. `show` gives a token as it can be
/// seen.
pub fn round_summary(number: usize, round: &Round, show: impl Fn(u32) -> String) -> String {
    let show = |token: u32| spoken(&show(token));
    let mut sentence = format!("Round {number}: {} accepted", round.accepted());
    if let Some(proposal) = round
        .rejected()
        .and_then(|column| round.proposals.get(column))
    {
        sentence.push_str(&format!(", {} rejected", show(proposal.token)));
    }
    match &round.closing {
        Some(closing) if closing.kind == ClosingKind::Bonus => {
            sentence.push_str(&format!(", {} added by the target", show(closing.token)));
        }
        Some(closing) => sentence.push_str(&format!(", {} resampled", show(closing.token))),
        None => {}
    }
    sentence.push('.');
    sentence
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cut, Run, fixture, visible};

    fn sentence(playhead: usize, rule: Rule) -> String {
        let run = Run::from_events(&fixture::events());
        let step = run.step_at(playhead).unwrap();
        let letters = ["K", " ", "s", "n", "d", "\n"];
        plain(&narrate(&run.rounds()[step.round], step, rule, |token| {
            visible(letters[token as usize], Cut::Characters)
        }))
    }

    #[test]
    fn every_phase_has_its_sentence() {
        let said = |playhead| sentence(playhead, Rule::Rejection);
        assert_eq!(said(1), "The draft pencils s, n and d, one after another.");
        assert_eq!(
            said(2),
            "The target reads all three in one pass and gives each a probability of its own."
        );
        assert_eq!(
            said(3),
            "The draft gave s 0.31; the target 0.40. The needle fell in the green, so s is inked."
        );
        assert_eq!(
            said(4),
            "The draft gave n 0.31; the target only 0.09. The needle fell in the hatching, so n is struck."
        );
        assert_eq!(
            said(5),
            "Where the target has more than the draft lies the residual. u′ 0.21 lands in line break, which is inked instead."
        );
        assert_eq!(
            said(6),
            "One inked, one resampled, one thrown away: two tokens from a single pass of the target."
        );
    }

    #[test]
    fn greedy_speaks_of_the_most_probable_token() {
        assert!(sentence(4, Rule::Greedy).contains("is not the target’s most probable token"));
    }

    #[test]
    fn a_round_is_summed_up_for_people_who_listen() {
        let run = Run::from_events(&fixture::events());
        let letters = ["K", " ", "s", "n", "d", "\n"];
        let text = |token: u32| visible(letters[token as usize], Cut::Characters);
        assert_eq!(
            round_summary(1, &run.rounds()[0], text),
            "Round 1: 1 accepted, n rejected, line break resampled."
        );
        assert_eq!(
            round_summary(2, &run.rounds()[1], text),
            "Round 2: 3 accepted, d added by the target."
        );
    }
}
