use crate::tr;
use couplet_protocol::Rule;

use crate::redraws;

/// Part of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The draft pencils its tokens.
    Draft,
    /// The target reads all of them in one pass.
    Verify,
    /// One token is judged.
    Judge,
    /// The rejected token is replaced.
    Resample,
    /// Everything was kept and one token comes on top.
    Bonus,
    /// The tokens become part of the text.
    Commit,
}

impl Phase {
    /// Its name on the page, under a rule.
    pub fn name(self, rule: Rule) -> String {
        match self {
            Self::Draft => tr!("phase" => "Draft"),
            Self::Verify => tr!("phase" => "Verify"),
            Self::Judge => tr!("phase" => "Judge"),
            Self::Resample if redraws(rule) => tr!("phase" => "Resample"),
            Self::Resample => tr!("phase" => "Replace"),
            Self::Bonus => tr!("phase" => "Bonus"),
            Self::Commit => tr!("phase" => "Commit"),
        }
    }
}

/// Smallest thing that the transport moves by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index of the round.
    pub round: usize,
    /// Its phase.
    pub phase: Phase,
    /// Column of the token that is judged, replaced or, after all others, added; 0 where a phase
    /// concerns the whole round.
    pub column: usize,
}

/// How fast a run is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// What all durations are divided by, 0.25 to 4.
    pub speed: f64,
    /// One step per 1.2 seconds at most, for people who asked for less movement.
    pub reduced: bool,
}

impl Pace {
    /// Milliseconds that a step of a round with `drafted` tokens stays before the next one.
    pub fn milliseconds(self, phase: Phase, drafted: usize) -> f64 {
        if self.reduced {
            return 1200.0 / self.speed.min(1.0);
        }
        let base = match phase {
            Phase::Draft => 260.0 + 60.0 * drafted as f64,
            Phase::Verify => 420.0,
            // Above 2x the needle is skipped.
            Phase::Judge if self.speed > 2.0 => 240.0,
            Phase::Judge => 480.0,
            Phase::Resample | Phase::Bonus => 800.0,
            Phase::Commit => 440.0,
        };
        base / self.speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_scales_every_duration() {
        let slow = Pace {
            speed: 0.5,
            reduced: false,
        };
        let fast = Pace {
            speed: 2.0,
            reduced: false,
        };
        for phase in [
            Phase::Draft,
            Phase::Verify,
            Phase::Judge,
            Phase::Resample,
            Phase::Commit,
        ] {
            assert_eq!(
                slow.milliseconds(phase, 5),
                4.0 * fast.milliseconds(phase, 5)
            );
        }
    }

    #[test]
    fn every_drafted_token_takes_its_time_and_a_needle_that_is_skipped_none() {
        let takes = |speed, phase, drafted| {
            let pace = Pace {
                speed,
                reduced: false,
            };
            pace.milliseconds(phase, drafted)
        };
        assert_eq!(takes(1.0, Phase::Draft, 1), 320.0);
        assert_eq!(takes(1.0, Phase::Draft, 8), 740.0);
        assert_eq!(takes(2.0, Phase::Judge, 8), 240.0);
        assert_eq!(takes(4.0, Phase::Judge, 8), 60.0);
    }

    /// Nobody who asked for less movement gets more of it at a higher speed.
    #[test]
    fn reduced_motion_takes_one_phase_per_1200_milliseconds_at_least() {
        let takes = |speed| {
            let pace = Pace {
                speed,
                reduced: true,
            };
            pace.milliseconds(Phase::Draft, 8)
        };
        assert_eq!([0.5, 1.0, 4.0].map(takes), [2400.0, 1200.0, 1200.0]);
    }
}
