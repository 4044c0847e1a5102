//! Some pages for a teacher: aims, timing, what is told and asked, the answers and why they are so. The
//! questions print for the class too, without the answers.

use couplet_playback::{at_most, separator, significant, tr};
use couplet_protocol::BackendChoice;
use leptos::ev;
use leptos::prelude::*;

use super::course::{COURSE, Choices, Lesson, Place, Step};
use super::facts::Facts;
use super::panel::rich;
use super::state::{Lessons, use_lessons};
use super::words::{LessonWords, StepWords, fill, words};
use crate::couplings::presets::pair as preset_pair;
use crate::permalink::{self, View};
use crate::proof::Preset;
use crate::share::use_sharing;
use crate::store::Scene;
use crate::table::is_unfolded;

/// The plan.
#[component]
pub fn Plan() -> impl IntoView {
    let lessons = use_lessons();
    let sharing = use_sharing();
    let said = &words().plan;
    // On paper the plan is whole, and on the page as it was before.
    let open = RwSignal::new(false);
    let was_open = StoredValue::new(false);
    let printing = window_event_listener(ev::beforeprint, move |_| {
        was_open.set_value(open.get_untracked());
        open.set(true);
    });
    let printed = window_event_listener(ev::afterprint, move |_| open.set(was_open.get_value()));
    on_cleanup(move || {
        printing.remove();
        printed.remove();
    });
    let answers = RwSignal::new(true);
    let minutes: u32 = COURSE.iter().map(|lesson| lesson.minutes).sum();
    let rows = move || {
        let (facts, answers) = (lessons.facts.get()?, answers.get());
        let lessons = COURSE.iter().enumerate();
        let rows = lessons.filter_map(|(index, lesson)| {
            let said = words().lesson(lesson.id)?;
            Some(row(index, lesson, said, &facts, answers))
        });
        Some(rows.collect_view())
    };
    // Without the settings of a run, so that it can be typed from paper.
    let link = move || {
        let view = View {
            scene: Scene::Lessons,
            hide: sharing.hidden.get(),
            ..View::default()
        };
        // Whatever computes here, pupils have devices of their own.
        permalink::address_elsewhere(&permalink::hash(None, &view, BackendChoice::Auto))
    };
    let either = move |whole: &str, asked: String| match answers.get() {
        true => whole.to_owned(),
        false => asked,
    };
    let only_whole =
        move |text: &'static str| move || answers.get().then_some(view! { <p>{text}</p> });
    view! {
        <article class="card class-plan" data-testid="class-plan" aria-labelledby="plan-title">
            <header>
                <div>
                    <p class="muted" data-testid="plan-for">{move || either(&tr!("Class plan, {minutes} minutes", minutes), link())}</p>
                    <h2 id="plan-title">{move || either(&said.title, tr!("Questions for the class"))}</h2>
                </div>
                <div class="plan-print">
                    <div class="segments small" role="group" aria-label=tr!("What is printed")>
                        {[(true, tr!("With answers")), (false, tr!("Questions only"))]
                            .map(|(with, title)| view! {
                                <button type="button" data-testid=format!("plan-{with}") aria-pressed=move || (answers.get() == with).to_string()
                                    on:click=move |_| answers.set(with)>{title}</button>
                            })
                            .collect_view()}
                    </div>
                    <button type="button" class="button" data-testid="print-plan" on:click=move |_| { let _ = window().print(); }>
                        {move || either(&tr!("Print the plan"), tr!("Print the questions"))}
                    </button>
                </div>
            </header>
            {only_whole(&said.r#for)}
            {only_whole(&said.need)}
            {move || lessons.trouble.get().map(|said| view! { <p class="field-error" role="alert">{said.now()}</p> })}
            // Whoever comes to learn should not read the answers first.
            <details class="plan-answers" data-testid="plan-answers" prop:open=move || open.get()
                on:toggle=move |event| open.set(is_unfolded(&event))>
                <summary>{move || either(&tr!("Questions and answers, for teachers"), tr!("Questions"))}</summary>
                <ol class="plan-rows">{rows}</ol>
                {only_whole(&said.at_home)}
            </details>
        </article>
    }
}

fn row(
    index: usize,
    lesson: &'static Lesson,
    said: &'static LessonWords,
    facts: &Facts,
    answers: bool,
) -> impl IntoView + use<> {
    let steps = lesson.steps.iter().zip(&said.steps);
    let questions = steps
        .map(|(step, words)| question(step, words, facts, answers))
        .collect_view();
    view! {
        <li class="plan-row">
            <h3>{format!("{}. {}", index + 1, said.title)}<span class="muted">" "{tr!("{} min", lesson.minutes)}</span></h3>
            {answers.then(|| view! { <p>{said.aim.clone()}</p> })}
            <ol>{questions}</ol>
        </li>
    }
}

/// What a step tells and asks, and either its answer with the reason or, where nothing can be ticked, a
/// line to write on.
fn question(
    step: &Step,
    words: &'static StepWords,
    facts: &Facts,
    answers: bool,
) -> impl IntoView + use<> {
    // On the sheet the answer to another question would stand below that one.
    if step.tells_answer && !answers {
        let elsewhere = tr!("Take this step on the page.");
        return view! { <li><p class="muted">{elsewhere}</p></li> }.into_any();
    }
    let set = |text: &str| rich(&text.replace("**", ""), facts);
    let choices = Lessons::choices(step, words, facts);
    let below = if answers {
        let (answer, why) = match (step.answer)(facts) {
            Some(answer) => {
                let answer = Lessons::spelled(answer, &choices, &words.unit);
                let why = set(reason(&words.after, &answer, facts));
                (answer, why)
            }
            None => (tr!("measure it"), Vec::new()),
        };
        Some(view! { <p>{tr!("Answer:")}" "<b>{answer}</b>". "{why}</p> }.into_any())
    } else if choices.is_empty() {
        Some(view! { <p class="plan-line">{words.unit.clone()}</p> }.into_any())
    } else {
        None
    };
    let choices = (!choices.is_empty()).then(|| {
        let choice = |choice| view! { <span class="plan-choice">{choice}</span>" " };
        view! { <p>{choices.into_iter().map(choice).collect_view()}</p> }
    });
    view! {
        <li>
            <p class="muted">{set(&words.text)}" "{given(step, facts)}</p>
            <p class="plan-ask">{set(&words.ask)}" "</p>
            {choices}
            {below}
        </li>
    }
    .into_any()
}

/// Bytes of an answer's first sentences that surely hold a reason.
const REASON: usize = 60;

/// The sentences that give an answer's reason, of those that follow it on the page, without one before
/// them that only says the answer again.
fn reason<'a>(after: &'a str, answer: &str, facts: &Facts) -> &'a str {
    let first = after.split_once(". ");
    let again = first.filter(|(first, _)| repeats(&fill(first, facts), answer));
    let why = again.map_or(after, |(_, why)| why);
    let mut ends = why.match_indices(". ").map(|(at, _)| at + 1);
    let end = ends.find(|end| *end >= REASON);
    end.and_then(|end| why.get(..end)).unwrap_or(why)
}

