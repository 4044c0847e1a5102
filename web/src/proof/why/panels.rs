//! The three pictures of one argument: what the draft proposes, what of it is kept, and what fills
//! the gaps.

use couplet_playback::{decimal, tr};
use leptos::prelude::*;

use crate::proof::chart::{Slots, bar, base, label, level};
use crate::proof::pair::{NOTHING, ProofPair};
use crate::proof::words::{share, signed};
use crate::stage::{Sign, mark};
use crate::table::told;

const HEIGHT: f64 = 236.0;
const BASE: f64 = 200.0;
const TALLEST: f64 = 172.0;
/// A number inside a bar needs so many pixels.
const ROOM: f64 = 18.0;

/// Bars of more tokens are narrow where the picture is.
const MANY: usize = 4;

/// Heights of the bars of one token, in pixels from the top.
struct Heights {
    draft: f64,
    target: f64,
    kept: f64,
}

fn heights(pair: &ProofPair, index: usize) -> Heights {
    let most = pair
        .draft
        .iter()
        .chain(&pair.target)
        .copied()
        .fold(0.05, f64::max);
    let at = |prob: f64| BASE - prob / most * TALLEST;
    let (draft, target) = both(pair, index);
    Heights {
        draft: at(draft),
        target: at(target),
        kept: at(draft.min(target)),
    }
}

/// A share as it is written inside a bar: where that is narrow, without its zero.
fn in_bar(share: f64, decimals: usize) -> AnyView {
    let number = decimal(share, decimals);
    match number.strip_prefix('0') {
        Some(rest) => {
            let rest = rest.to_owned();
            view! { <tspan class="zero">"0"</tspan>{rest} }.into_any()
        }
        None => number.into_any(),
    }
}

fn both(pair: &ProofPair, index: usize) -> (f64, f64) {
    let of = |probs: &[f64]| probs.get(index).copied().unwrap_or(0.0);
    (of(&pair.draft), of(&pair.target))
}

/// One of the three pictures; before its step only the target's lines are drawn. Without
/// `numbers` the bars stand for themselves.
pub fn panel(pair: &ProofPair, step: usize, drawn: bool, numbers: bool) -> impl IntoView + use<> {
    let slots = Slots::new(pair.len(), 0.0);
    let indices = 0..pair.len();
    let bars = drawn.then(|| {
        indices
            .clone()
            .map(|index| match step {
                1 => guess(pair, slots, index, numbers),
                2 => accept(pair, slots, index, numbers),
                _ => pour(pair, slots, index, numbers),
            })
            .collect_view()
    });
    let lines = indices
        .map(|index| {
            level(
                slots,
                index,
                "target-line",
                heights(pair, index).target,
                0.11,
            )
        })
        .collect_view();
    let alt = name(pair, step, drawn, numbers);
    view! {
        <svg class="figure" class:many={pair.len() > MANY} style=format!("--tokens:{}", pair.len()) height=HEIGHT.to_string() role="img" aria-label=alt data-step=step>
            {bars}
            {lines}
            {base(slots, pair, BASE, false)}
        </svg>
    }
}

/// What a picture shows, with the heights of its bars. Of the later steps these are what a lesson asks
/// for where it covers the numbers.
fn name(pair: &ProofPair, step: usize, drawn: bool, numbers: bool) -> String {
    let name = match (drawn, step) {
        (false, _) => tr!("Only the target’s level of every token"),
        (true, 1) => tr!("The draft’s probabilities as bars, with the target’s level on each"),
        (true, 2) => {
            tr!("What is accepted: every bar is cut at the smaller of the two probabilities")
        }
        (true, _) => {
            tr!(
                "What is accepted and, on top of it, the residual: together they reach the target’s level"
            )
        }
    };
    if drawn && step > 1 && !numbers {
        return name;
    }
    let print = |prob: f64| share(prob, pair.decimals());
    let height = |index: usize| {
        let (draft, target) = both(pair, index);
        let kept = draft.min(target);
        match (drawn, step) {
            (false, _) => print(target),
            (true, 1) => tr!(
                "draft {draft}, target {target}",
                draft = print(draft),
                target = print(target)
            ),
            (true, 2) => tr!(
                "accepted {kept}, rejected {lost}",
                kept = print(kept),
                lost = print(draft - kept)
            ),
            (true, _) => tr!(
                "accepted {kept}, poured back {poured}",
                kept = print(kept),
                poured = print(target - kept)
            ),
        }
    };
    let heights = (0..pair.len()).map(height);
    told(&name, pair.tokens.iter().cloned().zip(heights))
}

