use couplet_protocol::{Distribution, Rule, Settings};
use couplet_speculation::formulas::{
    gumbel_agreement, independent_agreement, lenience_acceptance, minhash_agreement,
    typical_acceptance,
};
use couplet_speculation::rules::{self, block_prefixes};
use couplet_speculation::{Lenience, Typical, overlap};

use crate::judging::first;
use crate::{Proposal, Round, Run, StageState};

/// How probable it was that a token drafted here would be kept under a rule, over everything that
/// the draft could have proposed: by the rule's formula on the two distributions in the log. Of the
/// settings, the rules' parameters count.
///
/// `None` before the target has spoken, where the log holds only part of a distribution, and under
/// Block, which decides about no token by itself.
pub fn expected_acceptance(proposal: &Proposal, rule: Rule, settings: &Settings) -> Option<f64> {
    let verdict = proposal.verdict.as_ref()?;
    let (draft, target) = aligned(&proposal.distribution, &verdict.distribution)?;
    Some(match rule {
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

/// The mean of [`expected_acceptance`] over the judged tokens of one run, whichever rule it was
/// written with.
#[derive(Debug, Default)]
pub struct ExpectedMean {
    // Rounds never change once they are there, but for the last, which the end of the text may cut: then
    // fewer of its tokens are judged. So each is computed once.
    rounds: Vec<Vec<Option<f64>>>,
}

impl ExpectedMean {
    /// Up to where the state stands, in [0, 1]; `None` where nothing was judged so far, or
    /// something of which too little is known. Run, rule and settings are those of every other call.
    pub fn until(
        &mut self,
        run: &Run,
        state: &StageState,
        rule: Rule,
        settings: &Settings,
    ) -> Option<f64> {
        let round = state.step?.round;
        let new = run.rounds().iter().take(round + 1).skip(self.rounds.len());
        self.rounds.extend(new.map(|round| {
            let tested = round.proposals.iter().take(round.tested());
            tested
                .map(|it| expected_acceptance(it, rule, settings))
                .collect()
        }));
        let before = self.rounds.iter().take(round).flatten();
        let here = self.rounds.get(round).into_iter().flatten();
        let (mut sum, mut count) = (0.0, 0);
        for expected in before.chain(here.take(state.judged())) {
            sum += (*expected)?;
            count += 1;
        }
        (count > 0).then(|| sum / f64::from(count))
    }
}

/// How many of a round's drafted tokens Rejection and Block would keep, whatever their coins say:
/// the means over the coins, each from 0 to γ.
///
/// Over all drafts Block keeps at least as many, of a single one it may keep fewer. `None` where
/// nothing was drafted or the log holds only part of a distribution.
pub fn expected_kept(round: &Round) -> Option<[f64; 2]> {
    let mut rows = Vec::new();
    for proposal in &round.proposals {
        rows.push(&proposal.distribution);
        rows.push(proposal.target_distribution()?);
    }
    let (tokens, rows) = over_one_vocabulary(&rows)?;
    let place = |proposal: &Proposal| tokens.binary_search(&proposal.token).ok();
    let drafted: Vec<usize> = round.proposals.iter().map(place).collect::<Option<_>>()?;
    let of_each = |first: usize| rows.iter().skip(first).step_by(2).cloned();
    let draft_probs: Vec<Vec<f64>> = of_each(0).collect();
    // What follows the last drafted token decides about none of them.
    let target_probs: Vec<Vec<f64>> = of_each(1).chain(rows.last().cloned()).collect();

    let (mut kept_so_far, mut by_rejection) = (1.0, 0.0);
    // Nothing is kept past the end of the text.
    let end = round.text_ends_with.unwrap_or(drafted.len());
    for (index, token) in drafted.iter().enumerate().take(end) {
        let (draft, target) = (draft_probs[index][*token], target_probs[index][*token]);
        kept_so_far *= if target >= draft { 1.0 } else { target / draft };
        by_rejection += kept_so_far;
    }
    let prefixes = block_prefixes(&rules::Round {
        drafted: &drafted,
        draft_probs: &draft_probs,
        target_probs: &target_probs,
    });
    // Fewer than so many are kept if that prefix and all longer ones fail.
    let (mut all_fail, mut by_block) = (1.0, 0.0);
    for (length, prefix) in prefixes.iter().enumerate().skip(1).rev() {
        all_fail *= 1.0 - prefix.keep_prob;
        if length <= end {
            by_block += 1.0 - all_fail;
        }
    }
    Some([by_rejection, by_block])
}

/// The mean of [`expected_kept`] over the committed rounds of one run that drafted something.
#[derive(Debug, Default)]
pub struct ExpectedKept {
    // Each is computed once, but for the run's last, of which the end of the text may come to be known
    // after it: then fewer are kept.
    rounds: Vec<Option<[f64; 2]>>,
}

impl ExpectedKept {
    /// Up to where the state stands; `None` where nothing was drafted so far, or something of
    /// which too little is known. The run is that of every other call.
    pub fn until(&mut self, run: &Run, state: &StageState) -> Option<[f64; 2]> {
        let committed = state.statistics.rounds as usize;
        let rounds = run.rounds().iter().take(committed);
        self.rounds.truncate(run.rounds().len().saturating_sub(1));
        let new = rounds.clone().skip(self.rounds.len());
        self.rounds.extend(new.map(|round| expected_kept(round)));
        let drafted = rounds.zip(&self.rounds);
        let drafted = drafted.filter(|(round, _)| !round.proposals.is_empty());
        let (mut sums, mut count) = ([0.0; 2], 0);
        for (_, kept) in drafted {
            let [rejection, block] = (*kept)?;
            sums = [sums[0] + rejection, sums[1] + block];
            count += 1;
        }
        (count > 0).then(|| sums.map(|sum| sum / f64::from(count)))
    }
}

/// Both rows over the same tokens, if nothing of either is missing.
fn aligned(draft: &Distribution, target: &Distribution) -> Option<(Vec<f64>, Vec<f64>)> {
    let (_, rows) = over_one_vocabulary(&[draft, target])?;
    let [draft, target] = rows.try_into().ok()?;
    Some((draft, target))
}

/// The tokens that any of the distributions names, in rising order, and the rows over them, if
/// nothing of any is missing. Of a large vocabulary few tokens are kept, which after top-k or top-p
/// can be all that there are.
fn over_one_vocabulary(distributions: &[&Distribution]) -> Option<(Vec<u32>, Vec<Vec<f64>>)> {
    const MISSING: f32 = 1e-5;
    let unknown = |it: &&Distribution| it.rest > MISSING || it.probs.is_empty();
    if distributions.is_empty() || distributions.iter().any(unknown) {
        return None;
    }
    let mut tokens: Vec<u32> = distributions
        .iter()
        .flat_map(|it| it.iter().map(|(id, _)| id))
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    let row = |distribution: &&Distribution| {
        let prob = |id: &u32| f64::from(distribution.prob(*id).unwrap_or(0.0));
        let whole = distribution.is_whole();
        if whole && distribution.probs.len() == tokens.len() {
            return distribution
                .probs
                .iter()
                .map(|prob| f64::from(*prob))
                .collect();
        }
        tokens.iter().map(prob).collect()
    };
    let rows = distributions.iter().map(row).collect();
    Some((tokens, rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Verdict, fixture};
    use couplet_protocol::Event;
    use couplet_speculation::random::{first_dart, race};
    use couplet_speculation::{Rule as Exact, exact_round};

    /// Draft and target.
    const EXAMPLE: [[f32; 3]; 2] = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]];

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
        let [draft, target] = EXAMPLE.map(|probs| Distribution::new(&probs));
        expected_acceptance(&proposal(draft, target), rule, &Settings::default())
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
        let rows = (EXAMPLE[0], EXAMPLE[1]);
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
        let expect = |it: &Proposal| expected_acceptance(it, Rule::Rejection, &Settings::default());
        let kept = |tokens: [u32; 2], rest: f32| Distribution {
            tokens: Some(tokens.to_vec()),
            probs: vec![0.75 - rest, 0.25],
            rest,
        };
        let part = proposal(kept([4, 2], 0.1), kept([4, 2], 0.0));
        assert_eq!(expect(&part), None);
        let part = proposal(kept([4, 2], 0.0), kept([4, 2], 0.1));
        assert_eq!(expect(&part), None);
        let whole = proposal(kept([4, 2], 0.0), kept([2, 9], 0.0));
        assert_eq!(expect(&whole), Some(0.25));
        // The most probable token comes first, whichever it is.
        let turned = proposal(kept([4, 2], 0.0), kept([2, 4], 0.0));
        assert_eq!(expect(&turned), Some(0.5));
    }

    /// A run under Rejection whose first round ends with its second token, of which the first was
    /// drafted from the target's own distribution.
    fn run() -> Run {
        let mut run = Run::default();
        for mut event in fixture::events() {
            match &mut event {
                Event::Drafted {
                    position,
                    draft_distribution,
                    ..
                } => {
                    let probs = EXAMPLE[usize::from(*position == 2)];
                    *draft_distribution = Distribution::new(&probs);
                }
                Event::Verified {
                    target_distribution,
                    ..
                } => *target_distribution = Distribution::new(&EXAMPLE[1]),
                _ => {}
            }
            run.push(&event);
        }
        run
    }

    /// The first token is kept under every rule that shares noise; sample and match does so with
    /// the probability .04 + .09 + .25.
    #[test]
    fn a_mean_is_over_the_tokens_that_were_judged_up_to_the_playhead() {
        let run = run();
        let mean = |rule, playhead| {
            let state = run.state(playhead);
            ExpectedMean::default().until(&run, &state, rule, &Settings::default())
        };
        let close = |found: Option<f64>, exact: f64| {
            assert!((found.unwrap() - exact).abs() < 1e-6, "{found:?}, {exact}");
        };
        assert_eq!(mean(Rule::Rejection, 0), None);
        assert_eq!(mean(Rule::Rejection, 2), None, "nothing is judged yet");
        close(mean(Rule::Rejection, 3), 1.0);
        close(mean(Rule::Rejection, 4), 0.85);
        close(mean(Rule::Gumbel, 4), (1.0 + 41.0 / 65.0) / 2.0);
        close(mean(Rule::SampleAndMatch, 4), (0.38 + 0.29) / 2.0);
        // The token after the rejected one does not count.
        close(mean(Rule::Rejection, 6), 0.85);
        close(mean(Rule::Rejection, usize::MAX), (1.0 + 4.0 * 0.7) / 5.0);
        assert_eq!(mean(Rule::Block, usize::MAX), None);
    }

    #[test]
    fn what_rounds_keep_is_averaged_over_those_that_are_committed() {
        let events = fixture::kept(1, 1).into_iter().map(|mut event| {
            match &mut event {
                Event::Drafted {
                    draft_distribution, ..
                } => *draft_distribution = Distribution::new(&EXAMPLE[0]),
                Event::Verified {
                    target_distribution,
                    ..
                } => *target_distribution = Distribution::new(&EXAMPLE[1]),
                _ => {}
            }
            event
        });
        let once: Vec<Event> = events.collect();
        let mut run = Run::from_events(&once);
        let mut kept = ExpectedKept::default();
        let end = run.steps().len();
        assert_eq!(kept.until(&run, &run.state(end - 1)), None);
        // Token 1 is as probable under both.
        assert_eq!(kept.until(&run, &run.state(end)), Some([1.0, 1.0]));
        for mut event in once.into_iter().skip(1) {
            if let Event::Drafted { token, .. } = &mut event {
                *token = 0;
            }
            run.push(&event);
        }
        let [rejection, block] = kept.until(&run, &run.state(usize::MAX)).unwrap();
        assert!((rejection - 0.7).abs() < 1e-6 && (block - 0.7).abs() < 1e-6);
        assert_eq!(kept.until(&run, &run.state(end)), Some([1.0, 1.0]));
    }

    #[test]
    fn a_mean_that_follows_the_playhead_is_as_one_made_there() {
        let run = run();
        let settings = Settings::default();
        let mut following = ExpectedMean::default();
        let end = run.steps().len();
        for playhead in (0..=end).chain((0..end).rev()) {
            let state = run.state(playhead);
            let anew = ExpectedMean::default().until(&run, &state, Rule::MinHash, &settings);
            let found = following.until(&run, &state, Rule::MinHash, &settings);
            assert_eq!(found, anew, "{playhead}");
        }
    }

    /// Every draft of three tokens with its probability, against the enumeration of whole rounds.
    #[test]
    fn what_is_kept_of_all_drafts_is_what_the_rules_keep() {
        let [draft, target] = EXAMPLE.map(|probs| probs.map(f64::from).to_vec());
        let mut means = [0.0; 2];
        for number in 0..27u32 {
            let tokens = [number % 3, number / 3 % 3, number / 9];
            let mut round = Round::default();
            for token in tokens {
                let [draft, target] = EXAMPLE.map(|probs| Distribution::new(&probs));
                let drafted = proposal(draft, target);
                round.proposals.push(Proposal { token, ..drafted });
            }
            let chance: f64 = tokens.iter().map(|token| draft[*token as usize]).product();
            for (mean, kept) in means.iter_mut().zip(expected_kept(&round).unwrap()) {
                *mean += chance * kept;
            }
        }
        let exact = [Exact::Rejection, Exact::Block].map(|rule| {
            let outcomes = exact_round(rule, 3, |_| draft.clone(), |_| target.clone());
            let kept = outcomes
                .iter()
                .map(|((_, kept), chance)| *kept as f64 * chance);
            kept.sum::<f64>()
        });
        assert!(
            (exact[0] - 1.533).abs() < 1e-6 && exact[1] > 1.6,
            "{exact:?}"
        );
        for (mean, exact) in means.into_iter().zip(exact) {
            assert!((mean - exact).abs() < 1e-6, "{mean}, {exact}");
        }
    }

    /// Of the tokens 0 and 0 the ratios are .4 and .16, of 0 and 2 they are .4 and 1.
    #[test]
    fn of_one_draft_block_may_keep_fewer_tokens_and_of_another_more() {
        let kept = |tokens: &[u32]| {
            let drafted = tokens.iter().map(|token| Proposal {
                token: *token,
                ..proposal(
                    Distribution::new(&EXAMPLE[0]),
                    Distribution::new(&EXAMPLE[1]),
                )
            });
            expected_kept(&Round {
                proposals: drafted.collect(),
                ..Round::default()
            })
        };
        let close = |found: Option<[f64; 2]>, exact: [f64; 2]| {
            let apart = |(found, exact): (f64, f64)| (found - exact).abs();
            let pairs = found.unwrap().into_iter().zip(exact);
            assert!(pairs.map(apart).all(|apart| apart < 1e-6), "{found:?}");
        };
        close(kept(&[0]), [0.4, 0.4]);
        close(kept(&[0, 0]), [0.4 + 0.16, 0.16 + 0.16]);
        close(kept(&[0, 2]), [0.4 + 0.4, 1.0 + 1.0]);
        assert_eq!(kept(&[]), None);
        // Of a draft that the text ends within, what is behind its end is kept by nobody.
        let whole = Run::from_events(&fixture::ended_by_a_drafted_token(4));
        let ended = expected_kept(&whole.rounds()[0]).unwrap();
        assert!(ended.iter().all(|kept| *kept <= 2.0), "{ended:?}");
        // A token that neither model names.
        assert_eq!(kept(&[0, 7]), None);
    }

    /// That the text ends in a round is known after it.
    #[test]
    fn what_the_end_of_the_text_discards_is_not_expected_to_be_kept() {
        let events = fixture::ended_by_a_drafted_token(4);
        let mut mean = ExpectedKept::default();
        let mut until = |events: &[Event]| {
            let run = Run::from_events(events);
            mean.until(&run, &run.state(run.steps().len()))
        };
        assert_eq!(until(&events[..events.len() - 1]), Some([4.0; 2]));
        assert_eq!(until(&events), Some([2.0; 2]));
    }
}
