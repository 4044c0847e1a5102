//! The line under a column: what was compared, and with what outcome.

use couplet_playback::{Board, Proposal, Test, dividing, grouped, significant, told_apart, tr};
use couplet_protocol::{Rule, Settings};
use leptos::prelude::*;

use super::columns::Status;
use super::figure::drafted;
use super::gauge::probability;
use super::rule_formula::threshold;
use crate::language::{filled, slot};
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
    let weighed = Test::at(proposal, about.settings).zip(proposal.target_prob());
    let Some((test, target_prob)) = weighed.filter(|_| *status != Status::Pencil) else {
        return muted(match (status, proposal.target_prob()) {
            (Status::Discarded, _) => tr!("never tested"),
            (Status::Weighed, Some(target_prob)) => tr!("target {}", probability(target_prob)),
            _ => drafted(proposal.draft_prob()),
        });
    };
    let judged = match status {
        Status::Discarded if proposal.verdict.is_none() => return muted(tr!("never tested")),
        Status::Pencil | Status::Weighed => None,
        Status::Accepted => Some(true),
        Status::Rejected | Status::Discarded => Some(false),
    };
    match (test, judged) {
        (Test::Share { below, .. }, None) => muted(tr!("stays if u < {}", limit(below))),
        (Test::Prefix { below, .. }, None) => muted(tr!("passes if u < {}", limit(below))),
        (Test::Share { u, below }, Some(_)) => needle(u, below),
        (Test::Prefix { u, below }, Some(_)) => {
            let words = if test.passes_alone() == Some(true) {
                if about.last_kept {
                    tr!("the longest to pass")
                } else {
                    tr!("passes")
                }
            } else if *status == Status::Accepted {
                tr!("fails by itself")
            } else {
                tr!("fails")
            };
            view! { {needle(u, below)}<br /><span class="muted">{words}</span> }.into_any()
        }
        (Test::Own { .. }, None) => muted(tr!("target {}", probability(target_prob))),
        (Test::Own { token }, Some(kept)) => own(about, kept, token.map(|token| store.show(token))),
        (Test::First { .. }, None) => muted(tr!("target {}", probability(target_prob))),
        (Test::First { .. }, Some(true)) => tr!("the target’s favourite").into_any(),
        (Test::First { token }, Some(false)) => {
            let first = token.map(|token| store.show(token));
            bold(tr!("favourite is {}", slot(0)), first)
        }
        (Test::Probable { above, .. }, None) => muted(tr!("stays above {}", limit(above))),
        (Test::Probable { target_prob, above }, Some(kept)) => {
            let sign = if kept { ">" } else { "≤" };
            let [target, above] = told_apart(target_prob.into(), above.into());
            let target = view! { <b>{target}</b> }.into_any();
            let saying = tr!("target {} {}", slot(0), slot(1));
            filled(&saying, [target, comparison(sign, above)]).into_any()
        }
    }
}

fn needle(u: f32, below: f32) -> AnyView {
    let sign = if u < below { "<" } else { ">" };
    let [u, below] = told_apart(u.into(), below.into());
    view! { <em>"u"</em>" "<b>{u}</b>" "{comparison(sign, below)} }.into_any()
}

/// A sign and what stands after it, on one line.
fn comparison(sign: &'static str, with: String) -> AnyView {
    view! { <span class="comparison">{sign}" "{with}</span> }.into_any()
}

/// What a test with a needle divides and compares, written as the rule's formula is.
pub fn arithmetic(proposal: &Proposal, kept: bool, settings: &Settings) -> Option<AnyView> {
    let Test::Share { u, below } = Test::at(proposal, settings)? else {
        return None;
    };
    let sign = if kept { " < " } else { " > " };
    let [u, below] = told_apart(u.into(), below.into());
    let probs = [proposal.draft_prob()?, proposal.target_prob()?].map(f64::from);
    let lenience = match settings.rule {
        Rule::Lenience => settings.lenience,
        _ => 1.0,
    };
    let [draft, target] = dividing(probs, lenience, &below);
    let target = view! { <em class="t">{target}</em> };
    let draft = view! { <em class="d">{draft}</em> };
    let threshold = threshold(target.into_any(), draft.into_any(), settings);
    let line = view! { <b>{u}</b>{sign}{threshold}" = "<b>{below}</b> };
    Some(line.into_any())
}

/// What is still to be tested, with as many digits as the quotient beside it.
pub fn limit(value: f32) -> String {
    significant(value.into(), 2)
}

/// A saying with something bold in its slot.
fn bold(saying: String, piece: Option<String>) -> AnyView {
    filled(&saying, [view! { <b>{piece}</b> }.into_any()]).into_any()
}

fn own(about: &Captioned, kept: bool, own: Option<String>) -> AnyView {
    match (about.settings.rule, kept) {
        (Rule::Gumbel, true) => tr!("first in both").into_any(),
        (Rule::Gumbel, false) => bold(tr!("target’s first is {}", slot(0)), own),
        (Rule::MinHash, _) => match about.board.map(|board| (board.draft, board.target)) {
            Some((draft, Some(target))) if draft.number == target.number => {
                let dart = grouped(draft.number as usize);
                bold(tr!("dart {} for both", slot(0)), Some(dart))
            }
            Some((_, Some(_))) if kept => tr!("both hit it").into_any(),
            // The target had a dart of its own before, or the draft's is above its bar.
            Some((draft, Some(target))) if target.number < draft.number => {
                tr!("target hits earlier").into_any()
            }
            Some((_, Some(_))) => tr!("too high for target").into_any(),
            _ => bold(tr!("target’s dart: {}", slot(0)), own),
        },
        (
            Rule::Rejection
            | Rule::Block
            | Rule::SampleAndMatch
            | Rule::Greedy
            | Rule::Lenience
            | Rule::Typical,
            kept,
        ) => match kept {
            true => tr!("its own draw too").into_any(),
            false => bold(tr!("its own draw is {}", slot(0)), own),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_not_nothing_is_not_told_as_nothing() {
        assert_eq!(limit(0.00086), "0.00086");
        assert_eq!(limit(0.079), "0.079");
        assert_eq!(limit(0.0), "0");
    }
}
