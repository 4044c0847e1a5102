//! What else was measured of a pair: any of it can be looked at again.

use couplet_playback::{shortest, tr};
use couplet_protocol::SpeedRequest;
use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::state::use_speed;
use super::words;
use crate::store::{Kept, use_store};
use crate::words::token_count;

/// The choice among several; nothing where there is only one. It does not go with what it shows, so
/// that the focus stays on it.
#[component]
pub fn Earlier() -> impl IntoView {
    let measuring = use_store().measuring;
    let speed = use_speed();
    let all = Memo::new(move |_| {
        let pair = speed
            .main
            .with(|main| main.as_ref().map(|main| main.pair.name.clone()));
        let named = |reports: &Vec<Kept>| {
            let of_pair = |kept: &&Kept| pair.as_ref() == Some(&kept.pair.name);
            let named = |kept: &Kept| {
                let origin = kept.file.clone().unwrap_or_else(|| time(kept.at));
                (kept.at, title(kept, &origin))
            };
            let newest_first = reports.iter().rev().filter(of_pair);
            newest_first.map(named).collect::<Vec<_>>()
        };
        let mut all = measuring.reports.with(named);
        all.extend(measuring.opened.with(named));
        all
    });
    let shown = move || speed.main.with(|main| main.as_ref().map(|main| main.at));
    let choose = move |event| speed.chosen.set(event_target_value(&event).parse().ok());
    move || {
        let all = all.get();
        (all.len() > 1).then(|| view! {
            <div class="field earlier">
                <label for="reports">{tr!("Measurements")}</label>
                <select id="reports" data-testid="reports" on:change=choose>
                    {all
                        .into_iter()
                        .map(|(at, title)| view! {
                            <option value=at.to_string() prop:selected=move || shown() == Some(at)>{title}</option>
                        })
                        .collect_view()}
                </select>
            </div>
        })
    }
}

/// By what a report is told from others of its pair; `origin` is its time, or its file.
fn title(kept: &Kept, origin: &str) -> String {
    let request = &kept.report.request;
    let settings = &request.settings;
    let parts = [
        Some(format!("T {}", shortest(settings.temperature))),
        Some(words::rule(settings, &kept.pair)),
        gammas(request),
        request.auto.then(|| tr!("auto")),
        Some(tr!("{} pairs", request.pairs)),
        Some(token_count(settings.max_tokens as usize)),
        Some(words::backend(kept.backend()).to_owned()),
        Some(origin.to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// Which draft lengths were timed: "γ 1–8".
fn gammas(request: &SpeedRequest) -> Option<String> {
    let all = &request.gammas;
    let (first, last) = (all.first()?, all.last()?);
    let follow_each_other = all.windows(2).all(|two| two[1] == two[0] + 1);
    Some(if all.len() > 2 && follow_each_other {
        format!("γ {first}–{last}")
    } else {
        let all: Vec<String> = all.iter().map(u32::to_string).collect();
        format!("γ {}", all.join(", "))
    })
}

/// The time of day here: "14:05:09".
fn time(at: f64) -> String {
    let date = Date::new(&JsValue::from_f64(at));
    let parts = [date.get_hours(), date.get_minutes(), date.get_seconds()];
    parts.map(|part| format!("{part:02}")).join(":")
}

#[cfg(test)]
mod tests {
    use super::super::test::kept;
    use super::*;

    #[test]
    fn a_title_tells_what_was_asked_and_where_and_when() {
        let rows: Vec<_> = (1..=8).map(|gamma| (gamma, [1.0, 1.1])).collect();
        let mut kept = kept(&rows, |request| {
            request.pairs = 13;
            request.settings.temperature = 1.0;
            request.settings.max_tokens = 64;
        });
        let says = title(&kept, "14:05");
        assert_eq!(
            says,
            "T 1, Rejection, γ 1–8, 13 pairs, 64 tokens, CPU, 14:05"
        );
        let mut report = (*kept.report).clone();
        (report.request.gammas, report.request.auto) = (vec![1, 3], true);
        kept.report = report.into();
        let says = title(&kept, "14:05");
        assert_eq!(
            says,
            "T 1, Rejection, γ 1, 3, auto, 13 pairs, 64 tokens, CPU, 14:05"
        );
        assert_eq!(
            gammas(&SpeedRequest {
                gammas: Vec::new(),
                ..kept.report.request.clone()
            }),
            None
        );
    }
}
