//! What the formula says of drafts and devices that are not at hand: its numbers can be moved.

use couplet_protocol::MAX_GAMMA;
use couplet_speculation::formulas::{ever_pays, speed_up};
use leptos::html;
use leptos::prelude::*;
use tr::tr;

use super::chart::curve;
use super::reading::{alpha, c, further_row, has_formula};
use super::state::use_speed;
use super::words;
use crate::store::Kept;
use crate::width::width_of;

/// Numbers of the formula; all of them are in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// How often a drafted token is kept.
    pub alpha: f64,
    /// Cost of a drafted token, in passes of the target.
    pub draft: f64,
    /// What a pass over one more token costs more, in passes for one token.
    pub row: f64,
}

impl Terms {
    /// An example in which drafting pays, though neither drafting nor checking is free.
    pub const EXAMPLE: Self = Self {
        alpha: 0.8,
        draft: 0.15,
        row: 0.1,
    };

    /// What a report found; `None` where it has no formula.
    fn measured(kept: &Kept) -> Option<Self> {
        let report = &kept.report;
        let inside = |value: f64| (100.0 * value).round().clamp(0.0, 100.0) / 100.0;
        has_formula(report).then_some(())?;
        Some(Self {
            alpha: inside(alpha(report)?.rate),
            draft: inside(c(report)?),
            row: inside(further_row(report)?),
        })
    }

    /// From whole hundredths, as links hold them.
    pub fn of_hundredths([alpha, draft, row]: [u8; 3]) -> Self {
        let part = |term: u8| f64::from(term) / 100.0;
        Self {
            alpha: part(alpha),
            draft: part(draft),
            row: part(row),
        }
    }

    /// In whole hundredths.
    pub fn in_hundredths(self) -> [u8; 3] {
        [self.alpha, self.draft, self.row].map(|term| (100.0 * term).round() as u8)
    }

    /// Speed-up with `gamma` drafted tokens.
    fn speed_up(&self, gamma: usize) -> f64 {
        let verify = 1.0 + self.row * gamma as f64;
        speed_up(self.alpha, gamma, self.draft, verify)
    }

    /// Speed-ups from γ = 1 to the largest that the page drafts.
    fn speed_ups(&self) -> Vec<f64> {
        (1..=MAX_GAMMA as usize)
            .map(|gamma| self.speed_up(gamma))
            .collect()
    }

