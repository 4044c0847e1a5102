//! The text before a position of the run on the page.

use couplet_playback::is_special;
use leptos::prelude::*;

use super::{Selection, Store};

impl Store {
    /// The end of the text before a drafted token, at most so many characters of it, with line
    /// breaks that can be seen. Not tracked.
    pub fn text_before(&self, place: Selection, most: usize) -> String {
        let prefix = untrack(|| self.pair()).map_or(0, |pair| pair.prefix_tokens as usize);
        let text: String = self.run.with_untracked(|run| {
            let rounds = run.rounds();
            let committed = rounds
                .iter()
                .take(place.round)
                .flat_map(|round| &round.committed);
            let drafted = rounds
                .get(place.round)
                .into_iter()
                .flat_map(|round| &round.proposals)
                .take(place.column)
                .map(|proposal| &proposal.token);
            run.prompt()
                .iter()
                .skip(prefix)
                .chain(committed)
                .chain(drafted)
                .map(|token| self.text(*token))
                .filter(|text| !is_special(text))
                .collect()
        });
        let shown: Vec<char> = text.replace('\n', "↵").chars().collect();
        let from = shown.len().saturating_sub(most);
        let dots = if from > 0 { "…" } else { "" };
        format!("{dots}{}", shown.iter().skip(from).collect::<String>())
    }
}
