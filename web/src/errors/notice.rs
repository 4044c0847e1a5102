use couplet_playback::{capital, count_word, tr};
use couplet_protocol::{BackendChoice, BackendKind, FailureKind};
use leptos::prelude::*;

use crate::browser;
use crate::engine_client::EngineState;
use crate::heard::Heard;
use crate::language;
use crate::release::{self, Release};
use crate::share::{has_control, use_sharing};
use crate::store::{Scene, Store, use_store};

/// Under it the tab remembers why there is no better device, once somebody has closed that notice.
const KNOWN: &str = "couplet-reason";

/// What somebody has closed the notice of: why there is no better device, and a newer release. Copies
/// are the same.
#[derive(Clone, Copy)]
pub struct Known {
    reason: RwSignal<Option<String>>,
    /// Whether the notice of that waits until it is asked for. On a phone it would push the text down
    /// while that is read; the badge says which device it is.
    waits: RwSignal<bool>,
    /// What was put off of what is said of a newer release; anything else is said.
    later: RwSignal<Release>,
}

impl Known {
    /// What this tab remembers.
    pub fn new() -> Self {
        Self {
            reason: RwSignal::new(browser::remembered_by_tab(KNOWN)),
            waits: RwSignal::new(browser::is_narrow()),
            later: RwSignal::default(),
        }
    }

    /// The notice of the reason is closed.
    fn keep(self, reason: Option<String>) {
        browser::have_tab_remember(KNOWN, reason.as_deref().unwrap_or_default());
        self.reason.set(reason);
    }

    /// Shows the notice of the reason, again or for the first time.
    pub fn show(self) {
        self.keep(None);
        self.waits.set(false);
    }

    fn hides(self, reason: &String) -> bool {
        self.waits.get() || self.reason.get().as_ref() == Some(reason)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Retry,
    Cpu,
    Restart,
    DismissTrouble,
    DismissMessage,
    DismissRefusal,
    BringBack,
    DismissAside,
    LoadNewer,
    Later,
    HideReason,
}

impl Way {
    /// In the order of the notices that are known by them.
    const ALL: [Self; 11] = [
        Self::Cpu,
        Self::Retry,
        Self::Restart,
        Self::DismissTrouble,
        Self::DismissMessage,
        Self::DismissRefusal,
        Self::BringBack,
        Self::DismissAside,
        Self::HideReason,
        Self::LoadNewer,
        Self::Later,
    ];

    /// What else can be done where it is what comes first.
    fn beside(self) -> Option<Self> {
        match self {
            Self::Cpu => Some(Self::Restart),
            Self::BringBack => Some(Self::DismissAside),
            Self::LoadNewer => Some(Self::Later),
            _ => None,
        }
    }

    fn label(self) -> String {
        match self {
            Self::Retry => tr!("Try again"),
            Self::Cpu => tr!("Use the CPU"),
            Self::Restart => tr!("Restart the engine"),
            Self::BringBack => tr!("Bring it back"),
            Self::DismissTrouble
            | Self::DismissMessage
            | Self::DismissRefusal
            | Self::DismissAside => tr!("Close"),
            Self::LoadNewer => tr!("Load it"),
            Self::Later => tr!("Later"),
            Self::HideReason => tr!("Hide this"),
        }
    }

