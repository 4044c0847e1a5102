//! Where the letters of the timed runs stand: in milliseconds, and in pixels of the drawing.

use couplet_playback::{Cut, visible};
use couplet_protocol::{PairInfo, RaceLane, SpeedReport};

use crate::speed::reading::{c, v_or_guess};

/// Room for a character in pixels, about as wide as the lanes' letters are.
fn room(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '.' | ',' | ';' | ':' | '!' | '\'' | '·' | '|' => 5.4,
        'f' | 't' | 'r' | 's' | '-' | 'I' => 7.2,
        'm' | 'w' | 'M' | 'W' | '↵' => 14.0,
        'A'..='Z' => 11.6,
        _ => 9.4,
    }
}

/// Room between two word pieces.
const GAP: f64 = 5.0;
/// Widest drawing; of a longer run the beginning is drawn.
const WIDEST: f64 = 24_000.0;
/// Room after the race's end at most: for its time, and nobody scrolls into emptiness.
const BEHIND: f64 = 64.0;
/// Left and right of the lanes.
pub const MARGIN: f64 = 10.0;
/// Pixels that a round has at least on average where the race is seen as a whole.
const LEAST: f64 = 3.0;
/// How much less room letters take where the race is seen as a whole (`speed.css`). They are drawn if
/// all have it: a text with holes would be another text.
const SMALLER: f64 = 0.74;

/// How much of the race is seen at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As much as leaves every letter its room.
    Letters,
    /// All of it, with letters if there is room for them.
    Whole,
}

/// How a token came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Drafted and kept.
    Accepted,
    /// Drawn in place of a rejected one.
    Resampled,
    /// Added after a draft that was kept whole.
    Bonus,
    /// By the target alone.
    Target,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// As it can be seen.
    pub text: String,
    /// How it came about.
    pub origin: Origin,
    /// Room for it in pixels.
    pub width: f64,
}

/// A round of a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// When it began, in milliseconds.
    pub start: f64,
    /// Until when it drafted.
    pub drafted: f64,
    /// When its tokens were there.
    pub end: f64,
    /// Its tokens.
    pub letters: Vec<Letter>,
}

/// A lane of the race.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// Its rounds in order.
    pub rounds: Vec<Round>,
}

impl Lane {
    fn new(lane: &RaceLane, report: &SpeedReport, pair: &PairInfo, cut: Cut) -> Self {
        let mut start = 0.0;
        let rounds = lane
            .rounds
            .iter()
            .map(|round| {
                let end = round.end.max(start);
                let share = drafting_share(report, round.gamma);
                let letters = round
                    .tokens
                    .iter()
                    .enumerate()
                    .map(|(index, token)| {
                        let origin = match round.accepted {
                            _ if round.gamma == 0 => Origin::Target,
                            accepted if index < accepted as usize => Origin::Accepted,
                            accepted if accepted == round.gamma => Origin::Bonus,
                            _ => Origin::Resampled,
                        };
                        let text = pair.tokens.get(*token as usize);
                        // A dot takes less of a crowded line than the usual sign for a space.
                        let text = text.map_or_else(String::new, |text| visible(text, cut));
                        let text = text.replace('␣', "·");
                        let width = text.chars().map(room).sum::<f64>()
                            + if cut == Cut::WordPieces { GAP } else { 0.0 };
                        Letter {
                            text,
                            origin,
                            width,
                        }
                    })
                    .collect();
                let placed = Round {
                    start,
                    drafted: start + (end - start) * share,
                    end,
                    letters,
                };
                start = end;
                placed
            })
            .collect();
        Self { rounds }
    }

    /// Tokens of the whole run.
    pub fn tokens(&self) -> usize {
        self.rounds.iter().map(|round| round.letters.len()).sum()
    }

    /// When its last token was there.
    pub fn end(&self) -> f64 {
        self.rounds.last().map_or(0.0, |round| round.end)
    }

    /// Rounds that were over at a time.
    pub fn rounds_at(&self, at: f64) -> usize {
        self.rounds.partition_point(|round| round.end <= at)
    }

    /// Tokens that were there at a time.
    pub fn tokens_at(&self, at: f64) -> usize {
        self.rounds
            .iter()
            .take(self.rounds_at(at))
            .map(|round| round.letters.len())
            .sum()
    }

    /// Whether its letters have room at so many pixels per millisecond.
    fn has_room(&self, scale: f64) -> bool {
        let letters: f64 = self.rounds.iter().map(Round::width).sum();
        SMALLER * letters <= self.end() * scale
    }

    /// Pixels per millisecond at which the letters of most rounds fit into their time.
    fn scale(&self) -> f64 {
        let mut needed: Vec<f64> = self
            .rounds
            .iter()
            .filter(|round| round.end > round.start)
            .map(|round| {
                let width: f64 = round.letters.iter().map(|letter| letter.width).sum();
                (width + 3.0) / (round.end - round.start)
            })
            .collect();
        needed.sort_by(f64::total_cmp);
        // Rounds that a hiccup made short must not stretch the whole drawing.
        let most = needed.len() * 9 / 10;
        needed.get(most).or(needed.last()).copied().unwrap_or(1.0)
    }
}

