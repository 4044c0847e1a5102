//! The address of exactly what the page shows.

use leptos::prelude::*;

use super::Sharing;
use super::picture::escaped;
use crate::couplings::Exhibit;
use crate::lessons::Lessons;
use crate::permalink::{self, LONGEST_LINK, LinkTheme, View};
use crate::proof::ProofState;
use crate::store::{Scene, Store};

/// What the page shows besides the run, tracked.
pub fn current(store: Store) -> View {
    let lesson = use_context::<Lessons>().and_then(|lessons| lessons.place());
    let scene = store.scene.get();
    let (example, part) = example(scene);
    let at = store.playhead.at.get();
    View {
        scene,
        at: store.shown.with(Option::is_some).then_some(at),
        step: lesson.as_ref().map_or(1, |(_, step)| *step),
        lesson: lesson.map(|(name, _)| name),
        example,
        part,
        ..View::default()
    }
}

/// What the scenes with examples show.
fn example(scene: Scene) -> (Option<String>, Option<usize>) {
    match scene {
        Scene::Couplings => {
            let name = use_context::<Exhibit>().and_then(|exhibit| exhibit.preset_name());
            (name, None)
        }
        Scene::Proof => use_context::<ProofState>().map_or((None, None), |proof| {
            (proof.preset_name(), Some(proof.step.get()))
        }),
        _ => (None, None),
    }
}

/// The address of the page as it is, whatever its length; `None` while the settings are in error
/// and there is no run.
pub fn whole(store: Store, sharing: Sharing) -> Option<String> {
    address(
        store,
        View {
            hide: sharing.hidden.get(),
            theme: asked_theme(),
            ..current(store)
        },
    )
}

fn address(store: Store, view: View) -> Option<String> {
    let of_run = store
        .shown
        .with(|shown| shown.as_ref().map(|shown| shown.settings.clone()));
    let settings = of_run.or_else(|| store.form.read().ok())?;
    let backend = permalink::in_hash(permalink::read().backend);
    Some(permalink::address(&permalink::hash(
        Some(&settings),
        &view,
        backend,
    )))
}

/// Colours are part of a link where the page was opened with some.
fn asked_theme() -> Option<LinkTheme> {
    permalink::read().view.theme
}

/// The address of the page as it is, or why there is none.
///
/// # Errors
///
/// A sentence that says what to do instead.
pub fn short(store: Store, sharing: Sharing) -> Result<String, String> {
    let link = whole(store, sharing)
        .ok_or("A setting is out of range: put it right, and there is a link.")?;
    if link.len() > LONGEST_LINK {
        return Err(format!(
            "The prompt is too long for a link: it would have {} bytes, and {LONGEST_LINK} arrive everywhere. Send the trace file below instead: dropped on the page, it shows the same.",
            link.len()
        ));
    }
    Ok(link)
}

/// What another page needs to show this one in a frame.
pub fn frame(store: Store, sharing: Sharing) -> Option<String> {
    let view = View {
        embed: true,
        hide: sharing.hidden.get(),
        theme: asked_theme(),
        ..current(store)
    };
    let address = address(store, view).filter(|address| address.len() <= LONGEST_LINK)?;
    Some(format!(
        "<iframe src=\"{}\" title=\"Couplet: speculative decoding\" width=\"100%\" height=\"900\" style=\"border:0\" loading=\"lazy\" allow=\"clipboard-write\"></iframe>",
        escaped(&address)
    ))
}
