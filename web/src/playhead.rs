//! Where in the run the page stands, and the clock that moves it.

use couplet_playback::{Pace, Run, tr};
use leptos::prelude::*;

use crate::browser;

const LONGEST_FRAME_MS: f64 = 100.0;

/// On the root element while something is being timed: the styles stop every animation then.
const HELD: &str = "data-held";

/// The speeds on offer.
pub const SPEEDS: [(f64, &str); 5] = [
    (0.25, "¼×"),
    (0.5, "½×"),
    (1.0, "1×"),
    (2.0, "2×"),
    (4.0, "4×"),
];

/// What the buttons beside Play move by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stride {
    /// The smallest step: a judged token, or a phase that concerns all of them.
    #[default]
    Token,
    /// To the end of a phase.
    Phase,
    /// To the beginning of a round.
    Round,
}

impl Stride {
    /// Every stride, the smallest first.
    pub const ALL: [Self; 3] = [Self::Token, Self::Phase, Self::Round];

    /// Its name in the page's code.
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Phase => "phase",
            Self::Round => "round",
        }
    }

    /// Its name for people.
    pub fn title(self) -> String {
        match self {
            Self::Token => tr!("token"),
            Self::Phase => tr!("phase"),
            Self::Round => tr!("round"),
        }
    }
}

/// Position in the steps of a run.
#[derive(Clone, Copy)]
pub struct Playhead {
    /// Steps shown; 0 is before the first.
    pub at: RwSignal<usize>,
    /// Whether time passes.
    pub playing: RwSignal<bool>,
    /// What durations are divided by.
    pub speed: RwSignal<f64>,
    /// What the buttons beside Play move by.
    pub stride: RwSignal<Stride>,
    /// The furthest that this run has been watched.
    pub furthest: RwSignal<usize>,
    /// Whether it was moved without being asked: nobody is told of it until somebody plays or steps.
    pub unasked: StoredValue<bool>,
    /// Whether nothing may move, because something is being timed.
    held: RwSignal<bool>,
    run: RwSignal<Run>,
    clock: StoredValue<Clock>,
}

#[derive(Clone, Copy, Default)]
struct Clock {
    last: f64,
    spent: f64,
    ticking: bool,
}

impl Playhead {
    /// At the start of a run, standing still.
    pub fn new(run: RwSignal<Run>) -> Self {
        Self {
            at: RwSignal::new(0),
            playing: RwSignal::new(false),
            speed: RwSignal::new(1.0),
            stride: RwSignal::new(Stride::default()),
            furthest: RwSignal::new(0),
            unasked: StoredValue::new(false),
            held: RwSignal::new(false),
            run,
            clock: StoredValue::new(Clock::default()),
        }
    }

    fn steps(&self) -> usize {
        self.run.with_untracked(|run| run.steps().len())
    }

    /// Has everything on the page stand still while something is being timed.
    pub fn hold(&self, held: bool) {
        if held {
            self.pause();
        }
        if self.held.get_untracked() != held {
            self.held.set(held);
        }
        if let Some(root) = document().document_element() {
            let _ = if held {
                root.set_attribute(HELD, "")
            } else {
                root.remove_attribute(HELD)
            };
        }
    }

    /// Whether nothing may move.
    pub fn held(&self) -> bool {
        self.held.get()
    }

    /// Lets time pass.
    pub fn play(&self) {
        if self.held.get_untracked() {
            return;
        }
        if self.run.with_untracked(|run| run.finished().is_some())
            && self.at.get_untracked() >= self.steps()
        {
            self.set(0);
        }
        self.unasked.set_value(false);
        self.playing.set(true);
        let ticking = self.clock.with_value(|clock| clock.ticking);
        self.clock.set_value(Clock {
            last: now(),
            spent: 0.0,
            ticking: true,
        });
        if !ticking {
            let playhead = *self;
            request_animation_frame(move || playhead.tick());
        }
    }

    /// Stands still.
    pub fn pause(&self) {
        self.unasked.set_value(false);
        self.playing.set(false);
    }

    /// Stands still at a step.
    pub fn go(&self, to: usize) {
        self.pause();
        let to = to.min(self.steps());
        if self.at.get_untracked() != to {
            self.set(to);
        }
    }

    fn set(&self, to: usize) {
        if to > self.furthest.get_untracked() {
            self.furthest.set(to);
        }
        self.at.set(to);
    }

    /// Forward or back by a stride.
    pub fn step(&self, stride: Stride, forward: bool) {
        let at = self.at.get_untracked();
        let to = self.run.with_untracked(|run| match (stride, forward) {
            (Stride::Token, true) => at + 1,
            (Stride::Token, false) => at.saturating_sub(1),
            (Stride::Phase, true) => run.next_phase(at),
            (Stride::Phase, false) => run.previous_phase(at),
            (Stride::Round, true) => run.next_round(at),
            (Stride::Round, false) => run.previous_round(at),
        });
        self.go(to);
    }

    /// The last step there is.
    pub fn end(&self) {
        self.go(usize::MAX);
    }

    /// Back to the start, for a new run.
    pub fn reset(&self) {
        self.place(0, 0);
    }

    /// Stands where another run was left, and knows how far that was watched.
    pub fn place(&self, at: usize, furthest: usize) {
        self.furthest.set(furthest.max(at));
        self.at.set(at);
        self.clock.update_value(|clock| clock.spent = 0.0);
    }

    fn tick(self) {
        if !self.playing.get_untracked() {
            self.clock.update_value(|clock| clock.ticking = false);
            return;
        }
        let pace = Pace {
            speed: self.speed.get_untracked(),
            reduced: reduced_motion(),
        };
        let mut clock = self.clock.get_value();
        let time = now();
        clock.spent += (time - clock.last).clamp(0.0, LONGEST_FRAME_MS);
        clock.last = time;
        let before = self.at.get_untracked();
        let (at, done) = self.run.with_untracked(|run| {
            let mut at = before;
            loop {
                let hold = run.step_at(at).map_or(0.0, |step| {
                    pace.milliseconds(step.phase, run.rounds()[step.round].proposals.len())
                });
                if at >= run.steps().len() {
                    clock.spent = clock.spent.min(hold);
                    break (at, run.finished().is_some() && clock.spent >= hold);
                }
                if clock.spent < hold {
                    break (at, false);
                }
                clock.spent -= hold;
                at += 1;
            }
        });
        self.clock.set_value(clock);
        if at != before {
            self.set(at);
        }
        if done {
            self.playing.set(false);
        }
        request_animation_frame(move || self.tick());
    }
}

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    window()
        .performance()
        .map_or(0.0, |performance| performance.now())
}

/// Whether nothing should move: the person asked their system for less movement, or something is
/// being timed.
pub fn reduced_motion() -> bool {
    let held = document()
        .document_element()
        .is_some_and(|root| root.has_attribute(HELD));
    held || wants_stillness()
}

/// Whether the person asked their system for less movement.
pub fn wants_stillness() -> bool {
    browser::asks("(prefers-reduced-motion: reduce)")
}
