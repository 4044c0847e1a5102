use couplet_playback::{ExpectedMean, Glyph, StageState, decimal, tests_by_place, tr};
use couplet_protocol::{Rule, Settings};
use couplet_speculation::formulas::{accepted_length_probabilities, expected_tokens_per_round};
use leptos::prelude::*;

use super::every_rule::EveryRule;
use super::rule_formula::{expectation, settings_of};
use super::speed_up::SpeedUp;
use crate::language::{filled, slot};
use crate::lessons::{Cover, Covered};
use crate::store::{Store, use_store};
use crate::words::{at_95, mean_at_95, share_at_95};

const HEIGHT: f64 = 76.0;
const WIDTH: f64 = 150.0;

/// What was measured, beside what theory says.
#[component]
pub fn StatisticsPanel() -> impl IntoView {
    view! {
        <section class="statistics" aria-label=tr!("Statistics")>
            <Acceptance />
            <TokensPerRound />
            <Cover what=Covered::Measured><SpeedUp /></Cover>
            <Lengths />
            <ByPlace />
            <EveryRule />
        </section>
    }
}

#[component]
fn Acceptance() -> impl IntoView {
    let store = use_store();
    let counts = Memo::new(move |_| {
        store
            .state
            .with(|state| (state.statistics.accepted, state.statistics.tested))
    });
    // The target alone.
    let alone = Memo::new(move |_| {
        let last = store.state.with(|state| state.glyphs.last().copied());
        last.is_some_and(|glyph| glyph.drafted == 0)
    });
    let theory = expected(store, |settings| settings.rule);
    let has_formula = has_formula(store);
    view! {
        <div class="statistic">
            <h3>{tr!("Acceptance rate")}" "<em>"α"</em></h3>
            {move || {
                let (accepted, tested) = counts.get();
                if tested == 0 {
                    return view! {
                        <p class="big" data-testid="acceptance-rate">"–"</p>
                        <p class="muted">{match alone.get() {
                            true => tr!("nothing was drafted"),
                            false => tr!("no token tested yet"),
                        }}</p>
                    }
                    .into_any();
                }
                let rate = accepted as f64 / tested as f64;
                if !has_formula.get() {
                    return view! {
                        <p class="big" data-testid="acceptance-rate">{decimal(rate, 2)}</p>
                        <p class="muted">
                            {tr!("{accepted} of {tested} kept, without those after a cut or the end of the text; no interval, as no token is tested by itself", accepted, tested)}
                        </p>
                    }
                    .into_any();
                }
                let [low, high] = share_at_95(accepted, tested);
                let x = |value: f64| format!("{:.1}", value.clamp(0.0, 1.0) * WIDTH);
                let [from, to] = [low, high].map(|end| decimal(end, 2));
                view! {
                    <p class="big" data-testid="acceptance-rate">
                        {decimal(rate, 2)}" "<small title=tr!("Wilson interval, 95 %, if all tests were independent and alike")>{at_95(&from, &to)}</small>
                    </p>
                    <svg class="interval" viewBox="0 0 150 12" role="img"
                        aria-label=tr!(
                            "{} between {} and {} on a scale from 0 to 1",
                            decimal(rate, 2), from, to
                        )>
                        <path class="axis" d="M0 6H150" />
                        <path class="interval-line" d=format!("M{} 6H{}", x(low), x(high)) />
                        <circle cx=x(rate) cy="6" r="4" />
                    </svg>
                    <p class="muted">
                        {match theory.get() {
                            None => tr!("{accepted} of {tested} tested", accepted, tested).into_any(),
                            Some(mean) => {
                                let mean = view! { <b data-testid="theory">{decimal(mean, 2)}</b> };
                                let saying = tr!("{accepted} of {tested} tested, theory {theory}", accepted, tested, theory = slot(0));
                                filled(&saying, [mean.into_any()]).into_any()
                            }
                        }}
                    </p>
                    {theory.get().and_then(|_| {
                        let formula = expectation(settings_of(store).rule, store.notation.get())?;
                        Some(view! { <p class="formula-small">{formula}</p> })
                    })}
                }
                .into_any()
            }}
        </div>
    }
}

