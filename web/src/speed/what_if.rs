//! What the formula says of drafts and devices that are not at hand: its numbers can be moved.

use couplet_playback::{decimal, tr};
use couplet_protocol::{MAX_GAMMA, SpeedReport};
use couplet_speculation::formulas::{ever_pays, speed_up};
use leptos::html;
use leptos::prelude::*;

use super::chart::curve;
use super::reading::{Promise, alpha, c, further_row, promises};
use super::state::use_speed;
use super::words;
use crate::lessons::{Cover, Covered, covered};
use crate::width::width_of;
use crate::words::tied;

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

    /// What a report found, as sliders can show it; `None` where it has no formula.
    fn measured(report: &SpeedReport) -> Option<Self> {
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

    /// What the formula says from γ = 1 to the largest that the page drafts.
    fn promises(&self) -> Vec<Promise> {
        let promise = |gamma| Promise {
            gamma,
            speed_up: self.speed_up(gamma as usize),
            is_guess: false,
        };
        (1..=MAX_GAMMA).map(promise).collect()
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
        let all = self.promises();
        let best = best_of(&all);
        let first = tr!(
            "By the formula, drafting pays because α, {alpha}, is more than what a token costs to draft and to check, {cost} of a pass.",
            alpha = number(self.alpha),
            cost = number(cost)
        );
        let second = best.map(|best| match (best.gamma, words::factor(best.speed_up)) {
            (gamma @ MAX_GAMMA, factor) => tr!(
                "The longest draft is the best: {factor} at γ = {gamma}.",
                factor,
                gamma
            ),
            (gamma, factor) => tr!(
                "Best is γ = {gamma}, {factor}: further ahead a token is kept too rarely.",
                factor,
                gamma
            ),
        });
        let third = slower_from(&all).map(|from| {
            tr!(
                "For γ ≥ {gamma}, the target alone is faster.",
                gamma = from.gamma
            )
        });
        [Some(first), second, third]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// What a report found: its terms, and what the formula says with each v as it was measured, which
/// need not lie on the line that the terms stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Of the line nearest to it.
    pub terms: Terms,
    promises: Vec<Promise>,
}

impl Measured {
    /// `None` where a report has no formula.
    pub fn of(report: &SpeedReport) -> Option<Self> {
        Some(Self {
            terms: Terms::measured(report)?,
            promises: promises(report)?,
        })
    }

    /// What may be said of the draft lengths that were timed; what is a guess is left to the drawing.
    fn says(&self) -> String {
        let timed: Vec<Promise> = self.timed().collect();
        let (Some(best), Some(longest)) = (best_of(&timed), timed.last()) else {
            return String::new();
        };
        let gamma = best.gamma;
        let factor = words::factor(best.speed_up);
        let [alpha, c] = [self.terms.alpha, self.terms.draft].map(|term| decimal(term, 2));
        if best.speed_up <= 1.0 {
            return tr!(
                "By the formula, with α {alpha}, c {c} and v of each γ as measured, no draft length that was timed pays; γ = {gamma} comes nearest, {factor}.",
                alpha,
                c,
                gamma,
                factor
            );
        }
        let first = tr!(
            "By the formula, with α {alpha}, c {c} and v of each γ as measured, best of those timed is γ = {gamma}, {factor}.",
            alpha,
            c,
            gamma,
            factor
        );
        let second = slower_from(&timed).map(|from| {
            if from.gamma == longest.gamma {
                tr!("For γ = {}, the target alone is faster.", from.gamma)
            } else {
                tr!(
                    "For γ from {first} to {last}, the target alone is faster.",
                    first = from.gamma,
                    last = longest.gamma
                )
            }
        });
        let says = [Some(first), second].into_iter().flatten();
        says.collect::<Vec<_>>().join(" ")
    }

    /// What the drawing shows, for those who want to know it exactly.
    fn small_print(&self) -> String {
        let points = tr!("Points: with v as it was measured for this γ.");
        let guesses = self.promises.iter().any(|it| it.is_guess);
        match self.timed().last().filter(|_| guesses) {
            Some(longest) => format!(
                "{points} {}",
                tr!(
                    "Where the line has none it is a guess: beyond γ = {} each further token adds s, the slope of the line that comes nearest to every v.",
                    longest.gamma
                )
            ),
            None => points,
        }
    }

    fn timed(&self) -> impl Iterator<Item = Promise> {
        self.promises.iter().copied().filter(|it| !it.is_guess)
    }
}

/// The largest; of several, the first.
fn best_of(all: &[Promise]) -> Option<Promise> {
    // `max_by` takes the last of several.
    let best = all.iter().rev();
    best.max_by(|a, b| a.speed_up.total_cmp(&b.speed_up))
        .copied()
}

/// The first of those after which nothing pays any more, if there is one that does.
fn slower_from(all: &[Promise]) -> Option<Promise> {
    let last = all.iter().rposition(|it| it.speed_up >= 1.0)?;
    all.get(last + 1).copied()
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
    let covered = covered(Covered::Measured);
    let measured = Memo::new(move |_| speed.measured.get().filter(|_| !covered.get()));
    // While nothing was moved, what was measured stands for itself.
    let as_measured = move || measured.get().filter(|_| chosen.get().is_none());
    let is_row = move |row: f64| move || (terms().row == row).to_string();
    let two = |value: f64| decimal(value, 2);
    view! {
            <div class="what-if-body">
                <div class="what-if-terms">
                    <div>
                        <h2>{tr!("When does it pay?")}</h2>
                        <p class="muted">{tr!("The formula alone, for any draft and any machine, if each token has the same chance whatever came before: move its numbers.")}</p>
                    </div>
                    <p class="formula what-if-formula" role="img" aria-label=tr!("speed-up is one minus alpha to the power of gamma plus one, divided by one minus alpha times gamma c plus v, and v is one plus gamma s")>
                        <span>{tr!("speed-up =")}</span>
                        <span class="fraction">
                            <span>"1 − "<em>"α"</em><sup>"γ+1"</sup></span>
                            <span>"(1 − "<em>"α"</em>")(γ"<em>"c"</em>" + "<em>"v"</em>")"</span>
                        </span>
                        <span class="what-if-v"><em>"v"</em>" = 1 + γ"<em>"s"</em></span>
                    </p>
                    <Term name="alpha" symbol="α" label=tr!("how often a drafted token is kept if all before it were") most=1.0
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
                        {move || measured.with(Option::is_some).then(|| view! {
                            <button type="button" data-testid="what-if-measured"
                                aria-pressed=move || (chosen.get().is_none()).to_string()
                                on:click=move |_| chosen.set(None)>
                                {tr!("as measured")}
                            </button>
                        })}
                    </div>
                    <p class="serif" data-testid="what-if-says">
                        {move || tied(&as_measured().map_or_else(|| terms().says(), |measured| measured.says()))}
                    </p>
                </div>
                <div class="sweep-frame" node_ref=frame>
                    {move || {
                        let measured = measured.get().map(|measured| measured.promises);
                        let (shown, beside) = match chosen.get() {
                            None => (measured.unwrap_or_else(|| terms().promises()), None),
                            Some(chosen) => (chosen.promises(), measured),
                        };
                        // Under the invitation the formula stands above.
                        let height = match width.get() {
                            // A phone shows sliders and curve at once.
                            ..520.0 => 250.0,
                            _ if speed.main.with(Option::is_some) => 392.0,
                            _ => 356.0,
                        };
                        curve(&shown, beside.as_deref(), width.get(), height)
                    }}
                    {move || measured.get().map(|measured| view! {
                        <p class="muted" data-testid="what-if-small">{match chosen.get() {
                            None => measured.small_print(),
                            Some(_) => tr!(
                                "Points: with v = 1 + γs. Thin line: as measured, α {alpha}, c {c} and v of each γ.",
                                alpha = two(measured.terms.alpha),
                                c = two(measured.terms.draft)
                            ),
                        }}</p>
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
    use super::super::reading::tests::report;
    use super::*;

    fn says(alpha: f64, draft: f64, row: f64) -> String {
        Terms { alpha, draft, row }.says()
    }

    #[test]
    fn it_says_what_the_formula_does() {
        // (1 + .8 + .64 + .512) / (1 + 3 * .25) is the largest of .8, .15, .1.
        let best = best_of(&Terms::EXAMPLE.promises()).unwrap();
        assert_eq!(best.gamma, 3);
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

    /// α is .8 and c is .1 in it; v of γ = 1, 2, 3 and so on is given.
    fn measured(v: &[f64]) -> Measured {
        let rows: Vec<_> = (1..).zip(v).map(|(gamma, _)| (gamma, [1.0, 1.1])).collect();
        let mut report = report(&rows);
        report.costs.verify = v.iter().map(|v| v * report.costs.target_step).collect();
        Measured::of(&report).unwrap()
    }

    #[test]
    fn what_was_measured_is_said_and_not_the_line_through_it() {
        // The line nearest to these, 1 + .36 γ, has γ = 2 as its best.
        let bent = measured(&[1.1, 1.2, 1.25, 3.4]);
        assert!((bent.terms.row - 0.36).abs() < 0.01, "{}", bent.terms.row);
        assert_eq!(best_of(&bent.terms.promises()).unwrap().gamma, 2);
        let says = bent.says();
        assert!(says.contains("α 0.80, c 0.10"), "{says}");
        // (1 + .8 + .64 + .512) / (3 * .1 + 1.25)
        assert!(says.contains("is γ = 3, 1.90×."), "{says}");
        assert!(says.ends_with("For γ = 4, the target alone is faster."));
        let small = bent.small_print();
        assert!(small.contains("beyond γ = 4 each further token"), "{small}");
        let far = measured(&[1.1, 3.0, 3.4]).says();
        assert!(far.contains("γ from 2 to 3, the target alone"), "{far}");
        // The line pays, and nothing that was timed does.
        let step = measured(&[1.8, 2.5, 2.9, 3.0]).says();
        assert!(step.contains("no draft length that was timed"), "{step}");
    }

    #[test]
    fn only_what_was_timed_is_called_best() {
        let free = measured(&[1.0, 1.0]);
        assert!(free.says().contains("is γ = 2, "), "{}", free.says());
        // By the guess a longer one would be better.
        let longer = free.promises[2];
        assert!(longer.is_guess && longer.speed_up > free.promises[1].speed_up);
        let all = measured(&[1.0; MAX_GAMMA as usize]);
        assert!(!all.small_print().contains("guess"));
    }
}
