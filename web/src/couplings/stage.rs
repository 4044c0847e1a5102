//! Distributions of the run on the Stage, at any of its positions.

use couplet_playback::tr;
use couplet_protocol::Distribution;
use couplet_speculation::ranked;
use leptos::prelude::*;

use super::exhibit::{Exhibit, Origin, use_exhibit};
use super::words::of_input;
use crate::errors::Said;
use crate::store::{Selection, Told, nothing_told};

/// Letters of the small alphabet.
const FEW: usize = 6;
/// Characters quoted before a position.
const QUOTED: usize = 16;

/// Which tokens are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// All that the run tells.
    All,
    /// The most probable ones, renormalised.
    Few,
}

/// Which distributions were taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The text before their position.
    quote: String,
    position: Selection,
    tokens: Tokens,
}

impl Taken {
    /// In words.
    pub fn words(&self) -> String {
        tr!(
            "After “{quote}”: round {round}, drafted token {column}; {tokens}.",
            quote = self.quote,
            round = self.position.round + 1,
            column = self.position.column + 1,
            tokens = self.tokens.words()
        )
    }
}

/// Which tokens of a position were taken.
#[derive(Clone, Debug, PartialEq)]
struct Tokens {
    alphabet: Alphabet,
    /// Whether the run tells all tokens there are.
    whole: bool,
    count: usize,
    /// What they had of the draft and of the target.
    masses: [f64; 2],
}

impl Tokens {
    fn words(&self) -> String {
        // Rounded down: nearly all is not all.
        let percent = |mass: f64| format!("{:.0} %", (mass * 100.0 + 1e-4).floor());
        let (count, [draft, target]) = (self.count, self.masses.map(percent));
        match (self.alphabet, self.whole) {
            (Alphabet::All, true) => tr!("all {count} tokens", count),
            (Alphabet::All, false) => tr!(
                "the {count} listed tokens, renormalised (draft {draft}, target {target}); unlisted counts as 0",
                count,
                draft,
                target
            ),
            (Alphabet::Few, _) => tr!(
                "the {count} most probable tokens, renormalised (draft {draft}, target {target})",
                count,
                draft,
                target
            ),
        }
    }
}

/// What is taken from the Stage; copies are the same.
#[derive(Clone, Copy)]
pub struct Taking {
    /// The position, in the order of the text.
    pub place: RwSignal<usize>,
    /// The tokens.
    pub alphabet: RwSignal<Alphabet>,
    /// Why the last attempt took nothing.
    pub trouble: RwSignal<Option<Said>>,
}

impl Taking {
    /// The first position, few letters.
    pub fn new() -> Self {
        Self {
            place: RwSignal::new(0),
            alphabet: RwSignal::new(Alphabet::Few),
            trouble: RwSignal::new(None),
        }
    }
}

/// A token and its probabilities under the draft and the target.
type Entry = (u32, f64, f64);

/// The tokens at a position and their probabilities, (token, draft, target), and which they are; none
/// where the draft or the target gives them nothing.
fn taken(
    draft: &Distribution,
    target: &Distribution,
    alphabet: Alphabet,
) -> Option<(Vec<Entry>, Tokens)> {
    let mut tokens: Vec<u32> = draft
        .iter()
        .chain(target.iter())
        .map(|(token, _)| token)
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    let whole = draft.is_whole() && target.is_whole();
    let prob =
        |of: &Distribution, token| of.prob(token).map_or(0.0, |prob| f64::from(prob).max(0.0));
    let mut all: Vec<(u32, f64, f64)> = tokens
        .into_iter()
        .map(|token| (token, prob(draft, token), prob(target, token)))
        .collect();
    if alphabet == Alphabet::Few && all.len() > FEW {
        let ranks = ranked(all.iter().map(|(_, draft, target)| draft + target));
        all = ranks
            .into_iter()
            .take(FEW)
            .map(|place| all[place])
            .collect();
    }
    let (draft_mass, target_mass) = all.iter().fold((0.0, 0.0), |(draft, target), token| {
        (draft + token.1, target + token.2)
    });
    if all.len() < 2 || draft_mass <= 0.0 || target_mass <= 0.0 {
        return None;
    }
    for token in &mut all {
        token.1 /= draft_mass;
        token.2 /= target_mass;
    }
    let tokens = Tokens {
        alphabet,
        whole,
        count: all.len(),
        masses: [draft_mass, target_mass],
    };
    Some((all, tokens))
}

impl Exhibit {
    /// Shows the distributions at a place of the run on the Stage.
    fn take(&self, place: Option<usize>) {
        let told = place.and_then(|place| self.store.told(place));
        let trouble = match told {
            Some(told) => self.show_told(told).err(),
            None => Some(Said::new(nothing_told)),
        };
        self.taking.trouble.set(trouble);
    }

