//! Whether events follow each other as those of a run do.

use couplet_playback::tr;
use couplet_protocol::{Branch, Distribution, Event, FinishReason, Rule, Settings, Trace};

use super::{SLACK, at, check_distribution, redraw, share};

/// Checks the order of a trace's events, their tokens and their numbers.
///
/// # Errors
///
/// A clause about the first that is wrong, with its place.
pub fn check(trace: &Trace) -> Result<(), String> {
    let events = &trace.events;
    let vocabulary = trace.pair.tokens.len();
    let Some(Event::Started {
        prompt_tokens,
        milliseconds,
    }) = events.first()
    else {
        return Err(tr!("its first event is not “started”"));
    };
    known(prompt_tokens, vocabulary).map_err(|clause| at(clause, &place(0, None)))?;
    duration(*milliseconds).map_err(|clause| at(clause, &place(0, None)))?;
    // What a branch keeps counts as written.
    let kept = trace.branch.as_ref().map_or(0, Branch::len);
    let mut run = Checker {
        vocabulary,
        settings: &trace.settings,
        end: prompt_tokens.len().saturating_sub(kept) + trace.settings.max_tokens as usize,
        context: trace.pair.context as usize,
        round: 0,
        start: prompt_tokens.len(),
        open: Open::default(),
        finished: false,
    };
    for (index, event) in events.iter().enumerate().skip(1) {
        run.take(event)
            .map_err(|clause| at(clause, &place(index, number(event).map(u64::from))))?;
    }
    if run.open.is_begun() {
        return Err(tr!("its last round is not complete"));
    }
    Ok(())
}

/// Where an event stands, counted as in the file.
pub fn place(index: usize, round: Option<u64>) -> String {
    match round {
        Some(round) => tr!("in events[{index}], round {round}", index, round),
        None => tr!("in events[{index}]", index),
    }
}

/// What has been seen of a run, and what it must keep to.
struct Checker<'a> {
    vocabulary: usize,
    settings: &'a Settings,
    /// The first position at which no token may stand.
    end: usize,
    /// How many tokens the models can read.
    context: usize,
    round: u32,
    /// The position of the round's first token.
    start: usize,
    open: Open<'a>,
    finished: bool,
}

/// What has been seen of the round that is open.
#[derive(Default)]
struct Open<'a> {
    drafted: Vec<u32>,
    /// What they were drawn from.
    drafts: Vec<&'a Distribution>,
    /// What the target said of the token that was judged last.
    target: Option<&'a Distribution>,
    /// The target's own token in the place of the one that was judged last.
    own_token: Option<u32>,
    /// What the draft's distributions gave them.
    given: Vec<Given>,
    judged: usize,
    accepted: usize,
    discarded: usize,
    closing: Option<u32>,
    /// How many tokens became text.
    committed: Option<usize>,
}

impl Open<'_> {
    fn is_begun(&self) -> bool {
        !self.drafted.is_empty() || self.closing.is_some()
    }

    /// Whether nothing more is drafted, judged or drawn.
    fn is_closed(&self) -> bool {
        self.closing.is_some() || self.committed.is_some()
    }

    fn judge(&mut self, accepted: bool, rule: Rule) -> Result<(), String> {
        let is_behind = self.accepted < self.judged;
        if accepted && is_behind {
            return Err(tr!("a token is kept after a rejected one"));
        }
        if is_behind && !rule.judges_together() {
            return Err(tr!("a token is judged after a rejected one"));
        }
        self.judged += 1;
        self.accepted += usize::from(accepted);
        Ok(())
    }

    fn may_resample(&self) -> Result<(), String> {
        if self.is_closed() || self.accepted >= self.judged {
            return Err(tr!("a token is redrawn where none was rejected"));
        }
        // Of all discarded tokens, or, in old traces, of none.
        if self.discarded > 0 && self.judged + self.discarded != self.drafted.len() {
            return Err(left_out());
        }
        Ok(())
    }

    fn commit(&mut self, tokens: &[u32]) -> Result<(), String> {
        let kept = self.drafted.iter().take(self.accepted).chain(&self.closing);
        let most = self.accepted + usize::from(self.closing.is_some());
        // The end of the text or of the run may cut a round short.
        let is_cut = tokens.iter().zip(kept).all(|(token, kept)| token == kept);
        if self.committed.is_some()
            || self.closing.is_none()
            || tokens.is_empty()
            || tokens.len() > most
            || !is_cut
        {
            return Err(tr!("other tokens become text than were kept"));
        }
        self.committed = Some(tokens.len());
        Ok(())
    }
}

