//! One mistake of the museum: what it is, its switch, and what came out.

use couplet_playback::{decimal, grouped, shortest, tr, wrong};
use couplet_protocol::Mistake;
use couplet_speculation::ChiSquare;
use couplet_speculation::rules::wrong::IMPROBABLE;
use leptos::prelude::*;

use super::{Exhibit, Found, GAMMA, Museum};
use crate::browser;
use crate::proof::bars::{Bar, bars};
use crate::proof::chart::{Slots, bar, base, label, level};
use crate::proof::counting::{BATCH, NO_ACCIDENT, Tally};
use crate::proof::pair::ProofPair;
use crate::proof::theory::{Law, ROUNDING, target_joint, text_of, written};
use crate::proof::verdict::{cross, figures};
use crate::proof::words::{share, signed};
use crate::store::{Notation, use_store};
use crate::table::told;
use crate::words::Kind;

/// With so many bars in the museum, one in twenty would be red by chance alone.
const UNLIKELY: f64 = 0.999;

const LENGTH: usize = GAMMA as usize + 1;
const HEIGHT: f64 = 140.0;
const BASE: f64 = 120.0;
const TALLEST: f64 = 100.0;

/// A mistake's name for people.
pub fn title(mistake: Mistake) -> String {
    match mistake {
        Mistake::ResamplesFromTarget => tr!("Redraw from the target"),
        Mistake::GreedyDraft => tr!("Greedy draft, soft test"),
        Mistake::MatchThenResidual => tr!("Match, then the residual"),
        Mistake::DropsImprobableDrafts => tr!("Drop unsure drafts"),
        Mistake::MatchOrRatio => tr!("A second chance"),
        Mistake::RatioUpsideDown => tr!("Ratio upside down"),
        Mistake::OneCoinForAllPositions => tr!("One coin for all"),
        Mistake::ReplacementWithTheSameCoin => tr!("The coin that rejected"),
    }
}

/// What is done wrong, in a sentence.
fn sentence(mistake: Mistake, kind: Kind, notation: Notation) -> String {
    let kind = kind.noun(1);
    match mistake {
        Mistake::ResamplesFromTarget => {
            tr!("On rejection, draw from the target instead of the residual.")
        }
        Mistake::GreedyDraft => tr!(
            "Draft the favourite {kind}, yet test it as if it had been sampled.",
            kind
        ),
        Mistake::MatchThenResidual => tr!(
            "Keep a {kind} only if the target’s own draw is the same, else use the residual.",
            kind
        ),
        Mistake::DropsImprobableDrafts => tr!(
            "Throw away drafts under {} and draw from the target.",
            shortest(IMPROBABLE)
        ),
        Mistake::MatchOrRatio => tr!(
            "Keep a {kind} that equals the target’s own draw; if not, let it try the ratio.",
            kind
        ),
        Mistake::RatioUpsideDown => tr!(
            "Keep with probability min(1, {}/{}).",
            notation.draft(),
            notation.target()
        ),
        Mistake::OneCoinForAllPositions => tr!(
            "Throw one coin per round and judge every {kind} by it.",
            kind
        ),
        Mistake::ReplacementWithTheSameCoin => {
            tr!("Draw the replacement with the very number that rejected.")
        }
    }
}

/// The card.
pub fn card(
    museum: Museum,
    place: usize,
    exhibit: Exhibit,
    pair: Signal<ProofPair>,
    scale: Memo<f64>,
) -> impl IntoView {
    let store = use_store();
    let Exhibit { mistake, found } = exhibit;
    let on = Memo::new(move |_| found.with(|found| *found != Found::Off));
    let id = format!("exhibit-{place}");
    let drawn = Memo::new(move |_| {
        pair.with(|pair| {
            found.with(|found| {
                let none = Tally::default();
                let tally = match found {
                    Found::Counted(tally) | Found::Waiting(tally) => tally,
                    Found::Off | Found::Failed(_) => &none,
                };
                let theory = (tally.trials > 0).then(|| written(mistake, pair));
                bars(pair, LENGTH, 0, tally, theory, UNLIKELY)
            })
        })
    });
    let words = move || {
        pair.with(|pair| found.with(|found| says(museum, place, pair, found, &drawn.get())))
    };
    view! {
        <article class="card exhibit" class:on=move || on.get() data-testid=format!("mistake-{}", mistake.name())>
            <header>
                <h3 id=id.clone()>{title(mistake)}</h3>
                <button type="button" role="switch" class="switch" data-testid="switch" aria-labelledby=id
                    aria-checked=move || on.get().to_string()
                    on:click=move |_| museum.switch(place, !on.get_untracked())>
                    <i aria-hidden="true"></i>
                </button>
            </header>
            <p class="exhibit-what">{move || pair.with(|pair| sentence(mistake, pair.kind, store.notation.get()))}</p>
            {move || pair.with(|pair| chart(pair, &drawn.get(), on.get(), scale.get()))}
            <div class="exhibit-says">{words}</div>
        </article>
    }
}

