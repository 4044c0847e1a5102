//! The lesson beside the page.

use couplet_playback::tr;
use leptos::prelude::*;

use super::answered::Guess;
use super::answers::Answer;
use super::course::{COURSE, Choices, Lesson, Step};
use super::facts::Facts;
use super::state::{Astray, Lessons, step_of, use_lessons};
use super::words::{StepWords, Style, pieces, words};
use crate::browser;
use crate::stage::{Sign, error_line, icon};
use crate::words::tied;

/// The panel; nothing while no lesson is open.
#[component]
pub fn Panel() -> impl IntoView {
    let lessons = use_lessons();
    let folded = lessons.folded;
    // Opened while the recorded run was on its way, a step had no question to lead to.
    Effect::new(move |before: Option<bool>| {
        let there = lessons.facts.with(Option::is_some);
        if there && before == Some(false) {
            if browser::has_focus("#lesson-title") {
                to_step();
            } else {
                show_step();
            }
        }
        there
    });
    move || {
        let (lesson, step) = lessons.current()?;
        let place = lessons.open.get()?;
        Some(view! {
            <aside class="lesson-side" class:folded=move || folded.get() data-testid="lesson-panel" aria-labelledby="lesson-title">
                <section class="card lesson">
                    <Head lesson=lesson at=place.0 />
                    <div class="lesson-body">
                        {move || lessons.facts.with(|facts| text(lesson, place.1, facts.as_ref()?))}
                        <div class="lesson-turn">
                        {move || match (lessons.facts.get(), lessons.trouble.get()) {
                            (Some(facts), _) => turn(lessons, lesson, step, place.1, &facts).into_any(),
                            (None, Some(said)) => view! { <p class="field-error" role="alert">{said.now()}</p> }.into_any(),
                            (None, None) => view! { <p class="muted">{tr!("The recorded run is on its way.")}</p> }.into_any(),
                        }}
                        <Foot />
                        </div>
                    </div>
                </section>
                <All />
            </aside>
            <Between />
        })
    }
}

/// From the question to what it is about and back, where one hides the other.
#[component]
fn Between() -> impl IntoView {
    let lessons = use_lessons();
    // What an answer speaks of may stand far below what was asked about.
    let picture = move |_| {
        let step = untrack(|| lessons.current()).filter(|_| lessons.revealed.get_untracked());
        let evidence = step.and_then(|(_, step)| step.evidence());
        browser::focus("#scene");
        browser::jump(evidence.as_deref().unwrap_or(PICTURE));
    };
    // With the focus, so that it goes on there for those who do not see the page move, too.
    let question = |_| {
        browser::focus("#lesson-title");
        browser::jump(TITLE);
    };
    view! {
        <nav class="lesson-between" aria-label=tr!("Within the lesson")>
            <button type="button" class="button" data-testid="lesson-question" on:click=question>{tr!("Question")}</button>
            <button type="button" class="button" data-testid="lesson-picture" on:click=picture>{tr!("Picture")}</button>
        </nav>
    }
}

#[component]
fn Head(lesson: &'static Lesson, at: usize) -> impl IntoView {
    let lessons = use_lessons();
    let title = words().lesson(lesson.id).map(|words| words.title.clone());
    let folded = lessons.folded;
    let fold = move || match folded.get() {
        true => tr!("Show"),
        false => tr!("Fold"),
    };
    view! {
        <header>
            <div>
                <p class="muted">{tr!("Lesson {} of {}", at + 1, COURSE.len())}</p>
                <h2 id="lesson-title" tabindex="-1" aria-label=lessons.heading()>{title}</h2>
            </div>
            <button type="button" class="icon-button fold" aria-expanded=move || (!folded.get()).to_string() aria-label=fold title=fold
                on:click=move |_| folded.update(|folded| *folded = !*folded)>
                <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
                    <path d="M4 13L10 7L16 13" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
                </svg>
            </button>
            <button type="button" class="icon-button" data-testid="lesson-close" aria-label=tr!("Close the lesson") title=tr!("Close the lesson")
                on:click=move |_| {
                    lessons.close();
                    browser::focus("#scene");
                }>
                <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
                    <path d="M5 5L15 15M15 5L5 15" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
                </svg>
            </button>
        </header>
    }
}

/// What a step tells before it asks.
fn text(lesson: &'static Lesson, index: usize, facts: &Facts) -> Option<impl IntoView + use<>> {
    let said = words().step(lesson.id, index)?;
    Some(view! { <p class="lesson-text" id="lesson-text">{rich(&said.text, facts)}</p> })
}