/// The part of a round's time that the draft takes; the engine's own γ may be beyond all that were
/// timed.
fn drafting_share(report: &SpeedReport, gamma: u32) -> f64 {
    let length = f64::from(gamma);
    let drafting = c(report).map(|c| length * c);
    match (drafting, v_or_guess(report, length)) {
        (Some(drafting), Some(checking)) if gamma > 0 => drafting / (drafting + checking),
        _ => 0.0,
    }
}

/// Both lanes on one clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The target alone, then speculation.
    pub lanes: [Lane; 2],
    /// When the first of the two was done: the race's end.
    pub finish: f64,
    /// The same, or where the drawing ends before it.
    pub end: f64,
    /// Whether the drawing ends before either lane.
    pub is_cut: bool,
    /// How much of it is seen at once.
    pub look: Look,
    /// Whether letters are drawn.
    pub lettered: bool,
    /// Pixels per millisecond.
    pub scale: f64,
    /// Width of the drawing in pixels.
    pub width: f64,
}

impl Track {
    /// The race of a report on at least `width` pixels; `None` where it has none.
    pub fn new(report: &SpeedReport, pair: &PairInfo, width: f64, look: Look) -> Option<Self> {
        let [alone, speculative] = report.race.as_slice() else {
            return None;
        };
        let cut = Cut::of(&pair.tokens);
        let lane = |lane| Lane::new(lane, report, pair, cut);
        let lanes = [lane(alone), lane(speculative)];
        let whole = lanes[0].end().min(lanes[1].end());
        if !(whole.is_finite() && whole > 0.0) {
            return None;
        }
        let room = (width - 2.0 * MARGIN).max(60.0);
        let least = match look {
            Look::Letters => lanes[0].scale().max(lanes[1].scale()),
            Look::Whole => {
                let rounds = lanes.each_ref().map(|lane| lane.rounds_at(whole));
                LEAST * rounds[0].max(rounds[1]) as f64 / whole
            }
        };
        let scale = least.max(room / (1.06 * whole));
        let lettered = look == Look::Letters || lanes.iter().all(|lane| lane.has_room(scale));
        let end = whole.min(WIDEST / scale);
        let behind = (0.06 * end * scale).min(BEHIND);
        let width = (end * scale + behind + 2.0 * MARGIN).max(width);
        Some(Self {
            lanes,
            finish: whole,
            end,
            is_cut: end < whole,
            look,
            lettered,
            scale,
            width,
        })
    }

    /// A time of the clock: where it stands at the end the race is over, drawn or not.
    pub fn time(&self, at: f64) -> f64 {
        at.min(self.finish)
    }

    /// The lane that was done first.
    pub fn first(&self) -> usize {
        usize::from(self.lanes[1].end() <= self.lanes[0].end())
    }

    /// A time in pixels from the left.
    pub fn x(&self, at: f64) -> f64 {
        MARGIN + at * self.scale
    }

    /// The last time that the drawing has room for.
    pub fn last(&self) -> f64 {
        (self.width - 2.0 * MARGIN) / self.scale
    }
}

impl Round {
    fn width(&self) -> f64 {
        self.letters.iter().map(|letter| letter.width).sum()
    }

    /// Pixels that it has.
    pub fn room(&self, scale: f64) -> f64 {
        (self.end - self.start) * scale
    }
}

/// The middle and the width of every letter of every round. Where the race is seen as a whole, a
/// letter that comes right after another stands after it, a little later than it was there, but not
/// after the finish: clocks of browsers tell some rounds to have taken no time.
pub fn places(lane: &Lane, track: &Track) -> Vec<Vec<(f64, f64)>> {
    let rounds = lane.rounds.iter();
    if track.look == Look::Letters || !track.lettered {
        return rounds.map(|round| middles(round, track)).collect();
    }
    let mut free = MARGIN;
    let mut bundles: Vec<Vec<(f64, f64)>> = rounds
        .map(|round| {
            let mut left = (track.x(round.end) - SMALLER * round.width()).max(free);
            let places = round.letters.iter().map(|letter| {
                let width = SMALLER * letter.width;
                left += width;
                (left - width / 2.0, width)
            });
            let places = places.collect();
            free = left;
            places
        })
        .collect();
    // Nothing is written after the finish: what would be there makes those before it move up.
    let mut end = track.x(track.end);
    for bundle in bundles.iter_mut().take(lane.rounds_at(track.end)).rev() {
        let beyond = bundle
            .last()
            .map_or(0.0, |(middle, width)| middle + width / 2.0 - end);
        for (middle, _) in bundle.iter_mut().filter(|_| beyond > 0.0) {
            *middle -= beyond;
        }
        end = bundle
            .first()
            .map_or(end, |(middle, width)| middle - width / 2.0);
    }
    bundles
}

