//! The race: two of the timed runs on one clock, every letter at the time at which it was there.

mod clock;
mod lanes;
mod layout;

use std::sync::Arc;

use couplet_playback::{count_word, decimal, grouped, is_special, procedure, tr};
use couplet_protocol::{BackendKind, PairInfo, Rule, SpeedReport, Verdict};
use leptos::html;
use leptos::prelude::*;

use super::reading::several_lengths;
use super::state::use_speed;
use super::words;
use crate::language;
use crate::playhead::wants_stillness;
use crate::stage::{Sign, icon, replaced, rule_title};
use crate::store::{Kept, use_store};
use crate::width::width_of;
use clock::{offered, usual};
use layout::{Lane, Look, Track};

pub use clock::Clock;

/// The drawing's width until it is known.
const USUAL_WIDTH: f64 = 1000.0;

/// The section about a report.
#[component]
pub fn Race(
    /// What was measured.
    kept: Kept,
) -> impl IntoView {
    let report = kept.report.clone();
    let scroller = NodeRef::<html::Div>::new();
    let width = width_of(scroller, USUAL_WIDTH);
    let laid_out = |look| {
        let (report, pair) = (kept.report.clone(), kept.pair.clone());
        move || Track::new(&report, &pair, width.get(), look).map(Arc::new)
    };
    let letters = laid_out(Look::Letters);
    let track: Memo<Option<Arc<Track>>> = Memo::new(move |_| letters());
    // A race that has been run is seen from its beginning to its end.
    let clock = use_speed().clock;
    let rests = Memo::new(move |_| clock.at.get().is_infinite());
    let whole = laid_out(Look::Whole);
    let whole: Memo<Option<Arc<Track>>> = Memo::new(move |_| whole());
    let wide = Memo::new(move |_| whole.get().map_or(0.0, |track| track.end * track.scale));
    let seen = Memo::new(move |_| match rests.get() {
        true => whole.get(),
        false => track.get(),
    });
    let about = about(&report, &kept.pair);
    let origin = origin(&kept);
    let rule = report.request.settings.rule;
    view! {
        <section class="card" data-testid="race" aria-labelledby="race-title">
            <header>
                <div>
                    <h2 id="race-title">{tr!("The race, on one clock")}</h2>
                    {origin.map(|origin| view! { <p data-testid="from-file">{origin}</p> })}
                    <p class="muted">{about}</p>
                </div>
                <Headline report=report.clone() />
            </header>
            <div class="race-body">
                <Names track=track report=report.clone() />
                <div class="race-scroll" node_ref=scroller tabindex="0" role="region" aria-label=tr!("Lanes of the race")>
                    {move || seen.get().map(|track| lanes::drawing(&track, clock, scroller))}
                </div>
            </div>
            {move || track.get().map(|track| view! {
                <p class="serif race-finish" data-testid="race-finish">{finish(&track)}</p>
                <Controls track=track wide=wide />
            })}
            <Legend rule=rule />
        </section>
    }
}

/// The number, as large whether it is good or bad, and what it allows to say.
#[component]
pub fn Headline(
    /// What was measured.
    report: Arc<SpeedReport>,
) -> impl IntoView {
    report.headline().map(|headline| {
        let row = headline.row;
        let gamma = words::gamma(row);
        let what = match (several_lengths(&report), report.is_about_auto()) {
            (_, true) if report.gammas.is_empty() => tr!("γ chosen by the engine, {} on average", gamma),
            (_, true) => tr!("γ chosen by the engine, {} on average; no fixed one is faster beyond the noise", gamma),
            // Another's median is larger, with an interval that holds 1.
            (Some(count), false) if report.gammas.iter().any(|other| other.speed_up > row.speed_up) => {
                match headline.verdict {
                    Verdict::Faster => tr!("γ {}, of {} the fastest beyond the noise", gamma, count_word(count)),
                    _ => format!("γ {gamma}"),
                }
            }
            (Some(count), false) => tr!("γ {}, the fastest of {} fixed ones", gamma, count_word(count)),
            (None, false) => format!("γ {gamma}"),
        };
        view! {
            <div class="race-verdict">
                <p class="huge" class:open=headline.verdict == Verdict::CannotTell data-testid="verdict">
                    <span>{words::factor(row.speed_up)}</span>" "{words::verdict(headline.verdict)}
                </p>
                <p class="muted" data-testid="verdict-interval">{words::interval(&headline, &report.request)}"; "{what}</p>
            </div>
        }
    })
}

