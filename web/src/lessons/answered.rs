//! What was guessed in steps whose answers were shown, which a page that is loaded again knows still:
//! phones drop pages that nobody looks at, and load them again.

use super::course::{COURSE, find};
use crate::browser;

const KEY: &str = "couplet-answered";

/// What a visitor guessed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guess {
    /// The place of a choice.
    Choice(usize),
    /// A number.
    Number(f64),
    /// A number with a sign for per cent after it.
    Percent(f64),
}

impl Guess {
    /// A number as it is written, with a comma or a point; `None` if it is none.
    pub fn number(typed: &str) -> Option<Self> {
        let text = typed.replace(',', ".");
        let text = text.trim();
        let number = text.trim_end_matches('%');
        let value = number.trim().parse::<f64>().ok();
        let value = value.filter(|value| value.is_finite());
        value.map(match number.len() < text.len() {
            true => Self::Percent,
            false => Self::Number,
        })
    }
}

/// A step whose answer was shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// Its lesson and its place in it.
    pub step: (usize, usize),
    /// What was guessed.
    pub guess: Guess,
    /// A number that was guessed, as it was written.
    pub typed: String,
}

impl Answered {
    /// A line such as `draft 1 =3`, or `pays 0 ~1.5` with what was typed.
    fn print(&self) -> Option<String> {
        let (lesson, step) = self.step;
        let lesson = COURSE.get(lesson)?.id;
        Some(match self.guess {
            Guess::Choice(place) => format!("{lesson} {step} ={place}"),
            Guess::Number(_) | Guess::Percent(_) => format!("{lesson} {step} ~{}", self.typed),
        })
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(3, ' ');
        let lesson = find(words.next()?)?;
        let step = words.next()?.parse().ok()?;
        COURSE.get(lesson)?.steps.get(step)?;
        let said = words.next()?;
        let (guess, typed) = match said.strip_prefix('=') {
            Some(place) => (Guess::Choice(place.parse().ok()?), String::new()),
            None => {
                let typed = said.strip_prefix('~')?;
                (Guess::number(typed)?, typed.to_owned())
            }
        };
        Some(Self {
            step: (lesson, step),
            guess,
            typed,
        })
    }
}

/// Has the tab keep them, as long as it is open.
pub fn have_tab_keep(all: &[Answered]) {
    let lines: Vec<String> = all.iter().filter_map(Answered::print).collect();
    browser::have_tab_remember(KEY, &lines.join("\n"));
}

/// What the tab has kept; nothing where it keeps nothing.
pub fn kept_by_tab() -> Vec<Answered> {
    let lines = browser::remembered_by_tab(KEY).unwrap_or_default();
    lines.lines().filter_map(Answered::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let all = [(Guess::Choice(3), ""), (Guess::Percent(0.25), " 0,25 %")];
        for (guess, typed) in all {
            let answered = Answered {
                step: (1, 0),
                guess,
                typed: typed.to_owned(),
            };
            let line = answered.print().unwrap();
            assert_eq!(Answered::parse(&line), Some(answered), "{line}");
        }
        for bad in [
            "",
            "draft",
            "draft 0",
            "draft 99 =1",
            "none 0 =1",
            "draft 0 1",
            "draft 0 ~x",
        ] {
            assert_eq!(Answered::parse(bad), None, "{bad}");
        }
    }
}
