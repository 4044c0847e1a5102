//! The runs behind the panel. They stay here: the run on the Stage is not touched.

use couplet_playback::{Cut, Run, tr};
use couplet_protocol::{Command, Drafter, Event, FinishReason, Reply, Rule, Settings};
use leptos::prelude::*;

use crate::couplings::exhibit::Exhibit;
use crate::errors::Said;
use crate::form::FieldError;
use crate::language;

/// Tokens of each text.
const LENGTH: u32 = 60;
/// Drafted per round where the settings have nothing drafted.
const GAMMA: u32 = 5;

/// What one drafter and the target wrote under one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The tokens after the prompt, as text.
    pub tokens: Vec<String>,
    /// Drafted tokens that were judged.
    pub tested: u64,
    /// Drafted tokens that were kept.
    pub accepted: u64,
}

/// The texts of all drafters.
#[derive(Clone, Debug, PartialEq)]
pub struct Texts {
    /// What they have in common.
    pub settings: Settings,
    /// The rule of the first column; the second is Rejection.
    pub rule: Rule,
    /// How the pair cuts text.
    pub cut: Cut,
    /// Row after row in the order of [`Drafter::ALL`].
    pub cells: [[Option<Written>; 2]; 3],
}

/// What is going on.
#[derive(Clone)]
pub enum Writing {
    /// Nothing.
    Idle,
    /// Texts are being written.
    Row {
        /// How many are done.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// Why it ended before its end.
    Failed(Said),
}

/// The panel's state; copies are the same.
#[derive(Clone, Copy)]
pub struct Swap {
    /// The rule of the first column of the next texts.
    pub rule: RwSignal<Rule>,
    /// The texts on the page.
    pub texts: RwSignal<Option<Texts>>,
    /// What is going on.
    pub writing: RwSignal<Writing>,
    request: StoredValue<Option<u32>>,
}

impl Swap {
    /// Nothing written yet.
    pub fn new() -> Self {
        Self {
            rule: RwSignal::new(Rule::Gumbel),
            texts: RwSignal::new(None),
            writing: RwSignal::new(Writing::Idle),
            request: StoredValue::new(None),
        }
    }
}

/// The texts that are coming.
struct Coming {
    texts: Texts,
    /// Whether there is nothing on the page that they would push away before they are complete.
    seen: bool,
    done: usize,
}

const COUNT: usize = 6;

fn stopped() -> Said {
    Said::new(|| tr!("Stopped."))
}

impl Exhibit {
    /// Writes the text of every drafter under both rules, one after another.
    pub fn swap_drafters(&self) {
        let swap = self.swap;
        if matches!(swap.writing.get_untracked(), Writing::Row { .. }) {
            return;
        }
        let form = self.store.form;
        let mut settings = match untrack(|| form.read()) {
            Ok(settings) => settings,
            Err(error) => {
                // Read again, it is in the language of now.
                let said = Said::new(move || {
                    let again = untrack(|| form.read()).err();
                    let again = again.filter(|again| again.field == error.field);
                    again.as_ref().unwrap_or(&error).on_the_stage()
                });
                swap.writing.set(Writing::Failed(said));
                return;
            }
        };
        settings.max_tokens = LENGTH;
        settings.auto_gamma = false;
        if settings.gamma == 0 {
            settings.gamma = GAMMA;
        }
        let texts = Texts {
            settings,
            rule: swap.rule.get_untracked(),
            cut: Cut::Characters,
            cells: Default::default(),
        };
        let seen = swap.texts.with_untracked(Option::is_none);
        self.write_next(Coming {
            texts,
            seen,
            done: 0,
        });
    }

    /// Ends the writing; what is complete stays.
    pub fn stop_swap(&self) {
        if let Some(id) = self.swap.request.get_value() {
            self.store.engine.stop(id);
        }
    }

    fn write_next(self, coming: Coming) {
        let swap = self.swap;
        if coming.seen || coming.done == COUNT {
            swap.texts.set(Some(coming.texts.clone()));
        }
        if coming.done == COUNT {
            swap.request.set_value(None);
            swap.writing.set(Writing::Idle);
            return;
        }
        // It would bring back the pair that somebody has just left.
        if self.store.form.pair.get_untracked() != coming.texts.settings.pair {
            return self.give_up(stopped());
        }
        swap.writing.set(Writing::Row {
            done: coming.done,
            of: COUNT,
        });
        let (row, column) = (coming.done / 2, coming.done % 2);
        let settings = Settings {
            drafter: Drafter::ALL[row],
            rule: [coming.texts.rule, Rule::Rejection][column],
            ..coming.texts.settings.clone()
        };
        let pair = settings.pair.clone();
        let mut events: Vec<Event> = Vec::new();
        let mut coming = Some(coming);
        let id = self.store.engine.request_with_pair(
            &pair,
            |id| Command::Generate {
                id,
                settings,
                branch: None,
            },
            move |reply| {
                let end = match reply {
                    Reply::Events { events: more, .. } => {
                        events.extend_from_slice(more);
                        more.iter().find_map(|event| match event {
                            Event::Finished { reason } => Some(Ok(*reason)),
                            _ => None,
                        })
                    }
                    Reply::Failed { failure, .. } => {
                        let failure = failure.clone();
                        Some(Err(Said::new(move || {
                            let sentence = language::of_engine(&failure.sentence);
                            match failure.field.clone() {
                                Some(field) => FieldError { field, sentence }.on_the_stage(),
                                None => sentence,
                            }
                        })))
                    }
                    _ => None,
                };
                let Some((end, mut now)) = end.and_then(|end| Some((end, coming.take()?))) else {
                    return;
                };
                match end {
                    Ok(FinishReason::Stopped) => self.give_up(stopped()),
                    Ok(_) => {
                        now.texts.cells[row][column] = Some(self.written(&events));
                        let pair = self.store.engine.pair.get_untracked();
                        now.texts.cut = pair.map_or(now.texts.cut, |pair| Cut::of(&pair.tokens));
                        now.done += 1;
                        self.write_next(now);
                    }
                    Err(said) => self.give_up(said),
                }
            },
        );
        swap.request.set_value(Some(id));
    }

    fn give_up(&self, why: Said) {
        self.swap.request.set_value(None);
        self.swap.writing.set(Writing::Failed(why));
        // Half a table compares nothing.
        self.swap.texts.update(|texts| {
            let whole = |texts: &Texts| texts.cells.iter().flatten().all(Option::is_some);
            if !texts.as_ref().is_some_and(whole) {
                *texts = None;
            }
        });
    }

    fn written(&self, events: &[Event]) -> Written {
        let run = Run::from_events(events);
        let statistics = run.state(run.steps().len()).statistics;
        let committed = run.rounds().iter().flat_map(|round| &round.committed);
        let pair = self.store.engine.pair.get_untracked();
        let text = |token: &u32| {
            let of_pair = pair
                .as_ref()
                .and_then(|pair| pair.tokens.get(*token as usize));
            of_pair.cloned().unwrap_or_default()
        };
        Written {
            tokens: committed.map(text).collect(),
            tested: statistics.tested,
            accepted: statistics.accepted,
        }
    }
}