/// How many committed rounds have this in common: the engine may choose γ, and near the end of the context
/// or of the text rounds are shorter.
fn alike(state: &StageState, of: impl Fn(&Glyph) -> usize) -> Vec<(usize, f64)> {
    let committed = state.glyphs.iter().take(state.statistics.rounds as usize);
    let mut alike: Vec<(usize, f64)> = Vec::new();
    for value in committed.map(of) {
        match alike.iter_mut().find(|(known, _)| *known == value) {
            Some((_, rounds)) => *rounds += 1.0,
            None => alike.push((value, 1.0)),
        }
    }
    alike
}

/// The mean of [`expected_tokens_per_round`] over rounds that have room for so many tokens.
fn expected_tokens(rate: f64, rooms: &[(usize, f64)]) -> Option<f64> {
    let rounds: f64 = rooms.iter().map(|(_, rounds)| rounds).sum();
    let tokens: f64 = rooms
        .iter()
        .map(|(room, rounds)| rounds * expected_tokens_per_round(rate, room.saturating_sub(1)))
        .sum();
    (rounds > 0.0).then(|| tokens / rounds)
}

/// Whether one rate says it all.
fn has_formula(store: Store) -> Memo<bool> {
    Memo::new(move |_| {
        store.epoch.track();
        store.shown.track();
        settings_of(store).has_formula()
    })
}

/// The mean of what a rule's formula says about the tested tokens; none where it has none or the
/// log does not hold enough for one of them. The rule depends on the run's settings alone.
pub(super) fn expected(
    store: Store,
    rule: impl Fn(&Settings) -> Rule + Send + Sync + 'static,
) -> Memo<Option<f64>> {
    let known = StoredValue::new((0, ExpectedMean::default()));
    Memo::new(move |_| {
        let epoch = store.epoch.get();
        let settings = settings_of(store);
        let rule = rule(&settings);
        store.state.with(|state| {
            store.run.with_untracked(|run| {
                known.try_update_value(|(of, known)| {
                    if *of != epoch {
                        (*of, *known) = (epoch, ExpectedMean::default());
                    }
                    known.until(run, state, rule, &settings)
                })
            })
        })?
    })
}

/// Fewest rounds whose mean is worth an interval.
const FEWEST: usize = 6;

/// Where the mean of so many tokens a round lies at 95 %; nothing for a handful of rounds, or where
/// all are alike and say nothing about how they vary. A round writes at least one token and at most
/// as many as are drafted and one. `said` puts both ends into words.
pub fn mean_between(
    values: &[f64],
    drafted: usize,
    said: fn(String, String) -> String,
) -> Option<impl IntoView + use<>> {
    if values.iter().all(|value| Some(value) == values.first()) {
        return None;
    }
    let [low, high] = (values.len() >= FEWEST).then(|| mean_at_95(values))?;
    let ends = [low.max(1.0), high.min(drafted as f64 + 1.0)];
    let [low, high] = ends.map(|end| decimal(end, 2));
    let words = said(low, high);
    Some(
        view! { <small title=tr!("Interval of the mean, 95 %, if rounds were independent")>{words}</small> },
    )
}