/// Where and when it was measured, for a report of a file.
fn origin(kept: &Kept) -> Option<String> {
    let (report, file) = (&kept.report, kept.file.as_ref()?);
    let day = report.taken_at.as_ref().and_then(|time| time.get(..10));
    let origin = tr!(
        "From the file “{file}”, measured on: {device}",
        file,
        device = language::of_engine(&report.device.name)
    );
    Some(day.map_or(origin.clone(), |day| format!("{origin}, {day}")))
}

fn about(report: &SpeedReport, pair: &PairInfo) -> String {
    // Of an even number of pairs none is in the middle, and the headline lies between two.
    let even = report.request.pairs.is_multiple_of(2);
    let runs = match report.device.backend {
        BackendKind::Gpu if even => tr!(
            "One of the two pairs of timed runs around the median: same target, same GPU, same prompt."
        ),
        BackendKind::Cpu if even => tr!(
            "One of the two pairs of timed runs around the median: same target, same processor, same prompt."
        ),
        BackendKind::Gpu => tr!(
            "The pair of timed runs whose ratio is the median: same target, same GPU, same prompt."
        ),
        BackendKind::Cpu => tr!(
            "The pair of timed runs whose ratio is the median: same target, same processor, same prompt."
        ),
    };
    let settings = &report.request.settings;
    let rule = settings.rule;
    let texts = if settings.has_one_text() {
        tr!("The same text in both lanes: at temperature 0 and at top-k 1 the target has only one.")
    } else if rule.is_drafter_invariant() {
        tr!(
            "The same text in both lanes: under {} it does not depend on who drafts.",
            rule_title(rule)
        )
    } else if procedure(settings).is_lossless(settings.temperature) {
        tr!("Two different samples of one distribution.")
    } else {
        tr!(
            "Two different samples, and {} does not write the target’s distribution.",
            rule_title(rule)
        )
    };
    let past = goes_past_an_end(report, pair)
        .then(|| tr!("A timed text goes on past its end, which is ‹end› here."));
    let hidden = (report.hidden == Some(true)).then(|| {
        tr!(
            "The page was out of sight for a part of the measurement, and browsers then leave it less of the device."
        )
    });
    let sentences = [Some(runs), Some(texts), past, hidden];
    sentences
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a lane has tokens after the end of a text.
fn goes_past_an_end(report: &SpeedReport, pair: &PairInfo) -> bool {
    let ends = |token: &u32| {
        let text = pair.tokens.get(*token as usize);
        text.is_some_and(|text| is_special(text))
    };
    report.race.iter().any(|lane| {
        let mut tokens = lane.rounds.iter().flat_map(|round| &round.tokens).rev();
        tokens.next();
        tokens.any(ends)
    })
}

/// How the race ends: what the second lane had when the first was done, and when it was done too.
fn finish(track: &Track) -> String {
    let [alone, speculative] = &track.lanes;
    let milliseconds = |lane: &Lane| words::milliseconds(lane.end());
    let had = |lane: &Lane| grouped(lane.tokens_at(track.finish));
    let all = |lane: &Lane| grouped(lane.tokens());
    if alone.end() == speculative.end() {
        return tr!(
            "Both were done after {} ms.",
            words::milliseconds(track.finish)
        );
    }
    if track.first() == 1 {
        tr!(
            "When speculation was done, after {first} ms, the target alone had {had} of its 1 token; it took {second} ms."
                | "When speculation was done, after {first} ms, the target alone had {had} of its {all} tokens; it took {second} ms."
                    % alone.tokens(),
            first = milliseconds(speculative),
            had = had(alone),
            all = all(alone),
            second = milliseconds(alone)
        )
    } else {
        tr!(
            "When the target alone was done, after {first} ms, speculation had {had} of its 1 token; it took {second} ms."
                | "When the target alone was done, after {first} ms, speculation had {had} of its {all} tokens; it took {second} ms."
                    % speculative.tokens(),
            first = milliseconds(alone),
            had = had(speculative),
            all = all(speculative),
            second = milliseconds(speculative)
        )
    }
}

/// What the lanes are called and how many tokens each has.
#[component]
fn Names(track: Memo<Option<Arc<Track>>>, report: Arc<SpeedReport>) -> impl IntoView {
    let clock = use_speed().clock;
    let count = move |lane: usize| {
        track.get().and_then(|track| {
            let lane = track.lanes.get(lane)?;
            Some((lane.tokens_at(track.time(clock.at.get())), lane.tokens()))
        })
    };
    let gamma = report
        .race
        .get(1)
        .map(|lane| lane.gamma)
        .filter(|gamma| *gamma > 0);
    let cell = move |name: String, more: Option<String>, lane: usize, id: &'static str| {
        let count = Memo::new(move |_| count(lane));
        view! {
            <div>
                <dt>{name}{more.map(|more| view! { <span class="muted">{more}</span> })}</dt>
                <dd>
                    <b class="figures" data-testid=id>{move || count.get().map(|(count, _)| count.to_string())}</b>
                    <span class="muted">" "{move || count.get().map(|(_, all)| tr!("of 1 token" | "of {all} tokens" % all, all = grouped(all)))}</span>
                </dd>
            </div>
        }
    };
    view! {
        <dl class="race-names">
            {cell(tr!("Target alone"), None, 0, "race-alone")}
            {cell(tr!("Speculative"), gamma.map(|gamma| format!(" γ {gamma}")), 1, "race-speculative")}
        </dl>
    }
}

