//! Exact probabilities of two races with the same clocks.

use crate::distribution::{pairs, ranked};

/// The joint distribution of the winners of two races over the same clocks.
///
/// Let `a` and `b` be the times at which draft and target finish. Draft token i and target token
/// j ≠ i win iff `E_i = d_i·a ≥ t_i·b`, `E_j = t_j·b ≥ d_j·a` and `E_k ≥ max(d_k·a, t_k·b)` for all
/// others. With `r = b/a` the first two say `d_j/t_j ≤ r ≤ d_i/t_i`, and there the exponent of the
/// density is `−Σ_k max(d_k·a, t_k·b) = −a·S(r)` with `S(r) = Σ_k max(d_k, t_k·r)`. Integrating over
/// `a` leaves
///
/// `P(i, j) = d_i·t_j · ∫ dr / S(r)²` from `d_j/t_j` to `d_i/t_i`, and 0 if that is empty.
///
/// For i = j the density is that of one clock, and `P(i, i) = d_i / S(d_i/t_i)`, the summand
/// `1 / Σ_j max(t_j/t_i, d_j/d_i)` of Moulton and Jiang's probability Jaccard index.
///
/// S has a corner at every ratio and is linear between, where `∫ dr / S² = (r₂ − r₁) / (S(r₁)·S(r₂))`
/// exactly. In place of r runs `r/(1 + r)`, from 0 to 1, so that nothing is infinite for tokens that
/// only one model draws: with `s(x) = Σ_k max(d_k·(1 − x), t_k·x)` it is `dr / S² = dx / s²`.
pub(crate) struct Race {
    /// Of every token, (draft, target).
    probs: Vec<(f64, f64)>,
    /// Of every token at its own corner `d/(d + t)`: s there, and `∫ dx / s²` from 0 up to it.
    corners: Vec<(f64, f64)>,
}

impl Race {
    /// # Panics
    /// When the lengths differ.
    pub(crate) fn new(draft_probs: &[f64], target_probs: &[f64]) -> Self {
        let probs: Vec<(f64, f64)> = pairs(draft_probs, target_probs).collect();
        let corner_of = |token: usize| {
            let (draft, target) = probs[token];
            draft / (draft + target)
        };
        // A token that neither model draws is in no race; its corner is never looked at.
        let races = |token: &usize| probs[*token].0 + probs[*token].1 > 0.0;
        let corner = |token: usize| if races(&token) { corner_of(token) } else { 1.0 };
        let mut order = ranked((0..probs.len()).map(|token| -corner(token)));
        order.retain(races);

        // Right of its corner a token counts with its target probability, left with its draft's.
        let mut draft_mass_from = vec![0.0; order.len() + 1];
        for (rank, &token) in order.iter().enumerate().rev() {
            draft_mass_from[rank] = draft_mass_from[rank + 1] + probs[token].0;
        }
        let mut corners = vec![(1.0, 0.0); probs.len()];
        let mut target_mass = 0.0;
        let (mut last, mut last_sum, mut integral) = (0.0, draft_mass_from[0], 0.0);
        for (rank, &token) in order.iter().enumerate() {
            let corner = corner_of(token);
            let sum = draft_mass_from[rank] * (1.0 - corner) + target_mass * corner;
            integral += (corner - last) / (last_sum * sum);
            corners[token] = (sum, integral);
            target_mass += probs[token].1;
            (last, last_sum) = (corner, sum);
        }
        Self { probs, corners }
    }

    /// The probability that `draft_token` wins the draft's race and `target_token` the target's.
    pub(crate) fn joint(&self, draft_token: usize, target_token: usize) -> f64 {
        let (draft, other_target) = self.probs[draft_token];
        let (_, target) = self.probs[target_token];
        if draft <= 0.0 || target <= 0.0 {
            return 0.0;
        }
        let (sum, until) = self.corners[draft_token];
        if draft_token == target_token {
            return draft * other_target / ((draft + other_target) * sum);
        }
        let (_, from) = self.corners[target_token];
        draft * target * (until - from).max(0.0)
    }

    /// The probability that the same token wins both races.
    pub(crate) fn agreement(&self) -> f64 {
        (0..self.probs.len())
            .map(|token| self.joint(token, token))
            .sum()
    }
}
