//! Texts that are written round after round with the same rows at every position.

use std::collections::BTreeMap;

use super::ExactRound;

/// The exact distribution of the first `length` tokens of a text that repeats `round` until so
/// many stand, where the context changes nothing: [`exact_round`](super::exact_round) of models
/// that answer every context with the same row.
///
/// Where [`joint_of_next`](super::joint_of_next) lets the target finish what the first round left
/// open, here the rule itself goes on, mistakes included.
///
/// # Panics
/// When a round of `round` commits nothing.
pub fn joint_of_rounds(round: &ExactRound, length: usize) -> BTreeMap<Vec<usize>, f64> {
    // Texts at whose end a round has just ended, by their length.
    let mut texts: Vec<BTreeMap<Vec<usize>, f64>> = vec![BTreeMap::new(); length + 1];
    texts[0].insert(vec![], 1.0);
    for begun in 0..length {
        // What a round adds here: its tokens, cut where the text is complete.
        let mut added: BTreeMap<&[usize], f64> = BTreeMap::new();
        for ((committed, _), prob) in round {
            assert!(!committed.is_empty(), "a round commits at least one token");
            let cut = &committed[..committed.len().min(length - begun)];
            *added.entry(cut).or_insert(0.0) += prob;
        }
        for (text, before) in std::mem::take(&mut texts[begun]) {
            for (tokens, prob) in &added {
                let longer = [&text, *tokens].concat();
                let same_length = &mut texts[longer.len()];
                *same_length.entry(longer).or_insert(0.0) += before * prob;
            }
        }
    }
    texts.swap_remove(length)
}

#[cfg(test)]
mod tests {
    use super::super::wrong::WrongRule;
    use super::super::{Rule, autoregressive_joint, exact_round};
    use super::*;

    const DRAFT: [f64; 3] = [0.5, 0.3, 0.2];
    const TARGET: [f64; 3] = [0.2, 0.3, 0.5];

    fn round(procedure: impl super::super::Procedure, gamma: usize) -> ExactRound {
        exact_round(procedure, gamma, |_| DRAFT.to_vec(), |_| TARGET.to_vec())
    }

    #[test]
    fn exact_rules_write_the_target_however_many_rounds_it_takes() {
        for rule in [Rule::Rejection, Rule::Block, Rule::Gumbel] {
            for gamma in 0..3 {
                let found = joint_of_rounds(&round(rule, gamma), 4);
                let expect = autoregressive_joint(4, |_| TARGET.to_vec());
                assert_eq!(found.len(), expect.len());
                for (text, prob) in &expect {
                    assert!((found[text] - prob).abs() < 1e-12, "{rule:?} {text:?}");
                }
            }
        }
    }

    /// By hand: a first token of 0 is kept with .2, else replaced, and the replacement is 2. After
    /// a kept token comes a bonus of the target's, after a replacement another round.
    #[test]
    fn mistakes_are_made_again_in_every_round() {
        let found = joint_of_rounds(&round(WrongRule::ResamplesFromTarget, 1), 2);
        let (kept, output) = ([0.2, 0.3, 0.2], [0.26, 0.39, 0.35]);
        for (text, prob) in &found {
            let (first, second) = (text[0], text[1]);
            let expect =
                kept[first] * TARGET[second] + (output[first] - kept[first]) * output[second];
            assert!((prob - expect).abs() < 1e-12, "{text:?}");
        }
        assert_eq!(found.len(), 9);
    }

    #[test]
    fn no_tokens_are_one_text() {
        assert_eq!(joint_of_rounds(&round(Rule::Rejection, 2), 0).len(), 1);
    }
}