/// What it asks, and the answer.
fn turn(
    lessons: Lessons,
    lesson: &'static Lesson,
    step: &'static Step,
    index: usize,
    facts: &Facts,
) -> impl IntoView + use<> {
    let said = words().step(lesson.id, index)?;
    let choices = Lessons::choices(step, said, facts);
    let astray = Memo::new(move |_| lessons.astray());
    Some(view! {
        // There before it is filled: what comes with its words is not heard everywhere.
        <div role="status"><Show when=move || astray.with(Option::is_some)>
            <div class="lesson-elsewhere" data-testid="lesson-astray">
                <p>{move || astray.get().map(why_astray)}</p>
                <button type="button" class="button" data-testid="lesson-run" on:click=move |_| {
                    lessons.return_to_step();
                    browser::focus("#lesson-title");
                }>
                    {move || match astray.get() {
                        Some(Astray::Run) => tr!("Show the recorded run"),
                        _ => tr!("Back to this step"),
                    }}
                </button>
            </div>
        </Show></div>
        <form class="lesson-ask" on:submit=move |event: web_sys::SubmitEvent| {
            event.prevent_default();
            lessons.reveal();
            to_answer(lessons);
        }>
            <fieldset disabled=move || lessons.revealed.get()>
                <legend>{rich(&said.ask, facts)}</legend>
                {if step.choices == Choices::Number {
                    number(lessons, said).into_any()
                } else {
                    options(lessons, choices.clone()).into_any()
                }}
            </fieldset>
            <Reveal />
        </form>
        {answer(lessons, said, choices)}
    })
}

fn why_astray(astray: Astray) -> String {
    match astray {
        Astray::Scene(scene) => tr!("This step is about the scene {}.", scene.title()),
        Astray::Distributions => tr!("This step is about other distributions."),
        Astray::Run => tr!("This step is about another run than the one on the page."),
        Astray::Place => tr!("This step is about another moment of the run."),
    }
}

/// A text of the words with its bold and its raised letters. Short formulas are not broken.
pub fn rich(text: &str, facts: &Facts) -> Vec<AnyView> {
    pieces(text, facts)
        .into_iter()
        .map(|piece| match piece.style {
            Style::Plain => tied(&piece.text).into_any(),
            Style::Bold => view! { <b>{piece.text}</b> }.into_any(),
            Style::Raised => view! { <sup>{piece.text}</sup> }.into_any(),
        })
        .collect()
}

/// Whoever goes on from step to step comes to what it asks; there they hear what it tells, too. Not every
/// screen reader says what describes a group.
const TOLD: &str = "lesson-title lesson-text";

/// Most letters of an answer that stands beside another one.
const SHORT: usize = 13;

fn options(lessons: Lessons, choices: Vec<String>) -> impl IntoView {
    let guess = lessons.guess;
    let option = move |(place, text): (usize, String)| {
        let chosen = move || guess.get() == Some(Guess::Choice(place));
        let right =
            move || lessons.revealed.get() && lessons.answer() == Some(Answer::Choice(place));
        let wrong = move || {
            let answered = lessons.revealed.get() && lessons.answer().is_some();
            chosen() && answered && !right()
        };
        view! {
            <label class="lesson-option" class:on=chosen class:right=right data-testid=format!("option-{place}")>
                <input type="radio" name="lesson-guess" prop:checked=chosen aria-describedby=(place == 0).then_some(TOLD)
                    on:change=move |_| guess.set(Some(Guess::Choice(place))) />
                <span>{text}</span>
                {move || right().then(|| icon(Sign::Accepted, 16))}
                {move || wrong().then(|| icon(Sign::Rejected, 16))}
            </label>
        }
    };
    // Characters and numbers need no line each: on a phone what they are about is in sight sooner.
    let short = choices.iter().all(|text| text.chars().count() <= SHORT);
    view! { <div class="lesson-options" class:short=short>{choices.into_iter().enumerate().map(option).collect_view()}</div> }
}

