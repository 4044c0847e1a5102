use super::*;
use crate::formulas::{typical_acceptance, typical_output};

const DRAFT: [f64; 3] = [0.5, 0.3, 0.2];
const TARGET: [f64; 3] = [0.2, 0.3, 0.5];

/// Verifies a draft of one token and returns the outcome with the coins that it used.
fn one(
    rule: Rule,
    drafted: usize,
    draft: &[f64],
    target: &[f64],
    accept: f64,
    rest: f64,
) -> (Outcome, Vec<Coin>) {
    let mut asked = Vec::new();
    let outcome = verify(
        rule,
        &Round {
            drafted: &[drafted],
            draft_probs: &[draft.to_vec()],
            target_probs: &[target.to_vec(), target.to_vec()],
        },
        &mut |coin| {
            asked.push(coin);
            if matches!(coin, Coin::Accept(_)) {
                accept
            } else {
                rest
            }
        },
    );
    (outcome, asked)
}

#[test]
fn rejection_keeps_below_the_ratio_and_draws_the_residual_above() {
    let kept = Outcome {
        accepted: 1,
        token: 1,
        closing: Closing::Bonus,
    };
    let (outcome, asked) = one(Rule::Rejection, 0, &DRAFT, &TARGET, 0.399, 0.4);
    assert_eq!(
        (outcome, asked),
        (kept, vec![Coin::Accept(0), Coin::Target])
    );

    let replaced = Outcome {
        accepted: 0,
        token: 2,
        closing: Closing::Residual,
    };
    let (outcome, asked) = one(Rule::Rejection, 0, &DRAFT, &TARGET, 0.401, 0.0);
    assert_eq!(
        (outcome, asked),
        (replaced, vec![Coin::Accept(0), Coin::Residual(0)])
    );
}

#[test]
fn the_comparison_is_strict() {
    // u·d = t exactly, in binary fractions.
    let (outcome, _) = one(Rule::Rejection, 0, &[1.0, 0.0], &[0.5, 0.5], 0.5, 0.0);
    assert_eq!(outcome.accepted, 0);
    // A coin of zero and a token that the target never draws.
    let (outcome, _) = one(Rule::Rejection, 0, &[1.0, 0.0], &[0.0, 1.0], 0.0, 0.0);
    assert_eq!((outcome.accepted, outcome.token), (0, 1));
    // Neither model draws it.
    let (outcome, _) = one(Rule::Rejection, 0, &[0.0, 1.0], &[0.0, 1.0], 0.0, 0.0);
    assert_eq!((outcome.accepted, outcome.token), (0, 1));
}

#[test]
fn a_residual_lost_to_rounding_is_a_draw_from_the_target() {
    // Rounding, exaggerated: the rows do not sum to the same.
    for u in [0.0, 0.5, 0.99] {
        let (outcome, _) = one(
            Rule::Rejection,
            0,
            &[0.6, 0.4, 0.0],
            &[0.5, 0.4, 0.0],
            0.9,
            u,
        );
        let expect = if u < 5.0 / 9.0 { 0 } else { 1 };
        assert_eq!((outcome.accepted, outcome.token), (0, expect));
    }
}

/// It has to be above the threshold, which is ε here: e^(−H) is 0.357.
#[test]
fn a_token_at_the_threshold_is_not_typical() {
    let typical = Typical::new(0.2, 1.0).unwrap();
    assert_eq!(typical.threshold(crate::entropy(&TARGET)), TARGET[0]);
    let accepted = |drafted| {
        let (outcome, _) = one(Rule::Typical(typical), drafted, &DRAFT, &TARGET, 0.0, 0.0);
        outcome.accepted
    };
    assert_eq!([0, 1, 2].map(accepted), [0, 1, 1]);
    let row = TARGET.map(|prob| prob as f32);
    let portable = [0, 1, 2].map(|token| is_typical(&row, token, 0.2, 1.0));
    assert_eq!(portable, [false, true, true]);
    // Of two tokens alike both are at e^(−H).
    assert!(!is_typical(&[0.5, 0.5], 0, 1.0, 1.0));
    let (kept, output) = (
        typical_acceptance(&DRAFT, &TARGET, typical),
        typical_output(&DRAFT, &TARGET, typical),
    );
    assert!((kept - (DRAFT[1] + DRAFT[2])).abs() < 1e-12, "{kept}");
    assert!((output[0] - 0.5 * TARGET[0]).abs() < 1e-12, "{output:?}");
}

#[test]
fn greedy_uses_no_coin_and_the_lowest_id_of_a_tie() {
    let tie = [0.2, 0.4, 0.4];
    let kept = Outcome {
        accepted: 1,
        token: 1,
        closing: Closing::Bonus,
    };
    assert_eq!(one(Rule::Greedy, 1, &DRAFT, &tie, 0.0, 0.0), (kept, vec![]));
    let replaced = Outcome {
        accepted: 0,
        token: 1,
        closing: Closing::Residual,
    };
    assert_eq!(
        one(Rule::Greedy, 2, &DRAFT, &tie, 0.0, 0.0),
        (replaced, vec![])
    );
}

#[test]
fn every_position_has_its_own_coin() {
    let gamma = 4;
    for rejected_at in 0..=gamma {
        let mut asked = Vec::new();
        let outcome = verify(
            Rule::Rejection,
            &Round {
                drafted: &vec![0; gamma],
                draft_probs: &vec![DRAFT.to_vec(); gamma],
                target_probs: &vec![TARGET.to_vec(); gamma + 1],
            },
            &mut |coin| {
                asked.push(coin);
                if coin == Coin::Accept(rejected_at) {
                    0.9
                } else {
                    0.1
                }
            },
        );
        let last = if rejected_at < gamma {
            Coin::Residual(rejected_at)
        } else {
            Coin::Target
        };
        let tried = (rejected_at + 1).min(gamma);
        let expect: Vec<Coin> = (0..tried).map(Coin::Accept).chain([last]).collect();
        assert_eq!(asked, expect);
        assert_eq!(outcome.accepted, rejected_at);
    }
}

/// The first beginning to be kept is the longest, so a token's coin is asked for only where those
/// after it have failed.
#[test]
fn block_asks_for_the_coins_of_its_positions_from_the_last_on() {
    let asked = |number: f64| {
        let mut asked = Vec::new();
        let round = Round {
            drafted: &[0, 0, 2],
            draft_probs: &vec![DRAFT.to_vec(); 3],
            target_probs: &vec![TARGET.to_vec(); 4],
        };
        verify(Rule::Block, &round, &mut |coin| {
            asked.push(coin);
            number
        });
        asked
    };
    assert_eq!(asked(0.1), [Coin::Accept(2), Coin::Target]);
    let all = [2, 1, 0].map(Coin::Accept);
    assert_eq!(asked(0.99), [&all[..], &[Coin::Residual(0)]].concat());
}

#[test]
#[should_panic(expected = "has one more row")]
fn a_missing_target_row_is_noticed() {
    let round = Round {
        drafted: &[0],
        draft_probs: &[DRAFT.to_vec()],
        target_probs: &[TARGET.to_vec()],
    };
    verify(Rule::Rejection, &round, &mut |_| 0.5);
}
