//! The drawing of a column: the two probabilities of the drafted token, and what its rule does
//! with them.

use couplet_playback::{Board, OwnDraw, Proposal, Race, Test, decimal, told_apart, tr};
use couplet_protocol::{Distribution, Rule, Settings};
use leptos::prelude::*;

use super::caption::limit;
use super::columns::Status;
use super::gauge::{
    BAR, BASE, Bars, GAUGE, GAUGE_WIDTH, LEFT, SHIFT, TOP, WIDTH, gauge, glyph, needle, probability,
};
use super::noise::{board, race};
use crate::store::Store;

/// Everything that a drawing is made from.
pub struct Drawn<'a> {
    /// The drafted token and its verdict.
    pub proposal: &'a Proposal,
    /// What the run was written with.
    pub settings: &'a Settings,
    /// The probability that fills the height.
    pub full: f32,
    /// Where MinHash's darts landed.
    pub board: Option<&'a Board>,
    /// How the token stands: no more is told than is seen.
    pub status: Memo<Status>,
}

/// The drawing.
pub fn figure(store: Store, drawn: &Drawn) -> AnyView {
    let Drawn {
        proposal, settings, ..
    } = drawn;
    let verdict = proposal.verdict.as_ref();
    let probs = Bars {
        draft: proposal.draft_prob(),
        target: proposal.target_prob(),
        full: drawn.full,
    };
    let test = Test::at(proposal, settings);
    let (status, tested) = (drawn.status, verdict.is_some());
    let label = Signal::derive(move || label(store, probs, test, tested, status.get()));
    let share = |counted| test.map(|test| gauge(probs, test, counted));
    let draft = probs.draft.map_or(0.0, f64::from);
    match settings.rule {
        Rule::Rejection => glyph(probs, label, share(Some(draft))),
        Rule::Lenience => glyph(probs, label, share(Some(draft * settings.lenience))),
        Rule::Block => glyph(probs, label, share(None)),
        Rule::Gumbel => match Race::new(settings.seed, proposal, 4) {
            Some(run) => race(store, proposal, run, status),
            None => glyph(probs, label, None),
        },
        Rule::MinHash => match drawn.board {
            Some(darts) => board(store, proposal, probs, darts, status),
            None => glyph(probs, label, None),
        },
        Rule::SampleAndMatch => {
            let strip = OwnDraw::new(settings.seed, proposal).map(|own| strip(probs, own));
            glyph(probs, label, strip)
        }
        Rule::Greedy => {
            let target = proposal.target_distribution();
            let first = target.and_then(|target| first(store, probs, proposal.token, target));
            glyph(probs, label, first)
        }
        Rule::Typical => glyph(probs, label, test.map(|test| line(probs, test))),
    }
}

/// What the draft gave a token, in words.
pub fn drafted(prob: Option<f32>) -> String {
    match prob {
        Some(prob) => tr!("draft {}", probability(prob)),
        None => tr!("draft: not in its top 20"),
    }
}

/// What the drawing shows of a token that stands so.
fn label(store: Store, probs: Bars, test: Option<Test>, tested: bool, status: Status) -> String {
    let draft = drafted(probs.draft);
    let untold = status == Status::Pencil;
    let Some(target) = probs.target.filter(|_| !untold) else {
        return match status {
            Status::Discarded => tr!("{draft}, never tested", draft),
            _ => draft,
        };
    };
    let both = tr!(
        "{draft}, target {target}",
        draft,
        target = probability(target)
    );
    let judged = status.is_judged();
    if !tested && judged {
        return tr!("{both}, never tested", both);
    }
    match test {
        Some(Test::Share { u, below } | Test::Prefix { u, below }) if judged => {
            // With the digits of the line below the drawing.
            let [u, below] = told_apart(u.into(), below.into());
            tr!("{both}, threshold {below}, u {u}", both, below, u)
        }
        Some(Test::Share { below, .. } | Test::Prefix { below, .. }) => {
            tr!("{both}, threshold {}", limit(below), both)
        }
        Some(Test::Probable { above, .. }) => tr!("{both}, least {}", decimal(above, 3), both),
        Some(Test::First { token: Some(token) }) => {
            tr!(
                "{both}, the target’s favourite is {}",
                store.say(token),
                both
            )
        }
        _ => both,
    }
}

