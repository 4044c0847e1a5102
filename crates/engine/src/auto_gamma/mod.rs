//! The draft length that the engine chooses by itself.
//!
//! The choice looks at what was committed and judged and at the time it took, never at drafted
//! tokens that were not judged: those come again with the same numbers, and a choice that depended
//! on them would change what is written.

mod calibration;
mod experience;

pub(crate) use experience::Experience;

use couplet_protocol::Settings;

use crate::batch::RoundFacts;
use crate::{Engine, Run};

/// The largest γ that is chosen.
pub(crate) const LARGEST: usize = Settings::MAX_AUTO_GAMMA as usize;

/// How much faster another γ must promise to be before it is taken.
const HYSTERESIS: f64 = 1.007;

/// Milliseconds of rounds of one γ that are worth learning from, and ticks of the clock: browsers
/// tell time in steps in which a processor does several rounds.
const TELLING: f64 = 1.0;
const TELLING_TICKS: f64 = 20.0;

/// Most rounds that are looked at for it.
const MOST_ROUNDS: usize = 60;

/// How many times longer than a look at it a γ is left alone before the next.
const REST: f64 = 6.0;

/// What may be wasted on looks before anything is saved up, in rounds of the largest γ.
const FIRST_LOOKS: f64 = 0.1;

/// The part of a look that counts as wasted even where none seems to be: what is as good as the
/// γ in use is no more urgent than what is nearly as good.
const LEAST_WASTE: f64 = 0.02;

/// Shares of the time that may be wasted on looking whether a neighbour of γ is better, or another.
const CURIOSITY: [f64; 2] = [0.004, 0.003];

/// Chooses γ under one rule with one drafter on one device.
#[derive(Clone, Debug)]
pub(crate) struct AutoGamma {
    pub(super) known: Experience,
    current: Option<usize>,
    /// Milliseconds that may be wasted on looking at neighbours of γ, which cost next to nothing,
    /// and at the others.
    budgets: [f64; 2],
    /// The look that is under way.
    looking: Option<Look>,
    /// Place of the budget that paid for the last one.
    paid_by: usize,
    /// Milliseconds since a γ was last used.
    unseen: [f64; LARGEST + 1],
    /// The latest rounds, as long as they are of one γ.
    latest: Block,
    /// Milliseconds of rounds that are worth learning from.
    telling: f64,
}

