//! The page as it is kept on the device, and a newer one that waits. What happens to files is
//! `web/inline/release.js`; here it is said and asked.

use couplet_playback::tr;
use leptos::ev;
use leptos::prelude::*;

use crate::engine_client::EngineState;
use crate::store::Store;

/// What there is to say about the release that the page was opened with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// Every visit needs the network, as far as is known.
    #[default]
    Fleeting,
    /// It opens without a network.
    Kept,
    /// A newer one has arrived and waits.
    NewerWaits,
    /// Another tab went over to a newer one, to which this tab's remaining files belong.
    NewerElsewhere,
}

impl Release {
    /// What `web/inline/release.js` has found out.
    pub fn found() -> Self {
        let root = document().document_element();
        match root
            .and_then(|root| root.get_attribute("data-release"))
            .as_deref()
        {
            Some("kept") => Self::Kept,
            Some("ready") => Self::NewerWaits,
            Some("elsewhere") => Self::NewerElsewhere,
            _ => Self::Fleeting,
        }
    }

    /// A sentence for the person, where there is something to decide.
    pub fn sentence(self) -> Option<String> {
        match self {
            Self::Fleeting | Self::Kept => None,
            Self::NewerWaits => Some(tr!(
                "A newer version of this page is ready. It comes when you load it, or by itself \
                 at your next visit; the settings stay."
            )),
            Self::NewerElsewhere => Some(tr!(
                "Another tab went over to a newer version of this page. Load it here too when it \
                 suits you; the settings stay."
            )),
        }
    }
}

/// Follows the release, and lets it be kept once the engine no longer needs the network.
pub fn follow(store: Store) -> ReadSignal<Release> {
    let (release, set_release) = signal(Release::found());
    let changed = window_event_listener(ev::Custom::<web_sys::Event>::new("couplet-release"), {
        move |_| set_release.set(Release::found())
    });
    on_cleanup(move || changed.remove());
    Effect::new(move |_| {
        let settled = matches!(
            store.engine.state.get(),
            EngineState::Ready | EngineState::Failed(_) | EngineState::Crashed
        );
        if settled {
            tell("couplet-settled");
        }
    });
    release
}

/// Loads the newer version.
pub fn load_newer() {
    tell("couplet-update");
}

fn tell(what: &str) {
    if let Ok(event) = web_sys::Event::new(what) {
        let _ = window().dispatch_event(&event);
    }
}
