//! The address of exactly what the page shows.

use couplet_playback::tr;
use leptos::prelude::*;

use super::Sharing;
use super::picture::escaped;
use crate::permalink::{self, Exhibits, LONGEST_LINK, Left, LinkTheme, View};
use crate::projector;
use crate::store::Scene;

/// What the page shows, tracked.
pub fn current(sharing: Sharing) -> View {
    let store = sharing.store;
    let stands = store.shown.with(Option::is_some);
    View {
        at: stands.then(|| store.playhead.at.get()),
        pick: stands.then(|| store.selected.get()).flatten(),
        ..current_but_run(sharing)
    }
}

/// What the page shows besides the run, tracked.
pub fn current_but_run(sharing: Sharing) -> View {
    let Sharing { store, lessons, .. } = sharing;
    let lesson = lessons.place();
    let scene = store.scene.get();
    let exhibits = match scene {
        Scene::Couplings => sharing.exhibit.for_link(),
        Scene::Proof => sharing.proof.for_link(),
        Scene::Speed => sharing.speed.for_link(),
        Scene::Stage | Scene::Lessons => Exhibits::default(),
    };
    View {
        scene,
        branch: store
            .shown
            .with(|shown| shown.as_ref().and_then(|shown| shown.branch.clone())),
        left: store.left().as_ref().and_then(Left::print),
        letters: store.notation.get(),
        marks: store.marks.get(),
        projector: projector::is_on(),
        step: lesson.as_ref().map_or(1, |(_, step)| *step),
        lesson: lesson.map(|(name, _)| name),
        exhibits,
        ..View::default()
    }
}

/// The address of the page as it is, whatever its length; `None` while the settings are in error
/// and there is no run.
pub fn whole(sharing: Sharing) -> Option<String> {
    address(
        sharing,
        View {
            hide: sharing.hidden.get(),
            theme: asked_theme(),
            ..current(sharing)
        },
    )
}

fn address(sharing: Sharing, mut view: View) -> Option<String> {
    let store = sharing.store;
    let of_run = store
        .shown
        .with(|shown| shown.as_ref().map(|shown| shown.settings.clone()));
    let knows_prompt = of_run.is_some() || store.knows_prompt();
    let settings = of_run.or_else(|| store.form.read().ok())?;
    let backend = permalink::in_hash(permalink::read().backend);
    let print = |view: &View| {
        let hash = permalink::hash(Some(&settings), view, backend);
        permalink::address(&match knows_prompt {
            true => hash,
            false => permalink::without_prompt(&hash),
        })
    };
    let address = print(&view);
    // The run on the page is what matters: what it left stays behind first.
    if address.len() > LONGEST_LINK && view.left.take().is_some() {
        return Some(print(&view));
    }
    Some(address)
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
pub fn short(sharing: Sharing) -> Result<String, String> {
    let link = whole(sharing).ok_or_else(out_of_range)?;
    if link.len() > LONGEST_LINK {
        let (bytes, most) = (link.len(), LONGEST_LINK);
        let fits = |view: &View| {
            let link = address(sharing, view.clone());
            link.is_some_and(|link| link.len() <= LONGEST_LINK)
        };
        let mut fewer = current(sharing);
        if fewer.exhibits.own.take().is_some() && fits(&fewer) {
            return Err(tr!(
                "So many probabilities are too long for a link: it would have {bytes} bytes, and {most} arrive everywhere. Fewer tokens fit.",
                bytes,
                most
            ));
        }
        if fewer.branch.take().is_some() && fits(&fewer) {
            return Err(tr!(
                "The text that this branch keeps is too long for a link: it would have {bytes} bytes, and {most} arrive everywhere. Send the trace file below instead: dropped on the page, it shows the same.",
                bytes,
                most
            ));
        }
        return Err(tr!(
            "The prompt is too long for a link: it would have {bytes} bytes, and {most} arrive everywhere. Send the trace file below instead: dropped on the page, it shows the same.",
            bytes,
            most
        ));
    }
    Ok(link)
}

fn out_of_range() -> String {
    tr!("A setting is out of range: put it right, and there is a link.")
}

/// What another page needs to show this one in a frame.
///
/// # Errors
///
/// A sentence that says why there is no address for it.
pub fn frame(sharing: Sharing) -> Result<String, String> {
    let view = View {
        embed: true,
        hide: sharing.hidden.get(),
        theme: asked_theme(),
        ..current(sharing)
    };
    let address = address(sharing, view).ok_or_else(out_of_range)?;
    if address.len() > LONGEST_LINK {
        return Err(tr!(
            "A frame opens a link, and this one is too long for it."
        ));
    }
    let title = tr!("Couplet: speculative decoding");
    Ok(format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"900\" style=\"border:0\" loading=\"lazy\" allow=\"clipboard-write\"></iframe>",
        escaped(&address),
        escaped(&title)
    ))
}
