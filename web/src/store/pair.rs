//! Choosing another pair.

use couplet_playback::tr;
use couplet_protocol::Settings;
use leptos::prelude::*;

use super::Store;
use crate::errors::Said;
use crate::permalink;

impl Store {
    /// Loads another pair. The run on the page stays until the pair has something to show.
    pub fn choose_pair(&self, name: &str) {
        self.stop();
        self.form.edited();
        self.message.set(None);
        self.load_pair(name);
        if let Ok(settings) = untrack(|| self.form.read()) {
            permalink::write(&settings, None);
        }
    }

    /// Tries again to have the pair of the form ready.
    pub fn bring_engine(&self) {
        self.engine.bring(&self.form.pair.get_untracked());
    }

    /// Starts the engine again, with the pair of the form.
    pub fn restart_engine(&self) {
        self.engine.restart_for(&self.form.pair.get_untracked());
    }

    fn load_pair(&self, name: &str) {
        self.form.pair.set(name.to_owned());
        self.adopt_prompt();
        self.engine.choose(name);
        self.open_recording(name);
    }

    /// Goes over to the usual pair where the one that the page's link names is not among those that there
    /// are; unless somebody has chosen another or put a run on the page meanwhile.
    pub(super) fn leave_unknown_pair(&self, asked: &str) {
        if self.form.pair.with_untracked(|chosen| chosen != asked) || self.turn() > 0 {
            return;
        }
        let is_known = |name: &str| {
            let pairs = self.engine.pairs;
            pairs.with_untracked(|pairs| pairs.iter().any(|pair| pair.name == name))
        };
        let usual = Settings::default().pair;
        if !is_known(asked) && is_known(&usual) {
            // A branch is made of the other pair's tokens.
            self.asking.branch.set_value(None);
            // What the link asks for besides is written all the same.
            self.load_pair(&usual);
            let name = permalink::shorten(asked);
            self.message.set(Some(Said::new(move || {
                tr!(
                    "The link names an unknown pair, “{name}”. The default is used.",
                    name
                )
            })));
        }
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

    /// Whether the prompt in the form is one for its pair, or a person's: it is the usual one until
    /// the page knows which pairs there are.
    pub fn knows_prompt(&self) -> bool {
        let usual = Settings::default();
        self.engine.pairs.with(|pairs| !pairs.is_empty())
            || self.form.pair.with(|pair| *pair == usual.pair)
            || self.form.prompt.with(|prompt| *prompt != usual.prompt)
            || permalink::read().names_prompt
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
