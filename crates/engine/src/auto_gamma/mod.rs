//! The draft length that the engine chooses by itself.
//!
//! The choice looks at what was committed and judged and at the time it took, never at drafted
//! tokens that were not judged: those come again with the same numbers, and a choice that depended
//! on them would change what is written.

mod calibration;
mod experience;
mod round_costs;

pub(crate) use experience::Experience;

use couplet_protocol::{Drafter, Settings};

use crate::batch::RoundFacts;
use crate::{Engine, Run};

/// The largest γ that is chosen.
pub(crate) const LARGEST: usize = Settings::MAX_AUTO_GAMMA as usize;

/// How much faster another γ must promise to be before it is taken.
const HYSTERESIS: f64 = 1.007;

/// Tokens over which that must pay what the draft takes to read what was written without it.
const PAID_OVER: f64 = 200.0;

/// Milliseconds of rounds of one γ that are worth learning from, and ticks of the clock: browsers
/// tell time in steps in which a processor does several rounds.
const TELLING: f64 = 1.0;
const TELLING_TICKS: f64 = 20.0;

/// Most rounds that are looked at for it.
const MOST_ROUNDS: usize = 60;

/// Part of a round that the first one after those of another γ takes longer.
const COLD: f64 = 0.3;

/// What the draft takes to read a token among others, in parts of what drafting and verifying one
/// takes.
const READING: f64 = 0.2;

/// What a look may show of a γ that was only calibrated: the calibration may have met a pause.
const DOUBT: f64 = 0.0005;

/// How many looks are thought of: where one changes no choice, several may.
const LOOKS: [usize; 3] = [1, 4, 16];

/// Milliseconds for which what a look teaches is of use, besides as many as have passed: who goes
/// on for long may look for longer.
const OF_USE: f64 = 50.0;

/// Chooses γ under one rule with one drafter on one device.
#[derive(Clone, Debug)]
pub(crate) struct AutoGamma {
    pub(super) known: Experience,
    current: Option<usize>,
    /// The look that is under way.
    looking: Option<Look>,
    /// The γ of the rounds that were begun last.
    begun_last: Option<usize>,
    /// Whether rounds of the γ in use were timed since a look was last thought of: a look is a
    /// comparison with them.
    compared: bool,
    /// Milliseconds of all rounds.
    passed: f64,
    /// Whether rounds of this text were timed: the first ones follow the reading of the prompt, which
    /// leaves nothing of theirs in the caches.
    warm: bool,
    /// Tokens that the draft has not read since it last drafted: who asks it must wait until it has.
    unread: f64,
    /// Whether there is a draft that reads.
    reads: bool,
    /// Which γ were timed since the calibration.
    seen: [bool; LARGEST + 1],
    /// The latest rounds, as long as they are of one γ.
    latest: Block,
    /// Milliseconds of rounds that are worth learning from.
    telling: f64,
}

/// Rounds of another γ, to know it better.
#[derive(Clone, Copy, Debug)]
struct Look {
    gamma: usize,
    /// How many of them were thought to tell enough.
    wanted: usize,
    /// How many of them are still to be begun.
    left: usize,
    /// How many of them were begun and did not land yet.
    under_way: usize,
}

/// Rounds of one γ that are not yet learnt from.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    gamma: Option<usize>,
    rounds: f64,
    milliseconds: f64,
}

impl Block {
    /// Whether a round is the first short one after those of another γ: it finds their weights in
    /// the caches and not its own.
    fn is_cold(&self, gamma: usize, rounds: usize, milliseconds: f64, telling: f64) -> bool {
        let another = self.gamma.is_some_and(|latest| latest != gamma);
        another && rounds == 1 && milliseconds < telling
    }

    fn of(gamma: usize) -> Self {
        Self {
            gamma: Some(gamma),
            ..Self::default()
        }
    }

    /// Takes in rounds of `milliseconds` each; returns how many there are and what one took on
    /// average once they took the milliseconds that are worth learning from.
    fn add(
        &mut self,
        gamma: usize,
        rounds: usize,
        milliseconds: f64,
        telling: f64,
    ) -> Option<(f64, f64)> {
        let together = rounds as f64 * milliseconds;
        if self.gamma != Some(gamma) {
            *self = Self::of(gamma);
        }
        self.rounds += rounds as f64;
        self.milliseconds += together;
        if self.milliseconds < telling && self.rounds < MOST_ROUNDS as f64 {
            return None;
        }
        let told = (self.rounds, self.milliseconds / self.rounds);
        (self.rounds, self.milliseconds) = (0.0, 0.0);
        Some(told)
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) gamma: usize,
    /// For at most so many rounds.
    pub(crate) rounds: usize,
}

