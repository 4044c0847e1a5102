//! The answers to the lessons' questions. Each is computed: from the recorded runs' events, from
//! what was measured here, or by `couplet-speculation`.

use couplet_playback::{Phase, at_most, decimal, interval, is_exact, tr, written};
use couplet_protocol::{Drafter, MAX_GAMMA, Rule, Settings, SpeedReport, Verdict};
use couplet_speculation::couplings::Coupling;
use couplet_speculation::formulas::{best_gamma, lenience_acceptance, lenience_output, speed_up};
use couplet_speculation::rules::wrong::WrongRule;
use couplet_speculation::{
    Lenience, Rule as Exact, deviation, exact_round, expected_tokens_per_round, overlap,
    total_variation,
};

use super::answered::Guess;
use super::facts::Facts;
use super::places::Round;
use crate::couplings::presets::pair as preset_pair;
use crate::proof::Preset;
use crate::speed::{USUAL_PAIRS, words};

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The place of the right one among the choices.
    Choice(usize),
    /// A number, how many decimals say it, and how near a guess must be to be a good one.
    Number {
        /// The number.
        value: f64,
        /// Decimals.
        decimals: usize,
        /// The largest difference of a good guess.
        near: f64,
        /// Whether it is in per cent.
        is_percent: bool,
    },
}

impl Answer {
    /// The number that a guess means: where per cent are asked for, one up to 1 without their sign is
    /// the probability. `None` for a choice.
    pub fn meant(self, guess: Guess) -> Option<f64> {
        let is_percent = matches!(
            self,
            Self::Number {
                is_percent: true,
                ..
            }
        );
        match guess {
            Guess::Choice(_) => None,
            Guess::Number(guess) if is_percent && (0.0..=1.0).contains(&guess) => {
                Some(100.0 * guess)
            }
            Guess::Number(guess) | Guess::Percent(guess) => Some(guess),
        }
    }
}

fn whole(value: usize, near: f64) -> Option<Answer> {
    number(value as f64, 0, near)
}

fn percent(share: f64) -> Option<Answer> {
    percent_within(share, 5.0)
}

/// `near` in per cent.
fn percent_within(share: f64, near: f64) -> Option<Answer> {
    share.is_finite().then_some(Answer::Number {
        value: 100.0 * share,
        decimals: 0,
        near,
        is_percent: true,
    })
}

fn number(value: f64, decimals: usize, near: f64) -> Option<Answer> {
    value.is_finite().then_some(Answer::Number {
        value,
        decimals,
        near,
        is_percent: false,
    })
}

fn choice(place: usize) -> Option<Answer> {
    Some(Answer::Choice(place))
}

// Why one token at a time is slow.

/// One pass of the target for every token.
pub fn passes_alone(facts: &Facts) -> Option<Answer> {
    let alone = facts.alone.as_ref();
    whole(alone.map_or(facts.written(), |run| run.rounds().len()), 0.0)
}

/// How much more six positions fetch than one: much, hardly more, less.
pub fn fetched_for_six(facts: &Facts) -> Option<Answer> {
    let ratio = facts.fetched(6) / facts.fetched(1);
    choice(if ratio > 1.5 {
        0
    } else if ratio >= 1.0 {
        1
    } else {
        2
    })
}

/// A pass for every round.
pub fn passes_with_draft(facts: &Facts) -> Option<Answer> {
    let rounds = facts.run.rounds().len();
    whole(rounds, (rounds as f64 / 8.0).round())
}

/// What is fetched with a draft against without: more, between half and all, less.
pub fn fetched_share(facts: &Facts) -> Option<Answer> {
    let share = facts.fetched_per_token() / facts.fetched(1);
    choice(if share > 1.0 {
        0
    } else if share > 0.5 {
        1
    } else {
        2
    })
}

// Draft and verify.

/// Why a round takes one pass of the target, as it does: nothing depends on another, all is there, only
/// the last counts.
pub fn why_one_pass(facts: &Facts) -> Option<Answer> {
    let (index, _) = facts.round(Round::Struck)?;
    let mut steps = facts.run.steps().iter();
    let passes = steps
        .by_ref()
        .filter(|step| step.round == index && step.phase == Phase::Verify)
        .count();
    choice(1).filter(|_| passes == 1)
}

