//! Swap the drafter, keep the seed: the same settings with every drafter, under a rule whose text
//! does not depend on the drafter and under Rejection.

mod runs;

use couplet_playback::{Cut, count_word, decimal, tr};
use couplet_protocol::{Drafter, Rule};
use couplet_speculation::couplings::Coupling;
use leptos::prelude::*;

use super::exhibit::use_exhibit;
use super::mark::mark_icon;
use crate::heard::Heard;
use crate::stage::icons::{Sign, icon};
use crate::stage::{drafter_title, rule_title};
use crate::words::{at_95, share_at_95};

pub use runs::Swap;
use runs::{Texts, Writing, Written};

/// Rules under which the drafter makes no difference to a text that is drawn by chance.
fn invariant() -> impl Iterator<Item = Rule> {
    let draws = |rule: &Rule| rule.is_drafter_invariant() && *rule != Rule::Greedy;
    Rule::ALL.into_iter().filter(draws)
}

/// Where no field says that this is about drafting.
fn title_of(drafter: Drafter, cut: Cut) -> String {
    match drafter {
        Drafter::Model => tr!("Draft model"),
        other => drafter_title(other, cut),
    }
}

/// The panel.
#[component]
pub fn SwapPanel() -> impl IntoView {
    let exhibit = use_exhibit();
    let swap = exhibit.swap;
    let seed = move || match swap
        .texts
        .with(|texts| texts.as_ref().map(|texts| texts.settings.seed))
    {
        Some(seed) => tr!(
            "target and seed {seed} unchanged; only the drafter differs",
            seed
        ),
        None => tr!("target and seed of the settings unchanged; only the drafter differs"),
    };
    let running = move || matches!(swap.writing.get(), Writing::Row { .. });
    let said = move || match swap.writing.get() {
        Writing::Idle => None,
        Writing::Row { done, of } => Some(tr!("Writing text {} of {}…", done + 1, of)),
        Writing::Failed(said) => Some(said.now()),
    };
    // Six texts are written in a moment: their beginning is heard, and what they come to.
    let heard = Signal::derive(move || match swap.writing.get() {
        Writing::Idle => swap.texts.with(|texts| texts.as_ref().map(in_short)),
        Writing::Row { of, .. } => Some(tr!("Writing {} texts…", count_word(of))),
        Writing::Failed(said) => Some(said.now()),
    });
    let rule = move |event| {
        let name = event_target_value(&event);
        if let Some(rule) = invariant().find(|rule| rule.name() == name) {
            swap.rule.set(rule);
        }
    };
    view! {
        <section class="card swap" data-testid="swap" aria-labelledby="swap-title">
            <header>
                <h2 id="swap-title">{tr!("Swap the drafter, keep the seed")}</h2>
                <p class="muted">{seed}</p>
                <div class="swap-controls">
                    <div class="field">
                        <label for="swap-rule">{tr!("Rule")}</label>
                        <select id="swap-rule" data-testid="swap-rule" on:change=rule>
                            {invariant()
                                .map(|rule| {
                                    view! {
                                        <option value=rule.name() selected=move || swap.rule.get() == rule>{rule_title(rule)}</option>
                                    }
                                })
                                .collect_view()}
                        </select>
                    </div>
                    // One button: the focus stays on it.
                    <button type="button" class="button" data-testid=move || if running() { "swap-stop" } else { "swap-run" }
                        on:click=move |_| if running() { exhibit.stop_swap() } else { exhibit.swap_drafters() }>
                        {move || match (running(), swap.texts.with(Option::is_some)) {
                            (true, _) => tr!("Stop"),
                            (false, true) => tr!("Write anew"),
                            (false, false) => tr!("Write all six"),
                        }}
                    </button>
                </div>
            </header>
            <p class="swap-said" data-testid="swap-said">{said}</p>
            <Heard said=heard known=true testid="swap-heard" />
            {move || match swap.texts.get() {
                Some(texts) => table(&texts).into_any(),
                None => view! {
                    <p class="serif swap-invitation">
                        {tr!("Three drafters of very different skill pencil for the same target with the same seed. Under rejection each usually makes another text. Where a token stays only if it is the target’s own, all three make the same one; a poor drafter only makes it slower.")}
                    </p>
                }
                .into_any(),
            }}
        </section>
    }
}