/// Whether a sentence says an answer again and no more: but for an article, all its words are there.
fn repeats(sentence: &str, answer: &str) -> bool {
    let answer = words_of(answer);
    let said = words_of(sentence);
    let known = said.iter().filter(|word| answer.contains(word)).count();
    known > 0 && said.len() <= known + 1
}

fn words_of(text: &str) -> Vec<String> {
    // Without Unicode's tables, as `capital`.
    let small = |letter| match letter {
        'Ä' => 'ä',
        'Ö' => 'ö',
        'Ü' => 'ü',
        other => char::to_ascii_lowercase(&other),
    };
    let text: String = text.chars().map(small).collect();
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The probabilities that a question is about, which the page draws.
fn given(step: &Step, facts: &Facts) -> Option<String> {
    if let Choices::Tokens(round) = step.choices {
        let (_, round) = facts.round(round)?;
        let weighed = round.proposals.iter().filter_map(|proposal| {
            let probs = [proposal.draft_prob()?, proposal.target_prob()?];
            let [draft, target] = probs.map(|prob| significant(prob.into(), 2));
            Some(format!(
                "{} {draft} / {target}",
                facts.shown(proposal.token)
            ))
        });
        let weighed = weighed.collect::<Vec<_>>().join("; ");
        return Some(tr!("Draft / target: {}.", weighed));
    }
    let [draft, target] = match step.place {
        Place::Couplings(name) => {
            let pair = preset_pair(name)?;
            [pair.draft_probs().to_vec(), pair.target_probs().to_vec()]
        }
        Place::Proof(name, _) => {
            let pair = Preset::named(name)?.pair();
            [pair.draft, pair.target]
        }
        _ => return None,
    };
    let told = |probs: Vec<f64>| {
        let probs: Vec<String> = probs.into_iter().map(|prob| at_most(prob, 3)).collect();
        probs.join(&separator())
    };
    Some(tr!(
        "Draft: {draft}. Target: {target}.",
        draft = told(draft),
        target = told(target)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::words::tests::{facts, read};
    use super::*;

    #[test]
    fn a_reason_is_more_than_the_answer_and_less_than_all_that_follows() {
        let after = "One. Alone, the target had to wait for each character; now the guesses are there. More.";
        let why = "Alone, the target had to wait for each character; now the guesses are there.";
        let facts = facts();
        assert_eq!(reason(after, "One for all of them", &facts), why);
        assert_eq!(reason("Short.", "4", &facts), "Short.");
    }

    #[test]
    fn only_an_answer_is_left_out_before_its_reason() {
        for (sentence, answer) in [
            ("The **e**", "e"),
            ("Nie", "Nein, nie"),
            ("4", "4, eines mehr"),
        ] {
            assert!(repeats(sentence, answer), "{sentence}");
        }
        for (sentence, answer) in [
            ("Shorter", "3 tokens ahead"),
            ("Clocks 61 per cent, darts 51", "The clocks"),
        ] {
            assert!(!repeats(sentence, answer), "{sentence}");
        }
    }

    #[test]
    fn no_line_of_the_plan_says_twice_what_it_begins_with() {
        let facts = facts();
        for words in &read() {
            for lesson in &COURSE {
                for (index, step) in lesson.steps.iter().enumerate() {
                    let said = words.step(lesson.id, index).unwrap();
                    // A number there would stand beside that of the line.
                    let begins = fill(&said.text, &facts);
                    assert!(
                        !begins.starts_with(|first: char| first.is_numeric()),
                        "{begins}"
                    );
                    let Some(answer) = (step.answer)(&facts) else {
                        continue;
                    };
                    let choices = Lessons::choices(step, said, &facts);
                    let answer = Lessons::spelled(answer, &choices, &said.unit);
                    let why = fill(reason(&said.after, &answer, &facts), &facts);
                    let [begun, goes_on] = [&answer, &why].map(|text| words_of(text));
                    assert_ne!(begun.first(), goes_on.first(), "{answer}. {why}");
                    let first = why.split(". ").next().unwrap();
                    assert!(!repeats(first, &answer), "{answer}. {why}");
                }
            }
        }
    }
}