    fn take(self, store: Store, known: Known) {
        if matches!(self, Self::Retry | Self::Restart) {
            // What was refused meanwhile was refused for what is tried again.
            store.message.set(None);
        }
        match self {
            Self::Retry => store.bring_engine(),
            Self::Cpu => store.use_backend(BackendChoice::Cpu),
            Self::Restart => store.restart_engine(),
            Self::DismissTrouble => store.engine.trouble.set(None),
            Self::DismissMessage => store.message.set(None),
            Self::DismissRefusal => store.form.refused.set(None),
            Self::BringBack => store.bring_back(),
            Self::DismissAside => store.aside.update(|all| drop(all.pop())),
            Self::LoadNewer => release::load_newer(),
            Self::Later => known.later.set(Release::found()),
            Self::HideReason => {
                let reason = store.engine.device.get_untracked();
                known.keep(reason.and_then(|device| device.reason));
            }
        }
        // The notice goes, and with it the button that has the focus.
        browser::focus("#scene");
    }
}

/// A sentence, and the first of what can be done about it, by which the notice is known.
#[derive(Clone, PartialEq)]
struct Notice {
    sentence: String,
    way: Way,
}

fn notices(
    store: Store,
    release: Release,
    hidden: RwSignal<Vec<&'static str>>,
    known: Known,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    let state = store.engine.state.get();
    let mut failed = None;
    match &state {
        EngineState::Failed(failure) => {
            let sentence = language::of_engine(&failure.sentence);
            failed = Some(sentence.clone());
            let way = match failure.kind {
                FailureKind::Device => Way::Cpu,
                FailureKind::Download | FailureKind::Files => Way::Retry,
                FailureKind::Input | FailureKind::Stopped | FailureKind::Internal => Way::Restart,
            };
            notices.push(Notice { sentence, way });
        }
        EngineState::Crashed => {
            let sentence = store
                .engine
                .trouble
                .get()
                .map(|sentence| language::of_engine(&sentence))
                .unwrap_or_else(|| tr!("The engine stopped."));
            notices.push(Notice {
                sentence,
                way: Way::Restart,
            });
        }
        EngineState::Starting | EngineState::Loading { .. } | EngineState::Ready => {
            if let Some(sentence) = store.engine.trouble.get() {
                notices.push(Notice {
                    sentence: language::of_engine(&sentence),
                    way: Way::DismissTrouble,
                });
            }
        }
    }
    if let Some(sentence) = store
        .message
        .get()
        .map(|said| said.now())
        .filter(|sentence| failed.as_ref() != Some(sentence))
    {
        notices.push(Notice {
            sentence,
            way: Way::DismissMessage,
        });
    }
    if let Some(error) = store.form.refused.get()
        && !(store.scene.get() == Scene::Stage
            && hidden.with(|hidden| has_control(&error.field, hidden)))
    {
        notices.push(Notice {
            sentence: language::of_engine(&error.sentence),
            way: Way::DismissRefusal,
        });
    }
    let aside = store.aside.with(Vec::len);
    if aside > 0 {
        notices.push(Notice {
            // How many, so that closing one is seen to do so.
            sentence: tr!(
                "The run that was here before is kept."
                    | "{n} runs that were here before are kept, and come back in turn." % aside,
                n = capital(&count_word(aside))
            ),
            way: Way::BringBack,
        });
    }
    if state == EngineState::Ready
        && let Some(device) = store.engine.device.get()
        && let Some(reason) = device.reason.filter(|reason| !known.hides(reason))
    {
        let reason = language::of_engine(&reason);
        let sentence = match device.backend {
            BackendKind::Gpu => reason,
            BackendKind::Cpu => tr!(
                "{reason} Both models run on the CPU: everything works and is just as exact.",
                reason
            ),
        };
        notices.push(Notice {
            sentence,
            way: Way::HideReason,
        });
    }
    if let Some(sentence) = release.sentence() {
        notices.push(Notice {
            sentence,
            way: Way::LoadNewer,
        });
    }
    notices
}

/// The sentence of the last notice that came, while it stands: only that is to be heard, and not what
/// stood there before.
fn newest(all: Memo<Vec<Notice>>) -> RwSignal<String> {
    let newest = RwSignal::new(String::new());
    Effect::new(move |before: Option<Vec<Notice>>| {
        let (now, before) = (all.get(), before.unwrap_or_default());
        let stands = |notice: &Notice| newest.with_untracked(|newest| notice.sentence == *newest);
        match now.iter().rev().find(|notice| !before.contains(notice)) {
            Some(new) => newest.set(new.sentence.clone()),
            None if now.iter().any(stands) => {}
            None => newest.set(String::new()),
        }
        now
    });
    newest
}

/// Everything the person should know before going on.
#[component]
pub fn Notices() -> impl IntoView {
    let (store, hidden) = (use_store(), use_sharing().hidden);
    let release = release::follow(store);
    let known = expect_context::<Known>();
    let all = Memo::new(move |_| {
        let release = Some(release.get()).filter(|release| known.later.get() != *release);
        let release = release.unwrap_or_default();
        notices(store, release, hidden, known)
    });
    let newest = newest(all);
    let heard = Signal::derive(move || Some(newest.get()).filter(|sentence| !sentence.is_empty()));
    let button = move |way: Way| {
        view! {
            <button type="button" class="button" on:click=move |_| way.take(store, known)>{way.label()}</button>
        }
    };
    let shown = move |way: Way| {
        let is_it = |notice: &&Notice| notice.way == way;
        let sentence = all.with(|all| all.iter().find(is_it).map(|notice| notice.sentence.clone()));
        sentence.map(|sentence| {
            view! {
                <div class="notice">
                    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
                        <rect x="1.5" y="1.5" width="15" height="15" rx="2" fill="none" stroke="currentColor"
                            stroke-width="1.8" />
                        <path d="M9 4.6v5.4M9 12.4v1.6" stroke="currentColor" stroke-width="2" />
                    </svg>
                    <p>{sentence}</p>
                    {button(way)}
                    {way.beside().map(button)}
                </div>
            }
        })
    };
    view! {
        <Heard said=heard />
        <section class="notices" data-testid="notice" aria-label=tr!("Notices") hidden=move || all.with(Vec::is_empty)>
            // Each at a place of its own: in a list the next one takes over the elements of one that goes,
            // and whoever is on a button there would press another one.
            {Way::ALL.map(|way| (move || shown(way)).into_any()).collect_view()}
        </section>
    }
}
