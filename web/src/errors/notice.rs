use couplet_protocol::{BackendKind, FailureKind};
use leptos::prelude::*;
use tr::tr;

use crate::browser;
use crate::engine_client::EngineState;
use crate::heard::Heard;
use crate::language;
use crate::release::{self, Release};
use crate::share::{has_control, use_sharing};
use crate::store::{Scene, Store, use_store};

/// Under it the tab remembers why there is no better device, once somebody has closed that notice.
const KNOWN: &str = "couplet-reason";

/// Why there is no better device, as far as somebody has closed the notice of it. Copies are the same.
#[derive(Clone, Copy)]
pub struct Known {
    reason: RwSignal<Option<String>>,
    /// Whether the notice waits until it is asked for. On a phone it would push the text down while
    /// that is read; the badge says which device it is.
    waits: RwSignal<bool>,
}

impl Known {
    /// What this tab remembers.
    pub fn new() -> Self {
        Self {
            reason: RwSignal::new(browser::remembered_by_tab(KNOWN)),
            waits: RwSignal::new(browser::is_narrow()),
        }
    }

    /// The notice is closed.
    fn keep(self, reason: Option<String>) {
        browser::have_tab_remember(KNOWN, reason.as_deref().unwrap_or_default());
        self.reason.set(reason);
    }

    /// Shows the notice, again or for the first time.
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

    fn take(self, store: Store, later: RwSignal<bool>, known: Known) {
        if matches!(self, Self::Retry | Self::Restart) {
            // What was refused meanwhile was refused for what is tried again.
            store.message.set(None);
        }
        match self {
            Self::Retry => store.engine.retry(),
            Self::Cpu => store.use_cpu(),
            Self::Restart => store.engine.restart(),
            Self::DismissTrouble => store.engine.trouble.set(None),
            Self::DismissMessage => store.message.set(None),
            Self::DismissRefusal => store.form.refused.set(None),
            Self::BringBack => store.bring_back(),
            Self::DismissAside => store.aside.update(|all| drop(all.pop())),
            Self::LoadNewer => release::load_newer(),
            Self::Later => later.set(true),
            Self::HideReason => {
                let reason = store.engine.device.get_untracked();
                known.keep(reason.and_then(|device| device.reason));
            }
        }
        // The notice goes, and with it the button that has the focus.
        browser::focus("#scene");
    }
}

#[derive(Clone, PartialEq)]
struct Notice {
    sentence: String,
    ways: Vec<Way>,
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
            let ways = match failure.kind {
                FailureKind::Device => vec![Way::Cpu, Way::Restart],
                FailureKind::Download | FailureKind::Files => vec![Way::Retry],
                FailureKind::Input | FailureKind::Stopped | FailureKind::Internal => {
                    vec![Way::Restart]
                }
            };
            notices.push(Notice { sentence, ways });
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
                ways: vec![Way::Restart],
            });
        }
        EngineState::Starting | EngineState::Loading { .. } | EngineState::Ready => {
            if let Some(sentence) = store.engine.trouble.get() {
                notices.push(Notice {
                    sentence: language::of_engine(&sentence),
                    ways: vec![Way::DismissTrouble],
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
            ways: vec![Way::DismissMessage],
        });
    }
    if let Some(error) = store.form.refused.get()
        && !(store.scene.get() == Scene::Stage
            && hidden.with(|hidden| has_control(&error.field, hidden)))
    {
        notices.push(Notice {
            sentence: language::of_engine(&error.sentence),
            ways: vec![Way::DismissRefusal],
        });
    }
    if store.aside.with(|all| !all.is_empty()) {
        notices.push(Notice {
            sentence: tr!("The run that was here before is kept."),
            ways: vec![Way::BringBack, Way::DismissAside],
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
            ways: vec![Way::HideReason],
        });
    }
    if let Some(sentence) = release.sentence() {
        notices.push(Notice {
            sentence,
            ways: vec![Way::LoadNewer, Way::Later],
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
    let later = RwSignal::new(false);
    let known = expect_context::<Known>();
    let all = Memo::new(move |_| {
        let release = if later.get() {
            Release::default()
        } else {
            release.get()
        };
        notices(store, release, hidden, known)
    });
    let newest = newest(all);
    let heard = Signal::derive(move || Some(newest.get()).filter(|sentence| !sentence.is_empty()));
    view! {
        <Heard said=heard />
        <section class="notices" data-testid="notice" aria-label=tr!("Notices") hidden=move || all.with(Vec::is_empty)>
            {move || {
                all.get()
                    .into_iter()
                    .map(|notice| {
                        let buttons = notice
                            .ways
                            .into_iter()
                            .map(|way| {
                                view! {
                                    <button type="button" class="button" on:click=move |_| way.take(store, later, known)>
                                        {way.label()}
                                    </button>
                                }
                            })
                            .collect_view();
                        view! {
                            <div class="notice">
                                <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
                                    <rect x="1.5" y="1.5" width="15" height="15" rx="2" fill="none" stroke="currentColor"
                                        stroke-width="1.8" />
                                    <path d="M9 4.6v5.4M9 12.4v1.6" stroke="currentColor" stroke-width="2" />
                                </svg>
                                <p>{notice.sentence}</p>
                                {buttons}
                            </div>
                        }
                    })
                    .collect_view()
            }}
        </section>
    }
}
