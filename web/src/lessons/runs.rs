//! The recorded runs that the lessons are about, and what they take the place of on the Stage.

use couplet_playback::tr;
use couplet_protocol::{Settings, Trace};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::errors::Said;
use crate::form::Texts;
use crate::language;
use crate::store::{Recording, Store, fetch_recording};

/// The pair whose recordings are taught.
const PAIR: &str = "shakespeare";

const ALL: [Recording; 2] = [Recording::Speculative, Recording::Alone];

/// What a recorded run took the place of.
#[derive(Clone)]
enum Replaced {
    /// A run that can be brought back, by its number.
    Run(u32),
    /// A recording, with what the form said, and whether a run of that was to be written or about to begin.
    Form(Texts, bool),
    /// The run that the address asks for, which had yet to come.
    Link,
}

/// The runs, as they come; copies are the same.
#[derive(Clone, Copy)]
pub struct Runs {
    store: Store,
    speculative: RwSignal<Option<Trace>>,
    alone: RwSignal<Option<Trace>>,
    /// Whether it is known if there is one of the target alone.
    pub settled: RwSignal<bool>,
    /// Why the one that all lessons need could not be had.
    pub trouble: RwSignal<Option<Said>>,
    asked: StoredValue<Vec<Recording>>,
    /// Whether the page was opened with a lesson that was not closed yet: then a recorded run in its
    /// address is the lesson's, and nothing that somebody has set.
    opened_here: StoredValue<bool>,
    replaced: StoredValue<Option<Replaced>>,
}

impl Runs {
    /// None is here yet. `opened_here`: whether the page's address names a lesson.
    pub fn new(store: Store, opened_here: bool) -> Self {
        Self {
            store,
            speculative: RwSignal::new(None),
            alone: RwSignal::new(None),
            settled: RwSignal::new(false),
            trouble: RwSignal::new(None),
            asked: StoredValue::new(Vec::new()),
            opened_here: StoredValue::new(opened_here),
            replaced: StoredValue::new(None),
        }
    }

    /// A recording, once it is here.
    pub fn of(self, recording: Recording) -> RwSignal<Option<Trace>> {
        match recording {
            Recording::Speculative => self.speculative,
            Recording::Alone => self.alone,
        }
    }