/// The column of the rejected token; after the last column there is "none".
pub fn first_struck(facts: &Facts) -> Option<Answer> {
    let (_, round) = facts.round(Round::Struck)?;
    choice(round.rejected().unwrap_or(round.proposals.len()))
}

/// What a round adds that has a rejected token: nothing, the kept ones, one more, all.
pub fn added_by_struck(facts: &Facts) -> Option<Answer> {
    let (_, round) = facts.round(Round::Struck)?;
    let (kept, added) = (round.accepted(), round.committed.len());
    choice(if added == 0 {
        0
    } else if added == kept {
        1
    } else if added == kept + 1 {
        2
    } else {
        3
    })
}

/// What a round adds that keeps everything: one less than was drafted, as many, one more.
pub fn added_by_full(facts: &Facts) -> Option<Answer> {
    let (_, round) = facts.round(Round::Full)?;
    let (drafted, added) = (round.proposals.len(), round.committed.len());
    choice((added + 1).checked_sub(drafted)?.min(2))
}

// Why rejecting loses nothing.

/// Whether the residual can give the rejected token again: yes, no.
pub fn struck_again(facts: &Facts) -> Option<Answer> {
    let (_, round) = facts.round(Round::Struck)?;
    let token = round.proposals.get(round.rejected()?)?.token;
    let prob = round.closing.as_ref()?.distribution.prob(token)?;
    choice(usize::from(prob <= 0.0))
}

/// Draft and target of the three letters.
fn three() -> (Vec<f64>, Vec<f64>) {
    let pair = Preset::Three.pair();
    (pair.draft, pair.target)
}

/// The share of the drafted a's that stays.
pub fn kept_of_first(_: &Facts) -> Option<Answer> {
    let (draft, target) = three();
    percent((target.first()? / draft.first()?).min(1.0))
}

/// How often a drafted letter is rejected.
pub fn rejected_share(_: &Facts) -> Option<Answer> {
    let (draft, target) = three();
    percent(total_variation(&draft, &target))
}

/// What the last letter comes to, over all outcomes of a round.
fn last_letter() -> Option<f64> {
    let (draft, target) = three();
    let round = exact_round(Exact::Rejection, 1, |_| draft.clone(), |_| target.clone());
    let last = draft.len().checked_sub(1)?;
    let first_is_last = |text: &[usize]| text.first() == Some(&last);
    Some(
        round
            .iter()
            .filter(|((text, _), _)| first_is_last(text))
            .map(|(_, prob)| prob)
            .sum(),
    )
}

/// How often the last letter comes out.
pub fn last_comes_out(_: &Facts) -> Option<Answer> {
    percent(last_letter()?)
}

// Sharing chance without talking.

fn agreement(name: &str, coupling: Coupling) -> Option<f64> {
    Some(preset_pair(name)?.agreement(coupling))
}

/// How often two draws from the same distribution agree by luck.
pub fn equal_by_luck(_: &Facts) -> Option<Answer> {
    percent(agreement("equal", Coupling::Independent)?)
}

/// How often they agree by the same clocks.
pub fn equal_by_clocks(_: &Facts) -> Option<Answer> {
    percent(agreement("equal", Coupling::Gumbel)?)
}

/// The most that two different distributions can agree.
pub fn ceiling(_: &Facts) -> Option<Answer> {
    percent(agreement("vowels", Coupling::Optimal)?)
}

/// Which agree more often: clocks, darts, neither.
pub fn clocks_or_darts(_: &Facts) -> Option<Answer> {
    let clocks = agreement("peaked-and-flat", Coupling::Gumbel)?;
    let darts = agreement("peaked-and-flat", Coupling::MinHash)?;
    choice(if (clocks - darts).abs() < 1e-9 {
        2
    } else {
        usize::from(darts > clocks)
    })
}

/// What another drafter does to the text: it changes, it stays.
pub fn swapped_drafter(_: &Facts) -> Option<Answer> {
    choice(usize::from(Rule::Gumbel.is_drafter_invariant()))
}

// When it pays.

/// Tokens per round of the recorded run.
pub fn per_round(facts: &Facts) -> Option<Answer> {
    number(
        facts.written() as f64 / facts.run.rounds().len() as f64,
        1,
        0.5,
    )
}

