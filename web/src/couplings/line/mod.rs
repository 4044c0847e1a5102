//! All rates of agreement on one line.

mod layout;

use std::time::Duration;

use couplet_playback::{decimal, grouped, tr};
use couplet_speculation::couplings::Coupling;
use leptos::html::Div;
use leptos::prelude::*;

use super::exhibit::{Exact, Origin, use_exhibit};
use super::mark::mark_at;
use super::presets::PRESETS;
use crate::heard::Heard;
use crate::table::{Folded, framed};
use crate::width::width_of;
use layout::{spread, stacked};

const HEIGHT: f64 = 194.0;
/// Where the line runs.
const AXIS: f64 = 102.0;
const MARGIN: f64 = 22.0;
/// Room for the name of what lies beyond the ceiling.
const BEYOND: f64 = 80.0;
/// How long nobody moves a handle before what that comes to is said.
const SETTLED: Duration = Duration::from_millis(500);

/// The panel.
#[component]
pub fn Line() -> impl IntoView {
    let exhibit = use_exhibit();
    let holder = NodeRef::<Div>::new();
    let width = width_of(holder, 800.0);
    let lesson = move || {
        exhibit.exact.with(|exact| match exact.origin {
            Origin::Preset(index) => PRESETS.get(index).map(|preset| (preset.lesson)()),
            _ => None,
        })
    };
    let tells = move || {
        exhibit
            .exact
            .with(|exact| exact.agreement[3] - exact.bound > 0.0005)
    };
    // Examples say by their names what they are.
    let heard = Signal::derive(move || {
        exhibit.exact.with(|exact| match exact.origin {
            Origin::Preset(_) => None,
            _ => Some(spoken(exact)),
        })
    });
    view! {
        <section class="card line" aria-labelledby="line-title">
            <header>
                <div>
                    <h2 id="line-title">{tr!("How often can two draws agree?")}</h2>
                    <p class="muted">{tr!("Each keeps its own distribution exactly. Only the way they share chance differs.")}</p>
                </div>
            </header>
            <div node_ref=holder>
                <svg class="number-line" width=move || width.get() height=HEIGHT viewBox=move || format!("0 0 {} {HEIGHT}", width.get()) role="img"
                    aria-label=move || exhibit.exact.with(|exact| spoken(exact))>
                    {move || exhibit.exact.with(|exact| drawing(exact, width.get()))}
                </svg>
            </div>
            <Heard said=heard waits=SETTLED known=true testid="rates-heard" />
            <p class="serif line-caption">
                {move || lesson().map(|lesson| view! { <span data-testid="lesson">{lesson}" "</span> })}
                // Where all rates are one, the picture shows no bar and no ceiling.
                {move || (tells() || lesson().is_none()).then(|| tr!("Without talking, shared randomness guarantees the thick bar and often does better; no method that is to work for any number of letters can promise more (Bavarian et al. 2020). Only someone who sees both distributions can always reach the ceiling, 1 minus the total variation (TV)."))}
            </p>
            <AsTable />
        </section>
    }
}

#[component]
fn AsTable() -> impl IntoView {
    let exhibit = use_exhibit();
    let open = RwSignal::new(false);
    view! {
        <Folded open=open name=tr!("Rates of agreement")>
            {framed(
                tr!("Rates of agreement"),
                vec![tr!("how they are drawn"), tr!("exact"), tr!("measured"), tr!("95 % interval"), tr!("pairs")],
                view! {
                    {Coupling::ALL
                        .into_iter()
                        .enumerate()
                        .map(|(index, coupling)| {
                            let measured = exhibit.boards[index].measured;
                            let cell = move |text: fn(&super::throwing::Measured) -> String| {
                                move || measured.with(|measured| measured.as_ref().map_or_else(|| "–".to_owned(), text))
                            };
                            view! {
                                <tr>
                                    <th scope="row">{title(coupling)}</th>
                                    <td>{move || exhibit.exact.with(|exact| decimal(exact.agreement[index], 5))}</td>
                                    <td>{cell(|measured| decimal(measured.rate(), 5))}</td>
                                    <td>
                                        {cell(|measured| {
                                            let [low, high] = measured.interval();
                                            tr!("{low} to {high}", low = decimal(low, 5), high = decimal(high, 5))
                                        })}
                                    </td>
                                    <td>{cell(|measured| grouped(measured.trials as usize))}</td>
                                </tr>
                            }
                        })
                        .collect_view()}
                    <tr>
                        <th scope="row">"(1 − TV) / (1 + TV)"</th>
                        <td>{move || exhibit.exact.with(|exact| decimal(exact.bound, 5))}</td>
                        <td>"–"</td>
                        <td>"–"</td>
                        <td>"–"</td>
                    </tr>
                }
                .into_any(),
            )}
        </Folded>
    }
}