fn number(lessons: Lessons, said: &'static StepWords) -> impl IntoView {
    let typed = lessons.typed;
    let edit = move |event| {
        typed.set(event_target_value(&event));
        lessons
            .guess
            .set(typed.with_untracked(|typed| Guess::number(typed)));
    };
    let bad = Memo::new(move |_| {
        lessons.guess.get().is_none() && typed.with(|typed| !typed.trim().is_empty())
    });
    view! {
        <label class="lesson-number">
            <span>{tr!("Your guess")}</span>
            <input type="text" inputmode="decimal" autocomplete="off" data-testid="lesson-number"
                prop:value=move || typed.get() on:input=edit aria-invalid=move || bad.get().then_some("true")
                aria-describedby=format!("{TOLD} lesson-number-error") />
            <span>{said.unit.clone()}</span>
        </label>
        {error_line("lesson-number", Signal::derive(move || bad.get().then(|| tr!("write a number, such as 2.5"))))}
    }
}

#[component]
fn Reveal() -> impl IntoView {
    let lessons = use_lessons();
    let none = move || lessons.guess.get().is_none();
    let says = move || {
        if none() {
            tr!("First make a guess. The answer is not on the page yet.")
        } else {
            tr!("Your guess is kept.")
        }
    };
    view! {
        <Show when=move || !lessons.revealed.get()>
            <div class="lesson-reveal">
                <p class="muted">{says}</p>
                <button type="submit" class="button go-on" data-testid="reveal" disabled=none>{tr!("Reveal")}</button>
            </div>
        </Show>
    }
}

/// The answer, absent until it is asked for.
fn answer(lessons: Lessons, said: &'static StepWords, choices: Vec<String>) -> impl IntoView {
    let shown = move || {
        if !lessons.revealed.get() {
            return None;
        }
        let facts = lessons.facts.get()?;
        let guess = lessons.guess.get()?;
        let Some(answer) = lessons.answer() else {
            return said.wait.clone().map(|sentence| {
                view! { <p class="lesson-wait" data-testid="lesson-wait">{sentence}</p> }.into_any()
            });
        };
        let right = Lessons::is_right(guess, answer);
        let spelled = Lessons::spelled(answer, &choices, &said.unit);
        let verdict = match (right, Lessons::is_exact(guess, answer)) {
            (true, true) => tr!("That is right."),
            (true, false) => tr!("Near enough."),
            (false, _) => tr!("Not so. It is:"),
        };
        Some(
            view! {
                <p class="lesson-verdict" class:right=right data-testid="lesson-verdict">
                    {icon(if right { Sign::Accepted } else { Sign::Rejected }, 18)}
                    <span>{verdict}" "<b data-testid="lesson-answer">{spelled}</b></span>
                </p>
                <p class="lesson-after">{rich(&said.after, &facts)}</p>
            }
            .into_any(),
        )
    };
    view! { <div class="lesson-answer" id="lesson-answer" role="status" tabindex="-1">{shown}</div> }
}

/// Keyboard and screen reader go on where the answer is. Where that stays in sight by itself, the page
/// shows what it is about, as beside a panel that stays: there only if it is not in sight already.
fn to_answer(lessons: Lessons) {
    request_animation_frame(move || {
        let step = untrack(|| lessons.current()).map(|(_, step)| step);
        let evidence = step.and_then(Step::evidence);
        if browser::is_fixed(TURN) {
            browser::jump(evidence.as_deref().unwrap_or(PICTURE));
        }
        let next = "#lesson-next:not([disabled])";
        if !browser::focus(next) {
            browser::focus("#lesson-answer");
        }
        // The answer above it, and what was uncovered, have their heights a frame later.
        request_animation_frame(move || {
            if let Some(evidence) = evidence.filter(|_| is_beside()) {
                browser::bring_near(&evidence);
            }
            // A panel beside the page scrolls by itself; elsewhere bars may lie over what it ends with.
            if !(is_beside() && browser::bring_near_within(TITLE, next)) {
                browser::bring_near(next);
            }
        });
    });
}

/// To another step; at the end of the course, out of it.
fn go(lessons: Lessons, place: Option<(usize, usize)>) {
    let Some((lesson, step)) = place else {
        lessons.finish();
        return;
    };
    let now = || untrack(|| lessons.current()).map(|(_, step)| step);
    let before = now();
    lessons.go(lesson, step);
    // How far one part was scrolled means nothing in another, and an answer may have scrolled to where
    // nothing of the next question is.
    let leaves = |before: &Step| {
        before.reveal.part().is_some()
            || now().is_some_and(|it| it.place.scene() != before.place.scene())
    };
    if before.is_some_and(leaves) {
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }
    to_step();
}

