//! Which steps a visitor has done. It stays in this browser, and nothing depends on it.

use super::course::{COURSE, find};
use crate::browser;

const KEY: &str = "couplet-lessons";

/// The steps that are done, by lesson: bit n stands for step n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    done: [u32; COURSE.len()],
}

impl Progress {
    /// What the browser remembers; nothing where it does not.
    pub fn stored() -> Self {
        Self::parse(&browser::remembered(KEY).unwrap_or_default())
    }

    /// Has the browser remember it, where it does, beside what other tabs had it remember.
    pub fn store(&mut self) {
        self.join(Self::stored());
        browser::remember(KEY, &self.print());
    }

    fn join(&mut self, other: Self) {
        for (done, others) in self.done.iter_mut().zip(other.done) {
            *done |= others;
        }
    }

    fn parse(text: &str) -> Self {
        let mut progress = Self::default();
        for entry in text.split(',') {
            let Some((id, steps)) = entry.split_once(':') else {
                continue;
            };
            if let (Some(lesson), Ok(steps)) = (find(id), steps.parse::<u32>())
                && let Some(done) = progress.done.get_mut(lesson)
            {
                *done = steps;
            }
        }
        progress
    }

    fn print(&self) -> String {
        let entries: Vec<String> = COURSE
            .iter()
            .zip(self.done)
            .filter(|(_, done)| *done > 0)
            .map(|(lesson, done)| format!("{}:{done}", lesson.id))
            .collect();
        entries.join(",")
    }

    /// Marks a step as done.
    pub fn add(&mut self, lesson: usize, step: usize) {
        if let Some(done) = self.done.get_mut(lesson)
            && step < 32
        {
            *done |= 1 << step;
        }
    }

    /// How many steps of a lesson are done.
    pub fn of(&self, lesson: usize) -> usize {
        let steps = COURSE.get(lesson).map_or(0, |lesson| lesson.steps.len());
        let done = self.done.get(lesson).copied().unwrap_or(0);
        (0..steps.min(32))
            .filter(|step| done & (1 << step) != 0)
            .count()
    }

    /// Whether a step is done.
    pub fn has(&self, lesson: usize, step: usize) -> bool {
        let done = self.done.get(lesson).copied().unwrap_or(0);
        step < 32 && done & (1 << step) != 0
    }

    /// Whether a whole lesson is done.
    pub fn is_whole(&self, lesson: usize) -> bool {
        COURSE
            .get(lesson)
            .is_some_and(|it| self.of(lesson) == it.steps.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_comes_back_and_nonsense_is_nothing() {
        let mut progress = Progress::default();
        progress.add(1, 0);
        progress.add(1, 3);
        progress.add(99, 0);
        progress.add(0, 77);
        assert_eq!(Progress::parse(&progress.print()), progress);
        assert_eq!((progress.of(0), progress.of(1)), (0, 2));
        let mut other = Progress::default();
        other.add(0, 1);
        progress.join(other);
        assert_eq!((progress.of(0), progress.of(1)), (1, 2));
        for nonsense in [
            "",
            ":",
            "slow",
            "slow:x",
            "nothing:1",
            "slow:-1",
            "slow:99999999999",
        ] {
            assert_eq!(Progress::parse(nonsense), Progress::default(), "{nonsense}");
        }
    }
}