/// What a coupling is called.
pub fn title(coupling: Coupling) -> String {
    match coupling {
        Coupling::Independent => tr!("Independent"),
        Coupling::MinHash => tr!("Weighted MinHash"),
        Coupling::Gumbel => tr!("Gumbel race"),
        Coupling::Optimal => tr!("Optimal overlap"),
    }
}

fn spoken(exact: &Exact) -> String {
    let [independent, minhash, gumbel, optimal] = exact.agreement.map(|rate| decimal(rate, 3));
    tr!(
        "Rates of agreement: independent {independent}, guaranteed with shared chance {bound}, MinHash {minhash}, Gumbel {gumbel}, optimal {optimal}",
        independent,
        bound = decimal(exact.bound, 3),
        minhash,
        gumbel,
        optimal
    )
}

/// A value on the line; the bound has no coupling.
struct Point {
    coupling: Option<Coupling>,
    value: f64,
    name: String,
    above: bool,
}

fn points(exact: &Exact, narrow: bool) -> [Point; 5] {
    let [independent, minhash, gumbel, optimal] = exact.agreement;
    let point = |coupling, value, name: &str, above| Point {
        coupling,
        value,
        name: name.to_owned(),
        above,
    };
    let ceiling = match narrow {
        true => "1 − TV".to_owned(),
        false => tr!("Optimal: 1 − TV"),
    };
    [
        point(None, exact.bound, "(1 − TV) / (1 + TV)", false),
        point(
            Some(Coupling::Independent),
            independent,
            &tr!("Independent"),
            true,
        ),
        point(Some(Coupling::MinHash), minhash, "MinHash", true),
        point(Some(Coupling::Gumbel), gumbel, "Gumbel", false),
        point(Some(Coupling::Optimal), optimal, &ceiling, true),
    ]
}

/// The stretch of [0, 1] that is drawn: what there is and a little around it.
fn stretch(exact: &Exact) -> (f64, f64) {
    let all = exact.agreement.into_iter().chain([exact.bound]);
    let (low, high) = all.fold((1.0, 0.0), |(low, high): (f64, f64), value| {
        (low.min(value), high.max(value))
    });
    let room = ((high - low) * 0.1).max(0.05);
    let missing = (0.3 - (high - low + 2.0 * room)).max(0.0) / 2.0;
    let (low, high) = (low - room - missing, high + room + missing);
    // What does not fit at one end is added at the other.
    let low_end = (low - (high - 1.0).max(0.0)).max(0.0);
    let high_end = (high - low.min(0.0)).min(1.0);
    (low_end, high_end)
}