impl<'a> Checker<'a> {
    /// Takes the next event, or says what is wrong with it.
    fn take(&mut self, event: &'a Event) -> Result<(), String> {
        if self.finished {
            return Err(tr!("something follows the end of the run"));
        }
        let round = self.round;
        if number(event).is_some_and(|number| number != round) {
            return Err(tr!("a round other than {round} is named", round));
        }
        match event {
            Event::Started { .. } => Err(tr!("the run starts twice")),
            Event::Drafted {
                token,
                position,
                draft_distribution,
                ..
            } => {
                self.drafted(*token, *position)?;
                check_distribution(draft_distribution, self.vocabulary)?;
                self.open.given.push(Given::of(draft_distribution, *token));
                self.open.drafts.push(draft_distribution);
                Ok(())
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
                self.is_next(*token, *position)?;
                shares(&[
                    (*draft_prob, "draft_prob"),
                    (*target_prob, "target_prob"),
                    (*draw, "draw"),
                    (threshold.unwrap_or_default(), "threshold"),
                ])?;
                self.is_from_target(target_distribution)?;
                self.is_given(self.open.judged, *draft_prob)?;
                Given::of(target_distribution, *token).holds("target_prob", *target_prob)?;
                let evidence = Evidence {
                    probs: [*draft_prob, *target_prob],
                    draw: *draw,
                    threshold: *threshold,
                    is_own: own_token.map(|own| own == *token),
                    best_other: target_distribution
                        .iter()
                        .filter(|(other, _)| other != token)
                        .fold(0.0, |best, (_, prob)| best.max(prob)),
                };
                if let Some(name) = evidence.foreign(self.settings.rule) {
                    return Err(tr!(
                        "{name} is there, but the run's rule does not use it",
                        name
                    ));
                }
                if !evidence.allows(*accepted, self.settings) {
                    return Err(tr!(
                        "a token's verdict is not the one that its numbers give"
                    ));
                }
                known(own_token.as_slice(), self.vocabulary)?;
                self.open.judge(*accepted, self.settings.rule)?;
                self.open.target = Some(target_distribution);
                self.open.own_token = *own_token;
                Ok(())
            }
            Event::Discarded {
                token,
                position,
                draft_prob,
                target_prob,
                target_distribution,
                ..
            } => {
                let column = self.discarded(*token, *position)?;
                shares(&[(*draft_prob, "draft_prob"), (*target_prob, "target_prob")])?;
                check_distribution(target_distribution, self.vocabulary)?;
                self.is_given(column, *draft_prob)?;
                Given::of(target_distribution, *token).holds("target_prob", *target_prob)
            }
            Event::Resampled {
                token,
                position,
                residual,
                residual_mass,
                draw,
                ..
            } => {
                self.open.may_resample()?;
                self.is_at(*position, self.open.accepted)?;
                shares(&[(*residual_mass, "residual_mass"), (*draw, "draw")])?;
                check_distribution(residual, self.vocabulary)?;
                let rejected = self.open.drafts.get(self.open.accepted);
                if let Some((draft, target)) = rejected.zip(self.open.target) {
                    redraw::is_left([draft, target], residual, *residual_mass, self.settings)?;
                }
                self.close(*token)?;
                let own = self.open.own_token;
                if own.is_some_and(|own| own != *token) {
                    return Err(tr!("a replacement is not the target's own token"));
                }
                redraw::lands(residual, *token, *draw, self.settings)
            }
            Event::Bonus {
                token,
                position,
                target_distribution,
                draw,
                ..
            } => {
                if self.open.is_closed() || self.open.accepted < self.open.drafted.len() {
                    return Err(tr!("a bonus token comes though not everything was kept"));
                }
                self.is_at(*position, self.open.drafted.len())?;
                shares(&[(*draw, "draw")])?;
                self.is_from_target(target_distribution)?;
                self.close(*token)?;
                redraw::lands(target_distribution, *token, *draw, self.settings)
            }
            Event::Committed { tokens, .. } => self.open.commit(tokens),
            Event::RoundEnded { timings, .. } => {
                duration(timings.milliseconds)?;
                self.end_round()
            }
            Event::Finished { reason } => {
                if self.open.is_begun() {
                    return Err(tr!("the run ends inside a round"));
                }
                let is_so = match reason {
                    // A branch may bring more than was asked for.
                    FinishReason::Length => self.start >= self.end,
                    FinishReason::ContextFull => self.start == self.context,
                    FinishReason::EndOfText | FinishReason::Stopped => true,
                };
                if !is_so {
                    return Err(tr!(
                        "the run names an end, by length or context, that it did not reach"
                    ));
                }
                self.finished = true;
                Ok(())
            }
        }
    }

    fn drafted(&mut self, token: u32, position: u32) -> Result<(), String> {
        self.is_at(position, self.open.drafted.len())?;
        if self.open.judged > 0 || self.open.is_closed() {
            return Err(tr!("a token is drafted after the judging began"));
        }
        let most = match self.settings.auto_gamma {
            true => Settings::MAX_AUTO_GAMMA,
            false => self.settings.gamma,
        };
        if self.open.drafted.len() >= most as usize {
            return Err(tr!("more tokens are drafted than a round can have"));
        }
        known(&[token], self.vocabulary)?;
        self.open.drafted.push(token);
        Ok(())
    }

    /// That a verdict is about the token whose turn it is.
    fn is_next(&self, token: u32, position: u32) -> Result<(), String> {
        let open = &self.open;
        if open.is_closed() || open.discarded > 0 || open.drafted.get(open.judged) != Some(&token) {
            return Err(tr!("a token is judged that was not drafted there"));
        }
        self.is_at(position, open.judged)
    }