/// Plays the race, and moves it by hand.
#[component]
fn Controls(
    track: Arc<Track>,
    /// Pixels that the whole race is wide where it is seen at once.
    wide: Memo<f64>,
) -> impl IntoView {
    let store = use_store();
    let clock = use_speed().clock;
    let end = track.end;
    let slower = move || clock.slower.get().unwrap_or_else(|| usual(end));
    let play = move |_| {
        if clock.playing.get_untracked() {
            clock.pause();
        } else {
            clock.play(end, untrack(slower));
        }
    };
    let choose = move |event| {
        if let Ok(slower) = event_target_value(&event).parse() {
            let playing = clock.playing.get_untracked();
            clock.slower.set(Some(slower));
            if playing {
                clock.pause();
                clock.play(end, slower);
            }
        }
    };
    let seek = move |event| {
        if let Ok(at) = event_target_value(&event).parse::<f64>() {
            clock.go(at);
        }
    };
    let before = StoredValue::new((0.0, false));
    let put_back = move || {
        let (at, played) = before.get_value();
        // A race that still plays was not touched.
        if !(played && clock.playing.get_untracked()) {
            clock.go(at);
            if played {
                clock.play(end, untrack(slower));
            }
        }
    };
    let at = move || clock.at.get().min(end);
    // The slider ends where the drawing does; the clock at rest stands at the race's end.
    let now = {
        let track = track.clone();
        move || words::milliseconds(track.time(clock.at.get()))
    };
    let still = wants_stillness();
    let name = |slower: f64| {
        let lasts = match end * slower {
            lasts if lasts < 995.0 => format!("{lasts:.0} ms"),
            lasts => format!(
                "{} s",
                decimal(lasts / 1000.0, usize::from(lasts < 9_950.0))
            ),
        };
        if slower == 1.0 {
            tr!("as fast as it was ({lasts})", lasts)
        } else {
            tr!(
                "slowed {slower} times ({lasts})",
                slower = grouped(slower as usize),
                lasts
            )
        }
    };
    view! {
        <div class="race-controls" role="group" aria-label=tr!("Playback of the race")>
            {(!still).then(|| view! {
                <button type="button" class="button play" data-testid="race-play" disabled=move || store.playhead.held()
                    on:click=play>
                    {move || if clock.playing.get() { tr!("Pause") } else { tr!("Play") }}
                </button>
            })}
            <input type="range" class="race-time" data-testid="race-time" style=move || format!("--race:{:.0}px", wide.get()) aria-label=tr!("Time of the race") min="0"
                max=end.to_string() step=(end / 400.0).to_string() prop:value=move || at().to_string() on:input=seek
                aria-valuetext=move || tr!("{} milliseconds", words::milliseconds(at()))
                // A finger that scrolls the page from here has moved nothing.
                on:pointerdown=move |_| before.set_value((clock.at.get_untracked(), clock.playing.get_untracked()))
                on:pointercancel=move |_| put_back() />
            <b class="figures race-now" data-testid="race-now">{move || format!("{} ms", now())}</b>
            {(!still).then(|| view! {
                <label class="race-slower">
                    <span class="visually-hidden">{tr!("Speed of playback")}</span>
                    <select data-testid="race-slower" on:change=choose>
                        {offered(end)
                            .into_iter()
                            .map(|factor| {
                                view! {
                                    <option value=factor.to_string() prop:selected=move || slower() == factor>{name(factor)}</option>
                                }
                            })
                            .collect_view()}
                    </select>
                </label>
            })}
            {track.is_cut.then(|| view! { <p class="muted">{tr!("Only the beginning is shown; both runs continue.")}</p> })}
        </div>
    }
}

