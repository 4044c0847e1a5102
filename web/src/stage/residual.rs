//! The token that closes a round, and what it was drawn from.

use std::sync::Arc;

use couplet_playback::{Closing, ClosingKind, Round, decimal, separator, shortest, tr};
use couplet_protocol::{Distribution, Rule};
use couplet_speculation::ranked;
use leptos::prelude::*;

use super::gauge::{clear_of, probability_to};
use super::icons::{Sign, icon, mark};
use super::rule_formula::settings_of;
use super::rule_words::replacement;
use crate::language::{filled, slot};
use crate::store::{Store, use_store};
use crate::table::told;
use crate::words::cut_to;

const WIDTH: f64 = 204.0;
/// Rows beside a strip on which a number lands, and without one.
const ROWS: [usize; 2] = [3, 5];
const ROW: f64 = 22.0;

/// What the rejected token is redrawn from, or what the bonus is drawn from.
#[component]
pub fn ClosingPanel(
    /// The round that it closes.
    round: Arc<Round>,
    /// The target's own token.
    closing: Closing,
) -> impl IntoView {
    let store = use_store();
    let settings = settings_of(store);
    let rule = settings.rule;
    let bonus = closing.kind == ClosingKind::Bonus;
    let token = store.show(closing.token);
    // A bonus is for drafted tokens that were all kept.
    let alone = bonus && round.proposals.is_empty();
    let (sign, class, title) = match (bonus, alone) {
        (true, true) => (Sign::Bonus, "closing bonus", tr!("from the target alone")),
        (true, false) => (Sign::Bonus, "closing bonus", tr!("bonus, from the target")),
        (false, _) => (Sign::Resampled, "closing residual", replacement(rule)),
    };
    let of_residual = !bonus && matches!(rule, Rule::Rejection | Rule::Block | Rule::Lenience);
    // A sentence may take several lines, and so may formulas with another factor.
    let long = !of_residual || rule != Rule::Rejection;
    let (bar, label) = match (bonus, of_residual) {
        (true, _) => ("bar-target", tr!("Target distribution of the bonus token")),
        (false, true) => ("bar-residual", tr!("Residual distribution")),
        (false, false) => ("bar-target", tr!("Target distribution of the replacement")),
    };
    let mass = closing.mass;
    let kept_ratio = round.kept_ratio();
    let formula = move || {
        let notation = store.notation.get();
        let target = view! { <em class="t">{notation.target()}</em> };
        let draft = view! { <em class="d">{notation.draft()}</em> };
        match (bonus, rule) {
            (true, _) if alone => tr!("nothing was drafted").into_any(),
            (_, Rule::Gumbel) => tr!("the first by the same clocks").into_any(),
            (_, Rule::MinHash) => tr!("named by its first dart").into_any(),
            (true, Rule::Greedy) => tr!("the target’s favourite").into_any(),
            (true, _) => tr!("the target’s probabilities, from the same pass").into_any(),
            (_, Rule::Rejection | Rule::Block | Rule::Lenience) => {
                let of_target = (rule == Rule::Block).then(|| decimal(kept_ratio, 2));
                let of_draft = (rule == Rule::Lenience).then(|| shortest(settings.lenience));
                let [of_target, of_draft] = [of_target, of_draft]
                    .map(|share| share.map_or_else(String::new, |share| format!("{share}·")));
                view! {
                    {format!("max(0{}{of_target}", separator())}{target}{format!(" − {of_draft}")}{draft}{format!(") / {}", decimal(mass, 3))}
                }
                .into_any()
            }
            (_, Rule::SampleAndMatch) => tr!("drawn whatever was drafted").into_any(),
            (_, Rule::Greedy) => tr!("the most probable token replaces it").into_any(),
            (_, Rule::Typical) => tr!("another draw, from all of it").into_any(),
        }
    };
    // Where a number chose among the shares, it is shown landing.
    let drawn = closing.draw > 0.0
        && matches!(
            rule,
            Rule::Rejection | Rule::Block | Rule::Lenience | Rule::Typical | Rule::SampleAndMatch
        );
    let landing = drawn.then(|| strip(store, &closing, bar));
    let caption = drawn.then(|| {
        let u = view! { <em>"u"</em>"′" };
        let draw = view! { <b>{decimal(closing.draw, 2)}</b> };
        let token = view! { <b class=format!("k {}", sign.class())>{token.clone()}</b> };
        let saying = tr!("{u} = {draw} lands in {token}", u = slot(0), draw = slot(1), token = slot(2));
        view! { <p class="inequality">{filled(&saying, [u.into_any(), draw.into_any(), token.into_any()])}</p> }
    });
    let shares = shares(store, &closing.distribution, closing.token, drawn);
    view! {
        <figure class=class>
            <figcaption>
                <span class=format!("tok {}", sign.class()) lang="en">{token.clone()}</span>
                {icon(sign, 14)}
                <span class=format!("verdict k {}", sign.class())>{title}</span>
            </figcaption>
            <div class="closing-body" class:rows-only=!drawn>
                <p class="formula-small" class:long=long>{formula}</p>
                {rows(shares, bar, sign, label)}
                {landing}
                {caption}
            </div>
        </figure>
    }
}

struct Share {
    label: String,
    prob: f32,
    hit: bool,
}

