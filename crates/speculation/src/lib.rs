//! The mathematics of speculative decoding, without any device: distributions, filters,
//! couplings, verification rules, formulas and statistics. Everything here can be enumerated in
//! a unit test.
//!
//! Two names run through it: the **draft** and the **target**, distributions over one vocabulary
//! after temperature, top-k and top-p. In formulas they are `d` and `t`.
//!
//! | Module | What it says |
//! |---|---|
//! | [`distribution`] | logits to probabilities, distances, residuals, draws |
//! | [`couplings`] | pairs of tokens that often agree: agreement, joints, single steps |
//! | [`input`] | checks of what people type in |
//! | [`random`] | the counter-based generator, and noise that two models share |
//! | [`rules`] | which drafted tokens are kept, and the exact enumeration of whole rounds |
//! | [`formulas`] | tokens per round, speed-up, agreement of couplings |
//! | [`several_drafts`] | how often one of several drafts for one place is kept |
//! | [`statistics`] | intervals and the chi-square test |
//!
//! # Identities
//!
//! - Total variation: `TV = ½ Σ |t − d| = 1 − Σ min(t, d) = Σ max(0, t − d)`, the last being the
//!   mass of the residual.
//! - One position of [`Rule::Rejection`] keeps a token with probability `1 − TV` and yields
//!   `min(t, d) + TV · residual = t`.
//! - Agreement without communication: `1 − TV ≥ Gumbel ≥ MinHash ≥ (1 − TV) / (1 + TV)`.
//! - Independent draws agree with probability `Σ t·d`.
//! - Acceptance-rejection sampling of the target with the draft as proposal takes `max t/d`
//!   attempts on average.
//! - With acceptance `α` at each of `γ` positions, a round yields `(1 − α^(γ+1)) / (1 − α)` tokens.

pub mod couplings;
pub mod distribution;
pub mod formulas;
pub mod input;
pub mod random;
pub mod rules;
pub mod several_drafts;
pub mod statistics;

pub use couplings::{Coupling, Joint, Pair};
pub use distribution::{
    DistributionError, Filter, argmax, check_distribution, draw, entropy, overlap, probabilities,
    ranked, residual, total_variation,
};
pub use formulas::{
    accepted_length_probabilities, best_gamma, expected_tokens_per_round, operations_factor,
    speed_up,
};
pub use input::{Argument, InputError, check_trials, normalised};
pub use random::{Purpose, uniform};
pub use rules::{
    Chance, Closing, Coin, Coins, CommitEnd, Keyed, Lenience, Numbers, Outcome, ParameterError,
    Procedure, Round, RoundError, Rule, SharedNoise, Typical, commit, deviation, exact_round,
    joint_of_next, play_round, play_text, verify,
};
pub use statistics::{
    ChiSquare, chi_square, chi_square_tail, median, median_interval, wilson_interval,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulas::{
        agreement_bound, gumbel_agreement, independent_agreement, minhash_agreement,
    };
    use proptest::prelude::*;

    const DRAFT: [f64; 3] = [0.5, 0.3, 0.2];
    const TARGET: [f64; 3] = [0.2, 0.3, 0.5];

    fn close(found: f64, expect: f64) {
        assert!((found - expect).abs() < 1e-12, "{found} is not {expect}");
    }

    #[test]
    fn example_a_has_its_exact_numbers() {
        close(total_variation(&DRAFT, &TARGET), 0.3);
        close(overlap(&DRAFT, &TARGET), 0.7);
        close(minhash_agreement(&DRAFT, &TARGET), 41.0 / 65.0);
        close(gumbel_agreement(&DRAFT, &TARGET), 41.0 / 65.0);
        close(agreement_bound(&DRAFT, &TARGET), 7.0 / 13.0);
        close(independent_agreement(&DRAFT, &TARGET), 0.29);
        assert!((entropy(&TARGET) - 1.029_653).abs() < 5e-7);
        assert_eq!(residual(&DRAFT, &TARGET), Some(vec![0.0, 0.0, 1.0]));
    }

    #[test]
    fn rejection_accepts_one_minus_the_total_variation() {
        let round = exact_round(Rule::Rejection, 1, |_| DRAFT.to_vec(), |_| TARGET.to_vec());
        let accepted: f64 = round
            .iter()
            .filter(|((_, accepted), _)| *accepted == 1)
            .map(|(_, prob)| prob)
            .sum();
        close(accepted, 1.0 - total_variation(&DRAFT, &TARGET));
    }

    /// Example A again, whose rows are the same at every position: the formulas are then exact.
    #[test]
    fn rejection_keeps_as_many_of_example_a_as_the_formula_says() {
        for (gamma, expect) in [(2, 1.19), (3, 1.533)] {
            let round = exact_round(
                Rule::Rejection,
                gamma,
                |_| DRAFT.to_vec(),
                |_| TARGET.to_vec(),
            );
            let mean: f64 = round
                .iter()
                .map(|((_, accepted), prob)| *accepted as f64 * prob)
                .sum();
            close(mean, expect);
            close(mean + 1.0, expected_tokens_per_round(0.7, gamma));

            let mut lengths = vec![0.0; gamma + 1];
            for ((_, accepted), prob) in &round {
                lengths[*accepted] += prob;
            }
            for (found, formula) in lengths
                .iter()
                .zip(accepted_length_probabilities(0.7, gamma))
            {
                close(*found, formula);
            }
        }
    }

    proptest! {
        #[test]
        fn couplings_keep_their_order(
            weights in prop::collection::vec((0.001..1.0f64, 0.001..1.0f64), 1..8),
        ) {
            let (draft, target): (Vec<f64>, Vec<f64>) = weights.into_iter().unzip();
            let normalised = |weights: Vec<f64>| -> Vec<f64> {
                let total: f64 = weights.iter().sum();
                weights.iter().map(|weight| weight / total).collect()
            };
            let (draft, target) = (normalised(draft), normalised(target));
            let descending = [
                overlap(&draft, &target),
                gumbel_agreement(&draft, &target),
                minhash_agreement(&draft, &target),
                agreement_bound(&draft, &target),
            ];
            for pair in descending.windows(2) {
                prop_assert!(pair[0] >= pair[1] - 1e-12, "{descending:?}");
            }
        }
    }
}
