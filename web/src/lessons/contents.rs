//! The scene Lessons: what there is, and the plan for a class.

use couplet_playback::tr;
use leptos::prelude::*;

use super::course::COURSE;
use super::panel::to_step;
use super::plan::Plan;
use super::state::use_lessons;
use super::words::words;
use crate::stage::{Sign, icon};

/// The scene.
#[component]
pub fn Contents() -> impl IntoView {
    let lessons = use_lessons();
    let rows = move || {
        let progress = lessons.progress.get();
        COURSE
            .iter()
            .enumerate()
            .map(|(index, lesson)| {
                let said = words().lesson(lesson.id);
                let title = said.map(|said| said.title.clone());
                let aim = said.map(|said| said.aim.clone());
                let (done, all) = (progress.of(index), lesson.steps.len());
                let label = match done {
                    0 => tr!("Start"),
                    done if done == all => tr!("Again"),
                    _ => tr!("Go on"),
                };
                let from = (0..all).find(|step| !progress.has(index, *step)).unwrap_or(0);
                view! {
                    <li class:whole=done == all>
                        <i aria-hidden="true">{index + 1}</i>
                        <div>
                            <h3>{title.clone()}</h3>
                            <p>{aim}</p>
                            <p class="muted">
                                {(done == all).then(|| icon(Sign::Accepted, 14))}
                                {match done {
                                    0 => tr!("{all} questions, about {minutes} minutes", all, minutes = lesson.minutes),
                                    done if done == all => tr!("all {all} guessed", all),
                                    done => tr!("{done} of {all} done", done, all),
                                }}
                            </p>
                        </div>
                        <button type="button" class="button" data-testid=format!("lesson-{}", lesson.id)
                            aria-label=format!("{label}: {}", title.unwrap_or_default())
                            on:click=move |_| {
                                lessons.go(index, from);
                                to_step();
                            }>{label.clone()}</button>
                    </li>
                }
            })
            .collect_view()
    };
    let all_done = move || {
        let progress = lessons.progress.get();
        (0..COURSE.len()).all(|lesson| progress.is_whole(lesson))
    };
    view! {
        <div class="lessons" data-testid="lessons">
            <section class="card lessons-list" aria-labelledby="lessons-title">
                <h2 id="lessons-title">{words().title.clone()}</h2>
                <p class="serif">{words().introduction.clone()}</p>
                <Show when=all_done>
                    <p class="serif" data-testid="course-done">
                        {icon(Sign::Accepted, 16)}" "
                        {tr!("A draft guesses, one pass of the target checks, the residual replaces what is rejected: the target’s own probabilities in fewer passes, and faster where drafting and checking are cheap. Now the page is yours: write a text of your own on the Stage, or break a rule in Proof and see the test find it.")}
                    </p>
                </Show>
                <ol>{rows}</ol>
            </section>
            <Plan />
        </div>
    }
}
