//! What the test says, expects and waits for.

use couplet_protocol::Rule;
use couplet_speculation::ChiSquare;
use leptos::prelude::*;

use crate::language::{filled, slot};
use crate::proof::counting::{BATCH, NO_ACCIDENT, waits_for};
use crate::proof::state::use_proof;
use crate::proof::theory::ROUNDING;
use crate::proof::theory::is_exact;
use crate::proof::verdict::cross;
use crate::proof::words::{p_value, share, spoken_p_value, statistic};
use crate::store::use_store;
use couplet_playback::{count_word, grouped, tr};

/// Below this a difference is worth more texts, but no verdict.
const DOUBT: f64 = 0.01;

/// From here on chance needs no mention.
const COMMON: f64 = 0.05;

/// What an inexact rule is expected to do in this test. `off` is what theory knows of a difference,
/// `enough` how many texts show it, and `kept` how probable it is that the first drafted token stays,
/// under this rule and under Rejection.
pub fn expectation(
    rule: Rule,
    off: f64,
    enough: Option<u64>,
    length: usize,
    kept: [f64; 2],
) -> Option<impl IntoView> {
    (!is_exact(rule)).then(|| {
        let [here, exact] = kept.map(|kept| share(kept, 2));
        let stay = tr!(
            "A first drafted token stays with probability {here}, under Rejection {exact}.",
            here,
            exact
        );
        let words = if off > ROUNDING {
            let by_design = tr!(
                "{inexact} by design: theory puts its texts of {tokens} tokens at a total variation of {off} from the target’s.",
                inexact = slot(0),
                tokens = count_word(length),
                off = share(off, 3)
            );
            let expected = match enough {
                Some(BATCH) => tr!("The test is expected to fail."),
                Some(enough) => tr!(
                    "That is little: with some {} texts nine tests in ten fail.",
                    grouped(enough as usize)
                ),
                None => tr!("That is too little for this test to find."),
            };
            format!("{by_design} {expected}")
        } else {
            tr!(
                "{inexact} by design, but between these two distributions theory finds no difference: the test is expected to pass.",
                inexact = slot(0)
            )
        };
        let inexact = view! { <b class="not-exact">{tr!("Not exact")}</b> };
        view! { <p class="expectation" data-testid="expectation">{filled(&words, [inexact.into_any()])}" "{stay}</p> }
    })
}

/// What the test waits for, or why it failed.
#[component]
pub fn Trouble() -> impl IntoView {
    let store = use_store();
    let proof = use_proof();
    move || {
        let failed = proof.failed.get().map(|said| {
            view! { <p class="live-trouble" role="alert" data-testid="test-failed">{tr!("Nothing was counted: {}", said.now())}</p> }
        });
        let waits = waits_for(store).map(|sentence| {
            view! { <p class="muted" data-testid="test-waits">{sentence}</p> }
        });
        view! { {failed}{waits} }
    }
}

/// The verdict on all texts of `length` tokens out of so many; `lacks` is what theory knows
/// of a difference, and how many texts show it.
pub fn verdict(
    test: Option<ChiSquare>,
    rule: Rule,
    length: usize,
    tokens: usize,
    lacks: (f64, Option<u64>),
) -> AnyView {
    let Some(test) = test else {
        return view! {
            <p class="huge">"p = ?"</p>
            <p class="serif">
                {tr!(
                    "Nothing counted yet. Every text is written by rounds of its own; the test looks at all {texts} texts of {tokens} tokens at once.",
                    texts = grouped(tokens.pow(length as u32)),
                    tokens = count_word(length)
                )}
            </p>
        }
        .into_any();
    };
    let wrong =
        (test.p_value < NO_ACCIDENT).then(|| view! { <span class="stamp-mark">{cross()}</span> });
    view! {
        <p class="huge" data-testid="p-value" data-p=test.p_value.to_string()>{wrong}{p_value(test.p_value)}</p>
        <p class="serif">{in_words(&test, rule, length, tokens, lacks)}</p>
    }
    .into_any()
}