    /// Which of them is on the page; tracked.
    pub fn taught(self) -> Option<Recording> {
        self.store.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let comes_with_page = shown.recorded && shown.file.is_none();
            ALL.into_iter()
                .filter(|_| comes_with_page)
                .find(|it| self.is_with(*it, &shown.settings))
        })
    }

    fn is_with(self, recording: Recording, settings: &Settings) -> bool {
        let with =
            |trace: &Option<Trace>| trace.as_ref().is_some_and(|it| it.settings == *settings);
        self.of(recording).with(with)
    }

    /// Whether settings that the page's address names are those of a lesson's run.
    fn is_of_lesson(self, settings: &Settings) -> bool {
        self.opened_here.get_value() && untrack(|| ALL.iter().any(|it| self.is_with(*it, settings)))
    }

    fn form_is_of_lesson(self) -> bool {
        let form = untrack(|| self.store.form.read());
        form.is_ok_and(|form| ALL.iter().any(|it| self.is_with(*it, &form)))
    }

    /// Puts a recording on the page, where it is not there already to stay. Tells whether it is here.
    pub fn show(self, recording: Recording) -> bool {
        let Some(trace) = self.of(recording).get_untracked() else {
            return false;
        };
        let (form, asking) = (&self.store.form, &self.store.asking);
        // What is about to take the page would take it in the middle of a question.
        let waits =
            untrack(|| self.store.is_writing()) || form.pair.with_untracked(|pair| pair != PAIR);
        let is_linked = asking.linked.get_untracked();
        if (is_linked || !waits) && untrack(|| self.taught()) == Some(recording) {
            if is_linked && asking.wanted.get_untracked() {
                asking.wanted.set(false);
                self.replaced.set_value(Some(Replaced::Link));
            }
            return true;
        }
        // A run whose prompt is still being read has nothing to come back with.
        let wanted = asking.is_about_to_begin();
        let (said, texts) = (untrack(|| form.read()), form.texts());
        let is_of_lesson = said.is_ok_and(|form| self.is_of_lesson(&form));
        let replaced = match self.store.replay(trace, None) {
            Some(id) => Replaced::Run(id),
            None if is_of_lesson => Replaced::Form(self.usual(), false),
            None => Replaced::Form(texts, wanted),
        };
        self.replaced.update_value(|before| {
            // What somebody had written or asked for meanwhile is what they want back.
            *before = match (before.take(), replaced) {
                (_, run @ Replaced::Run(_)) => Some(run),
                (_, form) if waits => Some(form),
                (Some(Replaced::Link), Replaced::Form(form, _)) => Some(Replaced::Form(form, true)),
                (before, form) => before.or(Some(form)),
            };
        });
        true
    }

    /// What the form says where nobody has set anything.
    fn usual(self) -> Texts {
        let of = |trace: &Option<Trace>| trace.as_ref().map(|trace| Texts::from(&trace.settings));
        let recorded = self.speculative.with_untracked(of);
        recorded.unwrap_or_else(|| Texts::from(&Settings::default()))
    }

    /// Gives the page back what a recording took the place of, where it is still there.
    pub fn give_back(self) {
        let replaced = self.replaced.try_update_value(Option::take).flatten();
        let opened_here = self.opened_here.get_value();
        self.opened_here.set_value(false);
        let Some(taught) = untrack(|| self.taught()) else {
            return;
        };
        if let Some(Replaced::Link) = replaced {
            // Unless somebody has left the link since.
            if self.store.asking.linked.get_untracked() {
                self.store.generate();
            }
            return;
        }
        if let Some(Replaced::Run(id)) = replaced {
            if !self.store.bring_back_if_last(id) {
                // Somebody wanted it gone.
                self.go_back_to(&self.usual(), false, taught);
            }
            return;
        }
        // The recording of another pair that was chosen is on its way.
        if self.store.form.pair.with_untracked(|pair| pair != PAIR) {
            return;
        }
        match replaced {
            Some(Replaced::Form(form, wanted)) => self.go_back_to(&form, wanted, taught),
            // The lesson's own settings are nothing that somebody has set.
            _ if opened_here && self.form_is_of_lesson() => {
                self.go_back_to(&self.usual(), false, taught);
            }
            _ => {}
        }
    }

    fn go_back_to(self, form: &Texts, wanted: bool, taught: Recording) {
        // The page has no need of a pair's recording while it shows another one of it.
        let says = |trace: &Option<Trace>| {
            let settings = trace.as_ref().map(|trace| Texts::from(&trace.settings));
            settings.as_ref() == Some(form)
        };
        let first = match self.alone.with_untracked(says) {
            true => Recording::Alone,
            false => Recording::Speculative,
        };
        if form.pair() == PAIR && taught != first {
            match self.of(first).get_untracked() {
                Some(trace) => {
                    self.store.replay(trace, None);
                }
                None => self.store.take_off(),
            }
        }
        self.store.go_back_to(form, wanted);
    }

    /// Has the recordings come, each once; `then` whenever one has, or could not.
    pub fn fetch(self, then: impl Fn() + Copy + 'static) {
        for recording in ALL {
            if !self.asked.with_value(|asked| asked.contains(&recording)) {
                self.asked.update_value(|asked| asked.push(recording));
                spawn_local(async move {
                    self.fetch_one(recording).await;
                    then();
                });
            }
        }
    }

    async fn fetch_one(self, recording: Recording) {
        let fetched = fetch_recording(PAIR, recording).await;
        let why = fetched.as_ref().err().cloned().map(|why| {
            Said::new(move || {
                tr!(
                    "The lessons need the recorded run, and it could not be loaded: {why}. Open a lesson once more to try again.",
                    why = language::of_engine(&why)
                )
            })
        });
        if why.is_some() {
            self.asked
                .update_value(|asked| asked.retain(|it| *it != recording));
        }
        match recording {
            // Without it, two questions stand before another run, and everything else is as ever.
            Recording::Alone => self.settled.set(true),
            Recording::Speculative => self.trouble.set(why),
        }
        if let Ok(trace) = fetched {
            self.of(recording).set(Some(trace));
            self.answer_address();
        }
    }

    /// The page's own copy of the recording that its address names may still be on its way: the models
    /// do not write that run before it comes.
    fn answer_address(self) {
        let asking = &self.store.asking;
        let form = untrack(|| self.store.form.read()).ok();
        if asking.linked.get_untracked() && form.is_some_and(|form| self.is_of_lesson(&form)) {
            asking.answer();
        }
    }
}