fn table(texts: &Texts) -> impl IntoView + use<> {
    let rules = [texts.rule, Rule::Rejection];
    let rows = Drafter::ALL
        .into_iter()
        .enumerate()
        .map(|(row, drafter)| {
            let cells = rules
                .into_iter()
                .enumerate()
                .map(|(column, rule)| {
                    let written = texts.cells[row][column].clone();
                    let first = texts.cells[0][column].clone();
                    let name = format!("swap-{}-{}", drafter.name(), rule.name());
                    let heading = column_title(texts, column);
                    view! {
                        <td data-testid=name data-heading=heading>
                            {match (written, first) {
                                (Some(written), Some(first)) => cell(&written, (row > 0).then_some(&first)).into_any(),
                                _ => view! { <span class="muted">{tr!("waiting…")}</span> }.into_any(),
                            }}
                        </td>
                    }
                })
                .collect_view();
            view! { <tr><th scope="row">{title_of(drafter, texts.cut)}</th>{cells}</tr> }
        })
        .collect_view();
    let mark = match texts.rule {
        Rule::MinHash => mark_icon(Coupling::MinHash).into_any(),
        Rule::Gumbel => mark_icon(Coupling::Gumbel).into_any(),
        Rule::Rejection
        | Rule::Block
        | Rule::SampleAndMatch
        | Rule::Greedy
        | Rule::Lenience
        | Rule::Typical => icon(Sign::Accepted, 14).into_any(),
    };
    let greedy = texts.settings.has_one_text().then(|| {
        view! { <p class="muted">{tr!("At temperature 0 and at top-k 1 the target has one text: every rule writes its most probable tokens.")}</p> }
    });
    view! {
        <table aria-labelledby="swap-title">
            <thead>
                <tr>
                    <th scope="col"><span class="visually-hidden">{tr!("Drafter")}</span></th>
                    <th scope="col">{mark}" "{column_title(texts, 0)}</th>
                    <th scope="col">{icon(Sign::Rejected, 14)}" "{column_title(texts, 1)}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        {greedy}
    }
}

/// What a column shows: what the rule is known for, and if the texts say otherwise, that.
fn column_title(texts: &Texts, column: usize) -> String {
    let of = |row: usize| {
        texts.cells[row][column]
            .as_ref()
            .map(|written| &written.tokens)
    };
    let first = of(0);
    let known = (0..texts.cells.len()).all(|row| of(row).is_some());
    let same = (1..texts.cells.len()).all(|row| of(row) == first);
    let rule = rule_title(texts.rule);
    match (column, known, same) {
        (0, true, false) => tr!("Under {rule} the text was not the same", rule),
        (0, ..) => tr!("Under {rule} the text is the same", rule),
        (_, true, true) => tr!("Under rejection it is the same here"),
        _ => tr!("Under rejection it is another sample"),
    }
}

/// What the texts come to, for whoever hears it once they are written.
fn in_short(texts: &Texts) -> String {
    tr!(
        "Done. {}. {}.",
        column_title(texts, 0),
        column_title(texts, 1)
    )
}

/// A text, what of it differs from the first drafter's, and how much of the draft was kept.
fn cell(written: &Written, first: Option<&Written>) -> impl IntoView + use<> {
    let shown = |tokens: &[String]| tokens.concat().replace('\n', "↵ ");
    let change = first.and_then(|first| first_change(&written.tokens, &first.tokens));
    let (same, other) = written
        .tokens
        .split_at(change.unwrap_or(written.tokens.len()));
    let (same, other) = (shown(same), shown(other));
    let note = first.map(|_| match change {
        None => view! { <span class="swap-same">{icon(Sign::Accepted, 12)}{tr!("same")}</span> }
            .into_any(),
        Some(at) => {
            view! { <span class="swap-changed">{tr!("changed at {}", at + 1)}</span> }.into_any()
        }
    });
    let rate = match written.tested {
        0 => tr!("nothing was judged"),
        tested => {
            let ends = share_at_95(written.accepted.min(tested), tested);
            let [low, high] = ends.map(|end| decimal(end, 2));
            let rate = written.accepted as f64 / tested as f64;
            tr!(
                "{alpha}, {accepted} of {tested} kept",
                alpha = format!("α {}, {}", decimal(rate, 2), at_95(low, high)),
                accepted = written.accepted,
                tested
            )
        }
    };
    view! {
        <span class="swap-text" lang="en">{same}{(!other.is_empty()).then(|| view! { <mark>{other}</mark> })}</span>
        <span class="swap-notes">{note}<span class="muted figures" title=tr!("acceptance rate, and its Wilson interval at 95 %, if all tests were independent and alike")>{rate}</span></span>
    }
}

/// The first place at which two texts differ.
fn first_change(tokens: &[String], others: &[String]) -> Option<usize> {
    let equal = tokens
        .iter()
        .zip(others)
        .take_while(|(a, b)| a == b)
        .count();
    (equal < tokens.len() || equal < others.len()).then_some(equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_change_is_found() {
        let of = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(first_change(&of("abc"), &of("abc")), None);
        assert_eq!(first_change(&of("abd"), &of("abc")), Some(2));
        assert_eq!(first_change(&of("ab"), &of("abc")), Some(2));
    }
}
