//! Keys and terms.

use couplet_playback::{spoken, tr};
use leptos::prelude::*;

use crate::browser;
use crate::dialog::Dialog;
use crate::language::LanguageChoice;

/// Remembered between visits once they are switched off.
const KEY: &str = "couplet-single-keys";

fn keys() -> [(String, String); 10] {
    [
        (tr!("key" => "Space"), tr!("play or pause")),
        ("← →".to_owned(), tr!("previous, next token or phase")),
        (", .".to_owned(), tr!("previous, next phase")),
        ("[ ]".to_owned(), tr!("previous, next round")),
        (tr!("key" => "Shift ← →"), tr!("previous, next round")),
        (tr!("key" => "Home"), tr!("back to the prompt")),
        (tr!("key" => "End"), tr!("to the end of what is written")),
        (
            tr!("key" => "Ctrl Enter"),
            tr!("write, from any of the settings"),
        ),
        ("?".to_owned(), tr!("this help")),
        (
            tr!("key" => "Page ↑ ↓"),
            tr!("on a projector, as from a remote: previous, next phase, or step of a lesson"),
        ),
    ]
}

/// Keys as they can be heard: of a sign that stands alone nothing is read.
fn said(keys: &str) -> String {
    match keys {
        "[ ]" => tr!("square brackets"),
        keys => keys.split(' ').map(spoken).collect::<Vec<_>>().join(", "),
    }
}

