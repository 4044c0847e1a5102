//! What the test looks at: every text at once, and how many drafted tokens were kept.

use couplet_playback::{count_word, decimal, grouped, interval, tr};
use leptos::prelude::*;

use crate::axis::round_step;
use crate::language::{filled, slot};
use crate::lessons::{Cover, Covered};
use crate::proof::chart::{Slots, bar, label, level};
use crate::proof::counting::Tally;
use crate::proof::pair::ProofPair;
use crate::proof::state::use_proof;
use crate::proof::theory::{Law, target_joint, text_of};
use crate::proof::words::signed;
use crate::table::told;
use couplet_speculation::ranked;
use couplet_speculation::statistics::SMALLEST_EXPECTED_COUNT;

/// How far a count strays from its expectation, in standard deviations of an exact sampler.
#[derive(Clone, Copy)]
struct Stray {
    place: usize,
    count: u64,
    expected: f64,
    deviations: f64,
}

/// The texts that are expected often enough to be judged one by one, the most probable first.
fn strays(pair: &ProofPair, tally: &Tally, length: usize) -> Vec<Stray> {
    let target = target_joint(&pair.target, length);
    if tally.trials == 0 || tally.counts.len() != target.len() {
        return vec![];
    }
    let trials = tally.trials as f64;
    let strays: Vec<Stray> = target
        .iter()
        .zip(&tally.counts)
        .enumerate()
        .filter(|(_, (prob, _))| **prob * trials >= SMALLEST_EXPECTED_COUNT && **prob < 1.0)
        .map(|(place, (prob, count))| {
            let expected = prob * trials;
            Stray {
                place,
                count: *count,
                expected,
                deviations: (*count as f64 - expected) / (expected * (1.0 - prob)).sqrt(),
            }
        })
        .collect();
    let ranks = ranked(strays.iter().map(|stray| stray.expected));
    ranks.into_iter().map(|place| strays[place]).collect()
}

/// The section.
#[component]
pub fn AllTexts(
    /// What theory says of the rule under test.
    law: Signal<Law>,
) -> impl IntoView {
    let proof = use_proof();
    let length = move || proof.gamma.get() as usize + 1;
    let cloud = move || {
        proof.pair.with(|pair| {
            proof.tally.with(|tally| {
                let strays = strays(pair, tally, length());
                view! {
                    {dots(&strays)}
                    <p class="texts-say" data-testid="texts-say">{says(pair, &strays, length())}</p>
                }
            })
        })
    };
    view! {
        <section class="card texts" data-testid="texts" aria-labelledby="texts-title">
            <header>
                <div>
                    <h2 id="texts-title">{tr!("Every text at once")}</h2>
                    <p class="muted">
                        {move || tr!(
                            "A dot for each text of {} tokens that an exact sampler would write at least five times on average, the most probable first: how far its count is from the target’s, in standard deviations.",
                            count_word(length())
                        )}
                    </p>
                </div>
            </header>
            {cloud}
            <h3>{tr!("Kept per round")}</h3>
            <Cover what=Covered::Numbers>
                <div class="texts-kept">
                    {move || proof.tally.with(|tally| law.with(|law| kept_chart(tally, law)))}
                    {move || proof.tally.with(|tally| law.with(|law| kept_says(tally, law)))}
                </div>
            </Cover>
        </section>
    }
}

const HEIGHT: f64 = 170.0;
const MIDDLE: f64 = 85.0;
const HALF: f64 = 76.0;
/// Of the drawing's own units across; it is stretched to its card.
const ACROSS: f64 = 1000.0;
/// Where an exact sampler stays 95 % of the time.
const USUAL: f64 = 1.96;

fn dots(strays: &[Stray]) -> impl IntoView + use<> {
    let most = strays
        .iter()
        .map(|stray| stray.deviations.abs())
        .fold(3.5, f64::max);
    let y = |deviations: f64| MIDDLE - deviations / most * HALF;
    let dot = |index: usize, stray: &Stray| {
        let x = (index as f64 + 0.5) / strays.len() as f64 * ACROSS;
        format!("M{x:.1} {:.1}h.01", y(stray.deviations))
    };
    let path = |inside: bool| -> String {
        strays
            .iter()
            .enumerate()
            .filter(|(_, stray)| (stray.deviations.abs() <= USUAL) == inside)
            .map(|(index, stray)| dot(index, stray))
            .collect()
    };
    let (top, bottom) = (y(USUAL), y(-USUAL));
    let height = format!("{:.1}", bottom - top);
    let step = round_step(most, 2.5);
    let names = (-4..=4)
        .map(|line| f64::from(line) * step)
        .filter(|value| value.abs() <= most)
        .map(|value| {
            let text = if value == 0.0 {
                "0".to_owned()
            } else {
                signed(value, 0)
            };
            view! { <text class="number small" x="0" y=format!("{:.1}", y(value) + 4.0)>{text}</text> }
        });
    view! {
        <svg class="figure" height=HEIGHT.to_string() role="img"
            aria-label=tr!("Every text’s distance from its expected count, with the band in which an exact sampler stays")>
            <rect class="null-band" x="8%" width="92%" y=format!("{top:.1}") height=height />
            <line class="axis" x1="8%" x2="100%" y1=MIDDLE.to_string() y2=MIDDLE.to_string() />
            {names.collect_view()}
            <svg x="8%" width="92%" height=HEIGHT.to_string() viewBox=format!("0 0 {ACROSS} {HEIGHT}")
                preserveAspectRatio="none" overflow="visible">
                <path class="dots" vector-effect="non-scaling-stroke" d=path(true) />
                <path class="dots outside" vector-effect="non-scaling-stroke" d=path(false) />
            </svg>
        </svg>
    }
}

