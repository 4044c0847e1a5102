//! The numbers behind a chart, on request.

use couplet_playback::{spoken, tr};
use leptos::prelude::*;

/// The most numbers that are told with the name of a chart.
const TOLD: usize = 8;

/// The name of a chart with the first of its numbers, each after the token or whatever it belongs to,
/// for whoever hears the chart.
pub fn told(name: &str, numbers: impl IntoIterator<Item = (String, String)>) -> String {
    let numbers = numbers.into_iter().take(TOLD);
    let numbers: Vec<String> = numbers
        .map(|(of, number)| format!("{}: {number}", spoken(&of)))
        .collect();
    format!("{name}: {}", numbers.join("; "))
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

/// A table that unfolds.
#[component]
pub fn Numbers(
    /// What it holds.
    content: Signal<Table>,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let name = Signal::derive(move || content.with(|table| table.name.clone()));
    view! { <Folded open=open name=name>{move || filled(content.get())}</Folded> }
}

/// Numbers that unfold; made only while they are shown.
#[component]
pub fn Folded(
    /// Whether they are; whoever draws them anew keeps it.
    open: RwSignal<bool>,
    /// What they are about, for whoever hears of several such.
    #[prop(into)]
    name: Signal<String>,
    /// Whether that stands for all to see, in the place of the words for a table.
    #[prop(optional)]
    named: bool,
    /// The numbers.
    children: ChildrenFn,
) -> impl IntoView {
    view! {
        <details class="table" prop:open=move || open.get()
            on:toggle=move |event| open.set(is_unfolded(&event))>
            <summary>
                {(!named).then(|| tr!("As a table"))}
                <span class:visually-hidden=!named>{(!named).then_some(": ")}{move || name.get()}</span>
            </summary>
            <Show when=move || open.get()>{children()}</Show>
        </details>
    }
}

/// Whether what a `toggle` is about is unfolded now.
pub fn is_unfolded(toggle: &web_sys::Event) -> bool {
    event_target::<web_sys::Element>(toggle).has_attribute("open")
}

fn filled(table: Table) -> impl IntoView {
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
    framed(table.name, table.head, rows.into_any())
}

/// A table with a name, the titles of its columns and rows, which scrolls where it has too little room.
pub fn framed(name: String, head: Vec<String>, rows: AnyView) -> impl IntoView {
    let head = head
        .into_iter()
        .map(|title| view! { <th scope="col">{title}</th> })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=name.clone()>
            <table aria-label=name.clone()>
                <thead><tr>{head}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
