//! Which step is open, what was guessed, and how the page gets into a step's state.

use std::sync::Arc;

use couplet_playback::{decimal, tr};
use couplet_protocol::{Mistake, Rule};
use leptos::prelude::*;

use super::answered::{self, Answered, Guess};
use super::answers::Answer;
use super::course::{COURSE, Choices, Lesson, Place, Step, find};
use super::cover::Covered;
use super::facts::Facts;
use super::places::Spot;
use super::progress::Progress;
use super::runs::Runs;
use super::words::words;
use crate::browser;
use crate::couplings::{Exact, Exhibit};
use crate::errors::Said;
use crate::permalink::{self, View};
use crate::proof::{Argued, ProofState};
use crate::speed::{SpeedState, Terms};
use crate::store::{Kept, Recording, Scene, Store};

/// Which step of a lesson, counted from 1.
pub fn step_of(step: usize, steps: usize) -> String {
    tr!("Step {step} of {steps}", step, steps)
}

/// What the page shows instead of what a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Astray {
    /// Another scene than this.
    Scene(Scene),
    /// Other distributions.
    Distributions,
    /// Another run than the recorded one.
    Run,
    /// Another place of that run.
    Place,
}

/// Everything about lessons; copies are the same.
#[derive(Clone, Copy)]
pub struct Lessons {
    store: Store,
    exhibit: Exhibit,
    proof: ProofState,
    speed: SpeedState,
    /// The open step: its lesson and its place in it, from 0.
    pub open: RwSignal<Option<(usize, usize)>>,
    /// What was guessed in the open step.
    pub guess: RwSignal<Option<Guess>>,
    /// Steps whose answers were shown since a lesson was opened.
    answered: StoredValue<Vec<Answered>>,
    /// A number that is guessed, as it is written.
    pub typed: RwSignal<String>,
    /// Whether its answer is shown.
    pub revealed: RwSignal<bool>,
    /// Whether the panel is folded to its title, where it covers the page.
    pub folded: RwSignal<bool>,
    /// What is done.
    pub progress: RwSignal<Progress>,
    runs: Runs,
    /// What the words are about.
    pub facts: Memo<Option<Facts>>,
    /// Why the recordings could not be had.
    pub trouble: RwSignal<Option<Said>>,
    /// Whether the page goes to the open step's place in a run as soon as there is one.
    owed: StoredValue<bool>,
    /// What the exhibits showed before the lesson showed something else there.
    before: StoredValue<Before>,
}

/// What exhibits showed, as far as a lesson has put something else in its place.
#[derive(Clone, Default)]
pub struct Before {
    couplings: Option<Arc<Exact>>,
    proof: Option<Argued>,
    terms: Option<Option<Terms>>,
}

impl Before {
    /// What the exhibit of a scene shows now.
    pub fn of(scene: Scene, exhibit: Exhibit, proof: ProofState, speed: SpeedState) -> Self {
        let shows = |it: Scene| it == scene;
        Self {
            couplings: shows(Scene::Couplings).then(|| exhibit.exact.get_untracked()),
            proof: shows(Scene::Proof).then(|| untrack(|| proof.argued())),
            terms: shows(Scene::Speed).then(|| speed.terms.get_untracked()),
        }
    }
}

