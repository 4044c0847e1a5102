//! The rules in words, as far as the scene needs them.

use couplet_playback::{shortest, tr};
use couplet_protocol::{Rule, Settings};

use crate::store::Notation;

/// What it does, in a sentence with the letters of a notation.
pub fn sentence(rule: Rule, notation: Notation) -> String {
    let (draft, target) = (notation.draft(), notation.target());
    let Settings {
        lenience,
        epsilon,
        delta,
        ..
    } = Settings::default();
    let [lenience, epsilon, delta] = [lenience, epsilon, delta].map(shortest);
    match rule {
        Rule::Rejection => tr!(
            "Keeps x with probability min(1, {target}/{draft}), else redraws from the residual.",
            target,
            draft
        ),
        Rule::Block => {
            tr!("Judges the drafted tokens together and keeps the longest prefix that passes.")
        }
        Rule::Gumbel => {
            tr!("Both models race the same clocks; keeps x when it is the target’s own.")
        }
        Rule::MinHash => {
            tr!("Both models look at the same darts; keeps x when it is the target’s own.")
        }
        Rule::SampleAndMatch => {
            tr!("Keeps x when the target’s own draw is the same, else takes that draw.")
        }
        Rule::Greedy => tr!(
            "Keeps x when it is the target’s most probable token, else writes that one: meant for temperature 0."
        ),
        Rule::Lenience => tr!(
            "Like Rejection with {draft} times {lenience}, so that more is kept.",
            draft,
            lenience
        ),
        Rule::Typical => tr!(
            "Keeps x when {target}(x) > min({epsilon}, {delta}·e^(−H)), else draws from the target.",
            target,
            epsilon,
            delta
        ),
    }
}
