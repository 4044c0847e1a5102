//! The words of the lessons. They stand in a file by themselves, `en.json`; the file of another
//! language has them in the same shape.

use std::collections::BTreeMap;
use std::sync::{LazyLock, RwLock};

use serde::Deserialize;

use super::facts::Facts;

/// Everything that the lessons say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Above the list of lessons.
    pub title: String,
    /// What the lessons are.
    pub introduction: String,
    /// The class plan.
    pub plan: PlanWords,
    /// A lesson by its id.
    lessons: BTreeMap<String, LessonWords>,
}

/// The words of the class plan.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanWords {
    /// Its title.
    pub title: String,
    /// For whom it is.
    pub r#for: String,
    /// What must be ready.
    pub need: String,
    /// What to do afterwards.
    pub at_home: String,
}

/// The words of a lesson.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonWords {
    /// Its title.
    pub title: String,
    /// What one can do after it.
    pub aim: String,
    /// Its steps in order.
    pub steps: Vec<StepWords>,
}

/// The words of a step. Names in braces stand for what is computed, stars for bold letters.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepWords {
    /// What is so.
    pub text: String,
    /// The question.
    pub ask: String,
    /// Choices, where there are some.
    #[serde(default)]
    pub choices: Vec<String>,
    /// The choice behind the tokens of a round.
    #[serde(default)]
    pub none: Option<String>,
    /// What a number counts.
    #[serde(default)]
    pub unit: String,
    /// What to do where the answer must be measured first.
    #[serde(default)]
    pub wait: Option<String>,
    /// What follows the answer.
    pub after: String,
}

/// How a piece of a text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As the text around it.
    Plain,
    /// Bold, written `**so**`.
    Bold,
    /// Raised as an exponent, written `^^so^^`.
    Raised,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The letters.
    pub text: String,
    /// How they are set.
    pub style: Style,
}

static ENGLISH: LazyLock<Words> =
    // A test reads the same file: what is shipped can be read.
    LazyLock::new(|| serde_json::from_str(include_str!("en.json")).unwrap_or_default());
static OTHER: RwLock<Option<&'static Words>> = RwLock::new(None);

/// The words of the page's language.
pub fn words() -> &'static Words {
    let other = OTHER.read().ok().and_then(|words| *words);
    other.unwrap_or(&ENGLISH)
}

/// Teaches in these words from now on; without any, in English.
pub fn speak(words: Option<Words>) {
    if let Ok(mut other) = OTHER.write() {
        // What was said may still be read; languages change seldom.
        *other = words.map(|words| &*Box::leak(Box::new(words)));
    }
}

impl Words {
    /// A lesson.
    pub fn lesson(&self, id: &str) -> Option<&LessonWords> {
        self.lessons.get(id)
    }

    /// A step of a lesson, from 0.
    pub fn step(&self, id: &str, step: usize) -> Option<&StepWords> {
        self.lesson(id)?.steps.get(step)
    }
}

/// A text with its names filled in; what is not known yet is three dots.
pub fn fill(text: &str, facts: &Facts) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
        filled.push_str(before);
        filled.push_str(&facts.word(name).unwrap_or_else(|| "…".to_owned()));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// A text with its names filled in, its bold and its raised letters apart.
pub fn pieces(text: &str, facts: &Facts) -> Vec<Piece> {
    // The marks are the writer's: those of a token would come with the names.
    let bold = split(text, "**", Style::Plain, Style::Bold);
    bold.flat_map(|(part, around)| split(part, "^^", around, Style::Raised))
        .map(|(part, style)| Piece {
            text: fill(part, facts),
            style,
        })
        .filter(|piece| !piece.text.is_empty())
        .collect()
}

/// What stands around and between marks, in turn.
fn split<'a>(
    text: &'a str,
    mark: &'static str,
    around: Style,
    between: Style,
) -> impl Iterator<Item = (&'a str, Style)> {
    let styles = [around, between].into_iter().cycle();
    text.split(mark).zip(styles)
}

#[cfg(test)]
pub mod tests {
    use super::super::answers::Answer;
    use super::super::course::{COURSE, Choices};
    use super::*;
    use crate::language::LanguageFile;
    use couplet_protocol::Trace;

    /// What the recorded runs say.
    pub fn facts() -> Facts {
        let recordings = [
            include_str!("../../../../assets/pairs/shakespeare/recording.json"),
            include_str!("../../../../assets/pairs/shakespeare/recording-alone.json"),
        ];
        let [speculative, alone] = recordings.map(|text| Trace::from_json(text).unwrap());
        Facts::new(&speculative, Some(&alone))
    }

    /// The words of every language.
    pub fn read() -> [Words; 2] {
        let german: LanguageFile =
            serde_json::from_str(include_str!("../../../words/de.json")).unwrap();
        [
            serde_json::from_str(include_str!("en.json")).unwrap(),
            german.lessons,
        ]
    }

