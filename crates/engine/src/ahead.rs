//! How far rounds run ahead of their readback.

/// How rounds are asked for: how many may be enqueued before one of them is read back, and what
/// is told about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Most rounds that are read back together.
    pub rounds: usize,
    /// What a readback may be waited for, in milliseconds, going by the rounds before.
    pub milliseconds: f64,
    /// Whether events carry whole distributions; without, only `Committed`, `RoundEnded` and
    /// `Finished` are told and less is read back.
    pub details: bool,
}

impl Ahead {
    /// For people who watch: as far as nobody notices.
    pub const WATCHED: Self = Self {
        rounds: 32,
        milliseconds: 40.0,
        details: true,
    };

    /// For speed: at least eight tokens a readback, unless the text ends before.
    pub const FAST: Self = Self {
        rounds: 64,
        milliseconds: 40.0,
        details: false,
    };

    /// One round, read back before the next one begins.
    pub fn one(details: bool) -> Self {
        Self {
            rounds: 1,
            milliseconds: 0.0,
            details,
        }
    }
}