fn guess(pair: &ProofPair, slots: Slots, index: usize, numbers: bool) -> AnyView {
    let heights = heights(pair, index);
    let (draft, target) = both(pair, index);
    let off = draft - target;
    let number = signed(off, pair.decimals());
    let least = 0.5 * 10f64.powi(-(pair.decimals() as i32));
    let word = if !numbers {
        ().into_any()
    } else if off > least {
        label(
            slots,
            index,
            "number strong on-draft halo",
            heights.draft - 7.0,
            number,
        )
    } else if off < -least {
        label(
            slots,
            index,
            "number strong on-target halo",
            heights.target - 7.0,
            number,
        )
    } else {
        ().into_any()
    };
    view! {
        {bar(slots, index, "bar-draft", heights.draft, BASE)}
        {bar(slots, index, "bar-hatch", heights.draft, heights.kept)}
        {bar(slots, index, "bar-outline", heights.draft, BASE)}
        {word}
    }
    .into_any()
}

fn accept(pair: &ProofPair, slots: Slots, index: usize, numbers: bool) -> AnyView {
    let heights = heights(pair, index);
    let (draft, target) = both(pair, index);
    let kept = draft.min(target);
    let cut = (draft - target > NOTHING).then(|| {
        let middle = (heights.draft + heights.kept) / 2.0;
        let sign = (heights.kept - heights.draft > 14.0).then(|| {
            view! {
                <svg x=slots.middle(index) y=format!("{middle:.1}") overflow="visible">{mark(Sign::Rejected, 0.0, 0.0, 16.0)}</svg>
            }
        });
        view! {
            {bar(slots, index, "bar-gone", heights.draft, heights.kept)}
            {sign}
        }
    });
    let decimals = pair.decimals();
    let number = (numbers && BASE - heights.kept > ROOM).then(|| {
        let y = (heights.kept + BASE) / 2.0 + 5.0;
        label(slots, index, "number on-fill", y, in_bar(kept, decimals))
    });
    view! {
        {bar(slots, index, "bar-overlap", heights.kept, BASE)}
        {number}
        {cut}
    }
    .into_any()
}

fn pour(pair: &ProofPair, slots: Slots, index: usize, numbers: bool) -> AnyView {
    let heights = heights(pair, index);
    let (draft, target) = both(pair, index);
    let missing = target - draft;
    let decimals = pair.decimals();
    let poured = (missing > NOTHING).then(|| {
        let number = (numbers && heights.kept - heights.target > ROOM).then(|| {
            let y = (heights.kept + heights.target) / 2.0 + 5.0;
            label(
                slots,
                index,
                "number on-residual",
                y,
                in_bar(missing, decimals),
            )
        });
        view! {
            <g class="poured">
                {bar(slots, index, "bar-residual", heights.target, heights.kept)}
                {number}
            </g>
        }
    });
    let reached = numbers.then(|| {
        let y = heights.target - 7.0;
        label(
            slots,
            index,
            "number strong on-target halo",
            y,
            share(target, decimals),
        )
    });
    view! {
        {bar(slots, index, "bar-overlap", heights.kept, BASE)}
        {poured}
        {reached}
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::pair::Preset;

    /// A lesson asks for what is accepted and poured back, and nobody hears it before the guess.
    #[test]
    fn a_picture_tells_what_it_draws_and_no_more() {
        let pair = Preset::Three.pair();
        let told = |step, drawn, numbers| name(&pair, step, drawn, numbers);
        let first = told(1, true, false);
        assert!(first.contains("a: draft 0.50, target 0.20"), "{first}");
        assert!(told(2, false, true).contains("a: 0.20"));
        assert!(told(2, true, true).contains("a: accepted 0.20, rejected 0.30"));
        assert!(told(3, true, true).contains("c: accepted 0.20, poured back 0.30"));
        for step in [2, 3] {
            let covered = told(step, true, false);
            assert!(!covered.contains("0."), "{covered}");
        }
    }
}
