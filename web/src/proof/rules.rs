//! The rules in words, as far as the scene needs them.

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
    match rule {
        Rule::Rejection => format!("Keeps x with probability min(1, {target}/{draft}), else redraws from the residual."),
        Rule::Block => "Judges the drafted tokens together and keeps the longest prefix that passes.".to_owned(),
        Rule::Gumbel => "Both models race the same clocks; keeps x when it is the target’s own.".to_owned(),
        Rule::MinHash => "Both models look at the same darts; keeps x when it is the target’s own.".to_owned(),
        Rule::SampleAndMatch => "Keeps x when the target’s own draw is the same, else takes that draw.".to_owned(),
        Rule::Greedy => "Keeps x when it is the target’s most probable token, else writes that one: meant for temperature 0.".to_owned(),
        Rule::Lenience => format!("Like Rejection with {draft} times {lenience}, so that more is kept."),
        Rule::Typical => format!("Keeps x when {target}(x) > min({epsilon}, {delta}·e^(−H)), else draws from the target."),
    }
}
