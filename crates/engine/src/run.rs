//! A text being written.

use std::collections::VecDeque;

use couplet_protocol::{FinishReason, Settings};

use crate::batch::Batch;
use crate::pace::Pace;

/// A text being written.
#[derive(Debug)]
pub struct Run {
    pub(crate) settings: Settings,
    /// Committed tokens, prefix and prompt included.
    pub(crate) tokens: Vec<u32>,
    pub(crate) written: usize,
    pub(crate) round: u32,
    pub(crate) finished: Option<FinishReason>,
    /// Whether the token that ends a text is one like any other, so that a text has the length that
    /// was asked for.
    pub(crate) goes_past_end: bool,
    /// Rounds that the device works on, the oldest first.
    pub(crate) under_way: VecDeque<Batch>,
    /// Tokens that rounds without a draft have added since the draft last ran: it has not seen
    /// them.
    pub(crate) unseen_by_draft: usize,
    /// When the last readback was there.
    pub(crate) landed: f64,
    pub(crate) pace: Pace,
}

impl Run {
    /// A text of which only the prompt stands.
    pub(crate) fn new(settings: Settings, tokens: Vec<u32>, pace: Pace) -> Self {
        Self {
            pace,
            settings,
            tokens,
            written: 0,
            round: 0,
            finished: None,
            goes_past_end: false,
            under_way: VecDeque::new(),
            unseen_by_draft: 0,
            landed: f64::NEG_INFINITY,
        }
    }

    /// All committed tokens, prefix and prompt included.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Tokens written so far, prompt not counted.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Why it ended, if it has.
    pub fn finished(&self) -> Option<FinishReason> {
        self.finished
    }

    /// How many tokens were asked for and are not written yet.
    pub(crate) fn wanted(&self) -> usize {
        (self.settings.max_tokens as usize).saturating_sub(self.written)
    }
}
