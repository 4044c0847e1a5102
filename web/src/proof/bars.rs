//! What comes out against what should: bars of counts, the target's lines, and marks for what
//! theory expects of an inexact rule.

use couplet_speculation::statistics::count_interval;

use super::counting::Tally;
use super::pair::ProofPair;
use super::theory::marginal;

/// One token at one place of the texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Its probability under the target.
    pub target: f64,
    /// How often it came, of all texts; none before any was counted.
    pub share: Option<f64>,
    /// Where an exact sampler's share lies, in samples of this size, with the confidence asked for.
    pub band: Option<[f64; 2]>,
    /// What theory says comes out.
    pub theory: Option<f64>,
}

impl Bar {
    /// What came out less what should.
    pub fn off(&self) -> Option<f64> {
        Some(self.share? - self.target)
    }

    /// Whether chance explains it.
    pub fn inside(&self) -> bool {
        let within = |share: f64, [low, high]: [f64; 2]| low <= share && share <= high;
        self.share
            .zip(self.band)
            .is_none_or(|(share, band)| within(share, band))
    }
}

/// The bars of all tokens at a place of texts of `length` tokens, with bands of a `confidence` in
/// (0, 1). `theory`: what an inexact rule writes there, shape (tokens).
pub fn bars(
    pair: &ProofPair,
    length: usize,
    position: usize,
    tally: &Tally,
    theory: Option<Vec<f64>>,
    confidence: f64,
) -> Vec<Bar> {
    let tokens = pair.len();
    let counted = tally.trials > 0 && tally.counts.len() == tokens.pow(length as u32);
    let counts = counted.then(|| marginal(&tally.counts, tokens, length, position));
    let trials = tally.trials as f64;
    pair.target
        .iter()
        .enumerate()
        .map(|(token, &target)| {
            let count = counts
                .as_ref()
                .and_then(|counts| counts.get(token).copied());
            Bar {
                target,
                share: count.map(|count| count as f64 / trials),
                band: count.map(|_| {
                    count_interval(tally.trials, target.clamp(0.0, 1.0), confidence)
                        .map(|end| end as f64 / trials)
                }),
                theory: theory.as_ref().and_then(|exact| exact.get(token).copied()),
            }
        })
        .collect()
}

/// The tallest thing to draw, at least a twentieth.
pub fn tallest(bars: &[Bar]) -> f64 {
    bars.iter()
        .flat_map(|bar| [Some(bar.target), bar.share, bar.theory])
        .flatten()
        .fold(0.05, f64::max)
}
