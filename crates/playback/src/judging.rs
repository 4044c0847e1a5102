use couplet_protocol::{Distribution, Mistake, Rule, Settings};
use couplet_speculation::rules::wrong::WrongRule;
use couplet_speculation::{Lenience, Typical};

use crate::{Proposal, Verdict};

/// What a rule held against a drafted token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// Rejection and Lenience: kept when u is below the share of the draft's probability, times
    /// the lenience, that the target covers.
    Share {
        /// The uniform draw.
        u: f32,
        /// `min(1, target / (lenience * draft))`.
        below: f32,
    },
    /// Block: the text up to here passes when u is below the probability of keeping it. The
    /// longest prefix that passes is kept.
    Prefix {
        /// The uniform draw.
        u: f32,
        /// The probability of keeping the text up to here, if nothing longer is kept.
        below: f32,
    },
    /// Gumbel, MinHash, Sample and match: kept when it is what the target draws by itself.
    Own {
        /// The target's own token; unknown only if a trace does not say.
        token: Option<u32>,
    },
    /// Greedy: kept when it is the target's most probable token.
    First {
        /// That token.
        token: Option<u32>,
    },
    /// Typical: kept when its probability under the target is above a line.
    Probable {
        /// Its probability.
        target_prob: f32,
        /// `min(epsilon, delta * e^-H)`.
        above: f32,
    },
}

impl Test {
    /// The test behind a verdict of a run with these settings.
    pub fn of(verdict: &Verdict, settings: &Settings) -> Self {
        let threshold = verdict.threshold.unwrap_or(0.0);
        match settings.rule {
            Rule::Rejection => Self::share(verdict, 1.0),
            Rule::Lenience => Self::share(verdict, settings.lenience),
            Rule::Block => Self::Prefix {
                u: verdict.draw,
                below: threshold,
            },
            Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch => Self::Own {
                token: verdict.own_token,
            },
            Rule::Greedy => Self::First {
                token: first(&verdict.distribution),
            },
            Rule::Typical => Self::Probable {
                target_prob: verdict.target_prob,
                above: threshold,
            },
        }
    }

    /// The test of a drafted token, as far as the log holds what it compares. One that was never
    /// judged has no draw: it reads 0 and is not to be shown.
    pub fn at(proposal: &Proposal, settings: &Settings) -> Option<Self> {
        if let Some(verdict) = &proposal.verdict {
            return Some(Self::of(verdict, settings));
        }
        let unjudged = proposal.unjudged.as_ref()?;
        let share = |lenience| Self::Share {
            u: 0.0,
            below: covered(unjudged.draft_prob, unjudged.target_prob, lenience),
        };
        Some(match settings.rule {
            Rule::Rejection => share(1.0),
            Rule::Lenience => share(settings.lenience),
            Rule::Greedy => Self::First {
                token: first(&unjudged.distribution),
            },
            Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch => Self::Own { token: None },
            // Block judges everything, and what Typical compares takes the whole distribution.
            Rule::Block | Rule::Typical => return None,
        })
    }

    fn share(verdict: &Verdict, lenience: f64) -> Self {
        Self::Share {
            u: verdict.draw,
            below: covered(verdict.draft_prob, verdict.target_prob, lenience),
        }
    }

    /// Whether Block's test of this prefix alone was passed; under the other rules there is
    /// no difference to being kept.
    pub fn passes_alone(&self) -> Option<bool> {
        match self {
            Self::Prefix { u, below } => Some(u < below),
            _ => None,
        }
    }
}

/// The share of the draft's probability, times the lenience, that the target covers.
fn covered(draft_prob: f32, target_prob: f32, lenience: f64) -> f32 {
    let draft = lenience * f64::from(draft_prob);
    if draft > 0.0 {
        (f64::from(target_prob) / draft).min(1.0) as f32
    } else {
        1.0
    }
}

/// The most probable token; of several, the lowest id.
pub(crate) fn first(distribution: &Distribution) -> Option<u32> {
    let better = |best: Option<(u32, f32)>, (token, prob): (u32, f32)| match best {
        Some((of, most)) if most > prob || (most == prob && of < token) => best,
        _ => Some((token, prob)),
    };
    distribution
        .iter()
        .fold(None, better)
        .map(|(token, _)| token)
}

