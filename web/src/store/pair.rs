//! Choosing another pair.

use couplet_protocol::Settings;
use leptos::prelude::*;

use super::Store;
use crate::permalink;

impl Store {
    /// Loads another pair. The run on the page stays until the pair has something to show.
    pub fn choose_pair(&self, name: &str) {
        self.stop();
        self.form.pair.set(name.to_owned());
        self.form.edited();
        self.adopt_prompt();
        self.message.set(None);
        if let Ok(settings) = untrack(|| self.form.read()) {
            permalink::write(&settings, None);
        }
        self.engine.choose(name);
        self.open_recording(name);
    }

    /// The prompt that suits a pair, where that is known.
    pub fn prompt_of(&self, name: &str) -> Option<String> {
        self.engine.pairs.with_untracked(|pairs| {
            pairs
                .iter()
                .find(|pair| pair.name == name && !pair.prompt.is_empty())
                .map(|pair| pair.prompt.clone())
        })
    }

    /// Gives the form the prompt that suits its pair, unless a person wrote another.
    pub(super) fn adopt_prompt(&self) {
        if let Some(prompt) = self.prompt_of(&self.form.pair.get_untracked())
            && self
                .form
                .prompt
                .with_untracked(|prompt| self.is_usual_prompt(prompt))
        {
            self.form.prompt.set(prompt);
        }
    }

    /// Whether a prompt is one that the page itself wrote into the form.
    pub(super) fn is_usual_prompt(&self, prompt: &str) -> bool {
        prompt == Settings::default().prompt
            || self.usual.with_value(|usual| usual.prompt == prompt)
            || self
                .engine
                .pairs
                .with_untracked(|pairs| pairs.iter().any(|pair| pair.prompt == prompt))
    }
}