impl Lessons {
    /// As a link says. `before` is what there was before it was followed: what the link of a lesson
    /// says of an exhibit is the lesson's.
    pub fn new(
        store: Store,
        exhibit: Exhibit,
        proof: ProofState,
        speed: SpeedState,
        view: &View,
        before: Before,
    ) -> Self {
        let linked = view.lesson.as_deref().and_then(find).is_some();
        let runs = Runs::new(store, linked);
        let open = RwSignal::new(None);
        let reports = store.measuring.reports;
        let lessons = Self {
            store,
            exhibit,
            proof,
            speed,
            open,
            guess: RwSignal::new(None),
            answered: StoredValue::new(match browser::was_here() {
                true => answered::kept_by_tab(),
                false => {
                    answered::have_tab_keep(&[]);
                    Vec::new()
                }
            }),
            typed: RwSignal::new(String::new()),
            revealed: RwSignal::new(false),
            folded: RwSignal::new(false),
            progress: RwSignal::new(Progress::stored()),
            runs,
            facts: Memo::new(move |_| {
                // Who asks about the target alone waits for it, as the plan of all lessons does; nobody
                // else.
                let needs = open
                    .get()
                    .is_none_or(|(lesson, _)| COURSE.get(lesson).is_some_and(Lesson::needs_alone));
                let alone = runs.of(Recording::Alone);
                let alone = match needs {
                    true if !runs.settled.get() => return None,
                    true => alone.get(),
                    false => None,
                };
                runs.of(Recording::Speculative).with(|speculative| {
                    let facts = Facts::new(speculative.as_ref()?, alone.as_ref());
                    // What Speed shows beside the lesson, if it is about this pair and this device.
                    let of_pair = |kept: &&Kept| kept.pair.name == facts.pair.name;
                    let is_own = |kept: &Kept| kept.file.is_none() && of_pair(&kept);
                    let shown = speed.main.get().filter(is_own);
                    let newest = || reports.with(|all| all.iter().rev().find(of_pair).cloned());
                    let measured = shown.or_else(newest);
                    Some(Facts { measured, ..facts })
                })
            }),
            trouble: runs.trouble,
            owed: StoredValue::new(false),
            before: StoredValue::new(if linked { before } else { Before::default() }),
        };
        if let Some(key) = lessons.follow_link(view) {
            store.message.set(Some(permalink::left_out(key)));
        }
        Effect::new(move |_| {
            if store.scene.get() == Scene::Lessons {
                lessons.fetch();
            }
        });
        // A step is done when its answer is there, which may have to be measured first.
        Effect::new(move |_| {
            let is_done = lessons.revealed.get() && lessons.answer().is_some();
            if let Some((lesson, step)) = lessons.open.get().filter(|_| is_done) {
                lessons.progress.update(|progress| {
                    progress.add(lesson, step);
                    progress.store();
                });
            }
        });
        // Where the panel covers the page, it makes room for another part than its own.
        Effect::new(move |before: Option<Scene>| {
            let scene = store.scene.get();
            if before.is_some_and(|before| before != scene)
                && let Some((_, step)) = untrack(|| lessons.current())
            {
                let own = [step.place.scene(), step.reveal.scene()].contains(&scene);
                lessons.folded.set(!own);
            }
            scene
        });
        lessons
    }