/// The middles of a round's letters, of which the last ends where the round does. Letters that do
/// not fit into their round stand closer.
fn middles(round: &Round, track: &Track) -> Vec<(f64, f64)> {
    let (natural, room) = (round.width(), round.room(track.scale));
    let closest = if track.lettered { 0.6 } else { 0.0 };
    let squeeze = if natural > room {
        (room / natural).max(closest)
    } else {
        1.0
    };
    let mut left = track.x(round.end) - natural * squeeze;
    round
        .letters
        .iter()
        .map(|letter| {
            let width = letter.width * squeeze;
            left += width;
            (left - width / 2.0, width)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::test::{pair, report};
    use couplet_protocol::RaceRound;

    fn round(end: f64, gamma: u32, accepted: u32, tokens: &[u32]) -> RaceRound {
        RaceRound {
            end,
            gamma,
            accepted,
            tokens: tokens.to_vec(),
        }
    }

    #[test]
    fn the_race_ends_with_the_first_lane_and_letters_are_there_when_their_round_is() {
        let mut report = report(&[(2, [1.0, 1.2])]);
        report.race = vec![
            RaceLane {
                gamma: 0,
                rounds: (1..=4).map(|k| round(f64::from(k), 0, 0, &[0])).collect(),
                readbacks: 4,
            },
            RaceLane {
                gamma: 2,
                rounds: vec![round(1.5, 2, 2, &[0, 1, 0]), round(3.0, 2, 0, &[1])],
                readbacks: 2,
            },
        ];
        let track = Track::new(&report, &pair(), 300.0, Look::Letters).unwrap();
        assert_eq!((track.end, track.finish), (3.0, 3.0));
        assert_eq!(track.lanes.each_ref().map(Lane::tokens), [4, 4]);
        assert_eq!(track.first(), 1);
        assert!(!track.is_cut);
        assert_eq!(track.lanes[0].tokens_at(2.9), 2);
        assert_eq!(track.lanes[1].tokens_at(1.4), 0);
        assert_eq!(track.lanes[1].tokens_at(1.5), 3);
        let origins: Vec<Origin> = track.lanes[1]
            .rounds
            .iter()
            .flat_map(|round| &round.letters)
            .map(|letter| letter.origin)
            .collect();
        use Origin::*;
        assert_eq!(origins, [Accepted, Accepted, Bonus, Resampled]);
        // Two draft steps of .1 and a check of 1.2: a seventh of the round.
        let first = &track.lanes[1].rounds[0];
        assert!((first.drafted - 1.5 / 7.0).abs() < 1e-9);
    }

    #[test]
    fn seen_as_a_whole_a_race_has_letters_if_there_is_room() {
        let mut report = report(&[(2, [1.0, 1.2])]);
        let lane = |rounds: Vec<RaceRound>| RaceLane {
            gamma: 0,
            readbacks: rounds.len() as u32,
            rounds,
        };
        let even = |count: u32| {
            lane(
                (1..=count)
                    .map(|k| round(f64::from(k), 0, 0, &[0]))
                    .collect(),
            )
        };
        report.race = vec![even(100), even(100)];
        let of = |width, look| Track::new(&report, &pair(), width, look).unwrap();
        let [letters, whole] = [Look::Letters, Look::Whole].map(|look| of(500.0, look));
        assert!(letters.width > 1000.0 && whole.width == 500.0);
        assert!(letters.lettered && !whole.lettered);
        assert!(of(900.0, Look::Whole).lettered);
        // Letters of rounds that seem to take no time stand one after the other.
        let mut sudden = report.clone();
        for round in &mut sudden.race[0].rounds[..40] {
            round.end = 40.0;
        }
        let sudden = Track::new(&sudden, &pair(), 900.0, Look::Whole).unwrap();
        let middles: Vec<f64> = places(&sudden.lanes[0], &sudden)
            .concat()
            .into_iter()
            .map(|(middle, _)| middle)
            .collect();
        assert!(
            middles.windows(2).all(|pair| pair[1] - pair[0] > 6.9),
            "{middles:?}"
        );
        // Also at the end they do not stand after the finish.
        let mut sudden = report.clone();
        for round in &mut sudden.race[1].rounds[60..] {
            round.end = 100.0;
        }
        let sudden = Track::new(&sudden, &pair(), 900.0, Look::Whole).unwrap();
        let bundles = places(&sudden.lanes[1], &sudden).concat();
        let (middle, width) = bundles.last().unwrap();
        assert!(
            middle + width / 2.0 < sudden.x(sudden.end) + 1e-9,
            "{bundles:?}"
        );
        assert!(
            bundles.windows(2).all(|pair| pair[1].0 - pair[0].0 > 6.9),
            "{bundles:?}"
        );
        // On a phone it is still more than a stroke.
        let narrow = of(120.0, Look::Whole);
        assert!(narrow.scale >= LEAST && narrow.width < letters.width);
    }

    #[test]
    fn a_report_without_a_race_draws_none() {
        let report = report(&[(2, [1.0, 1.2])]);
        assert_eq!(Track::new(&report, &pair(), 300.0, Look::Whole), None);
    }
}