/// What a perfect draft gives that is as slow as the target.
pub fn perfect_but_slow(_: &Facts) -> Option<Answer> {
    number(speed_up(1.0, 5, 1.0, 1.0), 1, 0.1)
}

/// What Speed's formula is asked when the answers of its lesson are shown: α, c and what each
/// further position adds to v, in hundredths.
pub const PERFECT_BUT_SLOW: [u8; 3] = [100, 100, 0];
/// A worse draft than in the question's text.
pub const WORSE_DRAFT: [u8; 3] = [50, 5, 0];
/// A machine on which every position costs a whole pass.
pub const BUSY_MACHINE: [u8; 3] = [80, 5, 100];
/// A good acceptance rate, a middling one, and a draft step in target steps.
const GOOD: f64 = BUSY_MACHINE[0] as f64 / 100.0;
const MIDDLING: f64 = WORSE_DRAFT[0] as f64 / 100.0;
const CHEAP: f64 = WORSE_DRAFT[1] as f64 / 100.0;
/// The longest look-ahead that is considered.
const MOST_GAMMA: usize = MAX_GAMMA as usize;

/// The best look-ahead at the middling rate.
pub fn best_look_ahead(_: &Facts) -> Option<Answer> {
    // The curve is flat at its top.
    whole(best_gamma(MIDDLING, CHEAP, 1.0, MOST_GAMMA), 1.0)
}

/// What γ gives at the middling rate.
#[cfg(test)]
pub fn speed_up_of_the_worse(gamma: usize) -> f64 {
    speed_up(MIDDLING, gamma, CHEAP, 1.0)
}

/// What speculation gives where every position costs a whole pass.
fn busy() -> f64 {
    speed_up(GOOD, 5, CHEAP, 6.0)
}

/// Whether that is faster, slower, the same.
pub fn busy_machine(_: &Facts) -> Option<Answer> {
    let factor = busy();
    choice(if factor > 1.0 + 1e-9 {
        0
    } else if factor < 1.0 - 1e-9 {
        1
    } else {
        2
    })
}

/// What was measured here: faster, slower, can't tell.
pub fn this_machine(facts: &Facts) -> Option<Answer> {
    let headline = facts.measured.as_ref()?.report.headline()?;
    choice(match headline.verdict {
        Verdict::Faster => 0,
        Verdict::Slower => 1,
        Verdict::CannotTell => 2,
    })
}

// What goes wrong.

/// What the mistake makes of the last letter: too often, just right, too seldom.
pub fn redraw_from_target(_: &Facts) -> Option<Answer> {
    let (draft, target) = three();
    let output = WrongRule::ResamplesFromTarget.output(&draft, &target);
    let off = output.last()? - target.last()?;
    choice(if off > 1e-9 {
        0
    } else if off > -1e-9 {
        1
    } else {
        2
    })
}

/// The letter that a greedy draft makes disappear.
pub fn greedy_draft(_: &Facts) -> Option<Answer> {
    let (draft, target) = three();
    let output = WrongRule::GreedyDraft.output(&draft, &target);
    choice(
        output
            .iter()
            .position(|prob| *prob < 1e-9)
            .unwrap_or(output.len()),
    )
}

/// Half of the draft's probability counts.
fn half() -> Option<Lenience> {
    Lenience::new(0.5).ok()
}

/// How often Lenience ½ keeps.
pub fn lenient(_: &Facts) -> Option<Answer> {
    let (draft, target) = three();
    // Not what half of the rejected ones more would be.
    percent_within(lenience_acceptance(&draft, &target, half()?), 4.0)
}

/// How many tokens of a draft that knows nothing would stay at the struck place.
fn useless_alpha(facts: &Facts) -> Option<f64> {
    let (_, round) = facts.round(Round::Struck)?;
    let verdict = round.proposals.get(round.rejected()?)?.verdict.as_ref()?;
    let even = 1.0 / facts.pair.tokens.len().max(1) as f64;
    Some(
        verdict
            .distribution
            .iter()
            .map(|(_, prob)| f64::from(prob).min(even))
            .sum(),
    )
}

/// What a useless draft costs: the text, time, both.
pub fn useless_draft(facts: &Facts) -> Option<Answer> {
    let settings = Settings {
        drafter: Drafter::Uniform,
        ..facts.settings.clone()
    };
    let gamma = facts.settings.gamma as usize;
    let fewer = expected_tokens_per_round(useless_alpha(facts)?, gamma)
        < expected_tokens_per_round(facts.alpha(), gamma);
    choice(match (is_exact(&settings), fewer) {
        (false, false) => 0,
        (true, _) => 1,
        (false, true) => 2,
    })
}