#[component]
fn TokensPerRound() -> impl IntoView {
    let store = use_store();
    let numbers = Memo::new(move |_| {
        store.state.with(|state| {
            let statistics = &state.statistics;
            (
                statistics.tokens_per_round(),
                statistics.acceptance_rate(),
                alike(state, |glyph| glyph.room),
            )
        })
    });
    let has_formula = has_formula(store);
    let measured = move || {
        let rounds = store.state.with(|state| state.statistics.rounds as usize);
        store.run.with_untracked(|run| {
            let rounds = run.rounds().iter().take(rounds);
            let drafted = rounds.clone().map(|round| round.proposals.len()).max();
            let lengths: Vec<f64> = rounds.map(|round| round.committed.len() as f64).collect();
            mean_between(&lengths, drafted.unwrap_or(0), at_95)
        })
    };
    view! {
        <div class="statistic">
            <h3>{tr!("Tokens per round")}</h3>
            <p class="big" data-testid="tokens-per-round">
                {move || numbers.get().0.map_or("–".to_owned(), |value| decimal(value, 2))}" "
                {measured}
            </p>
            <p class="muted">
                {move || {
                    let (measured, rate, rooms) = numbers.get();
                    let rate = measured.and(rate).filter(|_| has_formula.get());
                    let rate = rate?;
                    let theory = expected_tokens(rate, &rooms)?;
                    let alpha = decimal(rate, 2);
                    let saying = tr!("formula {theory} at α = {alpha}", theory = slot(0), alpha);
                    Some(filled(&saying, [view! { <b>{decimal(theory, 2)}</b> }.into_any()]))
                }}
            </p>
            {move || if matches!(numbers.get(), (Some(_), None, _)) {
                // Nothing was drafted, so there is no α.
                ().into_any()
            } else if has_formula.get() {
                view! { <p class="formula-small">"(1 − "<em>"α"</em><sup>"γ+1"</sup>") / (1 − "<em>"α"</em>")"</p> }.into_any()
            } else {
                let saying = tr!("a block is judged as one: no formula in {}", slot(0));
                view! { <p class="muted">{filled(&saying, [view! { <em>"α"</em> }.into_any()])}</p> }.into_any()
            }}
        </div>
    }
}

/// Where the count of a bar stands, pixels from the top: on the bar, or on the line of theory that would
/// run through it; nothing where it is wider than its column, or there is no bar.
fn count_place(count: u32, cell: f64, bar: f64, line: Option<f64>) -> Option<f64> {
    /// A digit.
    const WIDE: f64 = 6.0;
    /// Digits with what keeps them off bar and line.
    const HIGH: f64 = 13.0;
    let fits = count > 0 && WIDE * f64::from(count.ilog10() + 1) <= cell + 1.5;
    let below = line.filter(|line| (bar - HIGH..bar).contains(line));
    fits.then(|| below.unwrap_or(bar) - 3.0)
}