/// What a presenter's remote asks of the open lesson: to reveal and go on, or to go back. Tells
/// whether it did; nobody goes past a question without a guess.
pub fn lead(lessons: Lessons, forward: bool) -> bool {
    if !forward {
        let before = untrack(|| lessons.previous_step());
        if before.is_some() {
            go(lessons, before);
        }
        return before.is_some();
    }
    let revealed = lessons.revealed.get_untracked();
    let guessed = lessons.guess.get_untracked().is_some();
    if revealed {
        go(lessons, untrack(|| lessons.next_step()));
    } else if guessed {
        lessons.reveal();
        to_answer(lessons);
    }
    revealed || guessed
}

#[component]
fn Foot() -> impl IntoView {
    let lessons = use_lessons();
    let go = move |place| go(lessons, place);
    let dots = move || {
        let (lesson, at) = lessons.open.get()?;
        let steps = COURSE.get(lesson)?.steps.len();
        let dot = move |step: usize| {
            let done = lessons.progress.get().has(lesson, step);
            let class = match (step == at, done) {
                (true, _) => "on",
                (false, true) => "done",
                (false, false) => "",
            };
            let name = step_of(step + 1, steps);
            let name = if done {
                format!("{name}, {}", tr!("done"))
            } else {
                name
            };
            view! {
                <li>
                    <button type="button" class=class data-testid=format!("lesson-step-{}", step + 1)
                        aria-label=name aria-current=(step == at).then_some("step") on:click=move |_| go(Some((lesson, step)))></button>
                </li>
            }
        };
        Some((0..steps).map(dot).collect_view())
    };
    // The answer comes after a guess; where it must be measured, the guess is enough.
    let ready = move || lessons.revealed.get();
    let label = move || match (lessons.open.get(), lessons.next_step()) {
        (_, None) => tr!("Finish"),
        (Some((now, _)), Some((lesson, _))) if now != lesson => tr!("Next lesson"),
        _ => tr!("Next step"),
    };
    view! {
        <footer>
            <button type="button" class="button" data-testid="lesson-back" disabled=move || lessons.previous_step().is_none()
                on:click=move |_| go(untrack(|| lessons.previous_step()))>{tr!("Back")}</button>
            <ol class="lesson-dots" aria-label=tr!("Steps of this lesson")>{dots}</ol>
            <button type="button" class="button" class:go-on=ready id="lesson-next" data-testid="lesson-next"
                disabled=move || !ready() on:click=move |_| go(untrack(|| lessons.next_step()))>{label}</button>
        </footer>
    }
}

/// A step begins at its beginning: its question has the focus. On phones its title has it, and for a
/// finger wherever a number is asked for, since a field there would bring up the keyboard.
pub fn to_step() {
    request_animation_frame(|| {
        let field = match browser::is_touched() {
            true => ".lesson-option input",
            false => ".lesson-option input, .lesson-number input",
        };
        if browser::is_narrow() || !browser::focus(field) {
            browser::focus("#lesson-title");
        }
        browser::unscroll(TITLE);
        browser::show(TITLE);
        show_step();
    });
}

/// On a wall every line counts that is left for what is asked about.
fn show_step() {
    request_animation_frame(|| {
        if browser::is_fixed(TURN) {
            browser::jump(TITLE);
        }
    });
}

/// Whether the panel stands beside what it is about and stays there.
fn is_beside() -> bool {
    browser::style_of(TITLE, "position").as_deref() == Some("sticky")
}

/// What asks and answers.
const TURN: &str = ".lesson-turn";
/// Where a lesson begins.
const TITLE: &str = ".lesson-side";
/// Where what it is about begins.
const PICTURE: &str = "main > .scene";

/// The other lessons.
#[component]
fn All() -> impl IntoView {
    let lessons = use_lessons();
    let rows = move || {
        let open = lessons.open.get().map(|(lesson, _)| lesson);
        let progress = lessons.progress.get();
        COURSE
            .iter()
            .enumerate()
            .map(|(index, lesson)| {
                let title = words().lesson(lesson.id).map(|words| words.title.clone());
                let done = progress.is_whole(index);
                view! {
                    <li>
                        <button type="button" aria-current=(open == Some(index)).then_some("true")
                            on:click=move |_| {
                                lessons.go(index, 0);
                                to_step();
                            }>
                            <i aria-hidden="true">{index + 1}</i>
                            <span>{title}</span>
                            {done.then(|| view! { {icon(Sign::Accepted, 15)}<span class="visually-hidden">{tr!("done")}</span> })}
                        </button>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <section class="card lesson-all" aria-labelledby="lesson-all-title">
            <h3 id="lesson-all-title">{tr!("All lessons")}</h3>
            <ol>{rows}</ol>
        </section>
    }
}
