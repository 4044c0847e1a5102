//! The rounds as a table, for people who read rather than look.

use couplet_playback::{ClosingKind, Outcome, outcomes, tr};
use couplet_protocol::Rule;
use leptos::prelude::*;

use super::picking::{rove, tabindex};
use super::rule_formula::settings_of;
use super::rule_words::replaced;
use super::timeline::go_to_round;
use crate::store::use_store;
use crate::table::{Folded, framed};

/// A row for every round that the playhead has reached, folded.
#[component]
pub fn RoundsTable() -> impl IntoView {
    let open = RwSignal::new(false);
    view! { <Folded open=open name=tr!("Rounds")><Rounds /></Folded> }
}

#[component]
fn Rounds() -> impl IntoView {
    let store = use_store();
    let all = Memo::new(move |_| {
        store
            .state
            .with(|state| store.run.with_untracked(|run| outcomes(run, state)))
    });
    let count = Memo::new(move |_| all.with(Vec::len));
    // Where Tab stops: where the focus is, so that it leads on from there, else at the last row.
    let focused = RwSignal::new(None);
    let stop = Memo::new(move |_| {
        let last = count.get().checked_sub(1);
        focused.get().filter(|at| Some(*at) <= last).or(last)
    });
    // A row stays while the playhead moves, so that no button loses the focus by being pressed.
    let row = move |index: usize| {
        let outcome = Memo::new(move |_| all.with(|all| all.get(index).cloned()));
        let cells = move || {
            store.epoch.track();
            let rule = settings_of(store).rule;
            let cells = |name: &dyn Fn(u32) -> String| {
                outcome.with(|outcome| outcome.as_ref().map(|outcome| cells(outcome, rule, name)))
            };
            let (shown, heard) = (
                cells(&|token| store.show(token))?,
                cells(&|token| store.say(token))?,
            );
            let cell = |(shown, heard)| view! { <td>{told(shown, heard)}</td> };
            Some(shown.into_iter().zip(heard).map(cell).collect_view())
        };
        view! {
            <tr aria-current=move || (count.get() == index + 1).then_some("true")>
                <th scope="row">
                    <button type="button" class="pick-row" aria-label=tr!("Round {}", index + 1)
                        tabindex=move || tabindex(stop.get() == Some(index)) on:keydown=rove
                        on:focus=move |_| focused.set(Some(index)) on:blur=move |_| focused.set(None)
                        on:click=move |_| go_to_round(store, index)>
                        {index + 1}
                    </button>
                </th>
                {cells}
            </tr>
        }
    };
    framed(
        tr!("Rounds"),
        vec![
            tr!("round"),
            tr!("drafted"),
            tr!("accepted"),
            tr!("rejected"),
            tr!("target"),
            tr!("discarded"),
            tr!("tokens so far"),
        ],
        view! { <For each=move || 0..count.get() key=|index| *index children=row /> }.into_any(),
    )
}

/// What stands in a cell and what is heard of it: signs that stand alone are often not read.
fn told(shown: String, heard: String) -> AnyView {
    if shown == heard {
        return shown.into_any();
    }
    view! { <span aria-hidden="true">{shown}</span><span class="visually-hidden">{heard}</span> }
        .into_any()
}

/// What a row says of its round, which stands before it. `name` gives a token as it can be seen or heard.
fn cells(outcome: &Outcome, rule: Rule, name: &dyn Fn(u32) -> String) -> [String; 6] {
    let or_none = |said: Option<String>| said.unwrap_or_else(|| "–".to_owned());
    let drafted: Vec<String> = outcome.drafted.iter().map(|token| name(*token)).collect();
    let added = outcome.closing.map(|(kind, token)| {
        let word = match kind {
            ClosingKind::Resampled => replaced(rule),
            // Behind no drafted token it is no bonus for any.
            ClosingKind::Bonus if drafted.is_empty() => tr!("from the target alone"),
            ClosingKind::Bonus => tr!("bonus"),
        };
        format!("{}, {word}", name(token))
    });
    [
        or_none((!drafted.is_empty()).then(|| drafted.join(" "))),
        outcome.accepted.to_string(),
        or_none(outcome.rejected.map(name)),
        or_none(added),
        outcome.discarded.to_string(),
        outcome.committed.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(outcome: Outcome, rule: Rule) -> [String; 6] {
        cells(&outcome, rule, &|token| {
            ["t", "h", "e", "␣"][token as usize].to_owned()
        })
    }

    #[test]
    fn a_rejected_token_stands_beside_what_came_in_its_place() {
        let rejected = Outcome {
            drafted: vec![0, 1, 3],
            accepted: 1,
            rejected: Some(1),
            closing: Some((ClosingKind::Resampled, 2)),
            discarded: 1,
            committed: 2,
        };
        let row = ["t h ␣", "1", "h", "e, resampled", "1", "2"];
        assert_eq!(said(rejected.clone(), Rule::Block), row);
        let row = ["t h ␣", "1", "h", "e, replaced", "1", "2"];
        assert_eq!(said(rejected, Rule::Gumbel), row);
    }

    #[test]
    fn a_bonus_is_one_only_behind_a_draft() {
        let kept = Outcome {
            drafted: vec![0, 1],
            accepted: 2,
            closing: Some((ClosingKind::Bonus, 2)),
            committed: 3,
            ..Outcome::default()
        };
        let row = ["t h", "2", "–", "e, bonus", "0", "3"];
        assert_eq!(said(kept.clone(), Rule::Greedy), row);
        let alone = Outcome {
            drafted: Vec::new(),
            accepted: 0,
            ..kept
        };
        let row = ["–", "0", "–", "e, from the target alone", "0", "3"];
        assert_eq!(said(alone, Rule::Rejection), row);
    }

    #[test]
    fn where_a_drafted_token_ended_the_text_nothing_was_added() {
        let ended = Outcome {
            drafted: vec![0, 1, 2, 3],
            accepted: 2,
            discarded: 2,
            committed: 9,
            ..Outcome::default()
        };
        let row = ["t h e ␣", "2", "–", "–", "2", "9"];
        assert_eq!(said(ended, Rule::Rejection), row);
    }
}