fn drawing(exact: &Exact, width: f64) -> impl IntoView + use<> {
    let (low, high) = stretch(exact);
    let x = move |value: f64| MARGIN + (value - low) / (high - low) * (width - 2.0 * MARGIN);
    let narrow = width < 520.0;
    let points = points(exact, narrow);
    let size = |name: &str| name.chars().count() as f64 * if narrow { 6.7 } else { 7.4 };
    let mut centres = [0.0; 5];
    for above in [true, false] {
        let row: Vec<usize> = (0..points.len())
            .filter(|index| points[*index].above == above)
            .collect();
        let wanted: Vec<(f64, f64)> = row
            .iter()
            .map(|&index| (x(points[index].value), size(&points[index].name).max(44.0)))
            .collect();
        for (&index, centre) in row.iter().zip(spread(&wanted, 0.0, width)) {
            centres[index] = centre;
        }
    }
    let heights = stacked(
        &points[1..]
            .iter()
            .map(|point| (x(point.value), point.above))
            .collect::<Vec<_>>(),
    );
    let (bound, ceiling) = (x(exact.bound), x(exact.agreement[3]));
    let step = if high - low > 0.5 {
        0.2
    } else if high - low > 0.24 {
        0.1
    } else {
        0.05
    };
    let first = (low / step).ceil() as i32;
    let right = width - MARGIN;
    // Its name may stand out to the right of the line.
    let beyond = width - ceiling > BEYOND;
    let ticks = (first..)
        .map(|index| f64::from(index) * step)
        .take_while(|value| *value <= high + 1e-9)
        .map(|value| {
            let place = x(value);
            // Below the line leaders and stacked marks have precedence over the scale.
            let free = points.iter().zip(&centres).all(|(point, centre)| {
                point.above || ((x(point.value) - place).abs() > 18.0 && (centre - place).abs() > 18.0)
            });
            let stack = points[1..].iter().zip(&heights);
            let free = free && stack.into_iter().all(|(point, height)| *height <= 0.0 || (x(point.value) - place).abs() > 22.0);
            let free = free && !(beyond && place > width - BEYOND);
            let digits = if step < 0.1 { 2 } else { 1 };
            view! {
                <path class="axis" d=format!("M{place:.1} {AXIS}v5") />
                {free.then(|| view! {
                    <text class="number small" x=format!("{place:.1}") y=(AXIS + 20.0).to_string() text-anchor="middle">
                        {decimal(value, digits)}
                    </text>
                })}
            }
        })
        .collect_view();
    // Where most of them are one, each says so by its number, and leaders would only cross.
    let one = |value: f64| {
        points
            .iter()
            .filter(|other| (x(other.value) - x(value)).abs() < 2.0)
            .count()
            >= 4
    };
    let marks = points
        .iter()
        .enumerate()
        .map(|(index, point)| {
            let place = x(point.value);
            let height = index.checked_sub(1).map_or(0.0, |index| heights[index]);
            let centre = centres[index];
            let (from, to, name, number) = if point.above {
                (AXIS + height - 11.0, 48.0, 22.0, 41.0)
            } else {
                (AXIS + height + if index == 0 { 18.0 } else { 9.0 }, 143.0, 158.0, 177.0)
            };
            // Out of the middle of a stack a leader goes sideways.
            let is_under = |(other, lies): (&Point, &f64)| {
                point.above && *lies < height && (x(other.value) - place).abs() < 13.0
            };
            let (start, from) = match points[1..].iter().zip(&heights).any(is_under) {
                true => (place + 9.0 * (centre - place).signum(), AXIS + height),
                false => (place, from),
            };
            view! {
                {(!one(point.value)).then(|| view! { <path class="leader" d=format!("M{start:.1} {from:.1}L{centre:.1} {to:.1}") /> })}
                <text class="name" x=format!("{centre:.1}") y=name.to_string() text-anchor="middle">{point.name.clone()}</text>
                <text class="value" x=format!("{centre:.1}") y=number.to_string() text-anchor="middle">
                    {decimal(point.value, 3)}
                </text>
                {match point.coupling {
                    None => view! { <path class="guarantee" d=format!("M{place:.1} {}V{}", AXIS - 17.0, AXIS + 17.0) /> }.into_any(),
                    Some(coupling) => mark_at(coupling, place, AXIS + height).into_any(),
                }}
            }
        })
        .collect_view();
    let beyond = beyond.then(|| {
        view! { <text class="number small" x=format!("{width:.1}") y=(AXIS + 20.0).to_string() text-anchor="end">{tr!("out of reach")}</text> }
    });
    view! {
        <path class="band" d=format!("M{bound:.1} {}H{ceiling:.1}V{}H{bound:.1}Z", AXIS - 5.0, AXIS + 5.0) />
        <path class="no-band" d=format!("M{ceiling:.1} {}H{right:.1}V{}H{ceiling:.1}Z", AXIS - 5.0, AXIS + 5.0) />
        <path class="axis" d=format!("M{MARGIN} {AXIS}H{right:.1}") />
        {ticks}
        {beyond}
        {marks}
    }
}
