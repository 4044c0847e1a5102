//! The pair of distributions under consideration on the Stage.

use couplet_protocol::Distribution;
use couplet_speculation::{normalised, total_variation};
use leptos::prelude::*;

use super::pair::{NOTHING, ProofPair};
use super::words::{count_word, plural};
use crate::store::Store;

/// How many tokens are drawn one by one; all others together are one more bar.
const NAMED: usize = 6;
/// Less than this on both sides is left out.
const CRUMBS: f64 = 1e-6;
/// How many characters of the text before are quoted.
const CONTEXT: usize = 16;

/// What the two models said at the position under consideration on the Stage.
///
/// # Errors
/// A sentence, where there is no position for which both have spoken.
pub fn take(store: Store) -> Result<ProofPair, String> {
    let at = untrack(|| store.focus()).ok_or(
        "No position of the Stage is under consideration yet: let a text be written there, or step into one, and come back.",
    )?;
    let round = store
        .run
        .with_untracked(|run| run.rounds().get(at.round).cloned())
        .ok_or("That round of the Stage is gone; pick another one there.")?;
    let proposal = round.proposals.get(at.column).ok_or(
        "The position on the Stage is a bonus token’s: nothing was drafted there. Pick a drafted token.",
    )?;
    let verdict = proposal.verdict.as_ref().ok_or(
        "The target never judged that token, because an earlier one was rejected. Pick one that it judged.",
    )?;
    let kind = token_kind(store);
    let mut pair = lump(store, &proposal.distribution, &verdict.distribution, kind)?;
    let context = store.text_before(at, CONTEXT);
    let named = pair.len() - usize::from(pair.tokens.last().is_some_and(|token| token == REST));
    let mut note = format!(
        "Taken from the Stage after “{context}”: the {} most probable {}",
        count_word(named),
        plural(kind, named)
    );
    note.push_str(if named < pair.len() {
        ", and all the others together as one bar."
    } else {
        "."
    });
    if let Some(whole) = whole_variation(&proposal.distribution, &verdict.distribution) {
        let lumped = pair.total_variation();
        if whole - lumped > 5e-4 {
            note.push_str(&format!(
                " Inside that bar gains and losses cancel: over all {kind}s the total variation is {whole:.3}, over these bars {lumped:.3}."
            ));
        }
    }
    pair.note = note;
    Ok(pair)
}

/// The label of what is not drawn one by one.
const REST: &str = "rest";

fn token_kind(store: Store) -> &'static str {
    let pair = untrack(|| store.pair());
    match pair.as_ref().map(|pair| pair.token_kind.as_str()) {
        Some("character") => "character",
        _ => "token",
    }
}

/// The most probable tokens of either, and the rest as one.
fn lump(
    store: Store,
    draft: &Distribution,
    target: &Distribution,
    kind: &'static str,
) -> Result<ProofPair, String> {
    // Only tokens of which both probabilities are known can be drawn by name.
    let mut known: Vec<(u32, f64, f64)> = draft
        .iter()
        .filter_map(|(token, prob)| {
            let other = target.prob(token)?;
            Some((token, f64::from(prob), f64::from(other)))
        })
        .collect();
    known.sort_by(|a, b| b.1.max(b.2).total_cmp(&a.1.max(a.2)).then(a.0.cmp(&b.0)));
    known.truncate(NAMED);
    known.retain(|(_, draft, target)| draft.max(*target) > CRUMBS);
    // In the order of the vocabulary, as in the type case.
    known.sort_by_key(|(token, ..)| *token);
    let mut tokens: Vec<String> = known.iter().map(|(token, ..)| store.show(*token)).collect();
    let mut draft: Vec<f64> = known.iter().map(|(_, draft, _)| *draft).collect();
    let mut target: Vec<f64> = known.iter().map(|(_, _, target)| *target).collect();
    let rest = |probs: &[f64]| (1.0 - probs.iter().sum::<f64>()).max(0.0);
    let rests = (rest(&draft), rest(&target));
    if rests.0.max(rests.1) > CRUMBS || tokens.len() < 2 {
        tokens.push(REST.to_owned());
        draft.push(rests.0);
        target.push(rests.1);
    }
    let scale = |name: &str, probs: &[f64]| {
        normalised(probs)
            .map_err(|error| format!("The {name} at that position is no distribution: {error}."))
    };
    let (draft, target) = (scale("draft", &draft)?, scale("target", &target)?);
    if tokens.len() < 2 {
        return Err(
            "Both models put everything on one token there; pick another position.".to_owned(),
        );
    }
    Ok(ProofPair {
        tokens,
        draft,
        target,
        kind,
        note: String::new(),
    })
}

/// The total variation over the whole vocabulary, where both were kept whole.
fn whole_variation(draft: &Distribution, target: &Distribution) -> Option<f64> {
    let whole = |distribution: &Distribution| {
        let probs: Vec<f64> = distribution
            .probs
            .iter()
            .map(|prob| f64::from(*prob))
            .collect();
        (distribution.tokens.is_none() && f64::from(distribution.rest) < NOTHING).then_some(probs)
    };
    let (draft, target) = (whole(draft)?, whole(target)?);
    (draft.len() == target.len()).then(|| total_variation(&draft, &target))
}
