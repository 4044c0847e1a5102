//! What would give an answer away stays off the page until the visitor has guessed.

use couplet_playback::tr;
use leptos::prelude::*;

use super::state::Lessons;

/// A part of the page that answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// How often the couplings agree.
    Agreement,
    /// The same of those that share chance.
    SharedChance,
    /// What follows when every drafted token is kept.
    Bonus,
    /// The statistics of a run.
    Statistics,
    /// What the formula of the speed-up says.
    Curve,
    /// What was measured on this machine.
    Measured,
    /// What each letter keeps, loses and gets in Proof.
    Numbers,
    /// How many rounds a run has.
    Rounds,
    /// What becomes of a text when another drafts.
    Swap,
}

impl Covered {
    /// Whether what covers this covers another part too.
    pub fn includes(self, other: Self) -> bool {
        self == other
            || matches!(
                (self, other),
                (Self::Agreement, Self::SharedChance | Self::Swap)
                    | (Self::SharedChance, Self::Swap)
                    | (Self::Rounds, Self::Bonus)
                    | (Self::Curve | Self::Statistics, Self::Measured)
            )
    }

    /// Where on the page the answer is to be seen.
    pub const fn part(self) -> &'static str {
        match self {
            Self::Agreement | Self::SharedChance => ".couplings-cards",
            Self::Bonus => ".round",
            Self::Statistics => ".statistics",
            Self::Curve => "[data-testid=what-if]",
            // Where nothing was measured yet, what has it measured.
            Self::Measured => "[data-testid=race], [data-testid=bench]",
            Self::Numbers => ".why",
            Self::Rounds => ".timeline",
            Self::Swap => ".swap",
        }
    }
}

/// Whether a lesson asks for what a part of the page says.
pub fn covered(what: Covered) -> Memo<bool> {
    let lessons = use_context::<Lessons>();
    Memo::new(move |_| lessons.is_some_and(|lessons| lessons.covers(what)))
}

/// Until when what is covered is so.
pub fn why_covered() -> impl Fn() -> String + Copy + Send {
    let lessons = use_context::<Lessons>();
    move || match lessons.is_some_and(|lessons| lessons.revealed.get()) {
        true => tr!("Covered: a later step asks for it."),
        false => tr!("Covered until you have made your guess."),
    }
}

/// A part of the page, absent while a lesson asks for what it says.
#[component]
pub fn Cover(
    /// What it says.
    what: Covered,
    /// The part.
    children: ChildrenFn,
) -> impl IntoView {
    let covered = covered(what);
    let why = why_covered();
    view! {
        <Show when=move || !covered.get() fallback=move || view! { <p class="covered" data-testid="covered"><span>{why}</span></p> }>
            {children()}
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::super::course::{COURSE, find};
    use super::*;

    #[test]
    fn what_the_last_step_asks_is_covered_in_all_before_it() {
        for (id, asked) in [("draft", Covered::Bonus), ("chance", Covered::Swap)] {
            let (last, before) = COURSE[find(id).unwrap()].steps.split_last().unwrap();
            assert_eq!((last.covers, last.covers_on), (Some(asked), None));
            for step in before {
                for covers in [step.covers, step.covers_on] {
                    assert!(
                        covers.is_some_and(|it| it.includes(asked)),
                        "{id}: {:?}",
                        step.place
                    );
                }
            }
        }
    }
}