    #[test]
    fn every_step_has_its_words_and_every_name_in_them_is_known() {
        read().iter().for_each(step_by_step);
    }

    fn step_by_step(words: &Words) {
        let facts = facts();
        assert_eq!(words.lessons.len(), COURSE.len());
        for lesson in &COURSE {
            let said = words.lesson(lesson.id).unwrap();
            assert_eq!(said.steps.len(), lesson.steps.len(), "{}", lesson.id);
            assert!((3..=5).contains(&lesson.steps.len()));
            for (step, said) in lesson.steps.iter().zip(&said.steps) {
                let texts = [&said.text, &said.ask, &said.after];
                for text in texts.into_iter().chain(&said.choices) {
                    for mark in ["**", "^^"] {
                        assert_eq!(text.matches(mark).count() % 2, 0, "{text}");
                    }
                    // What is measured on the machine at hand is not known here.
                    if said.wait.is_none() {
                        assert!(
                            !fill(text, &facts).contains('…') || text.contains('…'),
                            "{text}"
                        );
                    }
                }
                match step.choices {
                    Choices::Words => assert!(said.choices.len() > 1, "{}", said.ask),
                    Choices::Number => assert!(!said.unit.is_empty(), "{}", said.ask),
                    Choices::Tokens(_) => assert!(said.none.is_some(), "{}", said.ask),
                }
            }
        }
    }

    /// It is without the hardest lesson.
    #[test]
    fn the_plan_has_the_minutes_of_its_short_way() {
        let lessons = COURSE.iter().filter(|lesson| lesson.id != "chance");
        let minutes: u32 = lessons.map(|lesson| lesson.minutes).sum();
        for words in read() {
            let need = &words.plan.need;
            assert!(need.contains(&format!(" {minutes} ")), "{need}");
        }
    }

    #[test]
    fn every_question_has_an_answer_among_its_choices() {
        read().iter().for_each(question_by_question);
    }

    fn question_by_question(words: &Words) {
        let facts = facts();
        for lesson in &COURSE {
            for (index, step) in lesson.steps.iter().enumerate() {
                let said = words.step(lesson.id, index).unwrap();
                match (step.choices, (step.answer)(&facts)) {
                    (_, None) => assert!(said.wait.is_some(), "{}", said.ask),
                    (Choices::Words, Some(Answer::Choice(place))) => {
                        assert!(place < said.choices.len(), "{}", said.ask)
                    }
                    (Choices::Tokens(_), Some(Answer::Choice(_)))
                    | (Choices::Number, Some(Answer::Number { .. })) => {}
                    other => panic!("{}: {other:?}", said.ask),
                }
            }
        }
    }

    /// The numbers of the mathematics that this page is about, which were computed elsewhere.
    #[test]
    fn answers_that_are_known_by_heart_come_out() {
        let facts = facts();
        let number = |answer: Option<Answer>| match answer {
            Some(Answer::Number { value, .. }) => value,
            _ => f64::NAN,
        };
        use super::super::answers as it;
        let close = |found: f64, expect: f64| {
            assert!((found - expect).abs() < 1e-9, "{found} is not {expect}")
        };
        close(number(it::kept_of_first(&facts)), 40.0);
        close(number(it::rejected_share(&facts)), 30.0);
        close(number(it::last_comes_out(&facts)), 50.0);
        close(number(it::equal_by_clocks(&facts)), 100.0);
        close(number(it::perfect_but_slow(&facts)), 1.0);
        close(number(it::best_look_ahead(&facts)), 3.0);
        close(number(it::lenient(&facts)), 90.0);
        assert_eq!(it::greedy_draft(&facts), Some(Answer::Choice(1)));
        assert_eq!(it::redraw_from_target(&facts), Some(Answer::Choice(2)));
        assert_eq!(it::struck_again(&facts), Some(Answer::Choice(1)));
        assert_eq!(facts.word("closest_round").as_deref(), Some("1"));
        // As the sentence on the Stage beside it writes them.
        for (name, told) in [("below", "0.0079"), ("u", "0.96")] {
            let word = facts.word(&format!("struck_{name}"));
            assert_eq!(word.as_deref(), Some(told), "{name}");
        }
        assert_eq!(facts.word("struck_residual").as_deref(), Some("0"));
        assert_eq!(
            facts.word("equal_squares").as_deref(),
            Some("0.4² + 0.25² + 0.15² + 0.12² + 0.08² = 0.2658")
        );
        assert_eq!(facts.word("redrawn_c").as_deref(), Some("0.35"));
        assert_eq!(facts.word("lenient_c").as_deref(), Some("0.273"));
        for (name, told) in [
            ("lenient_a", "0.2 ÷ 0.25 = 0.8"),
            ("lenient_sum", "0.4 + 0.3 + 0.2"),
            ("peaked_overlap", "0.18 + 0.10"),
            // What does not stay of a draft's favourite comes out as the c.
            ("keep_a", "0.4"),
            ("greedy_c", "0.6"),
        ] {
            assert_eq!(facts.word(name).as_deref(), Some(told), "{name}");
        }
    }

