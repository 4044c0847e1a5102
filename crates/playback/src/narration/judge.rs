//! How tokens are judged, in sentences.

use couplet_protocol::{Rule, Settings};

use super::Sentence;
use crate::{Round, Test, Verdict};

/// About one token, under every rule that judges token by token.
pub(super) fn token(
    say: Sentence,
    round: &Round,
    column: usize,
    settings: &Settings,
    show: impl Fn(u32) -> String,
) -> Sentence {
    let Some(proposal) = round.proposals.get(column) else {
        return say;
    };
    let Some(verdict) = &proposal.verdict else {
        return say;
    };
    let token = show(proposal.token);
    match Test::of(verdict, settings) {
        Test::Share { .. } => share(say, token, verdict, settings),
        Test::Own { token: own } => self::own(say, token, own.map(show), verdict, settings.rule),
        Test::First { .. } => {
            let say = say.token(token);
            if verdict.accepted {
                say.text(" is the target’s most probable token, so it is inked.")
            } else {
                say.text(" is not the target’s most probable token, so it is struck.")
            }
        }
        Test::Probable { target_prob, above } => {
            let say = say.text("The target gives ").token(token);
            let [prob, least] = told_apart(target_prob, above);
            say.text(if verdict.accepted {
                format!(" {prob}, more than the {least} that are enough here, so it is inked.")
            } else {
                format!(" {prob}, no more than the {least} that it takes here, so it is struck.")
            })
        }
        // Said once for the whole block.
        Test::Prefix { .. } => say,
    }
}

fn share(say: Sentence, token: String, verdict: &Verdict, settings: &Settings) -> Sentence {
    let lenience = if settings.rule == Rule::Lenience {
        settings.lenience
    } else {
        1.0
    };
    let counted = lenience * f64::from(verdict.draft_prob);
    let only = if f64::from(verdict.target_prob) < counted {
        "only "
    } else {
        ""
    };
    let say = say.text("The draft gave ").token(token.clone());
    let say = if lenience < 1.0 {
        say.text(format!(
            " {:.2}, of which {counted:.2} counts; the target {only}{:.2}. ",
            verdict.draft_prob, verdict.target_prob
        ))
    } else {
        say.text(format!(
            " {:.2}; the target {only}{:.2}. ",
            verdict.draft_prob, verdict.target_prob
        ))
    };
    if verdict.accepted {
        say.text("The needle fell in the green, so ")
            .token(token)
            .text(" is inked.")
    } else {
        say.text("The needle fell in the hatching, so ")
            .token(token)
            .text(" is struck.")
    }
}

fn own(
    say: Sentence,
    token: String,
    own: Option<String>,
    verdict: &Verdict,
    rule: Rule,
) -> Sentence {
    let (same, drafted, targets) = match rule {
        Rule::Gumbel => (
            "Both models run the same clocks, and in both the first is ",
            "Both models run the same clocks: the draft’s first is ",
            ", the target’s ",
        ),
        Rule::MinHash => (
            "Both models look at the same darts, and both hit ",
            "Both models look at the same darts: the draft’s hit names ",
            ", the target’s ",
        ),
        _ => (
            "The target draws a token of its own, and it is the same: ",
            "The draft pencilled ",
            ", but the target’s own draw is ",
        ),
    };
    if verdict.accepted {
        return say.text(same).token(token).text(", so it is inked.");
    }
    let say = say.text(drafted).token(token.clone());
    match own {
        Some(own) => say.text(targets).token(own),
        None => say.text(", the target’s is another"),
    }
    .text(", so ")
    .token(token)
    .text(" is struck.")
}

/// About a whole block.
pub(super) fn block(say: Sentence, round: &Round, show: impl Fn(u32) -> String) -> Sentence {
    let shown = |column: usize| round.proposals.get(column).map(|it| show(it.token));
    let say = say.text("The block is judged as one: the longest beginning that passes is kept. ");
    let struck = round.rejected().and_then(shown);
    let last = round.accepted().checked_sub(1).and_then(shown);
    match (last, struck) {
        (Some(_), None) => say.text("All of it passes."),
        (Some(last), Some(struck)) => say
            .text("It ends with ")
            .token(last)
            .text(", so ")
            .token(struck)
            .text(" is struck."),
        (None, Some(struck)) => say
            .text("None passes, so ")
            .token(struck)
            .text(" is struck."),
        (None, None) => say,
    }
}

/// Two numbers with as many digits, two to four, as it takes to see which is larger.
fn told_apart(a: f32, b: f32) -> [String; 2] {
    let digits = (2..4)
        .find(|digits| format!("{a:.digits$}") != format!("{b:.digits$}") && b >= 0.01)
        .unwrap_or(4);
    [format!("{a:.digits$}"), format!("{b:.digits$}")]
}
