//! The teller: a random stream, the facts of one story, and the text told so far.
//!
//! Templates know three marks. `[one|two]` is a choice, which may nest and may be empty;
//! `[?one|two]` may be left out;
//! `{slot}` is a fact of this story (`{a slot}` puts its article before it, `{Slot}` starts it
//! with a capital); `<` and `>` are quotation marks, told apart so that capitals can be placed.

use std::collections::BTreeMap;

use couplet_speculation::random::threefry2x32;

use crate::cast::Person;

/// Tells one story.
pub struct Teller {
    key: [u32; 2],
    attempt: u32,
    counter: u32,
    facts: BTreeMap<&'static str, String>,
    text: String,
}

impl Teller {
    /// Starts a story. A seed has many attempts, so that one of an unfit length can be dropped.
    pub fn new(seed: u64, attempt: u32) -> Self {
        Self {
            key: [seed as u32, (seed >> 32) as u32],
            attempt,
            counter: 0,
            facts: BTreeMap::new(),
            text: String::new(),
        }
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let bits = threefry2x32(self.key, [self.counter, self.attempt])[0];
        self.counter += 1;
        ((u64::from(bits) * count as u64) >> 32) as usize
    }

    /// One of the things.
    pub fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }

    /// Fixes a fact for the rest of the story.
    pub fn set(&mut self, slot: &'static str, template: &str) {
        let value = self.expand(template);
        self.facts.insert(slot, value);
    }

    /// Fixes several facts that belong together: one row of a table.
    pub fn facts<const N: usize>(&mut self, slots: [&'static str; N], rows: &[[&str; N]]) {
        let row = self.pick(rows);
        for (slot, cell) in slots.into_iter().zip(row) {
            self.set(slot, cell);
        }
    }

    /// Makes a person known under the slots in `slots`: name, kind, they, them, their.
    pub fn introduce(&mut self, slots: [&'static str; 5], person: &Person) {
        let (they, them, their) = person.pronouns();
        let values = [person.name, person.kind.noun, they, them, their];
        for (slot, value) in slots.into_iter().zip(values) {
            self.facts.insert(slot, value.to_string());
        }
    }

    /// Tells some sentences.
    pub fn say(&mut self, template: &str) {
        let words = self.expand(template);
        let words = words.trim();
        if !self.text.is_empty() && !self.text.ends_with('\n') && !words.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(words);
    }

    /// Tells some sentences half of the time.
    pub fn maybe(&mut self, template: &str) {
        if self.below(2) == 0 {
            self.say(template);
        }
    }

    /// Begins a new paragraph.
    pub fn paragraph(&mut self) {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The finished text, with capitals and quotation marks.
    pub fn finish(self) -> String {
        let mut finished = String::with_capacity(self.text.len());
        let (mut previous, mut before) = ('\n', '\n');
        let mut starts = true;
        for character in self.text.trim_end().chars() {
            match character {
                '<' => starts = true,
                '\n' => starts = true,
                // After `!>` or `?>` the sentence may go on ("Stop!" said Mia), after `.>` never.
                ' ' => {
                    starts |=
                        matches!(previous, '.' | '!' | '?') || (previous == '>' && before == '.');
                }
                _ => {}
            }
            if character.is_ascii_alphabetic() && starts {
                finished.push(character.to_ascii_uppercase());
                starts = false;
            } else if matches!(character, '<' | '>') {
                finished.push('"');
            } else {
                finished.push(character);
            }
            (before, previous) = (previous, character);
        }
        finished
    }

    /// Resolves choices and slots.
    fn expand(&mut self, template: &str) -> String {
        let mut result = String::new();
        let mut rest = template;
        while let Some(mark) = rest.find(['[', '{']) {
            result.push_str(&rest[..mark]);
            let inside = &rest[mark + 1..];
            if rest.as_bytes()[mark] == b'{' {
                let end = inside.find('}').expect("a slot is closed");
                self.fill(&inside[..end], &mut result);
                rest = &inside[end + 1..];
            } else {
                let (optional, inside) = match inside.strip_prefix('?') {
                    Some(inside) => (true, inside),
                    None => (false, inside),
                };
                let (options, after) = split_choice(inside);
                // Later attempts leave more out: a story that was too long becomes shorter.
                if !optional || self.below(8) > self.attempt.min(6) as usize + 1 {
                    let option = self.pick(&options);
                    let words = self.expand(option);
                    result.push_str(&words);
                    rest = after;
                } else {
                    rest = after.trim_start();
                }
            }
        }
        result.push_str(rest);
        result
    }

    /// Writes the fact behind a slot.
    fn fill(&self, slot: &str, result: &mut String) {
        let (article, name) = match slot.split_once(' ') {
            Some((article, name)) => (Some(article), name),
            None => (None, slot),
        };
        let lower = name.to_ascii_lowercase();
        let value = self
            .facts
            .get(lower.as_str())
            .unwrap_or_else(|| panic!("nothing is known about {name}"));
        if article.is_some() {
            let vowel = value.starts_with(['a', 'e', 'i', 'o', 'u']);
            result.push_str(if vowel { "an " } else { "a " });
        }
        let mut letters = value.chars();
        match letters.next() {
            Some(first) if lower != name => {
                result.push(first.to_ascii_uppercase());
                result.push_str(letters.as_str());
            }
            _ => result.push_str(value),
        }
    }
}

/// Splits `one|two]rest` into its options and the rest.
fn split_choice(inside: &str) -> (Vec<&str>, &str) {
    let (mut options, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b'|' if depth == 0 => {
                options.push(&inside[start..at]);
                start = at + 1;
            }
            b']' if depth == 0 => {
                options.push(&inside[start..at]);
                return (options, &inside[at + 1..]);
            }
            b']' => depth -= 1,
            _ => {}
        }
    }
    panic!("a choice is not closed: {inside}");
}
