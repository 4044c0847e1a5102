//! What the formula says of drafts and devices that are not at hand: its numbers can be moved.

use couplet_playback::decimal;
use couplet_protocol::MAX_GAMMA;
use couplet_speculation::formulas::{ever_pays, speed_up};
use leptos::html;
use leptos::prelude::*;
use tr::tr;

use super::chart::curve;
use super::reading::{alpha, c, further_row};
use super::state::use_speed;
use super::words;
use crate::lessons::{Cover, Covered};
use crate::store::Kept;
use crate::width::width_of;

/// The most that a further token may add to a pass. At 1 rows share nothing; what is measured can be
/// more, because the first step of a draft, which reads two tokens, counts as checking.
const MOST_ROW: f64 = 2.0;

/// Numbers of the formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// How often a drafted token is kept, in [0, 1].
    pub alpha: f64,
    /// Cost of a drafted token, in passes of the target, in [0, 1].
    pub draft: f64,
    /// What a pass over one more token costs more, in passes for one token, in [0, 2].
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
    pub fn measured(kept: &Kept) -> Option<Self> {
        let report = &kept.report;
        let within =
            |value: f64, most: f64| (100.0 * value).round().clamp(0.0, 100.0 * most) / 100.0;
        report.request.has_formula().then_some(())?;
        Some(Self {
            alpha: within(alpha(report)?, 1.0),
            draft: within(c(report)?, 1.0),
            row: within(further_row(report)?, MOST_ROW),
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
        let number = |value: f64| decimal(value, 2);
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
            "By the formula, drafting pays because α, {alpha}, is more than what a token costs to draft and to check, {cost} of a pass.",
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
                "For γ ≥ {gamma}, the target alone is faster.",
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

/// The section, absent while a lesson asks for what it says.
#[component]
pub fn WhatIf() -> impl IntoView {
    view! {
        <section class="card what-if" data-testid="what-if" aria-label=tr!("When does it pay?")>
            <Cover what=Covered::Curve>
                <Asked />
            </Cover>
        </section>
    }
}

/// The sliders and the curve.
#[component]
fn Asked() -> impl IntoView {
    let speed = use_speed();
    let frame = NodeRef::<html::Div>::new();
    let width = width_of(frame, 620.0);
    let terms = move || speed.asked.get();
    let chosen = speed.terms;
    let change = move |change: fn(&mut Terms, f64), value: f64| {
        let mut terms = speed.asked.get_untracked();
        change(&mut terms, value);
        chosen.set(Some(terms));
    };
    let is_row = move |row: f64| move || (terms().row == row).to_string();
    let two = |value: f64| decimal(value, 2);
    view! {
            <div class="what-if-body">
                <div class="what-if-terms">
                    <div>
                        <h2>{tr!("When does it pay?")}</h2>
                        <p class="muted">{tr!("The formula alone, for any draft and any machine: move its numbers.")}</p>
                    </div>
                    <p class="formula what-if-formula" role="img" aria-label=tr!("speed-up is one minus alpha to the power of gamma plus one, divided by one minus alpha times gamma c plus v, and v is one plus gamma s")>
                        <span>{tr!("speed-up =")}</span>
                        <span class="fraction">
                            <span>"1 − "<em>"α"</em><sup>"γ+1"</sup></span>
                            <span>"(1 − "<em>"α"</em>")(γ"<em>"c"</em>" + "<em>"v"</em>")"</span>
                        </span>
                        <span class="what-if-v"><em>"v"</em>" = 1 + γ"<em>"s"</em></span>
                    </p>
                    <Term name="alpha" symbol="α" label=tr!("how often a drafted token is kept") most=1.0
                        value=Signal::derive(move || terms().alpha)
                        set=move |value| change(|terms, value| terms.alpha = value, value) />
                    <Term name="draft" symbol="c" label=tr!("what drafting one token costs, in passes of the target") most=1.0
                        value=Signal::derive(move || terms().draft)
                        set=move |value| change(|terms, value| terms.draft = value, value) />
                    <Term name="row" symbol="s" label=tr!("what checking each further token adds to a pass") most=MOST_ROW
                        value=Signal::derive(move || terms().row)
                        set=move |value| change(|terms, value| terms.row = value, value) />
                    <div class="presets" role="group" aria-label=tr!("Examples")>
                        <button type="button" data-testid="what-if-free" aria-pressed=is_row(0.0)
                            on:click=move |_| change(|terms, value| terms.row = value, 0.0)>
                            {tr!("checking is free (s = 0)")}
                        </button>
                        <button type="button" data-testid="what-if-dear" aria-pressed=is_row(1.0)
                            on:click=move |_| change(|terms, value| terms.row = value, 1.0)>
                            {tr!("each position costs a pass (s = 1)")}
                        </button>
                        {move || speed.measured.get().is_some().then(|| view! {
                            <button type="button" data-testid="what-if-measured"
                                aria-pressed=move || (chosen.get().is_none()).to_string()
                                on:click=move |_| chosen.set(None)>
                                {tr!("as measured here")}
                            </button>
                        })}
                    </div>
                    <p class="serif" data-testid="what-if-says">{move || terms().says()}</p>
                </div>
                <div class="sweep-frame" node_ref=frame>
                    {move || {
                        let measured = speed.measured.get().filter(|measured| *measured != terms());
                        let beside = measured.map(|measured| measured.speed_ups());
                        // Under the invitation the formula stands above.
                        let height = match width.get() {
                            // A phone shows sliders and curve at once.
                            ..520.0 => 250.0,
                            _ if speed.main.with(Option::is_some) => 392.0,
                            _ => 356.0,
                        };
                        curve(&terms().speed_ups(), beside.as_deref(), width.get(), height)
                    }}
                    {move || speed.measured.get().filter(|measured| *measured == terms()).map(|_| view! {
                        <p class="muted">{tr!(
                            "s is the slope of the line that comes nearest to every v that was measured; a single v may lie off it, and beyond the longest draft that was measured it is a guess."
                        )}</p>
                    })}
                    {move || speed.measured.get().filter(|measured| *measured != terms()).map(|measured| view! {
                        <p class="muted">{tr!(
                            "Thin line: as measured here, α {alpha}, c {c}, s {s}.",
                            alpha = two(measured.alpha),
                            c = two(measured.draft),
                            s = two(measured.row)
                        )}</p>
                    })}
                </div>
            </div>
    }
}

/// A number of the formula that can be moved.
#[component]
fn Term(
    name: &'static str,
    symbol: &'static str,
    label: String,
    /// The largest that it can be.
    most: f64,
    value: Signal<f64>,
    set: impl Fn(f64) + 'static,
) -> impl IntoView {
    let id = format!("what-if-{name}");
    let shown = move || decimal(value.get(), 2);
    let move_to = move |event| {
        if let Ok(value) = event_target_value(&event).parse::<f64>() {
            set(value.clamp(0.0, most));
        }
    };
    let chosen = use_speed().terms;
    let before = StoredValue::new(None);
    view! {
        <div class="what-if-term">
            <label for=id.clone()><em>{symbol}</em>" "<span>{label}</span></label>
            <span class="figures">{shown}</span>
            <input type="range" id=id.clone() data-testid=id min="0" max=most.to_string() step="0.01"
                prop:value=move || value.get().to_string() aria-valuetext=shown on:input=move_to
                // A finger that scrolls the page from here has moved nothing.
                on:pointerdown=move |_| before.set_value(chosen.get_untracked())
                on:pointercancel=move |_| chosen.set(before.get_value()) />
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
            says(0.5, 0.15, 0.1).contains("For γ ≥ 4, "),
            "{}",
            says(0.5, 0.15, 0.1)
        );
        assert!(says(0.8, 0.2, 0.6).contains("No draft length pays"));
        assert!(says(1.0, 0.0, 0.0).contains("17.00× at γ = 16"));
    }
}
