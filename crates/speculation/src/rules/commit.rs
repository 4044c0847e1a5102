//! What of a round's tokens enters the text.

/// Why a text ends with a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommitEnd {
    /// The text has as many tokens as were asked for.
    Length,
    /// The context has no free position left.
    ContextFull,
    /// The last token kept is the end of the text.
    EndOfText,
}

/// Cuts the tokens that a round adds: after the first end-of-text token, which is kept; at
/// `max_tokens`; and where the context is full. Returns the tokens that stay, and why the text
/// ends if it does.
///
/// Cutting is fine for every lossless rule: the uncut text is distributed as the target's, so its
/// beginning up to a place that the beginning itself decides is too.
/// Reaching a limit exactly ends the text as well. Of several reasons at the same token the
/// end of the text comes first, then the length.
///
/// `written` is how many tokens of the text exist before the round, without the prompt;
/// `max_tokens` limits the text; `free_positions` is how many more tokens the context can hold,
/// prompt and text together.
pub fn commit(
    round_tokens: &[u32],
    written: usize,
    max_tokens: usize,
    free_positions: usize,
    end_of_text: Option<u32>,
) -> (Vec<u32>, Option<CommitEnd>) {
    let wanted = max_tokens.saturating_sub(written);
    let room = wanted.min(free_positions);
    let mut kept = Vec::with_capacity(round_tokens.len().min(room));
    for &token in round_tokens.iter().take(room) {
        kept.push(token);
        if Some(token) == end_of_text {
            return (kept, Some(CommitEnd::EndOfText));
        }
    }
    let end = if kept.len() == wanted {
        Some(CommitEnd::Length)
    } else if kept.len() == free_positions {
        Some(CommitEnd::ContextFull)
    } else {
        None
    };
    (kept, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: Option<u32> = Some(9);

    fn check(
        round: &[u32],
        (written, max_tokens): (usize, usize),
        free_positions: usize,
        expect: &[u32],
        end: Option<CommitEnd>,
    ) {
        let found = commit(round, written, max_tokens, free_positions, END);
        assert_eq!(found, (expect.to_vec(), end));
    }

    #[test]
    fn a_round_within_all_limits_is_kept() {
        check(&[1, 2, 3], (4, 100), 100, &[1, 2, 3], None);
        assert_eq!(commit(&[1, 9, 3], 0, 10, 10, None), (vec![1, 9, 3], None));
    }

    #[test]
    fn the_first_end_of_text_is_kept_and_nothing_after_it() {
        check(
            &[1, 9, 3, 9],
            (0, 100),
            100,
            &[1, 9],
            Some(CommitEnd::EndOfText),
        );
        check(&[9, 1], (0, 100), 100, &[9], Some(CommitEnd::EndOfText));
    }

    #[test]
    fn a_round_that_overshoots_is_cut_at_the_length() {
        check(&[1, 2, 3], (8, 10), 100, &[1, 2], Some(CommitEnd::Length));
        check(&[1, 2], (8, 10), 100, &[1, 2], Some(CommitEnd::Length));
        check(&[1, 2], (7, 10), 100, &[1, 2], None);
        check(&[1, 2], (10, 10), 100, &[], Some(CommitEnd::Length));
        check(&[1, 2], (0, 0), 100, &[], Some(CommitEnd::Length));
    }

    #[test]
    fn a_full_context_cuts_too() {
        check(
            &[1, 2, 3],
            (0, 100),
            2,
            &[1, 2],
            Some(CommitEnd::ContextFull),
        );
        check(&[1, 2], (0, 100), 2, &[1, 2], Some(CommitEnd::ContextFull));
        check(&[1, 2], (0, 100), 0, &[], Some(CommitEnd::ContextFull));
    }

    #[test]
    fn an_end_of_text_beyond_a_limit_is_not_reached() {
        check(&[1, 2, 9], (8, 10), 100, &[1, 2], Some(CommitEnd::Length));
        check(
            &[1, 2, 9],
            (0, 100),
            2,
            &[1, 2],
            Some(CommitEnd::ContextFull),
        );
    }

    #[test]
    fn of_several_reasons_the_text_comes_first_and_then_the_length() {
        check(&[1, 9], (8, 10), 2, &[1, 9], Some(CommitEnd::EndOfText));
        check(&[1, 2], (8, 10), 2, &[1, 2], Some(CommitEnd::Length));
    }
}
