//! What a person chooses to look at.

use tr::tr;

/// Letters for the two distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// draft, target.
    Words,
    /// p, q.
    Chen,
    /// q, p.
    Leviathan,
}

impl Notation {
    /// What the draft is called.
    pub fn draft(self) -> String {
        match self {
            Self::Words => tr!("model" => "draft"),
            Self::Chen => "p".to_owned(),
            Self::Leviathan => "q".to_owned(),
        }
    }

    /// What the target is called.
    pub fn target(self) -> String {
        match self {
            Self::Words => tr!("model" => "target"),
            Self::Chen => "q".to_owned(),
            Self::Leviathan => "p".to_owned(),
        }
    }
}

/// Which marks the manuscript shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarksShown {
    /// Of every round.
    All,
    /// Of the round under the playhead.
    Last,
    /// None.
    Clean,
}

/// A token whose distributions the inspector shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Index of the round.
    pub round: usize,
    /// Its column; a bonus stands behind the last drafted token.
    pub column: usize,
}

/// A part of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scene {
    /// The text being written.
    #[default]
    Stage,
    /// Ways for two distributions to share chance.
    Couplings,
    /// Speculation against the target alone, timed.
    Speed,
    /// Why nothing is lost.
    Proof,
    /// All of it, step by step.
    Lessons,
}

impl Scene {
    /// Every scene, in the order in which the header lists them.
    pub const ALL: [Self; 5] = [
        Self::Stage,
        Self::Couplings,
        Self::Speed,
        Self::Proof,
        Self::Lessons,
    ];

    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Couplings => "couplings",
            Self::Speed => "speed",
            Self::Proof => "proof",
            Self::Lessons => "lessons",
        }
    }

    /// Its name for people.
    pub fn title(self) -> String {
        match self {
            Self::Stage => tr!("Stage"),
            Self::Couplings => tr!("Couplings"),
            Self::Speed => tr!("Speed"),
            Self::Proof => tr!("Proof"),
            Self::Lessons => tr!("Lessons"),
        }
    }
}
