//! Keys and terms.

use leptos::prelude::*;

use crate::dialog::Dialog;
use crate::language::LanguageChoice;

const KEYS: [(&str, &str); 8] = [
    ("Space", "play or pause"),
    ("← →", "previous, next token or phase"),
    (", .", "previous, next phase"),
    ("[ ]", "previous, next round"),
    ("Shift ← →", "previous, next round"),
    ("Home", "back to the prompt"),
    ("End", "to the end of what is written"),
    ("?", "this help"),
];

const TERMS: [(&str, &str); 19] = [
    (
        "Draft",
        "the small, quick model. It proposes the next few tokens one after another, in pencil.",
    ),
    (
        "Target",
        "the large model whose text is wanted. It reads all proposals in a single pass and has the last word, in ink.",
    ),
    (
        "Look-ahead γ",
        "how many tokens the draft proposes in a round.",
    ),
    (
        "Draw u",
        "a uniform random number between 0 and 1. Under Rejection a token stays when u is below target / draft.",
    ),
    (
        "Acceptance rate α",
        "the share of judged tokens that stay. Tokens behind a rejected one are never judged.",
    ),
    (
        "Residual",
        "where the target gives more than the draft: max(0, target − draft), scaled to 1. A rejected token is replaced from it, and that makes the text exactly the target’s own.",
    ),
    (
        "Bonus token",
        "when every proposal stays, the same pass already holds the target’s next token: one more, free.",
    ),
    (
        "Total variation",
        "how far apart two distributions are: half the sum of their differences. The expected acceptance is 1 minus it.",
    ),
    (
        "Coupling",
        "a way for two distributions to share chance, so that a draw from one is often the same as a draw from the other.",
    ),
    (
        "Gumbel",
        "a coupling: every token has a random clock, both models divide the same clocks by their own probabilities, and in each the earliest token is drawn. Kept is what is earliest in both.",
    ),
    (
        "MinHash",
        "a coupling: darts fly at a board as wide as the vocabulary and as high as 1, and a model draws the token of the first dart that lands under its bars. Both look at the same darts.",
    ),
    (
        "Sample and match",
        "no coupling: the target draws a token of its own with a number of its own, and only the same token is kept.",
    ),
    (
        "Drafter-invariant",
        "one seed gives one text, whoever drafts and however far ahead: true of Gumbel, MinHash, Sample and match and Greedy.",
    ),
    (
        "Block verification",
        "judges the drafted tokens together. Each beginning of them has its own test, and the longest that passes is kept, even if a shorter one fails. Exact, and on average no fewer tokens than Rejection.",
    ),
    (
        "Lenience",
        "the share of the draft’s probability that counts. Below 1 more is kept than is the target’s due, so the text is not exact.",
    ),
    (
        "Typical acceptance",
        "keeps every token that is probable enough for the target, above min(ε, δ·e^−H) with the entropy H. Not exact.",
    ),
    (
        "KV cache",
        "what a model keeps of the tokens that it has read, so that it need not read them again. It grows with every pass, and what belongs to rejected tokens is cut back.",
    ),
    (
        "Branch",
        "a run that goes on from the middle of another one, with other settings or with a token that you choose. Both stay on the page.",
    ),
    (
        "Temperature",
        "below 1 the models keep to what they find probable; 0 takes the most probable token always.",
    ),
];

/// The dialog behind `?`.
#[component]
pub fn Help(
    /// Whether it is shown.
    open: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <Dialog open=open name="help" title="Keys and terms">
            <LanguageChoice />
            <p class="serif">
                "The draft writes in pencil; the target reads several pencilled tokens in one pass, inks those it agrees with and replaces the first it does not. The text is distributed exactly as if the target had written alone."
            </p>
            <h3>"Keys"</h3>
            <dl class="help-keys">
                {KEYS.map(|(key, what)| view! { <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div> }).collect_view()}
            </dl>
            <h3>"Terms"</h3>
            <dl class="help-terms">
                {TERMS.map(|(term, what)| view! { <div><dt>{term}</dt><dd>{what}</dd></div> }).collect_view()}
            </dl>
        </Dialog>
    }
}
