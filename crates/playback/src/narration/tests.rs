use super::*;
use crate::{Cut, Run, fixture, visible};
use couplet_protocol::Event;

const LETTERS: [&str; 6] = ["K", " ", "s", "n", "d", "\n"];

fn show(token: u32) -> String {
    visible(LETTERS[token as usize], Cut::Characters)
}

fn sentence(events: &[Event], playhead: usize, rule: Rule) -> String {
    let settings = Settings {
        rule,
        ..Settings::default()
    };
    let run = Run::from_events(events);
    let step = run.step_at(playhead).unwrap();
    plain(&narrate(&run.rounds()[step.round], step, &settings, show))
}

#[test]
fn every_phase_has_its_sentence() {
    let said = |playhead| sentence(&fixture::events(), playhead, Rule::Rejection);
    assert_eq!(said(1), "The draft pencils s, n and d, one after another.");
    assert_eq!(
        said(2),
        "The target reads all three in one pass and gives each a probability of its own."
    );
    assert_eq!(
        said(3),
        "The draft gave s 0.31; the target 0.40. All of the bar is green, so s is inked, whatever u is."
    );
    assert_eq!(
        said(4),
        "The draft gave n 0.31; the target only 0.090. The needle fell in the hatching, so n is struck."
    );
    assert_eq!(
        said(5),
        "The residual is what the target has beyond the draft. u′ 0.21 lands in line break, which is inked instead."
    );
    assert_eq!(
        said(6),
        "One inked, one resampled, one discarded: two tokens from a single pass of the target."
    );
}

#[test]
fn a_round_that_is_kept_whole_counts_its_bonus() {
    let said = |playhead| sentence(&fixture::events(), playhead, Rule::Rejection);
    assert_eq!(
        said(12),
        "All three were inked. The same pass gave the next probabilities too: d, drawn from them, without another pass."
    );
    assert_eq!(
        said(13),
        "Three inked, one bonus: four tokens from a single pass of the target."
    );
}

#[test]
fn a_single_drafted_token_is_spoken_of_as_one() {
    let said = |playhead| sentence(&fixture::kept(1, 1), playhead, Rule::Rejection);
    assert_eq!(said(1), "The draft pencils space.");
    assert_eq!(
        said(2),
        "The target reads it in one pass and gives it a probability of its own."
    );
    assert_eq!(
        said(4),
        "The drafted token was inked. The same pass gave the next probabilities too: n, drawn from them, without another pass."
    );
}

#[test]
fn the_target_alone_has_nothing_inked_and_no_bonus() {
    let said = |playhead| sentence(&fixture::alone(&[2]), playhead, Rule::Rejection);
    assert_eq!(said(1), "Nothing was drafted: the target writes s alone.");
    assert_eq!(said(2), "One token from a single pass of the target.");
}

#[test]
fn greedy_speaks_of_the_most_probable_token() {
    let said = |playhead| sentence(&fixture::events(), playhead, Rule::Greedy);
    assert!(said(4).contains("is not the target’s most probable token"));
    assert!(said(5).starts_with("The target’s own most probable token is "));
}

#[test]
fn lenience_says_how_much_of_the_draft_counts() {
    let said = |playhead| sentence(&fixture::events(), playhead, Rule::Lenience);
    assert_eq!(
        said(4),
        "The draft gave n 0.31, of which 0.16 counts; the target only 0.090. The needle fell in the hatching, so n is struck."
    );
    assert!(said(5).contains("beyond the part of the draft that counts"));
}

/// The events of the fixture, every token of which has these two probabilities.
fn judged_by(draft: f32, target: f32) -> Vec<Event> {
    let mut events = fixture::events();
    for event in &mut events {
        if let Event::Verified {
            draft_prob,
            target_prob,
            ..
        } = event
        {
            (*draft_prob, *target_prob) = (draft, target);
        }
    }
    events
}

#[test]
fn what_stays_for_certain_is_not_told_as_luck() {
    let said = |draft: f32, target: f32, rule| sentence(&judged_by(draft, target), 3, rule);
    let certain = "All of the bar is green, so s is inked, whatever u is.";
    let lucky = "The needle fell in the green, so s is inked.";
    assert!(said(0.4, 0.5, Rule::Rejection).ends_with(certain));
    assert!(said(0.4, 0.4, Rule::Rejection).ends_with(certain));
    assert!(said(0.4, 0.39, Rule::Rejection).ends_with(lucky));
    // Half of the draft's probability counts.
    assert!(said(0.4, 0.21, Rule::Lenience).ends_with(certain));
    assert!(said(0.4, 0.19, Rule::Lenience).ends_with(lucky));
}

#[test]
fn a_bonus_is_told_as_its_rule_finds_it() {
    let said = |rule| sentence(&fixture::block(), 9, rule);
    let place = "The same pass gave the next probabilities too: K, ";
    for (rule, how) in [
        (Rule::Rejection, "drawn from them"),
        (Rule::SampleAndMatch, "drawn from them"),
        (Rule::Gumbel, "the first by the same clocks"),
        (Rule::MinHash, "named by its first dart"),
        (Rule::Greedy, "the target’s favourite"),
    ] {
        let told = said(rule);
        assert!(
            told.contains(&format!("{place}{how}, without another pass.")),
            "{told}"
        );
    }
}

