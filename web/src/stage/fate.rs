//! What became of the token that the inspector shows, in one line with numbers that can be
//! checked by hand, and the way to where it was decided.

use couplet_playback::{
    ClosingKind, Proposal, Round, StageState, Test, Verdict, significant, told_apart, tr,
};
use couplet_protocol::{Rule, Settings};
use leptos::prelude::*;

use super::rule_words::replacement;
use super::transport::focus_play;
use crate::browser;
use crate::language::{filled, slot};
use crate::store::{Selection, Store};
use crate::words::tied;

/// What became of a token, as far as the playhead has come.
#[derive(Clone, PartialEq)]
pub struct Fate {
    at: Selection,
    /// With places for the tokens.
    saying: String,
    /// The token, what its rule held against it, and what stands in its place.
    tokens: [Option<u32>; 3],
    /// Whether the Round panel shows another round.
    elsewhere: bool,
}

impl Fate {
    /// Of the token at a place; none where no token stands yet.
    pub fn of(
        state: &StageState,
        round: &Round,
        at: Selection,
        settings: &Settings,
    ) -> Option<Self> {
        let current = state.step.is_some_and(|step| step.round == at.round);
        let (judged, closed) = if current {
            (state.judged(), state.closed())
        } else {
            (round.tested(), true)
        };
        let closing = round.closing.as_ref().filter(|_| closed);
        let number = at.round + 1;
        let (saying, tokens) = match round.proposals.get(at.column) {
            Some(proposal) => {
                let (mut saying, against) = drafted(round, proposal, at, judged, settings);
                let replaced = closing.filter(|closing| {
                    closing.kind == ClosingKind::Resampled && round.rejected() == Some(at.column)
                });
                if replaced.is_some() {
                    let how = replacement(settings.rule);
                    saying.push(' ');
                    saying += &tr!("In its place: {token}, {how}.", token = slot(2), how);
                }
                let replaced = replaced.map(|closing| closing.token);
                (saying, [Some(proposal.token), against, replaced])
            }
            None => {
                let closing = closing.filter(|closing| closing.kind == ClosingKind::Bonus)?;
                let token = slot(0);
                let saying = if round.proposals.is_empty() {
                    tr!(
                        "Round {number}: {token}, written by the target alone, since nothing was drafted.",
                        number,
                        token
                    )
                } else {
                    tr!(
                        "Round {number}: {token}, bonus: all that was drafted was accepted, so the target adds one more.",
                        number,
                        token
                    )
                };
                (saying, [Some(closing.token), None, None])
            }
        };
        Some(Self {
            at,
            saying,
            tokens,
            elsewhere: !current,
        })
    }

    fn line(&self, store: Store) -> Vec<AnyView> {
        let tokens = self.tokens.map(|token| {
            let token = token.map(|token| store.show(token));
            view! { <b class="said" lang="en">{token}</b> }.into_any()
        });
        filled(&self.saying, tokens)
    }

    /// The line for those who listen.
    pub fn heard(&self, store: Store) -> String {
        let tokens = (0..).zip(self.tokens);
        tokens.fold(self.saying.clone(), |line, (place, token)| {
            let token = token.map(|token| store.say(token)).unwrap_or_default();
            line.replace(slot(place), &token)
        })
    }

    /// The line, and a button where the round is not the one in sight.
    pub fn view(&self, store: Store) -> impl IntoView + use<> {
        let at = self.at;
        let go = self.elsewhere.then(|| {
            view! {
                <button type="button" class="button" data-testid="go-to-verdict"
                    on:click=move |_| {
                        store.go_to_verdict(at);
                        request_animation_frame(to_column);
                    }>
                    {tr!("Go to round {}", at.round + 1)}
                </button>
            }
        });
        view! {
            <div class="fate">
                <p data-testid="fate">{self.line(store)}</p>
                {go}
            </div>
        }
    }
}

/// Puts the focus on the token where the round shows what became of it; what closes a round is no
/// column.
fn to_column() {
    if !browser::focus(".column.focused .tok-button") {
        focus_play();
    }
}

/// About a drafted token, and the token that its rule held against it.
fn drafted(
    round: &Round,
    proposal: &Proposal,
    at: Selection,
    judged: usize,
    settings: &Settings,
) -> (String, Option<u32>) {
    let (number, token) = (at.round + 1, slot(0));
    let cut = round.rejected().filter(|rejected| *rejected < judged);
    if cut.is_some_and(|cut| at.column > cut) {
        let saying = tr!(
            "Round {number}: {token}, discarded, because a token before it was rejected.",
            number,
            token
        );
        return (saying, None);
    }
    if round
        .text_ends_with
        .is_some_and(|end| judged >= end && at.column >= end)
    {
        let saying = tr!(
            "Round {number}: {token}, discarded, because the text had ended before it.",
            number,
            token
        );
        return (saying, None);
    }
    let Some(verdict) = proposal.verdict.as_ref().filter(|_| at.column < judged) else {
        let saying = tr!(
            "Round {number}: {token}, drafted and not judged yet.",
            number,
            token
        );
        return (saying, None);
    };
    let (why, against) = reason(verdict, settings);
    let saying = if verdict.accepted {
        tr!(
            "Round {number}: {token}, accepted: {why}.",
            number,
            token,
            why
        )
    } else {
        tr!(
            "Round {number}: {token}, rejected: {why}.",
            number,
            token,
            why
        )
    };
    (saying, against)
}

/// What decided, and the token that was held against this one.
fn reason(verdict: &Verdict, settings: &Settings) -> (String, Option<u32>) {
    let [draft, target] = told_apart(verdict.draft_prob.into(), verdict.target_prob.into());
    let both = tr!("draft {draft}, target {target}", draft, target);
    match Test::of(verdict, settings) {
        Test::Share { u, below } => {
            let [u, below] = told_apart(u.into(), below.into());
            let why = if settings.rule == Rule::Lenience && settings.lenience < 1.0 {
                let counted = settings.lenience * f64::from(verdict.draft_prob);
                tr!(
                    "{both}, of the draft {counted} counts, kept if u < {below}; u = {u}",
                    both,
                    counted = significant(counted, 2),
                    below,
                    u
                )
            } else {
                tr!("{both}, kept if u < {below}; u = {u}", both, below, u)
            };
            // A number stands on the line of what it is compared with.
            (tied(&why), None)
        }
        Test::Prefix { u, below } => {
            let [u, below] = told_apart(u.into(), below.into());
            let why = tr!(
                "the text up to here passes if u < {below}; u = {u}. The longest prefix that passes is kept",
                below,
                u
            );
            (tied(&why), None)
        }
        Test::Own { .. } if verdict.accepted => (
            tr!("{both}, and the target’s own token is the same", both),
            None,
        ),
        Test::Own { token: Some(own) } => {
            let token = slot(1);
            let why = tr!("{both}, but the target’s own token is {token}", both, token);
            (why, Some(own))
        }
        Test::Own { token: None } => (
            tr!("{both}, but the target’s own token is another", both),
            None,
        ),
        Test::First { token: Some(first) } if !verdict.accepted => {
            let token = slot(1);
            let why = tr!("{both}, but the target’s favourite is {token}", both, token);
            (why, Some(first))
        }
        Test::First { .. } if verdict.accepted => {
            (tr!("{both}, and it is the target’s favourite", both), None)
        }
        Test::First { .. } => (
            tr!("{both}, and it is not the target’s favourite", both),
            None,
        ),
        Test::Probable { target_prob, above } => {
            let [target, above] = told_apart(target_prob.into(), above.into());
            (
                tr!("target {target}, kept above {above}", target, above),
                None,
            )
        }
    }
}