/// What is heard of a mistake once it has been counted.
pub fn heard(exhibit: Exhibit, pair: &ProofPair) -> Option<String> {
    let title = title(exhibit.mistake);
    let came_out = exhibit.found.with(|found| match found {
        Found::Off | Found::Waiting(_) => None,
        Found::Failed(said) => Some(said.now()),
        Found::Counted(tally) => tally.test(pair, GAMMA).as_ref().map(stamp),
    })?;
    Some(format!("{title}: {came_out}"))
}

/// Whether a test tells a mistake from the rule, as stamped on its card.
fn stamp(test: &ChiSquare) -> String {
    if test.p_value < NO_ACCIDENT {
        tr!("Not the target")
    } else {
        tr!("Not visible here")
    }
}

/// What finds a mistake's card on the page.
pub fn mistake_selector(mistake: Mistake) -> String {
    format!("[data-testid=mistake-{}]", mistake.name())
}

/// What the tallest bar of all cards shows, in (0, 1]: on one scale they can be compared, and a line stays
/// where it is when a mistake is made.
pub fn scale(pair: &ProofPair) -> f64 {
    (Mistake::ALL
        .into_iter()
        .flat_map(|mistake| written(mistake, pair)))
    .chain(pair.target.iter().copied())
    .fold(0.05, f64::max)
}

fn chart(pair: &ProofPair, bars: &[Bar], on: bool, most: f64) -> impl IntoView + use<> {
    let slots = Slots::new(pair.len(), 0.0);
    let y = |share: f64| BASE - share / most * TALLEST;
    let drawn = bars
        .iter()
        .enumerate()
        .map(|(index, token)| {
            let share = token.share.map(|share| {
                let class = if token.inside() {
                    "bar-out"
                } else {
                    "bar-out wrong"
                };
                bar(slots, index, class, y(share), BASE)
            });
            let still = (!on).then(|| bar(slots, index, "bar-still", y(token.target), BASE));
            // Where theory expects the target itself, its line says so.
            let differs = |theory: &f64| (y(*theory) - y(token.target)).abs() > 1.5;
            let ticks = token
                .theory
                .filter(|_| token.share.is_some())
                .filter(differs)
                .map(|theory| level(slots, index, "tick", y(theory), 0.2));
            let off = token.off().filter(|_| !token.inside()).map(|off| {
                let top = y(token.share.unwrap_or(0.0).max(token.target));
                let decimals = if off.abs() < 0.0095 { 1 } else { 0 };
                label(
                    slots,
                    index,
                    "number strong halo",
                    top - 6.0,
                    signed(100.0 * off, decimals),
                )
            });
            view! {
                {share}
                {still}
                {level(slots, index, "target-line", y(token.target), 0.1)}
                {ticks}
                {off}
            }
        })
        .collect_view();
    let alt = if on {
        tr!(
            "What comes out as the first token, against the target, with the differences in percentage points"
        )
    } else {
        tr!("The target; switched off, the rule is followed")
    };
    let number = |bar: &Bar| share(bar.share.unwrap_or(bar.target), 3);
    let alt = told(
        &alt,
        pair.tokens.iter().cloned().zip(bars.iter().map(number)),
    );
    view! {
        <svg class="figure" height=HEIGHT.to_string() role="img" aria-label=alt>
            {drawn}
            {base(slots, pair, BASE, true)}
        </svg>
    }
}

