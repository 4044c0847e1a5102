//! How many rounds are worth one readback.

use couplet_protocol::MAX_GAMMA;
use couplet_speculation::formulas::expected_tokens_per_round;

use crate::Ahead;

/// Tokens that a readback should bring where speed is all that counts: with some to spare, eight.
const TOKENS_PER_READBACK: f64 = 10.0;

/// How many judged tokens the expectation before the run weighs.
const PRIOR_WEIGHT: f64 = 8.0;

/// Most bytes that are read back together.
const MOST_BYTES: usize = 4 << 20;

/// What rounds take, by their γ.
pub(crate) type RoundTimes = [Taken; MAX_GAMMA as usize + 1];

/// What a run has shown about its rounds.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    judged: f64,
    accepted: f64,
    taken: RoundTimes,
    /// Whether runs before this one showed what a round takes, by its γ.
    known: [bool; MAX_GAMMA as usize + 1],
    /// Rounds of the last batch.
    last: usize,
}

/// What rounds of one γ take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Taken {
    /// Milliseconds of each.
    each: Option<f64>,
    /// Rounds since the clock last ticked: a coarse one sees no time pass in several.
    unseen: usize,
}

/// What bounds a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) gamma: usize,
    /// Rounds that surely find room in the context.
    pub(crate) fit: usize,
    /// Tokens that are still wanted once everything under way is there.
    pub(crate) wanted: f64,
    /// What a round reads back.
    pub(crate) bytes: usize,
}

impl Pace {
    /// Begins with an acceptance rate to be expected and with what rounds took in the runs before.
    pub(crate) fn new(acceptance_rate: f64, taken: RoundTimes) -> Self {
        Self {
            judged: PRIOR_WEIGHT,
            accepted: PRIOR_WEIGHT * acceptance_rate.clamp(0.0, 1.0),
            known: taken.map(|taken| taken.each.is_some()),
            taken,
            last: 0,
        }
    }

    /// What rounds have taken so far.
    pub(crate) fn round_times(&self) -> RoundTimes {
        self.taken
    }

    /// The number of tokens that a round is expected to write.
    pub(crate) fn tokens(&self, gamma: usize) -> f64 {
        expected_tokens_per_round(self.accepted / self.judged, gamma)
    }

    /// How many rounds to enqueue: as many as time allows, but no more than twice as many as last
    /// time while what a round takes is only known from this run, and no more than are wanted or fit.
    /// At least one.
    pub(crate) fn rounds(&self, ahead: Ahead, bounds: Bounds) -> usize {
        let tokens = self.tokens(bounds.gamma);
        let timely = match self.taken[bounds.gamma] {
            Taken {
                each: Some(milliseconds),
                ..
            } => {
                let timely = (ahead.milliseconds / milliseconds) as usize;
                match self.known[bounds.gamma] {
                    true => timely,
                    false => timely.min(2 * self.last),
                }
            }
            Taken { unseen: 0, .. } => 1,
            // Whatever they take, it is less than a tick.
            _ => 2 * self.last,
        };
        let least = if ahead.details {
            1
        } else {
            (TOKENS_PER_READBACK / tokens).ceil() as usize
        };
        timely
            .max(least)
            .min((bounds.wanted / tokens).ceil() as usize)
            .min(bounds.fit)
            .min(MOST_BYTES / bounds.bytes.max(1))
            .min(ahead.rounds)
            .max(1)
    }

    /// A batch is on its way.
    pub(crate) fn sent(&mut self, rounds: usize) {
        self.last = rounds;
    }

    /// A round judged tokens and kept some.
    pub(crate) fn judged(&mut self, judged: usize, accepted: usize) {
        self.judged += judged as f64;
        self.accepted += accepted as f64;
    }

    /// So many rounds took this long together.
    pub(crate) fn took(&mut self, gamma: usize, rounds: usize, milliseconds: f64) {
        let taken = &mut self.taken[gamma];
        taken.unseen += rounds;
        if milliseconds > 0.0 {
            let each = milliseconds / std::mem::take(&mut taken.unseen) as f64;
            taken.each = Some(taken.each.map_or(each, |before| 0.5 * (before + each)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        gamma: 4,
        fit: 40,
        wanted: 1000.0,
        bytes: 1000,
    };

    #[test]
    fn batches_grow_to_what_time_allows() {
        let mut pace = Pace::new(0.8, RoundTimes::default());
        let mut found = Vec::new();
        for _ in 0..7 {
            let rounds = pace.rounds(Ahead::WATCHED, BOUNDS);
            found.push(rounds);
            pace.sent(rounds);
            pace.took(4, rounds, 2.0 * rounds as f64);
        }
        assert_eq!(found, [1, 2, 4, 8, 16, 20, 20]);
        // A graphics card would wait for the host before small batches.
        let next = Pace::new(0.8, pace.round_times());
        assert_eq!(next.rounds(Ahead::WATCHED, BOUNDS), 20);
        // Rounds of another γ are not known by that.
        let other = Bounds { gamma: 3, ..BOUNDS };
        assert_eq!(next.rounds(Ahead::WATCHED, other), 1);
    }

    #[test]
    fn a_clock_that_sees_no_time_pass_holds_no_batch_back() {
        let mut pace = Pace::new(0.8, RoundTimes::default());
        let mut found = Vec::new();
        // A clock that ticks every 16 ms, and rounds of one.
        let mut now = 0;
        for _ in 0..8 {
            let rounds = pace.rounds(Ahead::WATCHED, BOUNDS);
            found.push(rounds);
            pace.sent(rounds);
            let before = now / 16 * 16;
            now += rounds;
            pace.took(4, rounds, (now / 16 * 16 - before) as f64);
        }
        assert_eq!(found[..5], [1, 2, 4, 8, 16]);
        // As many as fit into 40 ms, up to what may be enqueued, whatever the ticks say.
        assert!(found[5..].iter().all(|rounds| *rounds > 16), "{found:?}");
    }

    #[test]
    fn speed_reads_back_ten_tokens_at_once_however_slow_the_device() {
        let mut pace = Pace::new(0.0, RoundTimes::default());
        pace.took(4, 1, 500.0);
        assert_eq!(pace.rounds(Ahead::FAST, BOUNDS), 10);
        assert_eq!(pace.rounds(Ahead::WATCHED, BOUNDS), 1);
        // Everything is kept: five tokens a round.
        pace.judged(10_000, 10_000);
        assert_eq!(pace.rounds(Ahead::FAST, BOUNDS), 3);
    }

    #[test]
    fn nothing_exceeds_what_fits_is_wanted_or_may_be_read() {
        let pace = Pace::new(0.0, RoundTimes::default());
        let rounds = |bounds| pace.rounds(Ahead::FAST, bounds);
        assert_eq!(rounds(Bounds { fit: 3, ..BOUNDS }), 3);
        assert_eq!(
            rounds(Bounds {
                wanted: 2.5,
                ..BOUNDS
            }),
            3
        );
        assert_eq!(
            rounds(Bounds {
                bytes: 1 << 20,
                ..BOUNDS
            }),
            4
        );
        assert_eq!(
            rounds(Bounds {
                bytes: 1 << 30,
                ..BOUNDS
            }),
            1
        );
        assert_eq!(pace.rounds(Ahead::one(false), BOUNDS), 1);
    }
}
