//! Which parts of the page can be had as pictures.

use couplet_playback::tr;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Element;

use super::picture;
use super::save::{save, save_address};
use crate::store::Scene;

/// Pixels of a picture for each of the page.
const SHARP: f64 = 3.0;

/// A part of a scene that makes a picture.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Where it is drawn.
    pub scene: Scene,
    /// How it is found.
    pub selector: &'static str,
    /// Its name for people.
    pub title: fn() -> String,
    /// What its files are called, without an ending.
    pub file: &'static str,
}

const fn figure(
    scene: Scene,
    selector: &'static str,
    title: fn() -> String,
    file: &'static str,
) -> Figure {
    Figure {
        scene,
        selector,
        title,
        file,
    }
}

/// Everything that can be had.
const FIGURES: [Figure; 15] = [
    figure(Scene::Stage, ".round", || tr!("The round"), "couplet-round"),
    figure(
        Scene::Stage,
        ".manuscript .lines",
        || tr!("The manuscript"),
        "couplet-manuscript",
    ),
    figure(
        Scene::Stage,
        ".timeline svg",
        || tr!("The timeline"),
        "couplet-timeline",
    ),
    figure(
        Scene::Stage,
        ".inspector",
        || tr!("The distributions"),
        "couplet-distributions",
    ),
    figure(
        Scene::Stage,
        ".statistics",
        || tr!("The statistics"),
        "couplet-statistics",
    ),
    figure(
        Scene::Couplings,
        ".couplings-top",
        || tr!("Distributions and agreement"),
        "couplet-agreement",
    ),
    figure(
        Scene::Couplings,
        ".couplings-cards",
        || tr!("The four couplings"),
        "couplet-couplings",
    ),
    figure(
        Scene::Proof,
        ".why-panels",
        || tr!("Why the ink is exact"),
        "couplet-why",
    ),
    figure(
        Scene::Proof,
        ".proof-column .card",
        || tr!("The test"),
        "couplet-test",
    ),
    figure(
        Scene::Proof,
        ".proof-live > :last-child",
        || tr!("Break the rule"),
        "couplet-museum",
    ),
    figure(Scene::Speed, ".sweep", || tr!("The sweep"), "couplet-sweep"),
    figure(
        Scene::Speed,
        "[data-testid=race]",
        || tr!("The race"),
        "couplet-race",
    ),
    figure(
        Scene::Speed,
        ".shares",
        || tr!("Where the time goes"),
        "couplet-shares",
    ),
    figure(
        Scene::Speed,
        ".facts",
        || tr!("The measurement"),
        "couplet-measurement",
    ),
    figure(
        Scene::Lessons,
        ".class-plan",
        || tr!("The class plan"),
        "couplet-class-plan",
    ),
];

/// What of a scene is on the page now.
pub fn figures_of(scene: Scene) -> Vec<Figure> {
    FIGURES
        .into_iter()
        .filter(|figure| figure.scene == scene && find(figure.selector).is_some())
        .collect()
}

fn find(selector: &str) -> Option<Element> {
    let found = document().query_selector(selector).ok().flatten()?;
    let area = found.get_bounding_client_rect();
    (area.width() > 0.0 && area.height() > 0.0).then_some(found)
}

async fn drawing_of(selector: &str) -> Result<picture::Drawing, String> {
    match find(selector) {
        Some(element) => picture::standalone(&element).await,
        None => Err(tr!("The chart is not on the page any more.")),
    }
}

/// Gives a person a part of the page as a drawing.
pub fn save_svg(selector: &'static str, name: &str, trouble: RwSignal<Option<String>>) {
    let name = name.to_owned();
    trouble.set(None);
    spawn_local(async move {
        match drawing_of(selector).await {
            Ok(drawing) => save(&name, "image/svg+xml", &drawing.text),
            Err(sentence) => trouble.set(Some(sentence)),
        }
    });
}

/// Gives a person a part of the page as a picture.
pub fn save_png(selector: &'static str, name: &str, trouble: RwSignal<Option<String>>) {
    let name = name.to_owned();
    trouble.set(None);
    spawn_local(async move {
        let png = match drawing_of(selector).await {
            Ok(drawing) => picture::png(&drawing, SHARP).await,
            Err(sentence) => Err(sentence),
        };
        match png {
            Ok(address) => save_address(&name, &address),
            Err(sentence) => trouble.set(Some(sentence)),
        }
    });
}