#[component]
fn Lengths() -> impl IntoView {
    let store = use_store();
    let numbers = Memo::new(move |_| {
        store.state.with(|state| {
            (
                state.statistics.lengths.clone(),
                state.statistics.acceptance_rate(),
                alike(state, |glyph| glyph.possible),
            )
        })
    });
    let has_formula = has_formula(store);
    let bars = move || {
        let (lengths, rate, drafted) = numbers.get();
        let total: u32 = lengths.iter().sum();
        let rate = rate?;
        if total == 0 || lengths.len() < 2 {
            return None;
        }
        let theory: Vec<f64> = if has_formula.get() {
            let mut expected = vec![0.0; lengths.len()];
            for (gamma, rounds) in &drafted {
                let shares = accepted_length_probabilities(rate, *gamma);
                for (sum, share) in expected.iter_mut().zip(shares) {
                    *sum += share * rounds;
                }
            }
            expected
        } else {
            Vec::new()
        };
        let most = lengths
            .iter()
            .map(|count| f64::from(*count))
            .chain(theory.iter().copied())
            .fold(1.0, f64::max)
            * 1.1;
        let cell = WIDTH / lengths.len() as f64;
        // Two digits need more room than a narrow column has.
        let every = if lengths.len() > 9 { 4 } else { 1 };
        let label = lengths
            .iter()
            .enumerate()
            .map(|(kept, count)| format!("{kept}: {count}"))
            .collect::<Vec<_>>()
            .join(", ");
        let columns = lengths
            .iter()
            .enumerate()
            .map(|(kept, count)| {
                let height = f64::from(*count) / most * HEIGHT;
                let x = kept as f64 * cell;
                let middle = format!("{:.1}", x + cell / 2.0);
                let expected = theory.get(kept).map(|expected| HEIGHT - expected / most * HEIGHT);
                let line = expected.map(|y| {
                    view! { <path class="theory" d=format!("M{:.1} {y:.1}H{:.1}", x + 1.0, x + cell - 1.0) /> }
                });
                view! {
                    <rect class="bar-overlap" x=format!("{:.1}", x + 3.0) y=format!("{:.1}", HEIGHT - height)
                        width=format!("{:.1}", (cell - 6.0).max(2.0)) height=format!("{height:.1}") />
                    {line}
                    {count_place(*count, cell, HEIGHT - height, expected).map(|y| view! {
                        <text class="number small" x=middle.clone() y=format!("{y:.1}") text-anchor="middle">{*count}</text>
                    })}
                    {(kept % every == 0).then(|| view! {
                        <text class="number" x=middle y="90" text-anchor="middle">{kept}</text>
                    })}
                }
            })
            .collect_view();
        Some(view! {
            <svg class="histogram" viewBox="0 -6 150 98" role="img" aria-label=tr!("Rounds by accepted tokens: {label}", label)>
                {columns}
                <path class="axis" d="M0 76.5H150" />
            </svg>
            <p class="muted">{if theory.is_empty() { tr!("tokens accepted in a round") } else { tr!("tokens accepted in a round; lines: for independent tests with the chance α") }}</p>
        })
    };
    view! {
        <div class="statistic lengths">
            <h3>{tr!("Accepted length")}</h3>
            {move || bars().map_or_else(|| view! { <p class="big">"–"</p> }.into_any(), IntoAny::into_any)}
        </div>
    }
}

/// The acceptance rate at each place of a draft. Later places are reached where the text is easy to
/// draft, which one rate for all does not tell.
#[component]
fn ByPlace() -> impl IntoView {
    let store = use_store();
    let has_formula = has_formula(store);
    let places = Memo::new(move |_| {
        store
            .state
            .with(|state| store.run.with_untracked(|run| tests_by_place(run, state)))
    });
    move || {
        let places = places.get();
        // One place has the rate of all.
        if places.len() < 2 || !has_formula.get() {
            return None;
        }
        let places = places.into_iter().zip(1..).map(|(tests, place)| {
            let share = decimal(tests.accepted as f64 / tests.tested as f64, 2);
            let saying = tr!(
                "{place}: {share} of {tested}",
                place,
                share = slot(0),
                tested = tests.tested
            );
            view! { <li>{filled(&saying, [view! { <b>{share}</b> }.into_any()])}</li> }
        });
        Some(view! {
            <div class="statistic by-place">
                <h3>{tr!("Kept of tested, by place in the draft")}</h3>
                <ol>{places.collect_view()}</ol>
            </div>
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_stands_on_its_bar_and_no_line_runs_through_it() {
        assert_eq!(count_place(7, 25.0, 40.0, None), Some(37.0));
        // A line within the bar, and one well above the count, leave it where it is.
        assert_eq!(count_place(7, 25.0, 40.0, Some(50.0)), Some(37.0));
        assert_eq!(count_place(7, 25.0, 40.0, Some(20.0)), Some(37.0));
        assert_eq!(count_place(7, 25.0, 40.0, Some(30.0)), Some(27.0));
        // As many digits as a column has room for.
        let narrow = WIDTH / 17.0;
        assert!(count_place(9, narrow, 40.0, None).is_some());
        assert_eq!(count_place(10, narrow, 40.0, None), None);
        assert!(count_place(999, WIDTH / 9.0, 40.0, None).is_some());
        assert_eq!(count_place(0, 25.0, HEIGHT, None), None);
    }
}