    /// The column of a discarded token.
    fn discarded(&mut self, token: u32, position: u32) -> Result<usize, String> {
        let open = &self.open;
        let column = open.judged + open.discarded;
        if open.is_closed()
            || open.accepted >= open.judged
            || open.drafted.get(column) != Some(&token)
        {
            return Err(tr!("a token is discarded that was not drafted there"));
        }
        self.is_at(position, column)?;
        self.open.discarded += 1;
        Ok(column)
    }

    /// That a column's `draft_prob` is what the draft's distribution there says.
    fn is_given(&self, column: usize, draft_prob: f32) -> Result<(), String> {
        let given = self.open.given.get(column);
        given.map_or(Ok(()), |given| given.holds("draft_prob", draft_prob))
    }

    /// A distribution of the target, of which only one token is left where the settings leave one.
    fn is_from_target(&self, it: &Distribution) -> Result<(), String> {
        check_distribution(it, self.vocabulary)?;
        let possible = it.probs.iter().filter(|prob| **prob > 0.0).count();
        if self.settings.has_one_text() && possible > 1 {
            return Err(tr!(
                "more than one token is possible, which temperature 0 and top-k 1 do not allow"
            ));
        }
        Ok(())
    }

    /// That a position is the one of a column of the open round.
    fn is_at(&self, position: u32, column: usize) -> Result<(), String> {
        if position as usize == self.start + column {
            Ok(())
        } else {
            Err(left_out())
        }
    }

    /// The token that closes the open round.
    fn close(&mut self, token: u32) -> Result<(), String> {
        known(&[token], self.vocabulary)?;
        self.open.closing = Some(token);
        Ok(())
    }

    fn end_round(&mut self) -> Result<(), String> {
        let Some(written) = self.open.committed else {
            return Err(tr!("a round ends before its tokens become text"));
        };
        self.open = Open::default();
        self.start += written;
        self.round += 1;
        if self.start > self.end {
            return Err(tr!("more tokens are written than were asked for"));
        }
        if self.start > self.context {
            return Err(tr!("more tokens are written than the pair's context holds"));
        }
        Ok(())
    }
}

/// What a distribution gives a token: the least and the most that it can be. Of a large vocabulary
/// only the most probable tokens are kept, and another one is no more probable than they.
struct Given([f32; 2]);

impl Given {
    fn of(distribution: &Distribution, token: u32) -> Self {
        let least = || distribution.probs.iter().copied().fold(1.0, f32::min);
        Self(match distribution.prob(token) {
            Some(prob) => [prob, prob],
            None => [0.0, least()],
        })
    }

    /// That a probability is the one that was given, up to rounding.
    fn holds(&self, name: &str, value: f32) -> Result<(), String> {
        let Self([least, most]) = *self;
        let rounding = 1e-6 + SLACK * most;
        if (least - rounding..=most + rounding).contains(&value) {
            return Ok(());
        }
        Err(tr!(
            "{name} is {value}, but the distribution gives the token {given}",
            name,
            value,
            given = format!("{}{most}", if least < most { "≤ " } else { "" })
        ))
    }
}

/// What a rule looks at.
struct Evidence {
    /// The draft's of the token and the target's.
    probs: [f32; 2],
    draw: f32,
    threshold: Option<f32>,
    /// Whether the target draws the token by itself.
    is_own: Option<bool>,
    /// The target's probability of the most probable other token.
    best_other: f32,
}

impl Evidence {
    /// What is there and is nothing that the rule looks at.
    fn foreign(&self, rule: Rule) -> Option<&'static str> {
        let [threshold, own_token] = match rule {
            Rule::Rejection | Rule::Lenience | Rule::Greedy => [false; 2],
            Rule::Block | Rule::Typical => [true, false],
            Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch => [false, true],
        };
        [
            (self.threshold.is_some() && !threshold, "threshold"),
            (self.is_own.is_some() && !own_token, "own_token"),
        ]
        .into_iter()
        .find_map(|(is_foreign, name)| is_foreign.then_some(name))
    }

    /// Whether the rule can have come to this, up to rounding. Block's verdicts hang together, so only
    /// what they look at is asked for.
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
            Rule::Greedy => by_least(self.best_other),
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

fn left_out() -> String {
    tr!("a position is left out or comes twice")
}

/// That all of these, each with its name, are between 0 and 1.
fn shares(named: &[(f32, &str)]) -> Result<(), String> {
    named
        .iter()
        .try_for_each(|(value, name)| share(*value, name))
}

fn known(tokens: &[u32], vocabulary: usize) -> Result<(), String> {
    match tokens.iter().find(|token| **token as usize >= vocabulary) {
        Some(token) => Err(tr!(
            "token {token} is none of the pair's {vocabulary}",
            token,
            vocabulary
        )),
        None => Ok(()),
    }
}

fn duration(milliseconds: f64) -> Result<(), String> {
    if milliseconds.is_finite() && milliseconds >= 0.0 {
        Ok(())
    } else {
        Err(tr!("milliseconds is no duration"))
    }
}
