//! The numbers behind a chart, on request.

use couplet_playback::separator;
use leptos::prelude::*;
use tr::tr;
use wasm_bindgen::JsCast;

/// The most numbers that are told with the name of a chart.
const TOLD: usize = 8;

/// The name of a chart with the first of its numbers, each behind what it belongs to, for whoever
/// hears the chart.
pub fn told(name: &str, numbers: impl IntoIterator<Item = (String, String)>) -> String {
    let numbers = numbers.into_iter().take(TOLD);
    let numbers: Vec<String> = numbers
        .map(|(of, number)| format!("{of}: {number}"))
        .collect();
    format!("{name}: {}", numbers.join(&separator()))
}

/// What a table holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What it is about.
    pub name: String,
    /// Titles of the columns; the first column names the rows.
    pub head: Vec<String>,
    /// The rows, as long as the head.
    pub rows: Vec<Vec<String>>,
}

/// A table that unfolds; made only while it is open.
#[component]
pub fn Numbers(
    /// What it holds.
    content: Signal<Table>,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let toggle = move |event: web_sys::Event| {
        let details = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        open.set(details.is_some_and(|details| details.has_attribute("open")));
    };
    view! {
        <details class="table" on:toggle=toggle>
            <summary>{tr!("As a table")}</summary>
            {move || open.get().then(|| filled(content.get()))}
        </details>
    }
}

fn filled(table: Table) -> impl IntoView {
    let head = table
        .head
        .into_iter()
        .map(|title| view! { <th scope="col">{title}</th> })
        .collect_view();
    let rows = table
        .rows
        .into_iter()
        .map(|row| {
            let mut cells = row.into_iter();
            let name = cells.next();
            let cells = cells.map(|cell| view! { <td>{cell}</td> }).collect_view();
            view! { <tr><th scope="row">{name}</th>{cells}</tr> }
        })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=table.name>
            <table>
                <thead><tr>{head}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