/// Whether a run with these settings is distributed exactly as the target's own text. Where nothing
/// is drafted that is what the target draws, under every rule but Greedy, which does not draw; and
/// where one token is left to choose, every rule writes it.
pub fn is_exact(settings: &Settings) -> bool {
    let is_alone = settings.gamma == 0 && !settings.auto_gamma;
    settings.has_one_text()
        || (is_alone && settings.rule != Rule::Greedy)
        || procedure(settings).is_lossless(settings.temperature)
}

/// The rule of a run as mathematics; parameters are in the kernels' single precision, and out of range
/// the usual ones.
pub fn procedure(settings: &Settings) -> couplet_speculation::Rule {
    use couplet_speculation::Rule as Exact;
    let [lenience, epsilon, delta] = [settings.lenience, settings.epsilon, settings.delta]
        .map(|parameter| f64::from(parameter as f32));
    match settings.rule {
        Rule::Rejection => Exact::Rejection,
        Rule::Block => Exact::Block,
        Rule::Gumbel => Exact::Gumbel,
        Rule::MinHash => Exact::MinHash,
        Rule::SampleAndMatch => Exact::SampleAndMatch,
        Rule::Greedy => Exact::Greedy,
        Rule::Lenience => Lenience::new(lenience).map_or(Exact::Rejection, Exact::Lenience),
        Rule::Typical => Exact::Typical(Typical::new(epsilon, delta).unwrap_or_default()),
    }
}

