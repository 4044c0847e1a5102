//! Keys and terms.

use leptos::prelude::*;
use tr::tr;

use crate::browser;
use crate::dialog::Dialog;
use crate::language::LanguageChoice;

/// Remembered between visits once they are switched off.
const KEY: &str = "couplet-single-keys";

fn keys() -> [(String, String); 9] {
    [
        (tr!("key" => "Space"), tr!("play or pause")),
        ("← →".to_owned(), tr!("previous, next token or phase")),
        (", .".to_owned(), tr!("previous, next phase")),
        ("[ ]".to_owned(), tr!("previous, next round")),
        (tr!("key" => "Shift ← →"), tr!("previous, next round")),
        (tr!("key" => "Home"), tr!("back to the prompt")),
        (tr!("key" => "End"), tr!("to the end of what is written")),
        ("?".to_owned(), tr!("this help")),
        (
            tr!("key" => "Page ↑ ↓"),
            tr!("on a projector, as from a remote: previous, next phase, or step of a lesson"),
        ),
    ]
}

fn terms() -> [(String, String); 20] {
    [
        (
            tr!("term" => "Token"),
            tr!("what a model writes at a time: here a character, or a piece of a word."),
        ),
        (
            tr!("term" => "Draft"),
            tr!(
                "the small, quick model. It proposes the next few tokens one after another, in pencil."
            ),
        ),
        (
            tr!("term" => "Target"),
            tr!(
                "the large model whose text is wanted. It reads all proposals in a single pass and has the last word, in ink."
            ),
        ),
        (
            tr!("term" => "Look-ahead γ"),
            tr!("how many tokens the draft proposes in a round."),
        ),
        (
            tr!("term" => "Draw u"),
            tr!(
                "a uniform random number between 0 and 1. Under Rejection a token stays when u is below target / draft."
            ),
        ),
        (
            tr!("term" => "Acceptance rate α"),
            tr!(
                "the share of judged tokens that stay. Tokens behind a rejected one are never judged."
            ),
        ),
        (
            tr!("term" => "Residual"),
            tr!(
                "where the target gives more than the draft: max(0, target − draft), scaled to 1. A rejected token is replaced from it, and that makes the text exactly the target’s own."
            ),
        ),
        (
            tr!("term" => "Bonus token"),
            tr!(
                "when every proposal stays, the same pass already holds the target’s next token: one more, free."
            ),
        ),
        (
            tr!("term" => "Total variation"),
            tr!(
                "how far apart two distributions are: half the sum of the absolute differences. Under Rejection the expected acceptance is 1 minus it."
            ),
        ),
        (
            tr!("term" => "Coupling"),
            tr!(
                "a way to draw from two distributions together so that each alone keeps its own probabilities. Good ones often draw the same token for both."
            ),
        ),
        (
            tr!("term" => "Gumbel"),
            tr!(
                "a coupling: every token has a random clock, both models divide the same clocks by their own probabilities, and in each the earliest token is drawn. Kept is what is earliest in both."
            ),
        ),
        (
            tr!("term" => "MinHash"),
            tr!(
                "a coupling: darts fly at a board as wide as the vocabulary and as high as 1, and a model draws the token of the first dart that lands under its bars. Both look at the same darts."
            ),
        ),
        (
            tr!("term" => "Sample and match"),
            tr!(
                "the independent coupling: the target draws a token of its own with a number of its own, and only the same token is kept."
            ),
        ),
        (
            tr!("term" => "Drafter-invariant"),
            tr!(
                "one seed gives one text, whoever drafts and however far ahead: true of Gumbel, MinHash, Sample and match and Greedy."
            ),
        ),
        (
            tr!("term" => "Block verification"),
            tr!(
                "judges the drafted tokens together. Each beginning of them has its own test, and the longest that passes is kept, even if a shorter one fails. Exact, and on average no fewer tokens than Rejection."
            ),
        ),
        (
            tr!("term" => "Lenience"),
            tr!(
                "the share of the draft’s probability that counts. Below 1 more is kept than is the target’s due, so above temperature 0 the text is not exact."
            ),
        ),
        (
            tr!("term" => "Typical acceptance"),
            tr!(
                "keeps every token that is probable enough for the target, above min(ε, δ·e^−H) with the entropy H. Exact at temperature 0 only."
            ),
        ),
        (
            tr!("term" => "KV cache"),
            tr!(
                "what a model keeps of the tokens that it has read, so that it need not read them again. It grows with every pass, and what belongs to rejected tokens is overwritten."
            ),
        ),
        (
            tr!("term" => "Branch"),
            tr!(
                "a run that goes on from the middle of another one, with other settings or with a token that you choose. Both stay on the page."
            ),
        ),
        (
            tr!("term" => "Temperature"),
            tr!(
                "below 1 the models keep to what they find probable; 0 takes the most probable token always."
            ),
        ),
    ]
}

/// Whether keys that write a character do something by themselves. To whoever speaks instead of
/// typing, or hits keys by accident, they happen in the middle of something else.
pub fn single_keys() -> RwSignal<bool> {
    RwSignal::new(browser::remembered(KEY).as_deref() != Some("off"))
}

/// The dialog behind `?`.
#[component]
pub fn Help(
    /// Whether it is shown.
    open: RwSignal<bool>,
    /// Whether keys that write a character do something by themselves.
    single_keys: RwSignal<bool>,
) -> impl IntoView {
    let switch = move |event| {
        let on = event_target_checked(&event);
        single_keys.set(on);
        browser::remember(KEY, if on { "on" } else { "off" });
    };
    view! {
        <Dialog open=open name="help" title=tr!("Keys and terms")>
            <LanguageChoice />
            <p class="serif">
                {tr!("The draft writes in pencil; the target reads several pencilled tokens in one pass, inks those it agrees with and replaces the first it does not. Under the rules marked exact, the text is distributed just as if the target had written alone.")}
            </p>
            <h3>{tr!("Keys")}</h3>
            <dl class="help-keys">
                {keys().map(|(key, what)| view! { <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div> }).collect_view()}
            </dl>
            <label class="help-single">
                <input type="checkbox" data-testid="single-keys" prop:checked=move || single_keys.get() on:change=switch />
                {tr!("Shortcuts of a single character (space , . [ ] ?)")}
            </label>
            <h3>{tr!("Terms")}</h3>
            <dl class="help-terms">
                {terms().map(|(term, what)| view! { <div><dt>{term}</dt><dd>{what}</dd></div> }).collect_view()}
            </dl>
            <p class="muted help-licence">
                {tr!("Couplet is under the MIT licence.")}" "
                <a href="notices.txt" target="_blank" rel="noopener">{tr!("What it is built from, and under which licences")}</a>
            </p>
        </Dialog>
    }
}