    /// The draft lengths behind what is said, in words.
    fn says(&self) -> String {
        let number = |value: f64| format!("{value:.2}");
        let cost = self.draft + self.row;
        if !ever_pays(self.alpha, self.draft, self.row) {
            return tr!(
                "No draft length pays: α, {alpha}, is not more than what a token costs to draft and to check, {cost} passes.",
                cost = number(cost),
                alpha = number(self.alpha)
            );
        }
        let all = self.speed_ups();
        let best = best_of(&all);
        let first = tr!(
            "Drafting pays because α, {alpha}, is more than what a token costs to draft and to check, {cost} of a pass.",
            alpha = number(self.alpha),
            cost = number(cost)
        );
        let second = if best + 1 == all.len() {
            tr!(
                "The longest draft is the best: {factor} at γ = {gamma}.",
                factor = words::factor(all[best]),
                gamma = best + 1
            )
        } else {
            tr!(
                "Best is γ = {gamma}, {factor}: further ahead a token is kept too rarely.",
                factor = words::factor(all[best]),
                gamma = best + 1
            )
        };
        let slower = all.iter().rposition(|factor| *factor >= 1.0);
        let third = slower.filter(|last| last + 1 < all.len()).map(|last| {
            tr!(
                "From γ = {gamma} on the target alone is faster.",
                gamma = last + 2
            )
        });
        [Some(first), Some(second), third]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The place of the largest; of several, the first.
fn best_of(all: &[f64]) -> usize {
    (0..all.len()).fold(
        0,
        |best, place| {
            if all[place] > all[best] { place } else { best }
        },
    )
}

/// The section with its sliders.
#[component]
pub fn WhatIf() -> impl IntoView {
    let speed = use_speed();
    let terms = speed.terms;
    let frame = NodeRef::<html::Div>::new();
    let width = width_of(frame, 620.0);
    let measured = Memo::new(move |_| {
        speed
            .main
            .with(|main| main.as_ref().and_then(Terms::measured))
    });
    let only_row = move |row: f64| terms.update(|terms| terms.row = row);
    let is_row = move |row: f64| move || terms.with(|terms| terms.row == row).to_string();
    view! {
        <section class="card what-if" data-testid="what-if" aria-labelledby="what-if-title">
            <div class="what-if-body">
                <div class="what-if-terms">
                    <div>
                        <h2 id="what-if-title">{tr!("When does it pay?")}</h2>
                        <p class="muted">{tr!("The formula alone, for any draft and any machine: move its numbers.")}</p>
                    </div>
                    <Term name="alpha" symbol="α" label=tr!("how often a drafted token is kept")
                        shown=Signal::derive(move || format!("{:.2}", terms.get().alpha))
                        value=Signal::derive(move || terms.get().alpha)
                        set=move |value| terms.update(|terms| terms.alpha = value) />
                    <Term name="draft" symbol="c" label=tr!("what drafting one token costs, in passes of the target")
                        shown=Signal::derive(move || format!("{:.2}", terms.get().draft))
                        value=Signal::derive(move || terms.get().draft)
                        set=move |value| terms.update(|terms| terms.draft = value) />
                    <Term name="row" symbol="v" label=tr!("what checking each further token adds to a pass")
                        shown=Signal::derive(move || format!("1 + {:.2} γ", terms.get().row))
                        value=Signal::derive(move || terms.get().row)
                        set=only_row />
                    <div class="presets" role="group" aria-label=tr!("Examples")>
                        <button type="button" data-testid="what-if-free" aria-pressed=is_row(0.0) on:click=move |_| only_row(0.0)>
                            {tr!("checking is free")}
                        </button>
                        <button type="button" data-testid="what-if-dear" aria-pressed=is_row(1.0) on:click=move |_| only_row(1.0)>
                            {tr!("nothing is shared")}
                        </button>
                        {move || measured.get().map(|found| view! {
                            <button type="button" data-testid="what-if-measured"
                                aria-pressed=move || (terms.get() == found).to_string()
                                on:click=move |_| terms.set(found)>
                                {tr!("as measured here")}
                            </button>
                        })}
                    </div>
                    <p class="serif" data-testid="what-if-says" aria-live="polite">{move || terms.get().says()}</p>
                </div>
                <div class="sweep-frame" node_ref=frame>
                    {move || curve(&terms.get().speed_ups(), width.get(), 348.0)}
                </div>
            </div>
        </section>
    }
}

/// A number of the formula that can be moved.
#[component]
fn Term(
    name: &'static str,
    symbol: &'static str,
    label: String,
    /// The number as it stands in the formula.
    shown: Signal<String>,
    value: Signal<f64>,
    set: impl Fn(f64) + 'static,
) -> impl IntoView {
    let id = format!("what-if-{name}");
    let move_to = move |event| {
        if let Ok(value) = event_target_value(&event).parse::<f64>() {
            set(value.clamp(0.0, 1.0));
        }
    };
    view! {
        <div class="what-if-term">
            <label for=id.clone()><em>{symbol}</em>" "<span>{label}</span></label>
            <output for=id.clone() class="figures">{move || shown.get()}</output>
            <input type="range" id=id.clone() data-testid=id min="0" max="1" step="0.01"
                prop:value=move || value.get().to_string() aria-valuetext=move || shown.get() on:input=move_to />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(alpha: f64, draft: f64, row: f64) -> String {
        Terms { alpha, draft, row }.says()
    }

    #[test]
    fn it_says_what_the_formula_does() {
        // (1 + .8 + .64 + .512) / (1 + 3 * .25) is the largest of .8, .15, .1.
        let best = best_of(&Terms::EXAMPLE.speed_ups());
        assert_eq!(best + 1, 3);
        assert!((Terms::EXAMPLE.speed_up(3) - 2.952 / 1.75).abs() < 1e-12);
        assert!(says(0.8, 0.15, 0.1).contains("γ = 3, 1.69×"));
        assert!(
            says(0.5, 0.15, 0.1).contains("From γ = 4 on"),
            "{}",
            says(0.5, 0.15, 0.1)
        );
        assert!(says(0.8, 0.2, 0.6).contains("No draft length pays"));
        assert!(says(1.0, 0.0, 0.0).contains("17.00× at γ = 16"));
    }
}