impl AutoGamma {
    /// `tick`: milliseconds between two times that the clock can tell apart.
    pub(crate) fn new(known: Experience, tick: f64) -> Self {
        let telling = TELLING.max(TELLING_TICKS * tick);
        Self {
            current: None,
            telling,
            known,
            looking: None,
            begun_last: None,
            compared: false,
            passed: 0.0,
            warm: false,
            unread: 0.0,
            reads: true,
            seen: [false; LARGEST + 1],
            latest: Block::default(),
        }
    }

    /// The γ of the next rounds: the one with the most tokens per millisecond by what is known,
    /// or now and then another one, to know it better. `alone`: no rounds are under way.
    pub(crate) fn choose(&mut self, alone: bool) -> Choice {
        if alone {
            // What was begun and never landed is lost; what is left of a look goes on.
            self.looking.take_if(|look| look.left == 0);
            self.looking.iter_mut().for_each(|look| look.under_way = 0);
        }
        if let Some(look) = self.looking.filter(|look| look.left > 0) {
            return Choice {
                gamma: look.gamma,
                rounds: look.left,
            };
        }
        let speed = |gamma: &usize| self.known.speed(*gamma);
        let best = (0..=LARGEST)
            .max_by(|a, b| speed(a).total_cmp(&speed(b)).then(b.cmp(a)))
            .unwrap_or(0);
        let current = self.current.unwrap_or(best);
        let reading = self.reading() * speed(&current) / PAID_OVER;
        let current = if speed(&best) > (HYSTERESIS + reading) * speed(&current) {
            best
        } else {
            current
        };
        self.current = Some(current);
        self.look(current).unwrap_or(Choice {
            gamma: current,
            rounds: usize::MAX,
        })
    }

    /// How many rounds of a γ a look takes, the cold one included.
    fn rounds_of_a_look(&self, gamma: usize) -> usize {
        let rounds = self.telling / self.known.milliseconds(gamma);
        match rounds.ceil() as usize {
            0 | 1 => 1,
            rounds => rounds.min(MOST_ROUNDS) + 1,
        }
    }

    /// Another γ to look at: the one where a look may show the most for what it wastes, if that is
    /// worth it. (Frazier and Powell, “Paradoxes in learning and the marginal value of
    /// information”, 2010.)
    fn look(&mut self, current: usize) -> Option<Choice> {
        if self.looking.is_some() || !std::mem::take(&mut self.compared) {
            return None;
        }
        let of_use = OF_USE + self.passed;
        let worth = |gamma: usize| {
            let rounds = self.rounds_of_a_look(gamma);
            let doubt = if self.seen[gamma] { 0.0 } else { DOUBT };
            let of_looks = |looks: usize| {
                (self.known.hope(gamma, current, [looks, rounds]) + doubt) / looks as f64
            };
            let hope = LOOKS.into_iter().map(of_looks).fold(0.0, f64::max);
            of_use * hope / self.price_of_a_look(gamma, current)
        };
        let (gamma, worth) = (0..=LARGEST)
            .filter(|gamma| *gamma != current)
            .filter(|gamma| current > 0 || self.known.may_beat_none(*gamma))
            .map(|gamma| (gamma, worth(gamma)))
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        if worth < 1.0 {
            return None;
        }
        let rounds = self.rounds_of_a_look(gamma);
        self.looking = Some(Look {
            gamma,
            wanted: rounds,
            left: rounds,
            under_way: 0,
        });
        Some(Choice { gamma, rounds })
    }

    /// So many rounds of one γ were begun: of those that were chosen as many as time allows, and of
    /// another γ where the text has no room for that.
    pub(crate) fn began(&mut self, gamma: usize, rounds: usize) {
        self.begun_last = Some(gamma);
        if let Some(look) = self.looking.as_mut().filter(|look| look.gamma == gamma) {
            look.left = look.left.saturating_sub(rounds);
            look.under_way += rounds;
        }
    }

    /// Milliseconds that a look is expected to waste.
    fn price_of_a_look(&self, gamma: usize, current: usize) -> f64 {
        let known = &self.known;
        let rounds = self.rounds_of_a_look(gamma);
        // It leaves the caches cold for itself and for what goes on.
        let cold = match rounds {
            1 => 0.0,
            _ => COLD * (known.milliseconds(gamma) + known.milliseconds(current)),
        };
        rounds as f64 * known.waste(gamma, current) + cold + self.reading()
    }

