//! What a person chooses to look at.

use couplet_playback::{StageState, tr};

/// Letters for the two distributions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// draft, target.
    #[default]
    Words,
    /// p, q.
    Chen,
    /// q, p.
    Leviathan,
}

impl Notation {
    /// Every notation, in the order in which the page offers them.
    pub const ALL: [Self; 3] = [Self::Words, Self::Chen, Self::Leviathan];

    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Chen => "chen",
            Self::Leviathan => "leviathan",
        }
    }

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MarksShown {
    /// Of every round.
    #[default]
    All,
    /// Of the round under the playhead.
    Last,
    /// None.
    Clean,
}

impl MarksShown {
    /// Every choice, in the order in which the page offers them.
    pub const ALL: [Self; 3] = [Self::All, Self::Last, Self::Clean];

    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Last => "last",
            Self::Clean => "clean",
        }
    }
}

/// A token whose distributions the inspector shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Index of the round.
    pub round: usize,
    /// Its column; a bonus stands after the last drafted token.
    pub column: usize,
}

impl Selection {
    /// Whether there is such a token at the playhead.
    pub fn is_in(self, state: &StageState) -> bool {
        state.glyphs.get(self.round).is_some_and(|glyph| {
            let bonus = self.column == glyph.drafted && glyph.bonus == Some(true);
            self.column < glyph.drafted || bonus
        })
    }
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

    /// What the window is called while it is open; the Stage is what the page is about.
    pub fn title_of_page(self) -> String {
        match self {
            Self::Stage => tr!("Couplet: speculative decoding, live in your browser"),
            scene => format!("{} · Couplet", scene.title()),
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