    fn show_told(&self, told: Told) -> Result<(), Said> {
        let store = self.store;
        self.taking.place.set(told.place);
        let alphabet = self.taking.alphabet.get_untracked();
        let (entries, tokens) = taken(&told.draft, &told.target, alphabet).ok_or_else(|| {
            Said::new(|| {
                tr!(
                    "Nothing is left of one of the two distributions here; take another position or all tokens."
                )
            })
        })?;
        let labels = entries.iter().map(|token| store.show(token.0)).collect();
        let draft: Vec<f64> = entries.iter().map(|token| token.1).collect();
        let target: Vec<f64> = entries.iter().map(|token| token.2).collect();
        let taken = Taken {
            quote: store.text_before(told.at, QUOTED),
            position: told.at,
            tokens,
        };
        self.show(labels, &draft, &target, Origin::Stage(taken))
            .map_err(|error| Said::new(move || of_input(&error)))
    }
}

/// The button that takes the position under consideration.
#[component]
pub fn FromStage(
    /// Whether the picker is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let exhibit = use_exhibit();
    let take = move |_| {
        open.set(true);
        exhibit.take(exhibit.store.told_here());
    };
    view! {
        <button type="button" class="button" data-testid="take-from-stage" on:click=take>{tr!("Take from the stage")}</button>
    }
}

/// The way through the positions of the run, and the choice of tokens.
#[component]
pub fn StagePicker() -> impl IntoView {
    let exhibit = use_exhibit();
    let taking = exhibit.taking;
    let count = Memo::new(move |_| exhibit.store.told_count());
    // Of the whole vocabulary, where all of it is known.
    let size = Memo::new(move |_| {
        exhibit.store.run.with(|run| {
            run.rounds()
                .iter()
                .flat_map(|round| &round.proposals)
                .map(|proposal| &proposal.distribution)
                .next()
                .filter(|distribution| distribution.is_whole())
                .map(|distribution| distribution.probs.len())
        })
    });
    let alphabet = move |event| {
        let all = event_target_value(&event) == "all";
        taking
            .alphabet
            .set(if all { Alphabet::All } else { Alphabet::Few });
        exhibit.take(Some(taking.place.get_untracked()));
    };
    // At either end a button keeps the focus and does nothing.
    let is_first = move || taking.place.get() == 0;
    let is_last = move || taking.place.get() + 1 >= count.get();
    view! {
        <div class="stage-picker" data-testid="stage-picker">
            <div class="stage-steps" role="group" aria-label=tr!("Position of the run")>
                <button type="button" class="button" data-testid="previous-position" aria-label=tr!("Previous drafted token")
                    aria-disabled=move || is_first().to_string()
                    on:click=move |_| if !untrack(is_first) { exhibit.take(Some(taking.place.get_untracked() - 1)) }>"‹"</button>
                <span class="muted figures">
                    {move || tr!("position {} of {}", (taking.place.get() + 1).min(count.get()), count.get())}
                </span>
                <button type="button" class="button" data-testid="next-position" aria-label=tr!("Next drafted token")
                    aria-disabled=move || is_last().to_string()
                    on:click=move |_| if !untrack(is_last) { exhibit.take(Some(taking.place.get_untracked() + 1)) }>"›"</button>
            </div>
            <div class="field">
                <label for="alphabet">{tr!("alphabet")}</label>
                <select id="alphabet" data-testid="alphabet" on:change=alphabet>
                    <option value="few" selected=move || taking.alphabet.get() == Alphabet::Few>
                        {tr!("the {} most probable, renormalised", FEW)}
                    </option>
                    <option value="all" selected=move || taking.alphabet.get() == Alphabet::All>
                        {move || match size.get() {
                            None => tr!("all that are listed, renormalised"),
                            Some(size) => tr!("all {}", size),
                        }}
                    </option>
                </select>
            </div>
            <p class="field-error" role="alert" data-testid="stage-trouble">{move || taking.trouble.get().map(|said| said.now())}</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(probs: &[f32], tokens: Option<Vec<u32>>) -> Distribution {
        Distribution {
            tokens,
            probs: probs.to_vec(),
            rest: 0.0,
        }
    }

    #[test]
    fn few_tokens_are_renormalised() {
        let flat = of(&[0.1; 10], None);
        let (entries, tokens) = taken(&flat, &flat, Alphabet::Few).unwrap();
        assert_eq!(entries.len(), FEW);
        assert!((entries.iter().map(|token| token.1).sum::<f64>() - 1.0).abs() < 1e-12);
        let words = tokens.words();
        assert!(words.contains("60 %"), "{words}");
    }

    #[test]
    fn listed_tokens_are_put_together() {
        let draft = of(&[0.5, 0.25], Some(vec![7, 3]));
        let target = of(&[0.5, 0.25], Some(vec![3, 9]));
        let (tokens, _) = taken(&draft, &target, Alphabet::All).unwrap();
        let ids: Vec<u32> = tokens.iter().map(|token| token.0).collect();
        assert_eq!(ids, [3, 7, 9]);
        assert!((tokens.iter().map(|token| token.2).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(taken(&draft, &of(&[], Some(vec![])), Alphabet::All).is_none());
    }
}
