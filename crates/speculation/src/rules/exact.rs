//! Exact enumeration of whole rounds: every draft, every answer of chance, and their
//! probabilities.

use std::collections::BTreeMap;

use super::{Chance, Coin, Outcome, Procedure, Round};

/// The probability of every (committed tokens, how many of them were drafted and kept).
///
/// The committed tokens are the kept ones and the one after them, so their number is always one
/// more than `accepted`.
pub type ExactRound = BTreeMap<(Vec<usize>, usize), f64>;

/// The exact outcome of one round that begins after the empty context.
///
/// A model is a function from a context, the token ids so far, to its distribution of the next
/// token. Every draft of `gamma` tokens is enumerated, and for each one every answer of chance:
/// up to `vocabulary^gamma` drafts, so this is for small tables.
pub fn exact_round(
    procedure: impl Procedure,
    gamma: usize,
    draft_model: impl Fn(&[usize]) -> Vec<f64>,
    target_model: impl Fn(&[usize]) -> Vec<f64>,
) -> ExactRound {
    let mut found = ExactRound::new();
    let mut drafts = vec![Draft {
        tokens: vec![],
        rows: vec![],
        prob: 1.0,
    }];
    for _ in 0..gamma {
        drafts = drafts
            .iter()
            .flat_map(|draft| draft.extended(&procedure, &draft_model))
            .collect();
    }
    for draft in &drafts {
        let target_probs: Vec<Vec<f64>> = (0..=gamma)
            .map(|length| target_model(&draft.tokens[..length]))
            .collect();
        let round = Round {
            drafted: &draft.tokens,
            draft_probs: &draft.rows,
            target_probs: &target_probs,
        };
        for (outcome, prob) in outcome_probabilities(&procedure, &round) {
            let mut committed = draft.tokens[..outcome.accepted].to_vec();
            committed.push(outcome.token);
            *found.entry((committed, outcome.accepted)).or_default() += draft.prob * prob;
        }
    }
    found
}

/// A drafted block with the rows handed to verification, and how probable the block is.
struct Draft {
    tokens: Vec<usize>,
    rows: Vec<Vec<f64>>,
    prob: f64,
}

impl Draft {
    fn extended(
        &self,
        procedure: &impl Procedure,
        draft_model: impl Fn(&[usize]) -> Vec<f64>,
    ) -> Vec<Draft> {
        let row = draft_model(&self.tokens);
        let proposal = procedure.proposal(&row);
        (0..proposal.len())
            .filter(|&token| proposal[token] > 0.0)
            .map(|token| Draft {
                tokens: self.tokens.iter().copied().chain([token]).collect(),
                rows: self.rows.iter().cloned().chain([row.clone()]).collect(),
                prob: self.prob * proposal[token],
            })
            .collect()
    }
}

/// The exact distribution of what `procedure` decides on one drafted block, one entry per
/// possible outcome. The probabilities sum to one.
///
/// # Panics
/// When the rows of `round` do not fit together.
pub fn outcome_probabilities(procedure: impl Procedure, round: &Round) -> BTreeMap<Outcome, f64> {
    let mut found = BTreeMap::new();
    let mut branches = Branches::along(vec![]);
    loop {
        let outcome = procedure.decide(round, &mut branches);
        *found.entry(outcome).or_default() += branches.prob;
        if !branches.advance() {
            return found;
        }
    }
}

/// The distribution of the first `gamma + 1` tokens of a text whose first round is `round`:
/// commits that are shorter go on with the target's own conditionals.
///
/// A procedure is lossless when this is the [`autoregressive_joint`] of the target.
///
/// # Panics
/// When `round` committed more than `gamma + 1` tokens.
pub fn joint_of_next(
    round: &ExactRound,
    gamma: usize,
    target_model: impl Fn(&[usize]) -> Vec<f64>,
) -> BTreeMap<Vec<usize>, f64> {
    let mut joint = BTreeMap::new();
    for ((committed, _), &prob) in round {
        let missing = (gamma + 1)
            .checked_sub(committed.len())
            .expect("a round commits at most one token more than it drafts");
        let completions = completions(committed.clone(), prob, missing, &target_model);
        for (tokens, prob) in completions {
            *joint.entry(tokens).or_default() += prob;
        }
    }
    joint
}

/// How far the text of `procedure` is from the target's: the total variation distance of the
/// joint distributions of the first `gamma + 1` tokens, in [0, 1].
///
/// 0 up to rounding for a lossless procedure.
pub fn deviation(
    procedure: impl Procedure,
    gamma: usize,
    draft_model: impl Fn(&[usize]) -> Vec<f64>,
    target_model: impl Fn(&[usize]) -> Vec<f64>,
) -> f64 {
    let round = exact_round(procedure, gamma, draft_model, &target_model);
    let found = joint_of_next(&round, gamma, &target_model);
    let expect = autoregressive_joint(gamma + 1, &target_model);
    let of = |joint: &BTreeMap<Vec<usize>, f64>, text| joint.get(text).copied().unwrap_or(0.0);
    let only_found = found.keys().filter(|text| !expect.contains_key(*text));
    0.5 * expect
        .keys()
        .chain(only_found)
        .map(|text| (of(&found, text) - of(&expect, text)).abs())
        .sum::<f64>()
}