    /// What is asked for in per cent may be written as a probability, and nothing else.
    #[test]
    fn a_probability_is_as_right_as_per_cent() {
        use super::super::answered::Guess;
        use super::super::answers::kept_of_first;
        use super::super::state::Lessons;
        let facts = facts();
        let judged = |guess: f64, answer| {
            let guess = Guess::Number(guess);
            (
                Lessons::is_right(guess, answer),
                Lessons::is_exact(guess, answer),
            )
        };
        for lesson in &COURSE {
            for step in lesson.steps {
                let answer = (step.answer)(&facts);
                let Some(Answer::Number {
                    value, is_percent, ..
                }) = answer
                else {
                    continue;
                };
                // Of what is certain, the sum may be rounded up.
                let share = judged((value / 100.0).min(1.0), answer.unwrap());
                assert_eq!(share, (is_percent, is_percent), "{value}");
            }
        }
        let forty = kept_of_first(&facts).unwrap();
        let is = |guess| judged(guess, forty);
        assert_eq!([is(40.0), is(0.4)], [(true, true); 2]);
        assert_eq!([is(37.0), is(0.37)], [(true, false); 2]);
        assert_eq!([is(30.0), is(0.3), is(4.0)].map(|it| it.0), [false; 3]);
        assert!(
            !Lessons::is_right(Guess::Percent(0.4), forty),
            "0.4 % is less"
        );
    }

    /// A class divides by hand what is printed.
    #[test]
    fn what_is_printed_divides_to_what_is_printed() {
        let facts = facts();
        let printed = |name: &str| facts.word(name).unwrap().parse::<f64>().unwrap();
        let below = printed("struck_target") / printed("struck_draft");
        assert_eq!(format!("{below:.4}"), facts.word("struck_below").unwrap());
        let share = 100.0 * printed("run_megabytes") / printed("target_megabytes");
        assert_eq!(format!("{share:.0}"), facts.word("run_share").unwrap());
        // And multiplies what stands in the question.
        let [target, draft] = ["target_weights", "draft_weights"].map(printed);
        assert_eq!(
            format!("{:.1}", 4.0 * target),
            facts.word("target_megabytes").unwrap()
        );
        let fetched = printed("draft_steps") * draft + printed("rounds") * target;
        let share = 100.0 * fetched / (printed("written") * target);
        assert_eq!(format!("{share:.0}"), facts.word("run_share").unwrap());
    }

    /// Who thinks otherwise than a lesson teaches learns so.
    #[test]
    fn no_common_mistake_is_near_enough() {
        use super::super::answered::Guess;
        use super::super::answers as it;
        use super::super::state::Lessons;
        let facts = facts();
        let is_near = |answer: Option<Answer>, guess: f64| {
            Lessons::is_right(Guess::Number(guess), answer.unwrap())
        };
        // As if all stayed; as if half of the rejected stayed too.
        let all_stay = facts.written() as f64 / (f64::from(facts.settings.gamma) + 1.0);
        assert!(!is_near(it::passes_with_draft(&facts), all_stay));
        assert!(!is_near(it::lenient(&facts), 85.0));
        // This one the lesson names.
        let gamma_alpha = f64::from(facts.settings.gamma) * facts.alpha();
        assert!(is_near(it::per_round(&facts), gamma_alpha));
    }

    /// What the lesson says of the neighbours of the best γ, which are good guesses too.
    #[test]
    fn the_neighbours_of_the_best_look_ahead_lose_less_than_three_per_cent() {
        use super::super::answers::{best_look_ahead, speed_up_of_the_worse};
        let answer = best_look_ahead(&facts());
        assert!(matches!(answer, Some(Answer::Number { near, .. }) if near == 1.0));
        let best = speed_up_of_the_worse(3);
        for gamma in [2, 4] {
            let factor = speed_up_of_the_worse(gamma);
            assert!(factor < best && factor > 0.97 * best, "{factor} of {best}");
        }
        assert!(speed_up_of_the_worse(5) < 0.97 * best);
    }

    #[test]
    fn bold_and_raised_letters_and_names_come_apart() {
        let found = pieces("The **{gamma}** {nothing}^^{gamma}+1^^.", &facts());
        let expected = [
            ("The ", Style::Plain),
            ("5", Style::Bold),
            (" …", Style::Plain),
            ("5+1", Style::Raised),
            (".", Style::Plain),
        ];
        let expected = expected.map(|(text, style)| Piece {
            text: text.to_owned(),
            style,
        });
        assert_eq!(found, expected);
    }
}