#[test]
fn a_block_is_judged_in_one_sentence() {
    let said = |playhead| sentence(&fixture::block(), playhead, Rule::Block);
    assert_eq!(
        said(3),
        "The block is judged as one: the longest prefix that passes is kept. It ends with s, so n is struck."
    );
    assert!(said(4).contains("times the ratios of what was kept"));
    assert_eq!(
        said(5),
        "Two inked, one resampled, one discarded: three tokens from a single pass of the target."
    );
    assert!(said(8).ends_with("is kept. All of it passes."));
    assert!(said(9).starts_with("All four were inked."));
}

#[test]
fn a_block_of_which_nothing_passes_is_struck_at_its_first_token() {
    let mut events = fixture::block();
    for event in &mut events {
        if let Event::Verified { accepted, .. } = event {
            *accepted = false;
        }
    }
    assert!(sentence(&events, 3, Rule::Block).ends_with("None passes, so space is struck."));
}

#[test]
fn rules_with_an_own_token_name_it() {
    let events = fixture::own_tokens(&[(2, 2), (3, 4)]);
    let said = |playhead, rule| sentence(&events, playhead, rule);
    assert_eq!(
        said(3, Rule::Gumbel),
        "Both models run the same clocks, and in both the first is s, so it is inked."
    );
    assert_eq!(
        said(4, Rule::Gumbel),
        "Both models run the same clocks: the draft’s first is n, the target’s d, so n is struck."
    );
    assert_eq!(
        said(5, Rule::Gumbel),
        "The target’s own first is d, so that is inked."
    );
    assert_eq!(
        said(3, Rule::MinHash),
        "Both models look at the same darts, and for both the first hit names s, so it is inked."
    );
    assert_eq!(
        said(4, Rule::MinHash),
        "Both models look at the same darts: the draft’s hit names n, the target’s d, so n is struck."
    );
    assert_eq!(
        said(5, Rule::MinHash),
        "The target’s own dart names d, so that is inked."
    );
    assert_eq!(
        said(3, Rule::SampleAndMatch),
        "The target draws a token of its own, and it is the same: s, so it is inked."
    );
    assert_eq!(
        said(4, Rule::SampleAndMatch),
        "The draft pencilled n, but the target’s own draw is d, so n is struck."
    );
}

/// A trace from a file may leave out which token the target's own was.
#[test]
fn an_own_token_that_is_not_known_is_another() {
    let mut events = fixture::own_tokens(&[(2, 2), (3, 4)]);
    for event in &mut events {
        if let Event::Verified { own_token, .. } = event {
            *own_token = None;
        }
    }
    let said = |rule| sentence(&events, 4, rule);
    assert_eq!(
        said(Rule::Gumbel),
        "Both models run the same clocks: the draft’s first is n, the target’s is another, so n is struck."
    );
    assert_eq!(
        said(Rule::MinHash),
        "Both models look at the same darts: the draft’s hit names n, the target’s is another, so n is struck."
    );
    assert_eq!(
        said(Rule::SampleAndMatch),
        "The draft pencilled n, the target’s is another, so n is struck."
    );
}

#[test]
fn typical_says_what_is_enough() {
    let said = |playhead| sentence(&fixture::typical(), playhead, Rule::Typical);
    assert_eq!(
        said(3),
        "The target gives s 0.10, more than the 0.030 that are enough here, so it is inked."
    );
    assert_eq!(
        said(4),
        "The target gives n 0.010, no more than the 0.030 that it takes here, so it is struck."
    );
    assert_eq!(
        said(5),
        "The target draws anew. u′ 0.50 lands in d, which is inked instead."
    );
}

#[test]
fn a_round_is_summed_up_for_people_who_listen() {
    let run = Run::from_events(&fixture::events());
    let sum = |number: usize, rule| round_summary(number, &run.rounds()[number - 1], rule, show);
    assert_eq!(
        sum(1, Rule::Rejection),
        "Round 1: 1 accepted, n rejected, line break resampled."
    );
    assert_eq!(
        sum(2, Rule::Block),
        "Round 2: 3 accepted, d added by the target."
    );
    let run = Run::from_events(&fixture::own_tokens(&[(2, 2), (3, 4)]));
    assert_eq!(
        round_summary(1, &run.rounds()[0], Rule::Gumbel, show),
        "Round 1: 1 accepted, n rejected, the target’s own d in its place."
    );
}

#[test]
fn a_round_that_did_not_fit_says_how_much_of_it_did() {
    let mut events = fixture::events();
    for event in &mut events {
        if let Event::Committed { tokens, .. } = event {
            tokens.truncate(1);
        }
    }
    assert_eq!(
        sentence(&events, 6, Rule::Rejection),
        "One inked, one resampled, one discarded: two tokens from a single pass of the target, of which the text takes one."
    );
}

#[test]
fn numbers_are_printed_so_that_they_bear_the_words_out() {
    let said = |draft: f32, target: f32| sentence(&judged_by(draft, target), 4, Rule::Rejection);
    let alike = said(0.9741, 0.9683);
    assert!(alike.contains("0.974; the target only 0.968."), "{alike}");
    let small = said(0.52, 0.0042);
    assert!(small.contains("0.52; the target only 0.0042."), "{small}");
    let close = said(0.970_02, 0.970_01);
    assert!(
        close.contains("0.97002; the target only 0.97001."),
        "{close}"
    );
    let level = said(0.97, 0.97);
    assert!(level.contains("0.97; the target 0.97."), "{level}");
}