fn says(museum: Museum, place: usize, pair: &ProofPair, found: &Found, bars: &[Bar]) -> AnyView {
    match found {
        Found::Off => view! { <p class="stamp off">{tr!("Off: the rule is followed")}</p> }.into_any(),
        Found::Waiting(_) => view! { <p class="stamp off">{tr!("Counting …")}</p> }.into_any(),
        Found::Failed(said) => {
            view! { <p class="live-trouble" data-testid="exhibit-failed">{tr!("Nothing was counted: {sentence} Switch it off and on to try again.", sentence = said.now())}</p> }
                .into_any()
        }
        Found::Counted(tally) => match tally.test(pair, GAMMA) {
            Some(test) => counted(museum, place, pair, tally, &test, bars),
            None => ().into_any(),
        },
    }
}

fn counted(
    museum: Museum,
    place: usize,
    pair: &ProofPair,
    tally: &Tally,
    test: &ChiSquare,
    bars: &[Bar],
) -> AnyView {
    let expected = target_joint(&pair.target, LENGTH);
    let numbers = view! { <p class="muted" data-testid="figures" data-p=test.p_value.to_string()>{figures(test)}</p> };
    if test.p_value < NO_ACCIDENT {
        let only_in_texts = bars.iter().all(Bar::inside);
        let more = if test.statistic.is_infinite() {
            Some(tr!("It writes what the target never writes."))
        } else if only_in_texts {
            most_off(pair, tally, &expected)
        } else {
            None
        };
        return view! {
            <p class="stamp" data-testid="stamp">{cross()}" "{stamp(test)}</p>
            {numbers}
            {more.map(|more| view! { <p class="exhibit-more">{more}</p> })}
        }
        .into_any();
    }
    // Enumerated only where it is asked for: the whole text, not its first token.
    let mistake = museum.exhibit(place).map(|exhibit| exhibit.mistake);
    let add = move |_| {
        museum.add(place);
        // The button is gone while it counts.
        if let Some(mistake) = mistake {
            browser::focus(&format!("{} .switch", mistake_selector(mistake)));
        }
    };
    let off = mistake.map_or(0.0, |mistake| {
        Law::of(wrong(mistake), GAMMA as usize, pair).distance(&expected)
    });
    let why = if off < ROUNDING {
        tr!("Between these two distributions the mistake changes nothing.")
    } else {
        tr!(
            "Theory puts its texts at a total variation of {}, too little for {} of them.",
            share(off, 4),
            grouped(tally.trials as usize)
        )
    };
    let more = (off >= ROUNDING).then(|| {
        view! {
            <button type="button" class="button" data-testid="exhibit-add" on:click=add>
                {tr!("Add {}", grouped(BATCH as usize))}
            </button>
        }
    });
    view! {
        <p class="stamp off" data-testid="stamp">{stamp(test)}</p>
        {numbers}
        <p class="exhibit-more">{why}</p>
        {more}
    }
    .into_any()
}

/// The text whose share is furthest from the target's, in a sentence.
fn most_off(pair: &ProofPair, tally: &Tally, expected: &[f64]) -> Option<String> {
    let trials = tally.trials as f64;
    let strays = |place: usize, count: u64| {
        let target = expected.get(place).copied().unwrap_or(0.0);
        (count as f64 - trials * target).abs() / (trials * target).max(1.0).sqrt()
    };
    let worst = tally
        .counts
        .iter()
        .enumerate()
        .max_by(|a, b| strays(a.0, *a.1).total_cmp(&strays(b.0, *b.1)));
    let (place, count) = worst?;
    let percent = |share: f64| format!("{} %", decimal(100.0 * share, 1));
    Some(tr!(
        "The first token looks right, the text does not: “{text}” comes {often} of the time instead of {target}.",
        text = pair.spelled(&text_of(place, pair.len(), LENGTH)),
        often = percent(*count as f64 / trials),
        target = percent(expected.get(place).copied().unwrap_or(0.0))
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::bars::tallest;
    use crate::proof::pair::Preset;

    #[test]
    fn all_cards_have_room_for_what_theory_says_of_each() {
        for preset in Preset::ALL {
            let pair = preset.pair();
            let most = scale(&pair);
            let drawn = Mistake::ALL.map(|mistake| {
                let theory = written(mistake, &pair);
                tallest(&bars(
                    &pair,
                    LENGTH,
                    0,
                    &Tally::default(),
                    Some(theory),
                    UNLIKELY,
                ))
            });
            assert_eq!(drawn.into_iter().fold(0.0, f64::max), most);
            assert!(pair.target.iter().all(|prob| *prob <= most));
        }
    }
}
