//! Distributions that make the differences stark.

use couplet_playback::tr;
use couplet_speculation::couplings::Pair;

/// Two distributions and what they show.
pub struct Preset {
    /// What links call it.
    pub name: &'static str,
    /// What the list calls it.
    pub title: fn() -> String,
    /// One letter per token.
    pub letters: &'static str,
    /// The draft's probabilities.
    pub draft: &'static [f64],
    /// The target's probabilities.
    pub target: &'static [f64],
    /// What to look at.
    pub lesson: fn() -> String,
}

/// The place of the preset that links call so.
pub fn find(name: &str) -> Option<usize> {
    PRESETS.iter().position(|preset| preset.name == name)
}

/// The distributions of the preset that links call so.
pub fn pair(name: &str) -> Option<Pair> {
    let preset = PRESETS.get(find(name)?)?;
    Pair::new(preset.draft, preset.target).ok()
}

const SEVENTH: f64 = 1.0 / 7.0;

/// What both scenes with two distributions open with.
pub const VOWELS: Preset = Preset {
    name: "vowels",
    title: || tr!("Vowels"),
    letters: "aeiouy",
    draft: &[0.34, 0.10, 0.22, 0.08, 0.20, 0.06],
    target: &[0.16, 0.22, 0.30, 0.14, 0.08, 0.10],
    lesson: || tr!("An ordinary disagreement: four ways of drawing, four rates of agreement."),
};

/// The presets, the first of which the scene opens with.
pub const PRESETS: [Preset; 6] = [
    VOWELS,
    Preset {
        name: "two-letters",
        title: || tr!("Two letters"),
        letters: "ab",
        draft: &[0.70, 0.30],
        target: &[0.45, 0.55],
        lesson: || {
            tr!(
                "With two letters darts and race agree as often as the overlap allows: all but independent draws coincide."
            )
        },
    },
    Preset {
        name: "equal",
        title: || tr!("Equal"),
        letters: "abcde",
        draft: &[0.40, 0.25, 0.15, 0.12, 0.08],
        target: &[0.40, 0.25, 0.15, 0.12, 0.08],
        lesson: || {
            tr!(
                "Equal distributions always agree when they share chance, and by luck alone only about one time in four."
            )
        },
    },
    Preset {
        name: "disjoint",
        title: || tr!("Disjoint"),
        letters: "abcdef",
        draft: &[0.50, 0.30, 0.20, 0.0, 0.0, 0.0],
        target: &[0.0, 0.0, 0.0, 0.20, 0.30, 0.50],
        lesson: || tr!("Nothing in common: no way of drawing can make them agree."),
    },
    Preset {
        name: "at-the-bound",
        title: || tr!("At the bound"),
        letters: "abcdefgh",
        draft: &[
            0.0, SEVENTH, SEVENTH, SEVENTH, SEVENTH, SEVENTH, SEVENTH, SEVENTH,
        ],
        target: &[
            SEVENTH, 0.0, SEVENTH, SEVENTH, SEVENTH, SEVENTH, SEVENTH, SEVENTH,
        ],
        lesson: || {
            tr!(
                "Flat, and each misses one letter that the other has: here darts and race are held down to the guarantee exactly."
            )
        },
    },
    Preset {
        name: "peaked-and-flat",
        title: || tr!("Peaked and flat"),
        letters: "abcdefghij",
        draft: &[0.82, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02],
        target: &[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
        lesson: || {
            tr!(
                "A sure draft and a target that could say anything: the race reaches the ceiling, and the darts stay far below it."
            )
        },
    },
];
