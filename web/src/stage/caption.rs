//! The line under a column: what was compared, and with what outcome.

use couplet_playback::{Board, Proposal, Test};
use couplet_protocol::{Rule, Settings};
use leptos::prelude::*;

use super::columns::Status;
use super::figure::drafted;
use super::gauge::{grouped, probability};
use crate::store::Store;

/// What a caption is about.
pub struct Captioned<'a> {
    /// The drafted token.
    pub proposal: &'a Proposal,
    /// How it stands.
    pub status: Status,
    /// Whether it is the last that Block kept.
    pub last_kept: bool,
    /// What the run was written with.
    pub settings: &'a Settings,
    /// Where MinHash's darts landed.
    pub board: Option<&'a Board>,
}

/// The line.
pub fn caption(store: Store, about: &Captioned) -> AnyView {
    let Captioned {
        proposal, status, ..
    } = about;
    let muted = |text: String| view! { <span class="muted">{text}</span> }.into_any();
    let Some(verdict) = &proposal.verdict else {
        return muted(if *status == Status::Discarded {
            "never tested".to_owned()
        } else {
            drafted(proposal.draft_prob())
        });
    };
    let judged = match status {
        Status::Pencil => return muted(drafted(proposal.draft_prob())),
        Status::Weighed => None,
        Status::Accepted => Some(true),
        Status::Rejected | Status::Discarded => Some(false),
    };
    let test = Test::of(verdict, about.settings);
    match (test, judged) {
        (Test::Share { below, .. }, None) => muted(format!("stays if u < {below:.2}")),
        (Test::Prefix { below, .. }, None) => muted(format!("passes if u < {below:.2}")),
        (Test::Share { u, below }, Some(_)) => needle(u, below),
        (Test::Prefix { u, below }, Some(_)) => {
            let words = if test.passes_alone() == Some(true) {
                if about.last_kept {
                    "the longest to pass"
                } else {
                    "passes"
                }
            } else if *status == Status::Accepted {
                "fails by itself"
            } else {
                "fails"
            };
            view! { {needle(u, below)}<br /><span class="muted">{words}</span> }.into_any()
        }
        (Test::Own { .. }, None) => muted(format!("target {}", probability(verdict.target_prob))),
        (Test::Own { token }, Some(kept)) => own(about, kept, token.map(|token| store.show(token))),
        (Test::First { .. }, None) => muted(format!("target {}", probability(verdict.target_prob))),
        (Test::First { .. }, Some(true)) => view! { "the target’s first" }.into_any(),
        (Test::First { token }, Some(false)) => {
            let first = token.map(|token| store.show(token));
            view! { "first is "<b>{first}</b> }.into_any()
        }
        (Test::Probable { above, .. }, None) => muted(format!("stays above {above:.3}")),
        (Test::Probable { target_prob, above }, Some(kept)) => {
            let sign = if kept { ">" } else { "≤" };
            view! { "target "<b>{format!("{target_prob:.3}")}</b>{format!(" {sign} {above:.3}")} }
                .into_any()
        }
    }
}

fn needle(u: f32, below: f32) -> AnyView {
    let digits = if format!("{u:.2}") == format!("{below:.2}") {
        4
    } else {
        2
    };
    let sign = if u < below { " < " } else { " > " };
    view! { <em>"u"</em>" "<b>{format!("{u:.digits$}")}</b>{format!("{sign}{below:.digits$}")} }
        .into_any()
}

fn own(about: &Captioned, kept: bool, own: Option<String>) -> AnyView {
    match (about.settings.rule, kept) {
        (Rule::Gumbel, true) => view! { "first in both" }.into_any(),
        (Rule::Gumbel, false) => view! { "target’s first is "<b>{own}</b> }.into_any(),
        (Rule::MinHash, _) => match about.board.map(|board| (board.draft, board.target)) {
            Some((draft, Some(target))) if draft.number == target.number => {
                view! { "dart "<b>{grouped(draft.number as usize)}</b>" for both" }.into_any()
            }
            Some((_, Some(_))) if kept => view! { "both hit it" }.into_any(),
            // The target had a dart of its own before, or the draft's is above its bar.
            Some((draft, Some(target))) if target.number < draft.number => {
                view! { "target hits earlier" }.into_any()
            }
            Some((_, Some(_))) => view! { "too high for target" }.into_any(),
            _ => view! { "target’s dart: "<b>{own}</b> }.into_any(),
        },
        (_, true) => view! { "its own draw too" }.into_any(),
        (_, false) => view! { "its own draw is "<b>{own}</b> }.into_any(),
    }
}