fn says(pair: &ProofPair, strays: &[Stray], length: usize) -> String {
    let Some(worst) = strays
        .iter()
        .max_by(|a, b| a.deviations.abs().total_cmp(&b.deviations.abs()))
    else {
        return tr!(
            "Nothing counted yet. An exact sampler leaves one dot in twenty outside the grey band."
        );
    };
    let outside = strays
        .iter()
        .filter(|stray| stray.deviations.abs() > USUAL)
        .count();
    tr!(
        "{} of {} outside the grey band; an exact sampler leaves about {}. Furthest off: “{}”, {} times instead of {}.",
        grouped(outside),
        grouped(strays.len()),
        (0.05 * strays.len() as f64).round(),
        pair.spelled(&text_of(worst.place, pair.len(), length)),
        grouped(worst.count as usize),
        grouped(worst.expected.round() as usize)
    )
}

const KEPT_HEIGHT: f64 = 116.0;
const KEPT_BASE: f64 = 96.0;
const KEPT_TALLEST: f64 = 78.0;

/// How often how many of a round's drafted tokens were kept.
fn kept_chart(tally: &Tally, law: &Law) -> impl IntoView + use<> {
    let slots = Slots::new(law.kept.len(), 0.0);
    let trials = tally.kept.iter().sum::<u64>() as f64;
    let share = |kept: usize| {
        let count = tally.kept.get(kept).filter(|_| trials > 0.0)?;
        Some(*count as f64 / trials)
    };
    let most = law.kept.iter().copied().fold(0.05, f64::max);
    let y = |share: f64| KEPT_BASE - share / most * KEPT_TALLEST;
    let drawn = law
        .kept
        .iter()
        .enumerate()
        .map(|(kept, &prob)| {
            let height = y(share(kept).unwrap_or(0.0).max(prob));
            view! {
                {share(kept).map(|share| bar(slots, kept, "bar-overlap", y(share), KEPT_BASE))}
                {level(slots, kept, "target-line", y(prob), 0.11)}
                {label(slots, kept, "number halo", height - 6.0, decimal(share(kept).unwrap_or(prob), 2))}
                {label(slots, kept, "number", KEPT_BASE + 16.0, kept.to_string())}
            }
        })
        .collect_view();
    let base = format!("{:.1}", KEPT_BASE + 0.5);
    let name = tr!(
        "How often a round keeps none, one and more of its drafted tokens; lines are the exact probabilities"
    );
    let number = |(kept, prob): (usize, &f64)| {
        let number = share(kept).unwrap_or(*prob);
        (kept.to_string(), decimal(number, 2))
    };
    let alt = told(&name, law.kept.iter().enumerate().map(number));
    view! {
        <svg class="figure" height=KEPT_HEIGHT.to_string() role="img" aria-label=alt>
            {drawn}
            <line class="axis" x1="0" x2="100%" y1=base.clone() y2=base />
        </svg>
    }
}

fn kept_says(tally: &Tally, law: &Law) -> impl IntoView + use<> {
    let gamma = law.kept.len().saturating_sub(1);
    let measured = tally.mean_kept().map(|(mean, half)| {
        let words = tr!(
            "The first rounds kept {mean} of {gamma} drafted tokens on average, 95 % interval {interval}.",
            mean = slot(0),
            gamma,
            interval = interval(decimal(mean - half, 3), decimal(mean + half, 3))
        );
        let mean = view! { <b data-testid="kept-mean">{decimal(mean, 3)}</b> };
        view! { {filled(&words, [mean.into_any()])}" " }
    });
    let theory = tr!(
        "Theory: exactly {mean} of {gamma}; lines are its probabilities.",
        mean = slot(0),
        gamma
    );
    let mean = view! { <b data-testid="kept-theory">{decimal(law.mean_kept(), 3)}</b> };
    view! { <p class="kept" data-testid="kept">{measured}{filled(&theory, [mean.into_any()])}</p> }
}
