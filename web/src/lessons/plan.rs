//! One page for a teacher: aims, timing, questions and their answers. It prints alone.

use couplet_playback::decimal;
use leptos::ev;
use leptos::prelude::*;
use tr::tr;

use super::answers::Answer;
use super::course::{COURSE, Lesson};
use super::facts::Facts;
use super::panel::plain;
use super::state::{Lessons, use_lessons};
use super::words::{LessonWords, words};
use crate::table::is_unfolded;

/// The plan.
#[component]
pub fn Plan() -> impl IntoView {
    let lessons = use_lessons();
    let said = &words().plan;
    // On paper the plan is whole.
    let open = RwSignal::new(false);
    let printing = window_event_listener(ev::beforeprint, move |_| open.set(true));
    on_cleanup(move || printing.remove());
    let minutes: u32 = COURSE.iter().map(|lesson| lesson.minutes).sum();
    let rows = move || {
        let facts = lessons.facts.get()?;
        Some(
            COURSE
                .iter()
                .enumerate()
                .filter_map(|(index, lesson)| {
                    Some(row(index, lesson, words().lesson(lesson.id)?, &facts))
                })
                .collect_view(),
        )
    };
    view! {
        <article class="card class-plan" data-testid="class-plan" aria-labelledby="plan-title">
            <header>
                <div>
                    <p class="muted">{tr!("Class plan, {minutes} minutes", minutes)}</p>
                    <h2 id="plan-title">{said.title.clone()}</h2>
                </div>
                <button type="button" class="button" data-testid="print-plan" on:click=move |_| { let _ = window().print(); }>
                    {tr!("Print the plan")}
                </button>
            </header>
            <p>{said.r#for.clone()}</p>
            <p>{said.need.clone()}</p>
            {move || lessons.trouble.get().map(|sentence| view! { <p class="field-error" role="alert">{sentence}</p> })}
            // Whoever comes to learn should not read the answers first.
            <details class="plan-answers" data-testid="plan-answers" prop:open=move || open.get()
                on:toggle=move |event| open.set(is_unfolded(&event))>
                <summary>{tr!("Questions and answers, for teachers")}</summary>
                <ol class="plan-rows">{rows}</ol>
                <p>{said.at_home.clone()}</p>
            </details>
        </article>
    }
}

fn row(
    index: usize,
    lesson: &'static Lesson,
    said: &'static LessonWords,
    facts: &Facts,
) -> impl IntoView + use<> {
    let questions = lesson
        .steps
        .iter()
        .zip(&said.steps)
        .map(|(step, words)| {
            let answer = match (step.answer)(facts) {
                Some(Answer::Choice(place)) => {
                    Lessons::choices(step, words, facts).get(place).cloned()
                }
                Some(Answer::Number {
                    value, decimals, ..
                }) => Some(decimal(value, decimals)),
                None => words.wait.as_ref().map(|_| tr!("measure it")),
            };
            view! { <li>{plain(&words.ask, facts)}" "<b>{answer}</b></li> }
        })
        .collect_view();
    view! {
        <li class="plan-row">
            <h3>{format!("{}. {}", index + 1, said.title)}<span class="muted">" "{tr!("{} min", lesson.minutes)}</span></h3>
            <p>{said.aim.clone()}</p>
            <ol>{questions}</ol>
        </li>
    }
}