/// What it is called, what it means, and who it is from, as [`SOURCES`] names them.
fn terms() -> [(String, String, &'static str); 35] {
    [
        (
            tr!("term" => "Speculative decoding"),
            tr!(
                "also speculative sampling: a small model drafts, a large one checks the whole draft in one pass, and what it would have written less often is redrawn just often enough. The alternative, a pass for every token, is autoregressive decoding: the target alone, γ = 0."
            ),
            "Leviathan et al. 2023; Chen et al. 2023",
        ),
        (
            tr!("term" => "Token"),
            tr!("what a model writes at a time: here a character, or a piece of a word."),
            "",
        ),
        (
            tr!("term" => "Draft"),
            tr!(
                "the small, quick model. It proposes the next few tokens one after another, in pencil. It must have the target’s tokens."
            ),
            "",
        ),
        (
            tr!("term" => "Target"),
            tr!(
                "the large model whose text is wanted. It reads all proposals in a single pass, and under an exact rule what is inked follows its probabilities."
            ),
            "",
        ),
        (
            tr!("term" => "Drafter"),
            tr!(
                "who plays the draft: the small model, a table of which token follows which, or Uniform, which finds every token equally probable."
            ),
            "",
        ),
        (
            tr!("term" => "Pass"),
            tr!(
                "one run of a model over one or more positions of the text. At best it reads every weight only once, and it gives, at each position, the probabilities of the next token. Where reading takes longer than computing, it is memory-bound, and further positions cost little."
            ),
            "",
        ),
        (
            tr!("term" => "Round"),
            tr!(
                "one turn: a few tokens are proposed, one pass of the target judges them, and one to γ + 1 tokens are written."
            ),
            "",
        ),
        (
            tr!("term" => "Look-ahead γ"),
            tr!(
                "how many tokens the draft proposes in a round, in Speed also called the draft length. Chen et al. call it K."
            ),
            "",
        ),
        (
            tr!("term" => "Draw u"),
            tr!(
                "a uniform random number between 0 and 1. Under Rejection a token stays when u is below target / draft. Another one, u′, draws what replaces a token, or the bonus."
            ),
            "",
        ),
        (
            tr!("term" => "p and q"),
            tr!(
                "Leviathan et al. write p for the target’s probabilities and q for the draft’s, Chen et al. the other way round. Here words stand for both."
            ),
            "",
        ),
        (
            tr!("term" => "Seed"),
            tr!(
                "the number from which all draws come. The same seed and settings write the same text again on the same device and backend. Others may round a probability differently, and once in a while the text then goes on differently from there. Where the engine chooses γ, only drafter-invariant rules keep to one text, and any rule at temperature 0 or top-k 1."
            ),
            "Salmon et al. 2011",
        ),
        (
            tr!("term" => "Rejection"),
            tr!(
                "the rule of the papers: a proposal stays with the probability target / draft, at most 1. The first that is rejected is replaced from the residual."
            ),
            "Leviathan et al. 2023, Alg. 1; Chen et al. 2023, Alg. 2",
        ),
        (
            tr!("term" => "Exact"),
            tr!(
                "the text comes out with the target’s own probabilities, those after temperature, top-k and top-p, whatever the draft proposes. A number u has 23 bits here, so each probability is met to about one in 8 million (Gumbel and MinHash draw more finely); a token that is rarer than that may come too often or never."
            ),
            "",
        ),
        (
            tr!("term" => "Acceptance rate α"),
            tr!(
                "the share of tested tokens that stay. Tokens after a rejected one do not count, nor those after the end of the text, which only a timed text goes past. Later places are tested only where all before stayed, in easier text, so more may stay there. Under Block no token is tested by itself, so the share has no interval there, except at temperature 0 or top-k 1."
            ),
            "",
        ),
        (
            tr!("term" => "Residual"),
            tr!(
                "where the target gives more than the draft: max(0, target − draft), scaled to 1. Under Rejection a rejected token is replaced from it, and that makes the text exactly the target’s own. Block scales the target first and stays exact; Lenience scales the draft and does not."
            ),
            "",
        ),
        (
            tr!("term" => "Discarded"),
            tr!(
                "drafted after a rejected token, or after the end of the text: what it was written to follow does not stand. It counts for nothing, and but for Block nobody tests it."
            ),
            "",
        ),
        (
            tr!("term" => "Bonus token"),
            tr!(
                "when every proposal stays: the same pass also gave the target’s probabilities for the next place, and one more token comes from them, without another pass."
            ),
            "",
        ),
        (
            tr!("term" => "Total variation, TV"),
            tr!(
                "how far apart two distributions are: half the sum of the absolute differences. Under Rejection the expected acceptance is 1 minus it."
            ),
            "",
        ),
        (
            tr!("term" => "[a, b]"),
            tr!(
                "a 95 % interval, unless other words stand beside it: of 100 that are made so, about 95 hold the true value. That takes tests to be independent and alike; those of one text are not quite, so the 95 is approximate."
            ),
            "",
        ),
        (
            tr!("term" => "χ², df and p"),
            tr!(
                "χ² adds up (count − expected)² / expected, and df is how many of the counts are free to vary. p is how often an exact sampler would deviate at least as much by chance alone."
            ),
            "",
        ),
        (
            tr!("term" => "Costs c and v"),
            tr!(
                "what drafting one token takes, and what one pass over γ + 1 positions takes, the proposals and the place of the bonus, both in passes of the target over one token. Drafting pays if a round writes more tokens than γ·c + v."
            ),
            "Leviathan et al. 2023, Thm. 3.8, where v = 1",
        ),
        (
            tr!("term" => "Coupling"),
            tr!(
                "a way to draw from two distributions together so that each alone keeps its own probabilities. Good ones often draw the same token for both."
            ),
            "",
        ),
        (
            tr!("term" => "Optimal coupling"),
            tr!(
                "also maximal coupling: agrees as often as any coupling can, with probability 1 − TV. Rejection is this one, used at each place. To agree that often always, one side has to see both distributions."
            ),
            "",
        ),
        (
            tr!("term" => "Gumbel"),
            tr!(
                "a coupling: every token has a random clock, both models divide the same clocks by their own probabilities, and in each the earliest token is drawn. That is the one with the largest ln p − ln clock, and −ln clock is Gumbel noise. Kept is what is earliest in both."
            ),
            "Daliri et al. 2025; Maddison et al. 2014; Moulton, Jiang 2018",
        ),
        (
            tr!("term" => "MinHash"),
            tr!(
                "a coupling: darts fly at a board as wide as the vocabulary and as high as 1, and a model draws the token of the first dart that lands under its bars. Both look at the same darts."
            ),
            "Daliri et al. 2025; Holenstein 2007; Bavarian et al. 2020",
        ),
        (
            tr!("term" => "Sample and match"),
            tr!(
                "the independent coupling: the target draws a token of its own with a number of its own, and only the same token is kept. llama.cpp compares like this. It and, by default in 2026, vLLM let the draft propose its favourite, which then stays as often as its target probability: exact too, without draft probabilities, but above temperature 0 usually fewer stay than under Rejection."
            ),
            "Miao et al. 2023",
        ),
        (
            tr!("term" => "Greedy"),
            tr!(
                "the target’s most probable token always: only a proposal that is just that stays. Exact at temperature 0 or top-k 1, else in general not."
            ),
            "Stern et al. 2018",
        ),
        (
            tr!("term" => "Drafter-invariant"),
            tr!(
                "one seed gives one text, whoever drafts and however far ahead: true of Gumbel, MinHash, Sample and match and Greedy."
            ),
            "Daliri et al. 2025",
        ),
        (
            tr!("term" => "Block verification"),
            tr!(
                "judges the drafted tokens together. Each prefix of them has its own test, and the longest that passes is kept, even if a shorter one fails. With r = 1 before the first and r ← min(1, r·target / draft) at each token, and with S = Σ max(0, r·target − draft) at the place after it, it passes if u < h = S / (S + 1 − r); the whole block, if u < r. Exact, and on average no fewer tokens than Rejection."
            ),
            "Sun et al. 2024, Alg. 2",
        ),
        (
            tr!("term" => "Lenience"),
            tr!(
                "the share of the draft’s probability that counts. Below 1 more is kept than is the target’s due, so in general the text is not exact. No token comes more often than target / lenience."
            ),
            "Leviathan et al. 2023, App. A.5",
        ),
        (
            tr!("term" => "Typical acceptance"),
            tr!(
                "keeps every token that is probable enough for the target, above min(ε, δ·exp(−H)) with the entropy H. Exact at temperature 0 or top-k 1, else in general not. Medusa chooses among several guesses that way; here there is one, and a rejected token is drawn anew from the target."
            ),
            "Cai et al. 2024, § 2.3.1; Hewitt et al. 2022",
        ),
        (
            tr!("term" => "KV cache"),
            tr!(
                "what a model keeps of the tokens that it has read, so that it need not read them again. It grows with every pass, and what belongs to rejected tokens is overwritten. Beside it stand its entries, how many this round added that hold (+), and how many that are to be overwritten (−)."
            ),
            "",
        ),
        (
            tr!("term" => "Branch"),
            tr!(
                "a run that goes on from the middle of another one, with other settings or with a token that you choose. Both stay on the page."
            ),
            "",
        ),
        (
            tr!("term" => "Temperature"),
            tr!(
                "divides the models’ scores (logits) before they become probabilities: below 1 probable tokens gain, above 1 improbable ones do; at 0 the most probable token is always taken. It changes draft and target alike: exact means exact to the target at this temperature, and more or fewer proposals may stay."
            ),
            "",
        ),
        (
            tr!("term" => "Top-k and top-p"),
            tr!(
                "filters: top-k lets only the k most probable tokens be drawn; top-p only the fewest of the most probable ones that together reach p. What stays is scaled to 1. They change draft and target alike."
            ),
            "Fan et al. 2018; Holtzman et al. 2020",
        ),
    ]
}

/// Where rules, formulas and random numbers come from: who, when and what, and its address.
const SOURCES: [(&str, &str, &str); 23] = [
    (
        "Leviathan, Kalman, Matias 2023",
        "Fast inference from transformers via speculative decoding",
        "https://arxiv.org/abs/2211.17192",
    ),
    (
        "Chen et al. 2023",
        "Accelerating large language model decoding with speculative sampling",
        "https://arxiv.org/abs/2302.01318",
    ),
    (
        "Sun et al. 2024",
        "Block verification accelerates speculative decoding",
        "https://arxiv.org/abs/2403.10444",
    ),
    (
        "Daliri, Musco, Suresh 2025",
        "Coupling without communication and drafter-invariant speculative decoding",
        "https://arxiv.org/abs/2408.07978",
    ),
    (
        "Holenstein 2007",
        "Parallel repetition: simplifications and the no-signaling case",
        "https://arxiv.org/abs/cs/0607139",
    ),
    (
        "Bavarian et al. 2020",
        "Optimality of correlated sampling strategies",
        "https://arxiv.org/abs/1612.01041",
    ),
    (
        "Maddison, Tarlow, Minka 2014",
        "A* sampling",
        "https://arxiv.org/abs/1411.0030",
    ),
    (
        "Moulton, Jiang 2018",
        "Maximally consistent sampling and the Jaccard index of probability distributions",
        "https://arxiv.org/abs/1809.04052",
    ),
    (
        "von Neumann 1951",
        "Various techniques used in connection with random digits",
        "https://mcnp.lanl.gov/pdf_files/InBook_Computing_1961_Neumann_JohnVonNeumannCollectedWorks_VariousTechniquesUsedinConnectionwithRandomDigits.pdf",
    ),
    (
        "Stern, Shazeer, Uszkoreit 2018",
        "Blockwise parallel decoding for deep autoregressive models",
        "https://arxiv.org/abs/1811.03115",
    ),
    (
        "Saxena 2023",
        "Prompt lookup decoding",
        "https://github.com/apoorvumang/prompt-lookup-decoding",
    ),
    (
        "Cai et al. 2024",
        "Medusa: simple LLM inference acceleration framework with multiple decoding heads",
        "https://arxiv.org/abs/2401.10774",
    ),
    (
        "Hewitt, Manning, Liang 2022",
        "Truncation sampling as language model desmoothing",
        "https://arxiv.org/abs/2210.15191",
    ),
    (
        "Li et al. 2024",
        "EAGLE: speculative sampling requires rethinking feature uncertainty",
        "https://arxiv.org/abs/2401.15077",
    ),
    (
        "Gloeckle et al. 2024",
        "Better & faster large language models via multi-token prediction",
        "https://arxiv.org/abs/2404.19737",
    ),
    (
        "Miao et al. 2023",
        "SpecInfer: accelerating large language model serving with tree-based speculative inference and verification",
        "https://arxiv.org/abs/2305.09781",
    ),
    (
        "Sun et al. 2023",
        "SpecTr: fast speculative decoding via optimal transport",
        "https://arxiv.org/abs/2310.15141",
    ),
    (
        "Hu et al. 2025",
        "Towards optimal multi-draft speculative decoding",
        "https://arxiv.org/abs/2502.18779",
    ),
    (
        "Jeon et al. 2024",
        "Recursive speculative decoding: accelerating LLM inference via sampling without replacement",
        "https://arxiv.org/abs/2402.14160",
    ),
    (
        "Zhou et al. 2024",
        "DistillSpec: improving speculative decoding via knowledge distillation",
        "https://arxiv.org/abs/2310.08461",
    ),
    (
        "Fan, Lewis, Dauphin 2018",
        "Hierarchical neural story generation",
        "https://arxiv.org/abs/1805.04833",
    ),
    (
        "Holtzman et al. 2020",
        "The curious case of neural text degeneration",
        "https://arxiv.org/abs/1904.09751",
    ),
    (
        "Salmon et al. 2011",
        "Parallel random numbers: as easy as 1, 2, 3",
        "https://doi.org/10.1145/2063384.2063405",
    ),
];

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
                {tr!("The draft writes in pencil; the target reads several pencilled tokens in one pass. They are then tested against the probabilities; how, and which stay, the rule says. Those are inked, and one more token follows. Under the rules marked exact, the text is distributed just as if the target had written alone.")}
            </p>
            <h3>{tr!("Keys")}</h3>
            <dl class="help-keys">
                {keys().map(|(key, what)| view! {
                    <div>
                        <dt><kbd aria-hidden="true">{key.clone()}</kbd><span class="visually-hidden">{said(&key)}</span></dt>
                        <dd>{what}</dd>
                    </div>
                }).collect_view()}
            </dl>
            <label class="help-single">
                <input type="checkbox" data-testid="single-keys" prop:checked=move || single_keys.get() on:change=switch />
                {tr!("Shortcuts of a single character (space , . [ ] ?)")}
            </label>
            <h3>{tr!("Terms")}</h3>
            <dl class="help-terms">
                {terms().map(|(term, what, from)| view! {
                    <div><dt>{term}</dt><dd>{what}" "<cite lang="en">{from}</cite></dd></div>
                }).collect_view()}
            </dl>
            <h3>{tr!("Sources")}</h3>
            <ul class="help-sources" lang="en">
                {SOURCES.map(|(who, what, address)| view! {
                    <li>{who}": "<a href=address target="_blank" rel="noopener">{what}</a></li>
                }).collect_view()}
            </ul>
            <p class="muted help-licence">
                {tr!("The page speaks to its own server only, and asks it only for files: what you write stays in this browser.")}
            </p>
            <p class="muted help-licence">
                {tr!("Couplet is under the MIT licence.")}" "
                <a href="notices.txt" target="_blank" rel="noopener">{tr!("What it is built from, and under which licences")}</a>
            </p>
            <p class="muted help-licence">
                <a href="API.txt" target="_blank" rel="noopener" data-testid="api">{tr!("For scripts and the console: window.couplet")}</a>
            </p>
        </Dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_named_stands_among_the_sources() {
        let of_terms = terms().map(|(_, _, from)| from).join("; ");
        // Its keys are all sentences of the page.
        let of_sentences = include_str!("../words/de.json");
        let mut named = 0;
        for text in [&of_terms, of_sentences] {
            let words: Vec<&str> = text.split([' ', ';', ',', ':', '(', ')', '"']).collect();
            for (place, year) in words.iter().enumerate() {
                if year.len() != 4 || year.parse::<u32>().is_err() {
                    continue;
                }
                let mut before = words[..place].iter().rev();
                let name = before.find(|word| !["et", "al.", ""].contains(*word));
                let name = name.copied().unwrap_or_default();
                if !name.starts_with(char::is_uppercase) {
                    continue;
                }
                named += 1;
                let is_it = |(who, ..): &(&str, _, _)| who.contains(name) && who.ends_with(year);
                assert!(SOURCES.iter().any(is_it), "{name} {year}");
            }
        }
        assert!(named > 20, "{named}");
    }
}
