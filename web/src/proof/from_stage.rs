//! The pair of distributions under consideration on the Stage.

use couplet_playback::tr;
use couplet_protocol::Distribution;
use couplet_speculation::{normalised, ranked, total_variation};
use leptos::prelude::*;

use super::pair::{NOTHING, Note, ProofPair};
use crate::store::{Store, Told, nothing_told};
use crate::typed_list::of_distribution;
use crate::words::Kind;

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
    let told = store.told_here().and_then(|place| store.told(place));
    let Told {
        at, draft, target, ..
    } = told.ok_or_else(nothing_told)?;
    let lumped = lump(store, &draft, &target)?;
    let whole = whole_variation(&draft, &target);
    let shown = total_variation(&lumped.draft, &lumped.target);
    Ok(ProofPair {
        note: Note::Stage {
            context: store.text_before(at, CONTEXT),
            named: lumped.named,
            hidden: whole.filter(|whole| whole - shown > 5e-4),
        },
        tokens: lumped.tokens,
        draft: lumped.draft,
        target: lumped.target,
        kind: token_kind(store),
    })
}

fn token_kind(store: Store) -> Kind {
    let pair = untrack(|| store.pair());
    match pair.as_ref().map(|pair| pair.token_kind.as_str()) {
        Some("character") => Kind::Character,
        _ => Kind::Token,
    }
}

/// Tokens and their probabilities, some of them as one.
struct Lumped {
    tokens: Vec<String>,
    draft: Vec<f64>,
    target: Vec<f64>,
    /// How many stand for themselves.
    named: usize,
}

/// The most probable tokens of either, and the rest as one.
fn lump(store: Store, draft: &Distribution, target: &Distribution) -> Result<Lumped, String> {
    // Only tokens of which both probabilities are known can be drawn by name.
    let known: Vec<(u32, f64, f64)> = draft
        .iter()
        .filter_map(|(token, prob)| {
            let other = target.prob(token)?;
            Some((token, f64::from(prob), f64::from(other)))
        })
        .collect();
    // In the order of the vocabulary, as in the type case.
    let places = ranked(known.iter().map(|(token, ..)| -f64::from(*token)));
    let known: Vec<_> = places.into_iter().map(|place| known[place]).collect();
    let larger = |(_, draft, target): &(u32, f64, f64)| draft.max(*target);
    let mut named = ranked(known.iter().map(larger));
    named.truncate(NAMED);
    named.sort_unstable();
    let mut known: Vec<_> = named.into_iter().map(|place| known[place]).collect();
    known.retain(|entry| larger(entry) > CRUMBS);
    let named = known.len();
    let mut tokens: Vec<String> = known.iter().map(|(token, ..)| store.show(*token)).collect();
    let mut draft: Vec<f64> = known.iter().map(|(_, draft, _)| *draft).collect();
    let mut target: Vec<f64> = known.iter().map(|(_, _, target)| *target).collect();
    let rest = |probs: &[f64]| (1.0 - probs.iter().sum::<f64>()).max(0.0);
    let rests = (rest(&draft), rest(&target));
    if rests.0.max(rests.1) > CRUMBS || tokens.len() < 2 {
        tokens.push(tr!("bar" => "rest"));
        draft.push(rests.0);
        target.push(rests.1);
    }
    let draft = normalised(&draft).map_err(|error| {
        tr!(
            "The draft at that position is no distribution: {}.",
            of_distribution(&error)
        )
    })?;
    let target = normalised(&target).map_err(|error| {
        tr!(
            "The target at that position is no distribution: {}.",
            of_distribution(&error)
        )
    })?;
    if tokens.len() < 2 {
        return Err(tr!(
            "Both models put everything on one token there; pick another position."
        ));
    }
    Ok(Lumped {
        tokens,
        draft,
        target,
        named,
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
        (distribution.is_whole() && f64::from(distribution.rest) < NOTHING).then_some(probs)
    };
    let (draft, target) = (whole(draft)?, whole(target)?);
    (draft.len() == target.len()).then(|| total_variation(&draft, &target))
}
