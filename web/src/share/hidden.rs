//! What a link takes off the page: controls that a teacher hid, the header inside a frame.

use couplet_playback::tr;
use leptos::prelude::*;

use super::{link, use_sharing};
use crate::permalink::View;

/// Has the style sheet know what is hidden, whether the page stands in a frame, and which colours
/// the link wants.
pub fn dress(view: &View, hidden: RwSignal<Vec<&'static str>>) {
    let Some(root) = document().document_element() else {
        return;
    };
    if view.embed {
        let _ = root.set_attribute("data-embed", "");
    }
    if let Some(theme) = view.theme {
        let _ = root.set_attribute("data-theme", theme.name());
    }
    Effect::new(move |_| {
        let names = hidden.with(|names| names.join(" "));
        let _ = if names.is_empty() {
            root.remove_attribute("data-hide")
        } else {
            root.set_attribute("data-hide", &names)
        };
    });
}

/// Whether the page has a control for a field of the settings, and no teacher hid it.
pub fn has_control(field: &str, hidden: &[&'static str]) -> bool {
    let control = match field {
        "top_k" | "top_p" => "filters",
        "max_tokens" => "tokens",
        "lenience" | "epsilon" | "delta" => "rule",
        "pair" | "prompt" | "gamma" | "drafter" | "temperature" | "seed" | "rule" => field,
        _ => return false,
    };
    !hidden.contains(&control)
}

/// The way out of a frame: the same state on a page of its own.
#[component]
pub fn EmbedFoot() -> impl IntoView {
    let sharing = use_sharing();
    let address = Memo::new(move |_| link::whole(sharing).unwrap_or_default());
    view! {
        <footer class="embed-foot">
            <a href=move || address.get() target="_blank" rel="noopener" data-testid="embed-out">
                {tr!("Open in Couplet")}
            </a>
        </footer>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::HIDEABLE;
    use couplet_protocol::Settings;

    #[test]
    fn every_setting_that_can_be_refused_has_a_control_that_can_be_hidden() {
        let settings = serde_json::to_value(Settings::default()).unwrap();
        for field in settings.as_object().unwrap().keys() {
            // Either choice is good.
            if field != "auto_gamma" {
                assert!(has_control(field, &[]), "{field}");
                let hidden = HIDEABLE.map(|it| it.name);
                assert!(!has_control(field, &hidden), "{field}");
            }
        }
    }
}