/// What a test says, for whoever hears it after every counting.
pub fn in_short(test: &ChiSquare) -> String {
    let p = spoken_p_value(test.p_value);
    if test.p_value < NO_ACCIDENT {
        tr!("{p}: not the target", p)
    } else if test.p_value < DOUBT {
        tr!("{p}: a hint and no proof", p)
    } else if test.degrees_of_freedom == 0 {
        tr!("There is only one text to compare.")
    } else {
        tr!("{p}: no sign of a difference", p)
    }
}

/// What a test says, in words; the last are as for [`verdict`].
fn in_words(
    test: &ChiSquare,
    rule: Rule,
    length: usize,
    tokens: usize,
    (off, enough): (f64, Option<u64>),
) -> AnyView {
    let texts = grouped(tokens.pow(length as u32));
    let word = count_word(length);
    let degrees = test.degrees_of_freedom;
    let (chi_square, freedom) = (statistic(test.statistic), grouped(degrees));
    let figures = if test.is_binomial {
        tr!(
            "χ² = {} on 1 degree of freedom, over all {} texts of {} tokens, impossible ones left out; the rare ones, counted together, are so few that p is the exact binomial test’s.",
            chi_square,
            texts,
            word
        )
    } else if degrees + 1 < tokens.pow(length as u32) {
        tr!(
            "χ² = {} on {} degrees of freedom, over all {} texts of {} tokens, impossible ones left out and rare ones counted together.",
            chi_square,
            freedom,
            texts,
            word
        )
    } else {
        tr!(
            "χ² = {} on {} degrees of freedom, over all {} texts of {} tokens.",
            chi_square,
            freedom,
            texts,
            word
        )
    };
    let impossible = test
        .statistic
        .is_infinite()
        .then(|| format!(" {}", tr!("It wrote texts that the target never writes.")));
    if test.p_value >= DOUBT {
        let found = match degrees {
            0 => tr!("There is only one text to compare."),
            _ if test.p_value < COMMON => tr!(
                "One exact count in {samples} strays as far, which is no sign of a difference: {figures}",
                samples = grouped((1.0 / test.p_value).round() as usize),
                figures
            ),
            _ => tr!("No sign of a difference: {}", figures),
        };
        let but = match (off > ROUNDING, rule) {
            (true, _) if enough.is_none() => tr!(
                "Theory knows of a difference of {}: too small for this test to find.",
                share(off, 4)
            ),
            (true, _) => tr!(
                "Theory knows of a difference of {}: too small for so few texts, so add more.",
                share(off, 4)
            ),
            (false, Rule::Rejection) => {
                tr!(
                    "A test can never prove equality. The argument under “Why the ink is exact” does so for the rule; the test is about what runs here."
                )
            }
            (false, _) => tr!(
                "A test can never prove equality. Adding up every way a round can go does so for this rule, these two distributions and this γ: theory finds no difference. The test is about what runs here."
            ),
        };
        format!("{found} {but}").into_any()
    } else if test.p_value >= NO_ACCIDENT {
        tr!(
            "Chance alone would do this once in {samples} samples: a hint and no proof, since whoever tests often meets such numbers too, and only once in {proof} counts here. {figures} Start over, with other numbers: a real difference comes back.",
            samples = grouped((1.0 / test.p_value).round() as usize),
            proof = grouped((1.0 / NO_ACCIDENT).round() as usize),
            figures
        )
        .into_any()
    } else {
        view! { <b>{tr!("This is not the target:")}" "</b>{figures}{impossible} }.into_any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_heard_of_a_test_is_short_and_has_its_p_value() {
        let of = |p_value, degrees_of_freedom| ChiSquare {
            statistic: 1.0,
            is_binomial: false,
            degrees_of_freedom,
            p_value,
        };
        assert_eq!(in_short(&of(0.234, 5)), "p = 0.23: no sign of a difference");
        assert_eq!(in_short(&of(0.0034, 5)), "p = 0.0034: a hint and no proof");
        assert_eq!(in_short(&of(3e-7, 5)), "p < 10 to the −6: not the target");
        assert_eq!(in_short(&of(1.0, 0)), "There is only one text to compare.");
    }
}