/// A mistake of the museum as mathematics.
pub fn wrong(mistake: Mistake) -> WrongRule {
    match mistake {
        Mistake::ResamplesFromTarget => WrongRule::ResamplesFromTarget,
        Mistake::GreedyDraft => WrongRule::GreedyDraft,
        Mistake::MatchThenResidual => WrongRule::MatchThenResidual,
        Mistake::DropsImprobableDrafts => WrongRule::DropsImprobableDrafts,
        Mistake::MatchOrRatio => WrongRule::MatchOrRatio,
        Mistake::RatioUpsideDown => WrongRule::RatioUpsideDown,
        Mistake::OneCoinForAllPositions => WrongRule::OneCoinForAllPositions,
        Mistake::ReplacementWithTheSameCoin => WrongRule::ReplacementWithTheSameCoin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Run, fixture};

    fn tests(events: &[couplet_protocol::Event], rule: Rule) -> Vec<Test> {
        let settings = Settings {
            rule,
            ..Settings::default()
        };
        let run = Run::from_events(events);
        run.rounds()[0]
            .proposals
            .iter()
            .filter_map(|proposal| proposal.verdict.as_ref())
            .map(|verdict| Test::of(verdict, &settings))
            .collect()
    }

    /// What a message says of a rule is what the rule's mathematics say.
    #[test]
    fn rules_are_as_drafter_invariant_as_their_mathematics() {
        for rule in Rule::ALL {
            let settings = Settings {
                rule,
                ..Settings::default()
            };
            let exact = procedure(&settings);
            assert_eq!(rule.is_drafter_invariant(), exact.is_drafter_invariant());
            for (temperature, top_k) in [(0.0, 0), (0.8, 0), (0.8, 1), (0.8, 2)] {
                let settings = Settings {
                    temperature,
                    top_k,
                    ..settings.clone()
                };
                // Top-k 1 leaves what temperature 0 does.
                let as_if = if top_k == 1 { 0.0 } else { temperature };
                let has_one_text = as_if == 0.0 && exact.is_lossless(as_if);
                let fixed = has_one_text || exact.is_drafter_invariant();
                assert_eq!(
                    settings.is_drafter_invariant(),
                    fixed,
                    "{rule:?}, {temperature}, {top_k}"
                );
            }
        }
    }

    /// What is asked of every rule in mathematics is asked of every rule that a run can name.
    #[test]
    fn every_rule_of_a_run_is_among_those_of_the_mathematics() {
        use std::collections::HashSet;
        use std::mem::discriminant;
        let named = Rule::ALL.map(|rule| {
            let settings = Settings {
                rule,
                ..Settings::default()
            };
            discriminant(&procedure(&settings))
        });
        let half = Lenience::new(0.5).expect("in range");
        let every = couplet_speculation::Rule::every(half, Typical::default());
        let every: HashSet<_> = every.map(|rule| discriminant(&rule)).collect();
        assert_eq!(HashSet::from(named), every);
    }

    #[test]
    fn lenience_shrinks_the_draft() {
        let below = |rule| match tests(&fixture::events(), rule)[1] {
            Test::Share { below, .. } => below,
            other => panic!("{other:?}"),
        };
        assert!((below(Rule::Rejection) - 0.09 / 0.31).abs() < 1e-6);
        assert!((below(Rule::Lenience) - 0.18 / 0.31).abs() < 1e-6);
    }

    #[test]
    fn a_discarded_token_is_shown_with_what_was_known_of_it_and_counts_for_nothing() {
        let known = Run::from_events(&fixture::events());
        let round = &known.rounds()[0];
        let discarded = &round.proposals[2];
        assert_eq!(
            (discarded.draft_prob(), discarded.target_prob()),
            (Some(0.4), Some(0.1))
        );
        for proposal in &round.proposals {
            let said = proposal.target_distribution().map(|it| it.probs.len());
            assert_eq!(
                said,
                Some(6),
                "the target has spoken of every drafted token"
            );
        }
        let settings = Settings::default();
        let test = Test::at(discarded, &settings);
        assert_eq!(
            test,
            Some(Test::Share {
                u: 0.0,
                below: 0.25
            })
        );
        assert_eq!(
            (round.accepted(), round.tested(), round.discarded()),
            (1, 2, 1)
        );
        // As in a log of before.
        let is_new = |event: &couplet_protocol::Event| {
            matches!(event, couplet_protocol::Event::Discarded { .. })
        };
        let mut events = fixture::events();
        events.retain(|event| !is_new(event));
        let unknown = Run::from_events(&events);
        let untold = &unknown.rounds()[0].proposals[2];
        assert_eq!(untold.target_prob(), None);
        assert_eq!(untold.target_distribution(), None);
        assert_eq!(unknown.steps(), known.steps());
    }

    #[test]
    fn a_beginning_can_fail_alone_and_still_be_kept() {
        let passed: Vec<_> = tests(&fixture::block(), Rule::Block)
            .iter()
            .map(Test::passes_alone)
            .collect();
        let expected = [Some(false), Some(true), Some(false), Some(false)];
        assert_eq!(passed, expected);
        let (u, below) = (0.5, 0.5);
        let level = Test::Prefix { u, below };
        assert_eq!(level.passes_alone(), Some(false), "it has to be below");
    }

    #[test]
    fn the_targets_own_token_comes_from_the_log_and_its_first_from_its_distribution() {
        let events = fixture::own_tokens(&[(2, 2), (3, 4)]);
        let own = |token| Test::Own { token: Some(token) };
        assert_eq!(tests(&events, Rule::Gumbel), [own(2), own(4)]);
        let first = Test::First { token: Some(3) };
        assert_eq!(tests(&events, Rule::Greedy), [first, first]);
    }

    #[test]
    fn of_equally_probable_tokens_the_lowest_is_first() {
        let distribution = Distribution {
            tokens: Some(vec![9, 4, 6]),
            probs: vec![0.4, 0.4, 0.1],
            rest: 0.1,
        };
        assert_eq!(first(&distribution), Some(4));
        assert_eq!(first(&Distribution::default()), None);
    }

    #[test]
    fn typical_compares_two_probabilities() {
        let probable = |target_prob| Test::Probable {
            target_prob,
            above: 0.03,
        };
        assert_eq!(
            tests(&fixture::typical(), Rule::Typical),
            [probable(0.1), probable(0.01)]
        );
    }

    #[test]
    fn what_is_exact_depends_on_the_parameters() {
        let exact = |rule, lenience, temperature| {
            is_exact(&Settings {
                rule,
                lenience,
                temperature,
                ..Settings::default()
            })
        };
        assert!(exact(Rule::Block, 0.5, 1.0));
        assert!(exact(Rule::Lenience, 1.0, 1.0) && !exact(Rule::Lenience, 0.9, 1.0));
        assert!(exact(Rule::Greedy, 0.5, 0.0) && !exact(Rule::Greedy, 0.5, 0.1));
        assert!(exact(Rule::Typical, 1.0, 0.0) && !exact(Rule::Typical, 1.0, 0.1));
        assert!(exact(Rule::Lenience, 0.5, 0.0));
        for rule in Rule::ALL {
            let certain = Settings {
                rule,
                top_k: 1,
                lenience: 0.5,
                ..Settings::default()
            };
            assert!(is_exact(&certain), "{rule:?}");
        }
        let alone = |rule, auto_gamma| {
            is_exact(&Settings {
                rule,
                auto_gamma,
                gamma: 0,
                ..Settings::default()
            })
        };
        assert!(alone(Rule::Typical, false) && alone(Rule::Lenience, false));
        assert!(!alone(Rule::Typical, true) && !alone(Rule::Greedy, false));
    }
}