    /// Milliseconds that the draft takes to read what was written without it.
    fn reading(&self) -> f64 {
        READING * self.known.slope() * self.unread
    }

    /// Rounds of one γ, of which each judged and kept so many drafted tokens and took `milliseconds`.
    pub(crate) fn learn(&mut self, gamma: usize, tests: &[(usize, usize)], milliseconds: f64) {
        if gamma == 0 {
            self.known.unjudged(tests.len());
        }
        for (judged, accepted) in tests {
            self.known.judge(*judged, *accepted);
        }
        let (rounds, telling) = (tests.len(), self.telling);
        let told = if self.latest.is_cold(gamma, rounds, milliseconds, telling) {
            self.latest = Block::of(gamma);
            None
        } else {
            self.latest.add(gamma, rounds, milliseconds, telling)
        };
        if let Some((rounds, each)) = told.filter(|_| self.warm) {
            self.known.took(gamma, rounds, each);
            self.seen[gamma] = true;
            self.compared |= self.current == Some(gamma);
        }
        self.warm |= told.is_some();
        self.unread = match gamma {
            0 if self.reads => self.unread + tests.len() as f64,
            _ => 0.0,
        };
        self.passed += milliseconds * tests.len() as f64;
        if let Some(look) = self.looking.as_mut().filter(|look| look.gamma == gamma) {
            look.under_way = look.under_way.saturating_sub(rounds);
            if told.is_some() {
                self.looking = None;
            } else if (look.left, look.under_way) == (0, 0) {
                // They were shorter than thought. Where rounds of another γ come next, all of it begins
                // anew.
                look.left = 1;
                if self.begun_last != Some(gamma) {
                    look.wanted = (2 * look.wanted).min(MOST_ROUNDS + 1);
                    look.left = look.wanted;
                }
            }
        }
    }

    /// A run begins under settings that make the models draw from such distributions.
    pub(super) fn begin(&mut self, settings: &Settings) {
        self.unread = 0.0;
        self.reads = settings.drafter == Drafter::Model;
        self.warm = false;
        self.compared = false;
        self.known.begin(settings);
    }
}

impl Engine {
    /// Whether the chooser for such runs is ready.
    pub(crate) fn has_chooser(&self, run: &Run) -> bool {
        let key = Experience::key(&run.settings);
        self.choosers.borrow().contains_key(&key)
    }

    /// The γ of the next rounds, before the context and the tokens still wanted bound it, and for how
    /// many rounds at most. `alone`: none are under way.
    pub(crate) fn wished_gamma(&self, run: &Run, alone: bool) -> (usize, usize) {
        let choice = self.with_chooser(run, |auto| auto.choose(alone));
        choice.map_or((run.settings.gamma as usize, usize::MAX), |choice| {
            (choice.gamma, choice.rounds)
        })
    }

    /// Remembers that rounds of one γ were begun.
    pub(crate) fn began(&self, run: &Run, gamma: usize, rounds: usize) {
        self.with_chooser(run, |auto| auto.began(gamma, rounds));
    }

    /// Remembers what rounds of one γ did and took, `milliseconds` each, in which the draft took
    /// `catching_up` passes each to read what was written without it.
    pub(crate) fn learn(
        &self,
        run: &Run,
        facts: &[RoundFacts],
        milliseconds: f64,
        catching_up: f64,
    ) {
        let Some(gamma) = facts.first().map(|first| first.gamma) else {
            return;
        };
        if gamma > LARGEST {
            return;
        }
        self.with_chooser(run, |auto| {
            let tests = facts.iter().map(|round| (round.judged, round.accepted));
            let tests: Vec<(usize, usize)> = tests.collect();
            // Passes with which the draft caught up are not the round's.
            let of_rounds = milliseconds - catching_up * auto.known.slope();
            auto.learn(gamma, &tests, of_rounds.max(0.5 * milliseconds));
        });
    }

    /// Does something with the chooser of a run that has one.
    fn with_chooser<T>(&self, run: &Run, act: impl FnOnce(&mut AutoGamma) -> T) -> Option<T> {
        let key = Experience::key(&run.settings);
        let mut choosers = self.choosers.borrow_mut();
        let chooser = choosers.get_mut(&key).filter(|_| run.settings.auto_gamma);
        chooser.map(act)
    }
}

#[cfg(test)]
mod tests;
