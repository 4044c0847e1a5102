//! The rule of the run on the page, as a formula, and what its drawing shows.

use couplet_playback::{Cut, is_exact, separator, shortest, tr};
use couplet_protocol::{Rule, Settings};
use leptos::prelude::*;

use crate::language::{filled, slot};
use crate::store::{Notation, Store, use_store};

/// What the run on the page was written with.
pub fn settings_of(store: Store) -> Settings {
    store.shown.with_untracked(|shown| {
        shown
            .as_ref()
            .map_or_else(Settings::default, |shown| shown.settings.clone())
    })
}

/// [`settings_of`], followed: another run has others.
pub fn shown_settings(store: Store) -> Memo<Settings> {
    Memo::new(move |_| {
        store.epoch.track();
        store.shown.track();
        settings_of(store)
    })
}

/// The rule in one line, and the letters it is written in.
#[component]
pub fn RuleFormula() -> impl IntoView {
    let store = use_store();
    let settings = shown_settings(store);
    let options = [
        (Notation::Words, tr!("words"), None),
        (
            Notation::Chen,
            "Chen".to_owned(),
            Some(tr!(
                "The letters of Chen et al. 2023: p drafts, q is the target"
            )),
        ),
        (
            Notation::Leviathan,
            "Leviathan".to_owned(),
            Some(tr!(
                "The letters of Leviathan et al. 2023: q drafts, p is the target"
            )),
        ),
    ];
    view! {
        <div class="rules">
            <p class="formula">{move || settings.with(|settings| formula(settings, store.notation.get()))}</p>
            {move || {
                settings.with(|settings| !is_exact(settings)).then(|| view! { <b class="not-exact">{tr!("not exact")}</b> })
            }}
            <div class="segments small" role="group" aria-label=tr!("Notation")>
                {options
                    .map(|(notation, label, title)| {
                        view! {
                            <button type="button" title=title
                                aria-pressed=move || if store.notation.get() == notation { "true" } else { "false" }
                                on:click=move |_| store.notation.set(notation)>
                                {label}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </div>
    }
}

fn formula(settings: &Settings, notation: Notation) -> AnyView {
    let x = if notation == Notation::Words {
        ""
    } else {
        "(x)"
    };
    let target = view! { <em class="t">{notation.target()}{x}</em> };
    let draft = view! { <em class="d">{notation.draft()}{x}</em> };
    match settings.rule {
        Rule::Rejection | Rule::Lenience => {
            view! { <em>"u"</em>" < "{threshold(target.into_any(), draft.into_any(), settings)} }.into_any()
        }
        Rule::Block => {
            let passes = view! { <em>"u"</em>" < "<em>"h"</em> };
            filled(&tr!("longest prefix with {}", slot(0)), [passes.into_any()]).into_any()
        }
        Rule::Gumbel => {
            let saying = tr!("first of {draft} = first of {target}", draft = slot(0), target = slot(1));
            filled(&saying, [draft.into_any(), target.into_any()]).into_any()
        }
        Rule::MinHash => {
            let saying = tr!("hit of {draft} = hit of {target}", draft = slot(0), target = slot(1));
            filled(&saying, [draft.into_any(), target.into_any()]).into_any()
        }
        Rule::SampleAndMatch => {
            filled(&tr!("keep if {} draws the same", slot(0)), [target.into_any()]).into_any()
        }
        Rule::Greedy => filled(&tr!("keep if {}’s favourite", slot(0)), [target.into_any()]).into_any(),
        Rule::Typical => view! {
            {target}
            {format!(" > min({}{}{}·", shortest(settings.epsilon), separator(), shortest(settings.delta))}<em>"e"</em><sup>"−"<em>"H"</em></sup>")"
        }
        .into_any(),
    }
}

/// What u is held against under Rejection and Lenience, written so that no line breaks in it.
pub fn threshold(target: AnyView, draft: AnyView, settings: &Settings) -> AnyView {
    let (open, close) = match settings.rule {
        Rule::Lenience => (format!("({}·", shortest(settings.lenience)), "))"),
        _ => (String::new(), ")"),
    };
    let least = format!("min(1{}", separator().replace(' ', "\u{a0}"));
    view! { {least}{target}{format!("\u{a0}/\u{a0}{open}")}{draft}{close} }.into_any()
}

/// What the formula says about how often a token stays, where there is one.
pub fn expectation(rule: Rule, notation: Notation) -> Option<AnyView> {
    // Words would be too long for the place that there is.
    let letter = |name: String| match notation {
        Notation::Words => name.chars().take(1).collect(),
        _ => name,
    };
    let target = || view! { <em class="t">{letter(notation.target())}</em> };
    let draft = || view! { <em class="d">{letter(notation.draft())}</em> };
    let mean = |formula: AnyView| filled(&tr!("mean of {}", slot(0)), [formula]).into_any();
    Some(match rule {
        Rule::Rejection => mean("1 − TV".into_any()),
        Rule::Block => return None,
        Rule::Gumbel => mean(
            view! {
                "Σ"<sub><em>"i"</em></sub>" 1 / Σ"<sub><em>"j"</em></sub>" max("{target()}<sub><em>"j"</em></sub>"/"
                {target()}<sub><em>"i"</em></sub>{separator().replace(' ', "\u{a0}")}{draft()}<sub><em>"j"</em></sub>"/"{draft()}<sub><em>"i"</em></sub>")"
            }
            .into_any(),
        ),
        Rule::MinHash => mean(
            view! {
                "Σ min("{target()}{separator()}{draft()}") · (1\u{a0}+\u{a0}|"{target()}"\u{a0}−\u{a0}"{draft()}"|) /\u{a0}(1\u{a0}+\u{a0}TV)"
            }
            .into_any(),
        ),
        Rule::SampleAndMatch => mean(view! { "Σ "{target()}" · "{draft()} }.into_any()),
        Rule::Greedy => {
            let saying = tr!("mean of {draft} at {target}’s favourite", draft = slot(0), target = slot(1));
            filled(&saying, [draft().into_any(), target().into_any()]).into_any()
        }
        Rule::Lenience => {
            mean(view! { "Σ min("{draft()}{separator()}{target()}" / "<em>"l"</em>")" }.into_any())
        }
        Rule::Typical => {
            let saying = tr!("mean of Σ {draft} where {target} is above the line", draft = slot(0), target = slot(1));
            filled(&saying, [draft().into_any(), target().into_any()]).into_any()
        }
    })
}

/// Swatches, and a sentence about what stands beside the bars.
#[component]
pub fn Key() -> impl IntoView {
    let store = use_store();
    let letter = move |name: fn(Notation) -> String| {
        move || {
            Some(store.notation.get())
                .filter(|notation| *notation != Notation::Words)
                .map(name)
        }
    };
    let sentence = move || {
        store.epoch.track();
        let pieces = store
            .pair()
            .is_some_and(|pair| Cut::of(&pair.tokens) == Cut::WordPieces);
        mechanism(&settings_of(store), pieces)
    };
    // A race has bars for how far a token is, and distances do not overlap.
    let overlap = move || {
        store.epoch.track();
        (settings_of(store).rule != Rule::Gumbel)
            .then(|| view! { <i class="swatch overlap"></i>{tr!("overlap")}" " })
    };
    view! {
        <p class="key">
            <i class="swatch draft"></i>{tr!("draft")}" "<em>{letter(Notation::draft)}</em>
            {overlap}
            <i class="swatch target"></i>{tr!("target")}" "<em>{letter(Notation::target)}</em>
            <span class="key-gauge">{sentence}</span>
        </p>
    }
}

fn mechanism(settings: &Settings, pieces: bool) -> AnyView {
    let u = view! { <em>"u"</em> }.into_any();
    match settings.rule {
        Rule::Rejection => {
            let saying = tr!(
                "the draft bar stretched to 1; the needle {u} lands anywhere on it with equal chance",
                u = slot(0)
            );
            filled(&saying, [u]).into_any()
        }
        Rule::Lenience => {
            let saying = tr!(
                "{share} of the draft bar stretched to 1; the needle {u} lands anywhere on it with equal chance",
                share = shortest(settings.lenience),
                u = slot(0)
            );
            filled(&saying, [u]).into_any()
        }
        Rule::Block => {
            let saying = tr!(
                "green: {h}, the chance that the text up to here passes its own test; the needle {u} lands anywhere with equal chance",
                u = slot(0),
                h = slot(1)
            );
            filled(&saying, [u, view! { <em>"h"</em> }.into_any()]).into_any()
        }
        Rule::Gumbel if pieces => tr!(
            "a bar is a speed, probability / clock (in Couplings a time); the clocks are the same for both; the 20 most probable are known here"
        )
        .into_any(),
        Rule::Gumbel => tr!(
            "a bar is a speed, probability / clock: the longest comes first (in Couplings a bar is a time); the clocks are the same for both"
        )
        .into_any(),
        Rule::MinHash => tr!(
            "the same darts fly at both boards; a model’s token is that of the first under one of its bars"
        )
        .into_any(),
        Rule::SampleAndMatch if pieces => {
            tr!("the target draws with a number of its own, whatever was drafted").into_any()
        }
        Rule::SampleAndMatch => {
            tr!("green: the drafted token’s place among all that the target could draw").into_any()
        }
        Rule::Greedy => {
            tr!("no chance decides: the target’s most probable token stays").into_any()
        }
        Rule::Typical => {
            tr!("a token stays when the target’s bar rises above the line").into_any()
        }
    }
}