#[component]
fn Legend(rule: Rule) -> impl IntoView {
    view! {
        <ul class="key race-key">
            <li><svg class="swatch" width="16" height="11" aria-hidden="true"><rect class="bar-draft" width="16" height="11" /><rect class="bar-hatch" width="16" height="11" /><rect class="bar-outline" x="0.5" y="0.5" width="15" height="10" /></svg>{tr!("drafting")}</li>
            <li><svg class="swatch" width="16" height="11" aria-hidden="true"><rect class="bar-checking" width="16" height="11" /></svg>{tr!("one checking pass")}</li>
            <li><svg class="swatch" width="16" height="11" aria-hidden="true"><path class="race-kept" d="M1 8H15" /></svg>{tr!("accepted")}</li>
            <li>{icon(Sign::Resampled, 15)}{replaced(rule)}</li>
            <li>{icon(Sign::Bonus, 15)}{tr!("bonus")}</li>
        </ul>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::test::{pair, report};
    use couplet_protocol::{RaceLane, RaceRound};

    #[test]
    fn only_what_is_written_after_an_end_goes_past_it() {
        let mut pair = pair();
        pair.tokens.push("<|endoftext|>".to_owned());
        let check = |rounds: &[&[u32]], expect| {
            let mut report = report(&[(2, [1.0, 1.2])]);
            let rounds = rounds.iter().map(|tokens| RaceRound {
                end: 1.0,
                gamma: 0,
                accepted: 0,
                tokens: tokens.to_vec(),
            });
            report.race = vec![RaceLane {
                gamma: 0,
                rounds: rounds.collect(),
                readbacks: 1,
            }];
            assert_eq!(goes_past_an_end(&report, &pair), expect);
        };
        check(&[&[0, 1], &[1]], false);
        check(&[&[0, 1], &[1, 2]], false);
        check(&[&[0, 2], &[1]], true);
        check(&[&[0], &[2, 1]], true);
    }
}