/// Names in braces among the words that are mathematics.
pub fn word(facts: &Facts, name: &str) -> Option<String> {
    let (draft, target) = three();
    let plain = |value: f64| at_most(value, 3);
    let whole_percent = |share: f64| format!("{:.0}", 100.0 * share);
    let wrong = |rule: WrongRule| rule.output(&draft, &target);
    Some(match name {
        "draft_a" => plain(*draft.first()?),
        "target_a" => plain(*target.first()?),
        "draft_c" => plain(*draft.last()?),
        "target_c" => plain(*target.last()?),
        "keep_a" => plain((target.first()? / draft.first()?).min(1.0)),
        "overlap" => whole_percent(overlap(&draft, &target)),
        "distance" => whole_percent(total_variation(&draft, &target)),
        "deviation" => {
            let off = deviation(Exact::Rejection, 1, |_| draft.clone(), |_| target.clone());
            if off < 1e-12 {
                tr!("below 0.000000000001")
            } else {
                written(&format!("{off:.1e}"))
            }
        }
        "equal_squares" => {
            let pair = preset_pair("equal")?;
            let squares = pair.draft_probs().iter().map(|prob| plain(*prob) + "²");
            let squares: Vec<String> = squares.collect();
            let sum = at_most(pair.agreement(Coupling::Independent), 4);
            format!("{} = {sum}", squares.join(" + "))
        }
        "vowels_distance" => whole_percent(preset_pair("vowels")?.total_variation()),
        "peaked_clocks" => whole_percent(agreement("peaked-and-flat", Coupling::Gumbel)?),
        "peaked_darts" => whole_percent(agreement("peaked-and-flat", Coupling::MinHash)?),
        "peaked_bound" => whole_percent(preset_pair("peaked-and-flat")?.agreement_bound()),
        "peaked_overlap" => {
            let pair = preset_pair("peaked-and-flat")?;
            let favourite = pair
                .draft_probs()
                .first()?
                .min(*pair.target_probs().first()?);
            let others = pair.agreement(Coupling::Optimal) - favourite;
            [others, favourite]
                .map(|share| decimal(share, 2))
                .join(" + ")
        }
        "good" => plain(GOOD),
        "middling" => plain(MIDDLING),
        "cheap" => plain(CHEAP),
        "best_good" => best_gamma(GOOD, CHEAP, 1.0, MOST_GAMMA).to_string(),
        "busy" => decimal(busy(), 2),
        "measured" => {
            let headline = facts.measured.as_ref()?.report.headline()?;
            let [low, high] = headline.interval.map(words::bound);
            let factor = words::factor(headline.row.speed_up);
            format!("{factor} {}", interval(low, high))
        }
        "usual_pairs" => USUAL_PAIRS.to_string(),
        "confidence" => whole_percent(SpeedReport::CONFIDENCE),
        "measured_why" => words::reason(&facts.measured.as_ref()?.report)?,
        "redrawn_c" => plain(*wrong(WrongRule::ResamplesFromTarget).last()?),
        "greedy_c" => plain(*wrong(WrongRule::GreedyDraft).last()?),
        "lenient_a" => {
            let [counts, target] = [draft.first()? * half()?.get(), *target.first()?];
            let kept = plain((target / counts).min(1.0));
            format!("{} ÷ {} = {kept}", plain(target), plain(counts))
        }
        "lenient_sum" => {
            let half = half()?.get();
            let kept = draft.iter().zip(&target);
            let kept = kept.map(|(draft, target)| plain(draft.min(target / half)));
            kept.collect::<Vec<_>>().join(" + ")
        }
        "lenient_c" => plain(*lenience_output(&draft, &target, half()?).last()?),
        "useless_alpha" => whole_percent(useless_alpha(facts)?),
        "useless_tokens" => decimal(
            expected_tokens_per_round(useless_alpha(facts)?, facts.settings.gamma as usize),
            1,
        ),
        "run_tokens" => decimal(
            facts.written() as f64 / facts.run.rounds().len().max(1) as f64,
            1,
        ),
        _ => return None,
    })
}
