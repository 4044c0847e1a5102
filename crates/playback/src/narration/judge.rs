//! How tokens are judged, in sentences.

use crate::tr;
use couplet_protocol::{Rule, Settings};

use crate::{Round, Test, Verdict, significant, told_apart};

/// About one token, under every rule that judges token by token.
pub(super) fn token(
    round: &Round,
    column: usize,
    settings: &Settings,
    show: impl Fn(u32) -> String,
) -> String {
    let Some(proposal) = round.proposals.get(column) else {
        return String::new();
    };
    let Some(verdict) = &proposal.verdict else {
        return String::new();
    };
    let token = show(proposal.token);
    match Test::of(verdict, settings) {
        Test::Share { .. } => share(token, verdict, settings),
        Test::Own { token: own } => match own {
            _ if verdict.accepted => same(token, settings.rule),
            Some(own) => other(token, show(own), settings.rule),
            None => another(token, settings.rule),
        },
        Test::First { .. } if verdict.accepted => tr!(
            "{token} is the target’s most probable token, so it is inked.",
            token
        ),
        Test::First { .. } => tr!(
            "{token} is not the target’s most probable token, so it is struck.",
            token
        ),
        Test::Probable { target_prob, above } => {
            let [prob, least] = told_apart(f64::from(target_prob), f64::from(above));
            if verdict.accepted {
                tr!(
                    "The target gives {token} {prob}, more than the {least} that are enough here, so it is inked.",
                    token,
                    prob,
                    least
                )
            } else {
                tr!(
                    "The target gives {token} {prob}, no more than the {least} that it takes here, so it is struck.",
                    token,
                    prob,
                    least
                )
            }
        }
        // Said once for the whole block.
        Test::Prefix { .. } => String::new(),
    }
}

fn share(token: String, verdict: &Verdict, settings: &Settings) -> String {
    let lenience = if settings.rule == Rule::Lenience {
        settings.lenience
    } else {
        1.0
    };
    let (draft_prob, target_prob) = (verdict.draft_prob.into(), verdict.target_prob.into());
    let counted_prob = lenience * draft_prob;
    let [counted, target] = told_apart(counted_prob, target_prob);
    // What is printed alike is not told apart by "only".
    let less = target_prob < counted_prob && target != counted;
    let draft = if lenience < 1.0 {
        significant(draft_prob, 2)
    } else {
        counted.clone()
    };
    let gave = match (lenience < 1.0, less) {
        (false, false) => tr!(
            "The draft gave {token} {draft}; the target {target}.",
            token,
            draft,
            target
        ),
        (false, true) => tr!(
            "The draft gave {token} {draft}; the target only {target}.",
            token,
            draft,
            target
        ),
        (true, false) => tr!(
            "The draft gave {token} {draft}, of which {counted} counts; the target {target}.",
            token,
            draft,
            counted,
            target
        ),
        (true, true) => tr!(
            "The draft gave {token} {draft}, of which {counted} counts; the target only {target}.",
            token,
            draft,
            counted,
            target
        ),
    };
    let fell = if verdict.accepted && target_prob >= counted_prob {
        tr!(
            "All of the bar is green, so {token} is inked, whatever u is.",
            token
        )
    } else if verdict.accepted {
        tr!("The needle fell in the green, so {token} is inked.", token)
    } else {
        tr!(
            "The needle fell in the hatching, so {token} is struck.",
            token
        )
    };
    format!("{gave} {fell}")
}

/// Where the target has a token of its own, and it is this one.
fn same(token: String, rule: Rule) -> String {
    match rule {
        Rule::Gumbel => tr!(
            "Both models run the same clocks, and in both the first is {token}, so it is inked.",
            token
        ),
        Rule::MinHash => tr!(
            "Both models look at the same darts, and for both the first hit names {token}, so it is inked.",
            token
        ),
        _ => tr!(
            "The target draws a token of its own, and it is the same: {token}, so it is inked.",
            token
        ),
    }
}

/// Where it is another one.
fn other(token: String, own: String, rule: Rule) -> String {
    match rule {
        Rule::Gumbel => tr!(
            "Both models run the same clocks: the draft’s first is {token}, the target’s {own}, so {token} is struck.",
            token,
            own
        ),
        Rule::MinHash => tr!(
            "Both models look at the same darts: the draft’s hit names {token}, the target’s {own}, so {token} is struck.",
            token,
            own
        ),
        _ => tr!(
            "The draft pencilled {token}, but the target’s own draw is {own}, so {token} is struck.",
            token,
            own
        ),
    }
}

/// Where it is another one, of which the log does not say which.
fn another(token: String, rule: Rule) -> String {
    match rule {
        Rule::Gumbel => tr!(
            "Both models run the same clocks: the draft’s first is {token}, the target’s is another, so {token} is struck.",
            token
        ),
        Rule::MinHash => tr!(
            "Both models look at the same darts: the draft’s hit names {token}, the target’s is another, so {token} is struck.",
            token
        ),
        _ => tr!(
            "The draft pencilled {token}, the target’s is another, so {token} is struck.",
            token
        ),
    }
}

/// About a whole block.
pub(super) fn block(round: &Round, show: impl Fn(u32) -> String) -> String {
    let shown = |column: usize| round.proposals.get(column).map(|it| show(it.token));
    let judged = tr!("The block is judged as one: the longest prefix that passes is kept.");
    let struck = round.rejected().and_then(shown);
    let last = round.accepted().checked_sub(1).and_then(shown);
    let kept = match (last, struck) {
        (Some(last), None) if round.discarded() > 0 => {
            tr!(
                "It goes on after {last}, which ends the text: the rest is discarded.",
                last
            )
        }
        (Some(_), None) => tr!("All of it passes."),
        (Some(last), Some(struck)) => {
            tr!("It ends with {last}, so {struck} is struck.", last, struck)
        }
        (None, Some(struck)) => tr!("None passes, so {struck} is struck.", struck),
        (None, None) => String::new(),
    };
    format!("{judged} {kept}")
}
