//! How much of the models' caches is valid after a round.

/// How many positions of each model's cache belong to the text after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLengths {
    /// The length of the text, with the round's new token.
    pub text: usize,
    /// Valid positions of the target's cache: all but the new token.
    pub target: usize,
    /// Valid positions of the draft's cache: all but the new token, and after a round in which
    /// every drafted token was kept also without the last of them, which the draft has drawn but
    /// never read.
    pub draft: usize,
}

/// What stays valid when a round that began with a text of `length` tokens drafted `gamma` and
/// kept `accepted` of them: the prefix and the kept tokens, no more and no fewer.
///
/// Without a draft (`gamma` 0) the draft's cache stays as it was, one token behind `length` at
/// the most.
///
/// # Panics
/// When `length` is 0, as a model needs a token to begin with, or `accepted > gamma`.
pub fn cache_lengths(length: usize, gamma: usize, accepted: usize) -> CacheLengths {
    assert!(length > 0, "a text begins with at least one token");
    assert!(accepted <= gamma, "{accepted} of {gamma} tokens were kept");
    CacheLengths {
        text: length + accepted + 1,
        target: length + accepted,
        // The draft read `length + gamma − 1` tokens to draw gamma.
        draft: (length + accepted).min(length + gamma - 1),
    }
}
