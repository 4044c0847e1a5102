//! Whether the token that closes a round was drawn from what its event says.

use couplet_playback::tr;
use couplet_protocol::{Distribution, Rule, Settings};

use super::SLACK;

/// Checks that a residual is what its rule leaves of the target at the rejected place. Where a large
/// vocabulary is not known whole, and under Block, whose ratio of what was kept no event tells, any
/// residual may be right.
///
/// # Errors
///
/// A clause.
pub fn is_left(
    [draft, target]: [&Distribution; 2],
    residual: &Distribution,
    mass: f32,
    settings: &Settings,
) -> Result<(), String> {
    let is_known = [draft, target, residual].iter().all(|it| it.is_whole());
    // How much of the draft is taken off, if any.
    let counted = match settings.rule {
        Rule::Block => return Ok(()),
        Rule::Rejection => Some(1.0),
        Rule::Lenience => Some(settings.lenience as f32),
        Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch | Rule::Greedy | Rule::Typical => None,
    };
    if !is_known {
        return Ok(());
    }
    let off = counted.unwrap_or(0.0);
    let places = target.probs.iter().zip(&draft.probs);
    let left: Vec<f32> = places
        .map(|(target, draft)| (target - off * draft).max(0.0))
        .collect();
    let sum: f32 = left.iter().sum();
    let told = if counted.is_some() { sum } else { 0.0 };
    let is_so = (mass - told).abs() <= SLACK
        && left
            .iter()
            .zip(&residual.probs)
            .all(|(left, prob)| (prob * sum - left).abs() <= SLACK);
    match is_so {
        true => Ok(()),
        false => Err(tr!("a residual is not what the rule leaves of the target")),
    }
}

/// Checks that the rule takes this token from a distribution: the one that a draw lands on, the
/// tokens lying in the order of the vocabulary, or, under Greedy, the most probable one. What clocks
/// and darts take, no event tells.
///
/// # Errors
///
/// A clause.
pub fn lands(
    distribution: &Distribution,
    token: u32,
    draw: f32,
    settings: &Settings,
) -> Result<(), String> {
    match settings.rule {
        Rule::Rejection | Rule::Block | Rule::SampleAndMatch | Rule::Lenience | Rule::Typical => {}
        Rule::Greedy => return is_favourite(distribution, token),
        Rule::Gumbel | Rule::MinHash => return Ok(()),
    }
    if !distribution.is_whole() {
        return Ok(());
    }
    let (before, from) = distribution.probs.split_at(token as usize);
    let start: f32 = before.iter().sum();
    let end = start + from.first().copied().unwrap_or_default();
    match (start - SLACK..=end + SLACK).contains(&draw) {
        true => Ok(()),
        false => Err(tr!("a draw does not land on its token")),
    }
}

/// Checks that no token is more probable than this one.
fn is_favourite(distribution: &Distribution, token: u32) -> Result<(), String> {
    let most = distribution.probs.iter().copied().fold(0.0, f32::max);
    // The most probable tokens are those that are kept of a large vocabulary.
    match distribution.prob(token).unwrap_or_default() >= most - SLACK {
        true => Ok(()),
        false => Err(tr!("a token is not the target's most probable one")),
    }
}
