use serde::{Deserialize, Serialize};

use crate::{Branch, DeviceInfo, PairInfo, Settings};

/// Probabilities over a vocabulary, after temperature, top-k and top-p.
///
/// Small vocabularies are complete; of large ones the most probable tokens are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Ids of the kept tokens; absent when all are kept, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Vec<u32>>,
    /// Probability of each kept token.
    pub probs: Vec<f32>,
    /// Probability of everything that was not kept.
    #[serde(default)]
    pub rest: f32,
}

impl Distribution {
    /// Vocabularies up to this size are kept whole.
    pub const COMPLETE: usize = 128;
    const KEPT: usize = 20;

    /// Keeps all of a small vocabulary and the 20 most probable tokens of a large one.
    pub fn new(probs: &[f32]) -> Self {
        if probs.len() <= Self::COMPLETE {
            return Self {
                tokens: None,
                probs: probs.to_vec(),
                rest: 0.0,
            };
        }
        let mut order: Vec<u32> = (0..probs.len() as u32).collect();
        order.sort_by(|a, b| {
            probs[*b as usize]
                .total_cmp(&probs[*a as usize])
                .then(a.cmp(b))
        });
        order.truncate(Self::KEPT);
        let kept: Vec<f32> = order.iter().map(|id| probs[*id as usize]).collect();
        let rest = (1.0 - kept.iter().sum::<f32>()).max(0.0);
        Self {
            tokens: Some(order),
            probs: kept,
            rest,
        }
    }

    /// Whether it has a probability for every token of the vocabulary.
    pub fn is_whole(&self) -> bool {
        self.tokens.is_none()
    }

    /// (token, probability) of every kept token. A file may hold fewer tokens than probabilities:
    /// those without one are left out.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        let listed = self.tokens.iter().flatten().copied();
        let in_order = 0..if self.is_whole() { u32::MAX } else { 0 };
        listed.chain(in_order).zip(self.probs.iter().copied())
    }

    /// Probability of one token; `None` when it was not kept.
    pub fn prob(&self, token: u32) -> Option<f32> {
        self.iter()
            .find(|(id, _)| *id == token)
            .map(|(_, prob)| prob)
    }
}

/// How long a round took and what it cost, animation excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// From encoding the first dispatch to holding the record, in milliseconds. Rounds that were
    /// read back together share the time since the readback before evenly.
    pub milliseconds: f64,
    /// Kernels dispatched.
    pub dispatches: u32,
    /// Buffers mapped for reading, charged to the last of the rounds that they brought; 0 on the
    /// CPU.
    pub readbacks: u32,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// As many tokens as were asked for.
    Length,
    /// The context has no free position.
    ContextFull,
    /// The end-of-text token was committed.
    EndOfText,
    /// Somebody stopped it, or its end did not come: the engine failed, or a file ends before it.
    Stopped,
}

