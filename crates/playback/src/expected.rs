use couplet_protocol::{Distribution, Rule, Settings};
use couplet_speculation::formulas::{
    gumbel_agreement, independent_agreement, lenience_acceptance, minhash_agreement,
    typical_acceptance,
};
use couplet_speculation::{Lenience, Typical, overlap};

use crate::Proposal;
use crate::judging::first;

/// How probable it was that a token drafted here would be kept, over everything that the draft
/// could have proposed: by the rule's formula on the two distributions in the log.
///
/// `None` before the target has spoken, where the log holds only part of a distribution, and under
/// Block, which decides about no token by itself.
pub fn expected_acceptance(proposal: &Proposal, settings: &Settings) -> Option<f64> {
    let verdict = proposal.verdict.as_ref()?;
    let (draft, target) = aligned(&proposal.distribution, &verdict.distribution)?;
    Some(match settings.rule {
        Rule::Rejection => overlap(&draft, &target),
        Rule::Block => return None,
        Rule::Gumbel => gumbel_agreement(&draft, &target),
        Rule::MinHash => minhash_agreement(&draft, &target),
        Rule::SampleAndMatch => independent_agreement(&draft, &target),
        Rule::Greedy => {
            let token = first(&verdict.distribution)?;
            f64::from(proposal.distribution.prob(token).unwrap_or(0.0))
        }
        Rule::Lenience => {
            lenience_acceptance(&draft, &target, Lenience::new(settings.lenience).ok()?)
        }
        Rule::Typical => {
            let typical = Typical::new(settings.epsilon, settings.delta).ok()?;
            typical_acceptance(&draft, &target, typical)
        }
    })
}

/// Both rows over the same tokens, if nothing of either is missing. Of a large vocabulary few
/// tokens are kept, which after top-k or top-p can be all that there are.
fn aligned(draft: &Distribution, target: &Distribution) -> Option<(Vec<f64>, Vec<f64>)> {
    const MISSING: f32 = 1e-5;
    if draft.rest > MISSING || target.rest > MISSING || draft.probs.is_empty() {
        return None;
    }
    let mut tokens: Vec<u32> = draft
        .iter()
        .chain(target.iter())
        .map(|(id, _)| id)
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    let row = |distribution: &Distribution| {
        let prob = |id: &u32| f64::from(distribution.prob(*id).unwrap_or(0.0));
        let whole = distribution.tokens.is_none();
        if whole && distribution.probs.len() == tokens.len() {
            return distribution
                .probs
                .iter()
                .map(|prob| f64::from(*prob))
                .collect();
        }
        tokens.iter().map(prob).collect()
    };
    Some((row(draft), row(target)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use couplet_speculation::random::{first_dart, race};

    fn proposal(draft: Distribution, target: Distribution) -> Proposal {
        Proposal {
            position: 0,
            token: 0,
            distribution: draft,
            unjudged: None,
            verdict: Some(Verdict {
                draft_prob: 0.5,
                target_prob: 0.2,
                draw: 0.5,
                threshold: None,
                own_token: None,
                accepted: false,
                distribution: target,
            }),
        }
    }

    fn expect(rule: Rule) -> Option<f64> {
        let settings = Settings {
            rule,
            ..Settings::default()
        };
        let example = proposal(
            Distribution::new(&[0.5, 0.3, 0.2]),
            Distribution::new(&[0.2, 0.3, 0.5]),
        );
        expected_acceptance(&example, &settings)
    }

    /// Those of draft (0.5, 0.3, 0.2) and target (0.2, 0.3, 0.5), rounded by f32.
    #[test]
    fn every_rule_has_its_own_formula() {
        let close = |rule, exact: f64| {
            let found = expect(rule).unwrap();
            assert!(
                (found - exact).abs() < 1e-6,
                "{rule:?}: {found}, not {exact}"
            );
        };
        close(Rule::Rejection, 0.7);
        close(Rule::Gumbel, 41.0 / 65.0);
        close(Rule::MinHash, 41.0 / 65.0);
        close(Rule::SampleAndMatch, 0.29);
        close(Rule::Lenience, 0.9);
        close(Rule::Greedy, 0.2);
        // All three are above the threshold of 0.09.
        close(Rule::Typical, 1.0);
        assert_eq!(expect(Rule::Block), None);
    }

    /// What is shown as theory is what happens when the rule is played often.
    #[test]
    fn the_formulas_of_shared_noise_are_its_frequencies() {
        let rows = ([0.5f32, 0.3, 0.2], [0.2f32, 0.3, 0.5]);
        let trials = 20_000u32;
        let kept = |keeps: &dyn Fn(u32) -> bool| {
            let kept = (0..trials).filter(|position| keeps(*position)).count();
            kept as f64 / f64::from(trials)
        };
        let close = |rule, found: f64| {
            let exact = expect(rule).unwrap();
            let deviation = (exact * (1.0 - exact) / f64::from(trials)).sqrt();
            assert!(
                (found - exact).abs() < 4.0 * deviation,
                "{rule:?}: {found}, {exact}"
            );
        };
        close(
            Rule::Gumbel,
            kept(&|at| race(2, at, rows.0) == race(2, at, rows.1)),
        );
        close(
            Rule::MinHash,
            kept(&|at| first_dart(2, at, &rows.0) == first_dart(2, at, &rows.1)),
        );
    }

    #[test]
    fn a_part_of_a_distribution_is_not_enough_but_all_that_is_possible_is() {
        let settings = Settings::default();
        let kept = |tokens: [u32; 2], rest: f32| Distribution {
            tokens: Some(tokens.to_vec()),
            probs: vec![0.75 - rest, 0.25],
            rest,
        };
        let part = proposal(kept([4, 2], 0.1), kept([4, 2], 0.0));
        assert_eq!(expected_acceptance(&part, &settings), None);
        let part = proposal(kept([4, 2], 0.0), kept([4, 2], 0.1));
        assert_eq!(expected_acceptance(&part, &settings), None);
        let whole = proposal(kept([4, 2], 0.0), kept([2, 9], 0.0));
        assert_eq!(expected_acceptance(&whole, &settings), Some(0.25));
        // The most probable token comes first, whichever it is.
        let turned = proposal(kept([4, 2], 0.0), kept([2, 4], 0.0));
        assert_eq!(expected_acceptance(&turned, &settings), Some(0.5));
    }
}
