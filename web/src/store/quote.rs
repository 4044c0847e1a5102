//! Text of the run on the page: its prompt, and what stands before a position.

use couplet_playback::is_special;
use leptos::prelude::*;

use super::{Selection, Store};

impl Store {
    /// The prompt of the run on the page as it was written, and not its tokens: one that is a part
    /// of a letter has no text. Tracked.
    pub fn prompt_shown(&self) -> String {
        self.shown.with(|shown| match shown {
            Some(shown) => shown.settings.prompt.clone(),
            None => self.form.prompt.get(),
        })
    }

    /// The end of the text before a drafted token, at most so many characters of it, with line
    /// breaks that can be seen. Not tracked.
    pub fn text_before(&self, place: Selection, most: usize) -> String {
        let brought = untrack(|| self.brought_along());
        let behind: String = self.run.with_untracked(|run| {
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
            let own = run.prompt().len().saturating_sub(brought);
            run.prompt()
                .iter()
                .skip(own)
                .chain(committed)
                .chain(drafted)
                .map(|token| self.text(*token))
                .filter(|text| !is_special(text))
                .collect()
        });
        let text = untrack(|| self.prompt_shown()) + &behind;
        let shown: Vec<char> = text.replace('\n', "↵").chars().collect();
        let from = shown.len().saturating_sub(most);
        let dots = if from > 0 { "…" } else { "" };
        format!("{dots}{}", shown.iter().skip(from).collect::<String>())
    }
}