    /// The lesson and the step in a link or in the address.
    ///
    /// Returns the key of what there is not.
    pub fn follow_link(&self, view: &View) -> Option<&'static str> {
        self.follow(view, view.at.is_none())
    }

    /// The lesson and the step that the browser's Back and Forward lead to, with the page as the
    /// step's question wants it.
    pub fn follow_history(&self, view: &View) {
        if view.lesson.is_none() && self.open.with_untracked(Option::is_some) {
            return self.close();
        }
        // Where somebody looked around during a step, they are not taken away from there.
        let place = view.lesson.as_deref().and_then(find);
        let step = place.and_then(|lesson| COURSE.get(lesson)?.steps.get(view.step - 1));
        let _ = self.follow(
            view,
            step.is_some_and(|step| step.place.scene() == view.scene),
        );
    }

    fn follow(&self, view: &View, arranges: bool) -> Option<&'static str> {
        let lesson = view.lesson.as_deref().and_then(find);
        let place = lesson.map(|lesson| {
            let steps = COURSE.get(lesson).map_or(1, |lesson| lesson.steps.len());
            (lesson, (view.step - 1).min(steps - 1))
        });
        let unknown = match place {
            None => view.lesson.is_some().then_some("lesson"),
            Some((_, step)) => (step + 1 != view.step).then_some("step"),
        };
        if place == self.open.get_untracked() {
            return unknown;
        }
        self.show(place);
        // Another place in the run could give away what a step asks, and so could what its answer
        // shows elsewhere.
        let asks = |step: &Step| match view.scene {
            Scene::Stage => {
                let differs = step.covers.is_some() || step.reveal != step.place;
                step.place.of_run().is_some() && differs
            }
            scene => step.reveal.scene() == scene && step.reveal != step.place,
        };
        let asks = untrack(|| self.current()).is_some_and(|(_, step)| asks(step));
        if place.is_some() && (arranges || asks && !self.revealed.get_untracked()) {
            self.return_to_step();
        } else if place.is_some() {
            self.fetch();
        }
        unknown
    }

    /// Name of the open lesson and its step, from 1; tracked.
    pub fn place(&self) -> Option<(String, usize)> {
        let (lesson, step) = self.open.get()?;
        Some((COURSE.get(lesson)?.id.to_owned(), step + 1))
    }

    /// The open lesson and step; tracked.
    pub fn current(&self) -> Option<(&'static Lesson, &'static Step)> {
        let (lesson, step) = self.open.get()?;
        let lesson = COURSE.get(lesson)?;
        Some((lesson, lesson.steps.get(step)?))
    }

    /// What the open lesson is called, and which step of it is open; tracked.
    pub fn heading(&self) -> Option<String> {
        let (lesson, step) = self.open.get()?;
        let lesson = COURSE.get(lesson)?;
        let title = &words().lesson(lesson.id)?.title;
        Some(format!(
            "{title}, {}",
            step_of(step + 1, lesson.steps.len())
        ))
    }

    /// Opens a step as it was left.
    fn show(&self, place: Option<(usize, usize)>) {
        let before = self.answered.with_value(|answered| {
            let mut answered = answered.iter();
            answered.find(|it| Some(it.step) == place).cloned()
        });
        self.revealed.set(before.is_some());
        self.guess.set(before.as_ref().map(|before| before.guess));
        self.typed
            .set(before.map(|before| before.typed).unwrap_or_default());
        self.owed.set_value(false);
        self.open.set(place);
    }

    /// Opens a step and brings the page into its state.
    pub fn go(&self, lesson: usize, step: usize) {
        self.folded.set(false);
        // The browser's Back leads out of a lesson that is opened without leaving its scene, too.
        let place = COURSE
            .get(lesson)
            .and_then(|it| Some((it, it.steps.get(step)?)));
        if let Some((it, first)) = place
            && self.open.with_untracked(Option::is_none)
            && first.place.scene() == self.store.scene.get_untracked()
        {
            permalink::write_view(true, |view| {
                (view.lesson, view.step) = (Some(it.id.to_owned()), step + 1);
            });
        }
        self.show(Some((lesson, step)));
        self.return_to_step();
    }

    /// The step before this one; `None` at the beginning of the course.
    pub fn previous_step(&self) -> Option<(usize, usize)> {
        let (lesson, step) = self.open.get()?;
        if step > 0 {
            return Some((lesson, step - 1));
        }
        let before = lesson.checked_sub(1)?;
        Some((before, COURSE.get(before)?.steps.len() - 1))
    }

    /// The step after this one; `None` at the end of the course.
    pub fn next_step(&self) -> Option<(usize, usize)> {
        let (lesson, step) = self.open.get()?;
        if step + 1 < COURSE.get(lesson)?.steps.len() {
            Some((lesson, step + 1))
        } else {
            COURSE.get(lesson + 1).map(|_| (lesson + 1, 0))
        }
    }

    /// Closes the lesson. A run that it took off the page comes back, and so do the distributions,
    /// the test and the terms that it put others in the place of.
    pub fn close(&self) {
        self.answered.set_value(Vec::new());
        answered::have_tab_keep(&[]);
        self.show(None);
        let before = self.before.try_update_value(std::mem::take);
        let Before {
            couplings,
            proof,
            terms,
        } = before.unwrap_or_default();
        if let Some(couplings) = couplings {
            self.exhibit.put_back(couplings);
        }
        if let Some(proof) = proof {
            self.proof.put_back(proof);
        }
        if let Some(terms) = terms {
            self.speed.put_back(terms);
        }
        self.runs.give_back();
    }

    /// Closes the last lesson; the list of all shows what was done.
    pub fn finish(&self) {
        self.close();
        self.store.open_scene(Scene::Lessons);
        window().scroll_to_with_x_and_y(0.0, 0.0);
        browser::focus("#scene");
    }

    /// What is right in the open step, where that is known; tracked.
    pub fn answer(&self) -> Option<Answer> {
        let (_, step) = self.current()?;
        self.facts.with(|facts| (step.answer)(facts.as_ref()?))
    }

    /// Whether a part of the page would give the answer of the open step, or of a later one, away;
    /// tracked.
    pub fn covers(&self, what: Covered) -> bool {
        let Some((_, step)) = self.current() else {
            return false;
        };
        // Where the run of the target alone is missing, another one stands there, whose rounds a later
        // step counts.
        let is_missing = matches!(self.here(), Some(Place::Alone(_)))
            && self.runs.of(Recording::Alone).with(Option::is_none);
        if is_missing && what == Covered::Rounds {
            return true;
        }
        let covered = match self.revealed.get() {
            true => step.covers_on,
            false => step.covers,
        };
        covered.is_some_and(|covered| covered.includes(what))
    }

    /// Shows the answer to the guess.
    pub fn reveal(&self) {
        let Some((_, step)) = untrack(|| self.current()) else {
            return;
        };
        let Some(guess) = self.guess.get_untracked() else {
            return;
        };
        let is_astray = untrack(|| self.astray()).is_some();
        self.revealed.set(true);
        if let Some((lesson, place)) = self.open.get_untracked() {
            let answered = Answered {
                step: (lesson, place),
                guess,
                typed: self.typed.get_untracked(),
            };
            self.answered.update_value(|all| {
                all.push(answered);
                answered::have_tab_keep(all);
            });
        }
        if step.reveal != step.place || is_astray {
            self.arrange(step.reveal);
        }
    }

    /// Whether a guess is right, or near enough.
    pub fn is_right(guess: Guess, answer: Answer) -> bool {
        match (guess, answer) {
            (Guess::Choice(guess), Answer::Choice(answer)) => guess == answer,
            (
                guess,
                Answer::Number {
                    value,
                    decimals,
                    near,
                    ..
                },
            ) => {
                // What is shown is rounded; nobody is wrong by what they cannot see.
                let near = near + 0.5 * 0.1_f64.powi(decimals as i32) + 1e-9;
                let guess = answer.meant(guess);
                guess.is_some_and(|guess| (guess - value).abs() <= near)
            }
            _ => false,
        }
    }

    /// Whether a guess that is right says all that is shown of the answer.
    pub fn is_exact(guess: Guess, answer: Answer) -> bool {
        match (answer.meant(guess), answer) {
            (
                Some(guess),
                Answer::Number {
                    value, decimals, ..
                },
            ) => format!("{guess:.decimals$}") == format!("{value:.decimals$}"),
            _ => true,
        }
    }

    /// The choices of a step as a person reads them.
    pub fn choices(step: &Step, words: &super::words::StepWords, facts: &Facts) -> Vec<String> {
        match step.choices {
            Choices::Words => {
                let choices = words.choices.iter();
                choices
                    .map(|text| super::words::fill(text, facts))
                    .collect()
            }
            Choices::Tokens(round) => {
                let proposals = facts.round(round).map(|(_, round)| &round.proposals);
                let tokens = proposals
                    .into_iter()
                    .flatten()
                    .map(|it| facts.shown(it.token));
                tokens.chain(words.none.clone()).collect()
            }
            Choices::Number => Vec::new(),
        }
    }

    /// What is right as a person reads it, with its unit.
    pub fn spelled(answer: Answer, choices: &[String], unit: &str) -> String {
        match answer {
            Answer::Choice(place) => choices.get(place).cloned().unwrap_or_default(),
            Answer::Number {
                value, decimals, ..
            } => format!("{} {unit}", decimal(value, decimals)),
        }
    }

    /// Brings the page into a state, as soon as it can be.
    fn arrange(&self, place: Place) {
        self.fetch();
        self.bring_to(place);
    }

    fn bring_to(&self, place: Place) {
        self.store.playhead.pause();
        self.store.open_scene(place.scene());
        match place {
            Place::Stage(spot) => self.stand_at(Recording::Speculative, spot),
            Place::Alone(spot) => self.stand_at(Recording::Alone, spot),
            Place::Couplings(name) => {
                let exact = self.exhibit.exact.get_untracked();
                self.before.update_value(|before| {
                    before.couplings.get_or_insert(exact);
                });
                self.exhibit.show_named(name);
            }
            Place::Proof(name, part) => self.put_to_proof(name, part, &[], Rule::Rejection),
            Place::Mistaken(name, mistake) => {
                self.put_to_proof(name, 3, &[mistake], Rule::Rejection);
            }
            Place::Tested(name, rule) => {
                self.put_to_proof(name, 3, &[], rule);
                self.proof.count_first();
            }
            Place::Speed(terms) => {
                let now = self.speed.terms.get_untracked();
                self.before.update_value(|before| {
                    before.terms.get_or_insert(now);
                });
                self.speed.teach(terms.map(Terms::of_hundredths));
            }
        }
        if let Some(part) = place.part() {
            show_beside(part);
        }
        self.store.playhead.unasked.set_value(true);
    }

    /// Has Proof show a pair, and make and test what a step is about.
    fn put_to_proof(&self, name: &str, part: usize, mistakes: &[Mistake], rule: Rule) {
        let proof = self.proof;
        let argued = untrack(|| proof.argued());
        self.before.update_value(|before| {
            before.proof.get_or_insert(argued);
        });
        proof.show_named(name, part);
        proof.museum.make(mistakes);
        proof.choose_rule(rule);
    }

    /// What the page shows instead of what the open step is about; tracked.
    pub fn astray(&self) -> Option<Astray> {
        let place = self.here()?;
        let scene = place.scene();
        if self.store.scene.get() != scene {
            return Some(Astray::Scene(scene));
        }
        let lets_go = |(_, step): (_, &Step)| step.lets_go && self.revealed.get();
        if self.current().is_some_and(lets_go) {
            return None;
        }
        let shown = match place {
            Place::Couplings(name) => Some((name, self.exhibit.preset_name())),
            Place::Proof(name, _) | Place::Mistaken(name, _) | Place::Tested(name, _) => {
                Some((name, self.proof.preset_name()))
            }
            Place::Stage(_) | Place::Alone(_) | Place::Speed(_) => None,
        };
        if shown.is_some_and(|(name, shown)| shown.as_deref() != Some(name)) {
            return Some(Astray::Distributions);
        }
        let (recording, spot) = place.of_run()?;
        // What has yet to come is no other run.
        let is_empty = self.store.shown.with(Option::is_none);
        if is_empty || self.runs.of(recording).with(Option::is_none) {
            return None;
        }
        if self.runs.taught() != Some(recording) {
            return Some(Astray::Run);
        }
        let at = self
            .facts
            .with(|facts| facts.as_ref()?.place(recording, spot));
        (at != Some(self.store.playhead.at.get())).then_some(Astray::Place)
    }

    /// Brings the page back into the state of the open step.
    pub fn return_to_step(&self) {
        if let Some(place) = untrack(|| self.here()) {
            self.arrange(place);
        }
    }

    /// The state that the open step has brought the page into; tracked.
    fn here(&self) -> Option<Place> {
        let (_, step) = self.current()?;
        Some(if self.revealed.get() {
            step.reveal
        } else {
            step.place
        })
    }

    fn stand_at(&self, recording: Recording, spot: Spot) {
        let at = |facts: &Option<Facts>| facts.as_ref()?.place(recording, spot);
        let is_here = self.runs.show(recording);
        let at = self.facts.with_untracked(at).filter(|_| is_here);
        self.owed.set_value(at.is_none());
        if let Some(at) = at {
            self.store.playhead.go(at);
        }
    }

    /// Has the recordings come. One that could not is asked for again with the next step, and not by
    /// itself.
    fn fetch(&self) {
        let lessons = *self;
        self.runs.fetch(move || {
            // A link may lead to a place of its own, and whoever looks around meanwhile is not taken
            // away from there.
            let scene = lessons.store.scene.get_untracked();
            if lessons.owed.get_value()
                && scene == Scene::Stage
                && let Some(place) = untrack(|| lessons.here())
            {
                lessons.bring_to(place);
            }
        });
    }
}

/// Scrolls to a part of the scene, where that does not take the answer out of sight.
fn show_beside(part: String) {
    if browser::style_of(".lesson-between", "display").as_deref() == Some("none") {
        // Once the page has been laid out.
        request_animation_frame(move || {
            request_animation_frame(move || browser::jump(&part));
        });
    }
}

/// The lessons of the page.
pub fn use_lessons() -> Lessons {
    expect_context::<Lessons>()
}
