//! What the test says, expects and waits for.

use couplet_protocol::Rule;
use couplet_speculation::ChiSquare;
use leptos::prelude::*;

use crate::proof::counting::{NO_ACCIDENT, waits_for};
use crate::proof::pair::NOTHING;
use crate::proof::state::use_proof;
use crate::proof::theory::is_exact;
use crate::proof::verdict::cross;
use crate::proof::words::{count_word, grouped, p_value, statistic};
use crate::store::use_store;

/// Below this a difference is worth more texts, but no verdict.
const DOUBT: f64 = 0.01;

/// What an inexact rule is expected to do in this test.
pub fn expectation(rule: Rule, off: f64, length: usize) -> Option<impl IntoView> {
    (!is_exact(rule)).then(|| {
        let texts = count_word(length);
        let words = if off > NOTHING {
            format!(
                " by design: theory puts its texts of {texts} tokens at a total variation of {off:.3} from the target’s. The test is expected to fail."
            )
        } else {
            " by design, but between these two distributions theory finds no difference: the test is expected to pass.".to_owned()
        };
        view! { <p class="expectation" data-testid="expectation"><b class="not-exact">"Not exact"</b>{words}</p> }
    })
}

/// What the test waits for, or why it failed.
#[component]
pub fn Trouble() -> impl IntoView {
    let store = use_store();
    let proof = use_proof();
    move || {
        let failed = proof.failed.get().map(|sentence| {
            view! { <p class="live-trouble" role="alert" data-testid="test-failed">{format!("Nothing was counted: {sentence}")}</p> }
        });
        let waits = waits_for(store).map(|sentence| {
            view! { <p class="muted" data-testid="test-waits">{sentence}</p> }
        });
        view! { {failed}{waits} }
    }
}

/// The verdict on all texts of `length` tokens out of so many; `off` is what theory knows of a
/// difference.
pub fn verdict(
    test: Option<ChiSquare>,
    rule: Rule,
    length: usize,
    tokens: usize,
    off: f64,
) -> AnyView {
    let texts = grouped(tokens.pow(length as u32));
    let word = count_word(length);
    let Some(test) = test else {
        return view! {
            <p class="huge">"p = ?"</p>
            <p class="serif">
                {format!(
                    "Nothing counted yet. Every text is written by rounds of its own; the test looks at all {texts} texts of {word} tokens at once.",
                )}
            </p>
        }
        .into_any();
    };
    let degrees = test.degrees_of_freedom;
    let rare = if degrees + 1 < tokens.pow(length as u32) {
        ", impossible ones left out and rare ones counted together"
    } else {
        ""
    };
    let figures = format!(
        "χ² = {} on {} degrees of freedom, over all {texts} texts of {word} tokens{rare}.",
        statistic(test.statistic),
        grouped(degrees),
    );
    let impossible = test
        .statistic
        .is_infinite()
        .then_some(" It wrote texts that the target never writes.");
    let words = if test.p_value >= DOUBT {
        let caught = (off > NOTHING)
            .then(|| format!(" Theory knows of a difference of {off:.4}: too small for so few texts, so add more."));
        view! {
            {if degrees == 0 { "There is only one text to compare.".to_owned() } else { format!("No sign of a difference: {figures}") }}
            {caught}
            {match (off > NOTHING, rule) {
                (true, _) => "",
                (false, Rule::Rejection) => " A test can never prove equality. The picture above does.",
                (false, _) => " A test can never prove equality. Adding up every way a round can go does: theory finds no difference.",
            }}
        }
        .into_any()
    } else if test.p_value >= NO_ACCIDENT {
        format!("Chance alone would do this {} in {} samples, so it proves nothing yet: {figures} Add more and see.",
            "once", grouped((1.0 / test.p_value).round() as usize)).into_any()
    } else {
        view! { <b>"This is not the target: "</b>{figures}{impossible} }.into_any()
    };
    let wrong =
        (test.p_value < NO_ACCIDENT).then(|| view! { <span class="stamp-mark">{cross()}</span> });
    view! {
        <p class="huge" data-testid="p-value" data-p=test.p_value.to_string()>{wrong}{p_value(test.p_value)}</p>
        <p class="serif">{words}</p>
    }
    .into_any()
}