/// The largest shares and the one that was hit; where a strip below has them `in_order`, as they stand there.
fn shares(store: Store, distribution: &Distribution, hit: u32, in_order: bool) -> Vec<Share> {
    let most = if in_order { ROWS[0] } else { ROWS[1] };
    let entries: Vec<(u32, f32)> = distribution
        .iter()
        .filter(|(_, prob)| *prob > 0.0)
        .collect();
    let ranks = ranked(entries.iter().map(|(_, prob)| f64::from(*prob)));
    let mut kept: Vec<(u32, f32)> = ranks
        .iter()
        .take(most)
        .map(|place| entries[*place])
        .collect();
    if !kept.iter().any(|(token, _)| *token == hit)
        && let Some(entry) = entries.iter().find(|(token, _)| *token == hit)
    {
        kept.pop();
        kept.push(*entry);
    }
    if in_order {
        let places = ranked(kept.iter().map(|(token, _)| -f64::from(*token)));
        kept = places.into_iter().map(|place| kept[place]).collect();
    }
    let shown: f32 = kept.iter().map(|(_, prob)| prob).sum();
    let mut shares: Vec<Share> = kept
        .into_iter()
        .map(|(token, prob)| Share {
            label: store.show(token),
            prob,
            hit: token == hit,
        })
        .collect();
    let rest = 1.0 - shown;
    if rest > 0.0005 {
        shares.push(Share {
            label: tr!("rest"),
            prob: rest,
            hit: false,
        });
    }
    shares
}

fn rows(shares: Vec<Share>, class: &'static str, sign: Sign, label: String) -> impl IntoView {
    let most = shares.iter().map(|share| share.prob).fold(0.001, f32::max);
    let numbers = shares
        .iter()
        .map(|share| (share.label.clone(), probability_to(share.prob, 3)));
    let label = told(&label, numbers);
    // Words need more room than characters do.
    let words = shares.iter().any(|share| share.label.chars().count() > 4);
    let left = if words { 70.0 } else { 36.0 };
    let scale = (WIDTH - left - 66.0) / f64::from(most);
    let height = shares.len() as f64 * ROW + 2.0;
    let lines = shares
        .into_iter()
        .enumerate()
        .map(|(index, share)| {
            let y = index as f64 * ROW;
            let width = (f64::from(share.prob) * scale).max(0.8);
            view! {
                <text class="letter" x=format!("{:.1}", left - 8.0) y=format!("{:.1}", y + 14.0) text-anchor="end">
                    {cut_to(&share.label, 9)}
                </text>
                <rect class=class x=format!("{left}") y=format!("{:.1}", y + 4.0) width=format!("{width:.1}") height="12" />
                <text class="number" x=format!("{:.1}", left + width + 5.0) y=format!("{:.1}", y + 14.0)>
                    {probability_to(share.prob, 3)}
                </text>
                {share.hit.then(|| mark(sign, WIDTH - 8.0, y + 10.0, 11.0))}
            }
        })
        .collect_view();
    view! {
        <svg class="figure" viewBox=format!("0 0 {WIDTH} {height:.0}") role="img" aria-label=label>{lines}</svg>
    }
}

/// The distribution as a landing strip in the order of the vocabulary, which is the order in
/// which u′ is looked up.
fn strip(store: Store, closing: &Closing, class: &'static str) -> impl IntoView + use<> {
    let complete = closing.distribution.is_whole();
    let total: f64 = closing
        .distribution
        .probs
        .iter()
        .map(|prob| f64::from(*prob))
        .sum();
    if !complete || total <= 0.0 {
        return None;
    }
    let point = f64::from(closing.draw);
    let mut from = 0.0;
    let mut lands = false;
    let mut segments = Vec::new();
    for (token, prob) in closing.distribution.iter() {
        let share = f64::from(prob) / total;
        if token == closing.token {
            lands = point >= from - 1e-4 && point <= from + share + 1e-4;
        }
        if share > 0.0 {
            segments.push((from, share, token));
        }
        from += share;
    }
    let needle = point * WIDTH;
    let rects = segments
        .into_iter()
        .enumerate()
        .map(|(index, (from, share, token))| {
            let (x, width) = (from * WIDTH, share * WIDTH);
            let text = store.show(token);
            let letters = text.chars().count();
            let fits = width > 7.0 * letters as f64 + 6.0;
            let shade = if index % 2 == 0 { "" } else { " alternate" };
            view! {
                <rect class=format!("{class}{shade}") x=format!("{x:.2}") y="0" width=format!("{:.2}", (width - 0.8).max(width * 0.6))
                    height="16" />
                {fits.then(|| view! {
                    <text class="letter inverse" x=format!("{:.1}", clear_of(needle, x, width, letters)) y="12.5" text-anchor="middle">{text}</text>
                })}
            }
        })
        .collect_view();
    let x = needle;
    let needle = lands.then(|| {
        view! {
            <path class="needle-line" d=format!("M{x:.1} -3V18") />
            <path class="needle-point" d=format!("M{x:.1} -2l-5-8h10z") />
        }
    });
    Some(
        view! { <svg class="figure" viewBox=format!("0 -12 {WIDTH} 31") aria-hidden="true">{rects}{needle}</svg> },
    )
}