/// One fact of a run. In every round: `Drafted` for each drafted token, `Verified` for each
/// token that was judged, `Discarded` for each that was not, `Resampled` or `Bonus`, `Committed`,
/// `RoundEnded`. Block judges every drafted token, the other rules those up to the first that is
/// not kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The prompt has been read by both models.
    Started {
        /// Tokens of prefix and prompt, and of the branch where the run is one.
        prompt_tokens: Vec<u32>,
        /// Milliseconds to read the prompt.
        milliseconds: f64,
    },
    /// The draft proposed a token.
    Drafted {
        /// Number of the round, from 0.
        round: u32,
        /// Position of the token in the text.
        position: u32,
        /// The token.
        token: u32,
        /// What it was drawn from.
        draft_distribution: Distribution,
    },
    /// The target judged a drafted token.
    Verified {
        /// Number of the round.
        round: u32,
        /// Position of the token in the text.
        position: u32,
        /// The drafted token.
        token: u32,
        /// Its probability under the draft.
        draft_prob: f32,
        /// Its probability under the target.
        target_prob: f32,
        /// The uniform draw u; kept when `u * draft_prob < target_prob` under Rejection. 0 under
        /// rules that need none.
        draw: f32,
        /// What else the rule compared: under Block the probability of keeping the text up to
        /// here, under Typical the probability that the token has to exceed; absent under the others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold: Option<f32>,
        /// The token that the target draws at this position by itself, under Gumbel, MinHash and
        /// Sample and match; absent under the others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own_token: Option<u32>,
        /// Whether it was kept.
        accepted: bool,
        /// The target's distribution at the position.
        target_distribution: Distribution,
    },
    /// What the target's pass said of a drafted token after a rejected one. It was worked out
    /// along with the others and thrown away unjudged. Logs of before may lack it; under Block,
    /// which judges every token, there is none.
    Discarded {
        /// Number of the round.
        round: u32,
        /// Position that the token would have had in the text.
        position: u32,
        /// The drafted token.
        token: u32,
        /// Its probability under the draft.
        draft_prob: f32,
        /// Its probability under the target, given all drafted tokens before it.
        target_prob: f32,
        /// The target's distribution at the position, given all drafted tokens before it.
        target_distribution: Distribution,
    },
    /// A rejected token was replaced.
    Resampled {
        /// Number of the round.
        round: u32,
        /// Position of the token in the text.
        position: u32,
        /// The replacement.
        token: u32,
        /// What it was drawn from: `norm(max(0, target - draft))` under Rejection, with the draft
        /// times the lenience under Lenience and the target times the ratio of the kept prefix
        /// under Block, or the target's distribution where the rule draws from that.
        residual: Distribution,
        /// Sum of the residual before it was normalised: under Rejection the total variation
        /// between the two. 0 where the target's distribution was drawn from.
        residual_mass: f32,
        /// The uniform draw that chose the replacement; 0 under Gumbel and MinHash, where shared
        /// noise did, and under Greedy, where chance has no part.
        draw: f32,
    },
    /// All drafted tokens were kept and the target added one.
    Bonus {
        /// Number of the round.
        round: u32,
        /// Position of the token in the text.
        position: u32,
        /// The bonus token.
        token: u32,
        /// What it was drawn from.
        target_distribution: Distribution,
        /// The uniform draw that chose it; 0 under Gumbel and MinHash, where shared noise did,
        /// and under Greedy, where chance has no part.
        draw: f32,
    },
    /// Tokens became part of the text.
    Committed {
        /// Number of the round.
        round: u32,
        /// Accepted tokens and the one that the target added, cut at the end of the text.
        tokens: Vec<u32>,
    },
    /// A round is over.
    RoundEnded {
        /// Number of the round.
        round: u32,
        /// What it took.
        timings: Timings,
    },
    /// The run is over.
    Finished {
        /// Why.
        reason: FinishReason,
    },
}

/// A run in a file: everything needed to draw it again without a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// [`crate::VERSION`] at the time of writing.
    pub version: u32,
    /// What was asked for.
    pub settings: Settings,
    /// What stood after the prompt already, where the run goes on from another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// The models and the texts of their tokens.
    pub pair: PairInfo,
    /// Where it ran.
    pub device: DeviceInfo,
    /// What happened.
    pub events: Vec<Event>,
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    ///
    /// A sentence for the person who supplied the file.
    pub fn from_json(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let head: Head = serde_json::from_str(text)
            .map_err(|_| "This file is not a trace of a run: it has no version.".to_owned())?;
        if head.version != crate::VERSION {
            return Err(format!(
                "This trace has version {}, but this page reads version {}.",
                head.version,
                crate::VERSION
            ));
        }
        serde_json::from_str(text).map_err(|error| format!("This trace is damaged: {error}."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_vocabulary_keeps_its_most_probable_tokens_and_the_rest() {
        let mut probs = vec![0.5 / 199.0; 200];
        probs[150] = 0.5;
        let kept = Distribution::new(&probs);
        assert_eq!(kept.iter().next(), Some((150, 0.5)));
        assert_eq!(kept.probs.len(), 20);
        assert_eq!(kept.prob(150), Some(0.5));
        // Of the others, which are alike, the lowest ids are kept.
        assert_eq!(kept.prob(18), Some(probs[18]));
        assert_eq!(kept.prob(19), None);
        let total = kept.probs.iter().sum::<f32>() + kept.rest;
        assert!((total - 1.0).abs() < 1e-6, "{total}");
    }

    #[test]
    fn a_probability_without_a_token_is_left_out() {
        let read = |text: &str| -> Vec<(u32, f32)> {
            let distribution: Distribution = serde_json::from_str(text).unwrap();
            distribution.iter().collect()
        };
        let damaged = r#"{"tokens": [7], "probs": [0.5, 0.25]}"#;
        assert_eq!(read(damaged), [(7, 0.5)]);
        let complete = r#"{"probs": [0.5, 0.25]}"#;
        assert_eq!(read(complete), [(0, 0.5), (1, 0.25)]);
    }

    #[test]
    fn a_file_that_is_not_a_trace_gets_a_sentence() {
        assert!(Trace::from_json("[]").unwrap_err().contains("not a trace"));
        assert!(
            Trace::from_json(r#"{"version": 99}"#)
                .unwrap_err()
                .contains("version 99")
        );
        assert!(
            Trace::from_json(r#"{"version": 1}"#)
                .unwrap_err()
                .contains("damaged")
        );
    }
}