/// Rounds of another γ, to know it better.
#[derive(Clone, Copy, Debug)]
struct Look {
    gamma: usize,
    /// How many of them are still to be begun.
    left: usize,
    /// Place of the budget that paid for it.
    budget: usize,
    /// Milliseconds that it was expected to waste.
    waste: f64,
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
            // The calibration was short, so a little looking is free at first.
            budgets: [FIRST_LOOKS * known.milliseconds(LARGEST).max(telling); 2],
            telling,
            known,
            looking: None,
            paid_by: 0,
            unseen: [0.0; LARGEST + 1],
            latest: Block::default(),
        }
    }

    /// The γ of the next rounds: the one with the most tokens per millisecond by what is known,
    /// or now and then another one, to know it better. No more than `at_once` rounds are begun
    /// before the next choice.
    pub(crate) fn choose(&mut self, at_once: usize) -> Choice {
        if let Some(look) = self.looking.as_mut().filter(|look| look.left > 0) {
            let rounds = look.left.min(at_once);
            look.left -= rounds;
            let gamma = look.gamma;
            return Choice { gamma, rounds };
        }
        let speed = |gamma: &usize| self.known.speed(*gamma);
        let best = (0..=LARGEST)
            .max_by(|a, b| speed(a).total_cmp(&speed(b)).then(b.cmp(a)))
            .unwrap_or(0);
        let current = self.current.unwrap_or(best);
        let current = if speed(&best) > HYSTERESIS * speed(&current) {
            best
        } else {
            current
        };
        self.current = Some(current);
        self.look(current, at_once).unwrap_or(Choice {
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

    /// Another γ to look at, when the time that this may waste has been saved up.
    fn look(&mut self, current: usize, at_once: usize) -> Option<Choice> {
        if self.looking.is_some() {
            return None;
        }
        let known = &self.known;
        let others = (0..=LARGEST)
            .filter(|gamma| *gamma != current)
            .filter(|gamma| current > 0 || known.may_beat_none(*gamma));
        let (near, mut far): (Vec<usize>, Vec<usize>) =
            others.partition(|gamma| gamma.abs_diff(current) == 1);
        if current == 0 {
            // Of those that draft, the one that judges the most tokens for what it wastes.
            let worth = |gamma: &usize| known.judged(*gamma) / known.waste(*gamma, 0);
            far = far
                .into_iter()
                .max_by(|a, b| worth(a).total_cmp(&worth(b)))
                .into_iter()
                .collect();
        }
        let look = |gamma: usize, budget: usize| {
            let left = self.rounds_of_a_look(gamma);
            let waste = left as f64 * known.waste(gamma, current);
            let rested = self.unseen[gamma] >= REST * left as f64 * known.milliseconds(gamma);
            (rested && waste <= self.budgets[budget]).then_some(Look {
                gamma,
                left,
                budget,
                waste,
            })
        };
        // Of the neighbours the one not seen for longest; of the others, what is cheap to look at
        // need not wait for what is hopeless.
        let longest = |gamma: &usize| self.unseen[*gamma];
        let urgent = |gamma: &usize| {
            let waste = known.waste(*gamma, current) / known.milliseconds(*gamma);
            self.unseen[*gamma] / waste.max(LEAST_WASTE)
        };
        let most = |of: Vec<usize>, key: &dyn Fn(&usize) -> f64| {
            of.into_iter().max_by(|a, b| key(a).total_cmp(&key(b)))
        };
        let look = most(near, &longest)
            .and_then(|gamma| look(gamma, 0))
            .or_else(|| most(far, &urgent).and_then(|gamma| look(gamma, 1)))?;
        self.budgets[look.budget] -= look.waste;
        self.paid_by = look.budget;
        let rounds = look.left.min(at_once);
        self.looking = Some(Look {
            left: look.left - rounds,
            ..look
        });
        Some(Choice {
            gamma: look.gamma,
            rounds,
        })
    }

    /// Rounds of one γ kept so many drafted tokens each and took `milliseconds` each.
    pub(crate) fn learn(&mut self, gamma: usize, accepted: &[usize], milliseconds: f64) {
        for accepted in accepted {
            self.known.judge(gamma, *accepted);
        }
        let known = self.known.milliseconds(gamma);
        let (rounds, telling) = (accepted.len(), self.telling);
        let told = if self.latest.is_cold(gamma, rounds, milliseconds, telling) {
            self.latest = Block::of(gamma);
            // Part of what looking at another costs.
            let longer = (milliseconds - known).clamp(-known, 2.0 * known);
            self.budgets[self.paid_by] -= longer;
            None
        } else {
            self.latest.add(gamma, rounds, milliseconds, telling)
        };
        if let Some((rounds, each)) = told {
            self.known.took(gamma, rounds, each);
        }
        let passed = milliseconds * accepted.len() as f64;
        for unseen in &mut self.unseen {
            *unseen += passed;
        }
        self.unseen[gamma] = 0.0;
        // What is saved up serves for a few looks and not for a hundred.
        let most = 4.0 * self.known.milliseconds(LARGEST).max(telling);
        for (budget, share) in self.budgets.iter_mut().zip(CURIOSITY) {
            *budget = (*budget + share * passed).min(most);
        }
        let is_over = |look: &mut Look| look.gamma == gamma && look.left == 0;
        if let Some(look) = self.looking.take_if(is_over) {
            // What seemed expensive and is not deserves another look soon.
            if told.is_some_and(|(_, each)| each < 0.7 * known) {
                self.budgets[look.budget] += look.waste;
            }
        }
    }

    /// A run begins under settings that make the models draw from such distributions.
    pub(super) fn begin(&mut self, settings: &Settings) {
        // What was under way is lost; what is left of a look goes on.
        self.looking.take_if(|look| look.left == 0);
        self.known.begin(settings);
    }
}

impl Engine {
    /// Whether the chooser for such runs is ready.
    pub(crate) fn has_chooser(&self, run: &Run) -> bool {
        let key = Experience::key(&run.settings);
        self.choosers.borrow().contains_key(&key)
    }

    /// The γ of the next rounds, before the context bounds it, and for how many rounds at most.
    /// No more than `at_once` are begun together.
    pub(crate) fn wished_gamma(&self, run: &Run, at_once: usize) -> (usize, usize) {
        if run.settings.auto_gamma {
            let mut choosers = self.choosers.borrow_mut();
            if let Some(auto) = choosers.get_mut(&Experience::key(&run.settings)) {
                let choice = auto.choose(at_once);
                return (choice.gamma, choice.rounds);
            }
        }
        (run.settings.gamma as usize, usize::MAX)
    }

    /// Remembers what rounds of one γ did and took, `milliseconds` each.
    pub(crate) fn learn(
        &self,
        run: &Run,
        facts: &[RoundFacts],
        milliseconds: f64,
        catching_up: usize,
    ) {
        let Some(gamma) = facts.first().map(|first| first.gamma) else {
            return;
        };
        if !run.settings.auto_gamma || gamma > LARGEST {
            return;
        }
        let mut choosers = self.choosers.borrow_mut();
        if let Some(auto) = choosers.get_mut(&Experience::key(&run.settings)) {
            let accepted: Vec<usize> = facts.iter().map(|round| round.accepted).collect();
            // Passes with which the draft caught up are not the round's.
            let pass = auto.known.slope() / facts.len() as f64;
            let of_rounds = milliseconds - catching_up as f64 * pass;
            auto.learn(gamma, &accepted, of_rounds.max(0.5 * milliseconds));
        }
    }
}

#[cfg(test)]
mod tests;