/// The distribution of the next `length` tokens that the target gives by itself, one by one.
/// Texts of probability 0 are left out.
pub fn autoregressive_joint(
    length: usize,
    target_model: impl Fn(&[usize]) -> Vec<f64>,
) -> BTreeMap<Vec<usize>, f64> {
    completions(vec![], 1.0, length, &target_model)
        .into_iter()
        .collect()
}

fn completions(
    context: Vec<usize>,
    prob: f64,
    missing: usize,
    target_model: &impl Fn(&[usize]) -> Vec<f64>,
) -> Vec<(Vec<usize>, f64)> {
    let mut texts = vec![(context, prob)];
    for _ in 0..missing {
        texts = texts
            .iter()
            .flat_map(|(text, prob)| {
                target_model(text)
                    .into_iter()
                    .enumerate()
                    .filter(|&(_, conditional)| conditional > 0.0)
                    .map(|(token, conditional)| {
                        (
                            text.iter().copied().chain([token]).collect(),
                            prob * conditional,
                        )
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    texts
}

/// The [`Chance`] that goes through all answers, one combination per run.
///
/// It knows of every coin the interval in which its number must lie after the answers so far. A
/// coin that is asked for twice is therefore the same number twice, as it would be in real code,
/// and a procedure that reuses one shows.
struct Branches {
    /// The answers of this run, each as (which one, of how many).
    path: Vec<(usize, usize)>,
    /// How many answers of this run have been given.
    given: usize,
    /// The probability of the answers given.
    prob: f64,
    /// Where each coin's number lies.
    intervals: BTreeMap<Coin, [f64; 2]>,
}

impl Branches {
    /// A run that repeats the answers of `path` and then takes the first of each.
    fn along(path: Vec<(usize, usize)>) -> Self {
        Self {
            path,
            given: 0,
            prob: 1.0,
            intervals: BTreeMap::new(),
        }
    }

    /// Prepares the next run; false when all have been made.
    fn advance(&mut self) -> bool {
        let mut path = std::mem::take(&mut self.path);
        while let Some((answer, count)) = path.pop() {
            if answer + 1 < count {
                path.push((answer + 1, count));
                *self = Branches::along(path);
                return true;
            }
        }
        false
    }

    /// Picks one of the consecutive parts into which `ends` (ascending, the last one 1) cuts the
    /// unit interval, among those that the coin can still lie in.
    fn pick(&mut self, coin: Coin, ends: &[f64]) -> usize {
        let [lower, upper] = self.intervals.get(&coin).copied().unwrap_or([0.0, 1.0]);
        let mut parts = Vec::new();
        let mut start = 0.0f64;
        for (part, &end) in ends.iter().enumerate() {
            let (from, to) = (start.max(lower), end.min(upper));
            if from < to {
                parts.push((part, from, to));
            }
            start = end;
        }
        if self.given == self.path.len() {
            self.path.push((0, parts.len()));
        }
        let (answer, count) = self.path[self.given];
        assert_eq!(
            count,
            parts.len(),
            "a procedure asks the same when it is answered the same"
        );
        let (part, from, to) = parts[answer];
        self.given += 1;
        self.prob *= (to - from) / (upper - lower);
        self.intervals.insert(coin, [from, to]);
        part
    }
}

impl Chance for Branches {
    fn keeps(&mut self, coin: Coin, draft_prob: f64, target_prob: f64) -> bool {
        let threshold = if target_prob <= 0.0 {
            0.0
        } else if target_prob >= draft_prob {
            1.0
        } else {
            target_prob / draft_prob
        };
        self.pick(coin, &[threshold, 1.0]) == 0
    }

    fn draws(&mut self, coin: Coin, weights: &[f64]) -> usize {
        let total: f64 = weights.iter().sum();
        assert!(
            total > 0.0 && total.is_finite(),
            "weights sum to {total}: nothing can be drawn"
        );
        let last = weights
            .iter()
            .rposition(|&weight| weight > 0.0)
            .expect("the total is positive");
        let mut cumulative = 0.0;
        let ends: Vec<f64> = weights[..=last]
            .iter()
            .enumerate()
            .map(|(id, weight)| {
                cumulative += weight;
                if id == last { 1.0 } else { cumulative / total }
            })
            .collect();
        self.pick(coin, &ends)
    }
}