/// All that the target could draw, end to end, and the place of the drafted token in it.
fn strip(probs: Bars, own: OwnDraw) -> AnyView {
    let height = BASE - TOP;
    let y = |share: f64| BASE - share * height;
    let edge = LEFT + SHIFT + BAR;
    let top = probs.top(probs.target.unwrap_or(0.0));
    let [from, to] = own.drafted.map(y);
    let segment = |class: &'static str, [from, to]: [f64; 2]| {
        view! {
            <rect class=class x=GAUGE.to_string() y=format!("{:.1}", y(to)) width=GAUGE_WIDTH.to_string()
                height=format!("{:.1}", ((to - from) * height).max(0.8)) />
        }
    };
    view! {
        <g class="gauge">
            <path class="zoom" d=format!("M{edge:.1} {top:.1}L{GAUGE} {to:.1}V{from:.1}L{edge:.1} {BASE}Z") />
            <path class="zoom-line" d=format!("M{edge:.1} {top:.1}L{GAUGE} {to:.1}M{edge:.1} {BASE}L{GAUGE} {from:.1}") />
            <rect class="gauge-back" x=GAUGE.to_string() y=TOP.to_string() width=GAUGE_WIDTH.to_string()
                height=height.to_string() />
            {segment("bar-target faint", [0.0, 1.0])}
            {segment("bar-target", own.own)}
            {segment("bar-overlap", own.drafted)}
            <rect class="gauge-frame" x=GAUGE.to_string() y=TOP.to_string() width=GAUGE_WIDTH.to_string()
                height=height.to_string() />
        </g>
        {needle(own.u)}
    }
    .into_any()
}

/// The mark to reach: the bar of the target's most probable token, beside that of the drafted one
/// where it is another.
fn first(store: Store, probs: Bars, drafted: u32, target: &Distribution) -> Option<AnyView> {
    let (token, prob) = target
        .iter()
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let y = probs.top(prob).clamp(TOP, BASE - 1.0);
    let other = token != drafted;
    let mark = other.then(|| {
        view! {
            <rect class="bar-target" x=GAUGE.to_string() y=format!("{y:.1}") width=GAUGE_WIDTH.to_string()
                height=format!("{:.1}", BASE - y) />
            <path class="threshold" d=format!("M{:.1} {y:.1}H{:.1}", LEFT + SHIFT - 4.0, GAUGE + GAUGE_WIDTH + 6.0) />
        }
    });
    let (class, x, anchor, name) = if other {
        let middle = GAUGE + GAUGE_WIDTH / 2.0;
        ("letter on", middle, "middle", store.show(token))
    } else {
        // Above the number that stands beside its bar.
        let beside = LEFT + SHIFT + BAR + 2.0;
        let name = tr!("the target’s" => "favourite");
        ("number small", beside, "start", name)
    };
    let view = view! {
        <g class="gauge">
            {mark}
            <text class=class x=format!("{x:.1}") y=format!("{:.1}", y - 4.0) text-anchor=anchor>{name}</text>
        </g>
    };
    Some(view.into_any())
}

/// The probability that what is kept exceeds, across the target's bar.
fn line(probs: Bars, test: Test) -> AnyView {
    let Test::Probable { above, .. } = test else {
        return ().into_any();
    };
    let y = probs.top(above).clamp(TOP, BASE - 1.0);
    let text = (y - 4.0).min(BASE - 5.0);
    let edge = LEFT + SHIFT + BAR;
    // It leaves out the number that stands beside the bar.
    let target = probs.target.filter(|target| *target > 0.0);
    let is_crossed = target.is_some_and(|target| (probs.number(target) - 4.0 - y).abs() < 9.0);
    let gap = if is_crossed { 30.0 } else { 0.0 };
    view! {
        <g class="gauge">
            <path class="threshold" d=format!("M{LEFT} {y:.1}H{:.1}M{:.1} {y:.1}H{WIDTH}", edge + 1.0, edge + 1.0 + gap) />
            <text class="number small" x=WIDTH.to_string() y=format!("{text:.1}") text-anchor="end">
                {decimal(above, 3)}
            </text>
        </g>
    }
    .into_any()
}
