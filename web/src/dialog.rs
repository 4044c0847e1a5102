//! A dialog over the page, with a title and a way out.

use couplet_playback::tr;
use leptos::html;
use leptos::prelude::*;

/// The dialog.
#[component]
pub fn Dialog(
    /// Whether it is shown.
    open: RwSignal<bool>,
    /// Its name for styles and tests, and the beginning of its title's id.
    name: &'static str,
    /// What stands over it.
    #[prop(into)]
    title: String,
    /// What is in it.
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if open.get() && !dialog.open() {
            let _ = dialog.show_modal();
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
    let labelled_by = format!("{name}-title");
    let title_id = labelled_by.clone();
    view! {
        <dialog node_ref=dialog closedby="any" class=format!("dialog {name}") data-testid=format!("{name}-panel")
            aria-labelledby=labelled_by on:close=move |_| open.set(false)>
            <header>
                <h2 id=title_id>{title}</h2>
                <button type="button" class="button" on:click=move |_| open.set(false)>{tr!("Close")}</button>
            </header>
            {children()}
        </dialog>
    }
}
