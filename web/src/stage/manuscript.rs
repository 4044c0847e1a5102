use std::iter;

use couplet_playback::{Cut, InkToken, Mark, is_special, tr, visible};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, HtmlElement, KeyboardEvent};

use super::caches::CachesLine;
use super::icons::{Sign, icon};
use super::kinds;
use super::rule_formula::{settings_of, shown_settings};
use super::rule_words::replaced;
use super::versions::VersionsPanel;
use crate::browser;
use crate::store::{MarksShown, Selection, Store, use_store};
use crate::width::width_of;

/// The text, with the marks of how it came about.
#[component]
pub fn Manuscript() -> impl IntoView {
    let store = use_store();
    let page = NodeRef::<html::Div>::new();
    // In another window other lines are the last.
    let width = width_of(page, 0.0);
    Effect::new(move |_| {
        store.state.track();
        width.track();
        request_animation_frame(move || {
            if let Some(page) = page.try_get_untracked().flatten() {
                let end = page.scroll_height() - page.client_height();
                page.set_scroll_top(end - idle_line(&page));
            }
        });
    });
    view! {
        <section class="sheet manuscript" aria-labelledby="manuscript-title"
            class:compared=move || store.compared.with(Option::is_some)>
            <h2 class="visually-hidden" id="manuscript-title">{tr!("Manuscript")}</h2>
            <header>
                <Legend />
                <Count />
                <MarksSwitch />
            </header>
            <div class="paper">
                <div class="page" id="manuscript" node_ref=page tabindex="0" role="region" aria-label=tr!("Text")
                    aria-description=tr!("Enter picks the last token, the arrow keys then those beside it.")
                    on:keydown=walk
                    class:marks-last=move || store.marks.get() == MarksShown::Last
                    class:marks-clean=move || store.marks.get() == MarksShown::Clean>
                    <p class="lines" data-testid="manuscript">
                        <Prompt />
                        <Kept />
                        <Rounds />
                        <span class="caret" aria-hidden="true"></span>
                    </p>
                </div>
            </div>
            <VersionsPanel />
            <CachesLine />
        </section>
    }
}

/// How high the last line is, in pixels, where it has nothing but the caret and the page shows too few
/// lines to spare one for that.
fn idle_line(page: &HtmlElement) -> i32 {
    let found = |selector| page.query_selector(selector).ok().flatten();
    let element = |selector| found(selector)?.dyn_into::<HtmlElement>().ok();
    let height = browser::style_of("#manuscript .lines", "line-height");
    let height = height.and_then(|height| height.trim_end_matches("px").parse::<f64>().ok());
    let (Some(height), Some(lines), Some(caret)) = (height, element(".lines"), element(".caret"))
    else {
        return 0;
    };
    let is_idle = caret.offset_left() - lines.offset_left() < 2 + caret.offset_width();
    let is_first = f64::from(caret.offset_top() - lines.offset_top()) < height;
    let shows_few = f64::from(page.client_height()) < 2.5 * height;
    match is_idle && !is_first && shows_few && caret.offset_width() > 0 {
        true => height as i32,
        false => 0,
    }
}

/// Picks tokens by keyboard: Enter goes into the text, arrows to the neighbours. Space still plays.
fn walk(event: KeyboardEvent) {
    let element = |target: Option<EventTarget>| target?.dyn_into::<Element>().ok();
    let (Some(page), Some(at)) = (element(event.current_target()), element(event.target())) else {
        return;
    };
    if event.shift_key() || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let Ok(Some(lines)) = page.query_selector(".lines") else {
        return;
    };
    // Tokens lie in their rounds, the prompt and what a branch brought along beside those.
    let tokens: Vec<HtmlElement> = children(&lines)
        .flat_map(|round| children(&round))
        .filter(|token| token.class_list().contains("tk"))
        .filter_map(|token| token.dyn_into().ok())
        .collect();
    let here = tokens
        .iter()
        .position(|token| token.is_same_node(Some(&at)));
    let picked = || {
        tokens
            .iter()
            .position(|token| token.has_attribute("aria-current"))
    };
    let to = match (event.key().as_str(), here) {
        ("Enter", here) => here.or_else(picked).or(tokens.len().checked_sub(1)),
        ("ArrowLeft" | "ArrowUp", Some(here)) => Some(here.saturating_sub(1)),
        ("ArrowRight" | "ArrowDown", Some(here)) => Some((here + 1).min(tokens.len() - 1)),
        _ => return,
    };
    if let Some(token) = to.and_then(|to| tokens.get(to)) {
        event.prevent_default();
        token.click();
        let _ = token.focus();
    }
}

fn children(of: &Element) -> impl Iterator<Item = Element> + use<> {
    iter::successors(of.first_element_child(), Element::next_element_sibling)
}

#[component]
fn Legend() -> impl IntoView {
    let store = use_store();
    let forced = Memo::new(move |_| forced(store).is_some());
    let settings = shown_settings(store);
    view! {
        <ul class="legend" aria-label=tr!("Marks")>
            <li><span class="lg pen">{tr!("pencil")}</span>" "{tr!("drafted")}</li>
            <li><span class="lg acc">{tr!("ink")}</span>" "{tr!("accepted")}</li>
            <li><s class="was">"a"</s>" "{tr!("struck out")}</li>
            <li>{icon(Sign::Resampled, 12)}" "{move || replaced(settings.with(|settings| settings.rule))}</li>
            <li>{icon(Sign::Bonus, 13)}" "{tr!("bonus")}</li>
            <li><span class="lg dis">"d"</span>" "{tr!("discarded")}</li>
            {move || forced.get().then(|| view! { <li class="by-hand">{icon(Sign::Forced, 12)}" "{tr!("by hand")}</li> })}
        </ul>
    }
}

#[component]
fn Count() -> impl IntoView {
    let store = use_store();
    let words = move || {
        let kind = store
            .pair()
            .map_or("token".to_owned(), |pair| pair.token_kind.clone());
        store.state.with(|state| {
            let (tokens, rounds) = (state.written(), state.glyphs.len());
            (rounds > 0).then(|| {
                format!(
                    "{}, {}",
                    kinds::tokens(&kind, tokens),
                    kinds::rounds(rounds)
                )
            })
        })
    };
    view! { <p class="count">{words}</p> }
}

#[component]
fn MarksSwitch() -> impl IntoView {
    let store = use_store();
    let options = [
        (MarksShown::All, tr!("all marks")),
        (MarksShown::Last, tr!("last round")),
        (MarksShown::Clean, tr!("clean")),
    ];
    view! {
        <div class="segments small" role="group" aria-label=tr!("Marks shown")>
            {options
                .map(|(shown, label)| {
                    view! {
                        <button type="button"
                            aria-pressed=move || if store.marks.get() == shown { "true" } else { "false" }
                            on:click=move |_| store.marks.set(shown)>
                            {label}
                        </button>
                    }
                })
                .collect_view()}
        </div>
    }
}

#[component]
fn Prompt() -> impl IntoView {
    let store = use_store();
    let text = move || {
        store.epoch.track();
        match store.state.with(|state| state.prompt.is_empty()) {
            true => store.form.prompt.get(),
            false => store.prompt_shown(),
        }
    };
    view! { <span class="tk prompt" lang="en">{text}</span> }
}

/// The token that the run on the page was made to begin with.
fn forced(store: Store) -> Option<u32> {
    store.shown.with(|shown| {
        let branch = shown.as_ref()?.branch.as_ref()?;
        branch.forced
    })
}

/// What a branch took along: text of the run that it left, and a token by hand.
#[component]
fn Kept() -> impl IntoView {
    let store = use_store();
    let views = move || {
        let branch = store
            .shown
            .with(|shown| shown.as_ref().and_then(|shown| shown.branch.clone()))?;
        let tokens = branch.kept.iter().map(|token| {
            let (shown, end) = letters(&store.text(*token));
            view! { {shown}{end} }
        });
        let tokens = tokens.collect_view();
        let hand = branch.forced.map(|token| {
            let text = store.text(token);
            let (lead, word) = lead(&text);
            let (shown, end) = letters(word);
            let stood = move || {
                let stood = store.compared.with(|compared| {
                    let compared = compared.as_ref()?;
                    (compared.child == compared.current)
                        .then(|| compared.comparison.old.tokens.first().copied())?
                })?;
                Some(view! { <s class="was" aria-hidden="true">{store.show(stood)}</s> })
            };
            view! {
                {lead}
                <span class="tk hand" title=tr!("written by hand")>
                    {stood}{shown}<i class="m" aria-hidden="true">{icon(Sign::Forced, 11)}</i>
                </span>
                {end}
            }
        });
        Some(view! {
            <span class="rd brought" title=tr!("kept from the run that this one left")>{tokens}</span>
            <i class="seam" aria-hidden="true"></i>
            {hand}
        })
    };
    view! { {views} }
}

/// The space before a word belongs to its token, but a mark under it would join the words.
fn lead(text: &str) -> (String, &str) {
    let word = text.trim_start_matches(' ');
    if word.is_empty() {
        (String::new(), text)
    } else {
        (text[..text.len() - word.len()].to_owned(), word)
    }
}

/// Round and column of the first token that differs from the run beside it.
fn differing(store: Store) -> Memo<Option<(usize, usize)>> {
    Memo::new(move |_| {
        let at = store
            .compared
            .with(|compared| compared.as_ref()?.comparison.differs_at)?;
        let mut column = at.checked_sub(store.brought_along())?;
        store.run.with(|run| {
            for (index, round) in run.rounds().iter().enumerate() {
                if column < round.committed.len() {
                    return Some((index, column));
                }
                column -= round.committed.len();
            }
            None
        })
    })
}

#[component]
fn Rounds() -> impl IntoView {
    let store = use_store();
    let differs = differing(store);
    let picked = Memo::new(move |_| store.selected.get());
    // Rounds that are over never change: they are drawn once.
    let rounds = move || {
        let epoch = store.epoch.get();
        store.state.with(|state| {
            state
                .manuscript
                .iter()
                .map(|round| (epoch, round.round, round.current))
                .collect::<Vec<_>>()
        })
    };
    view! {
        <For each=rounds key=|round| *round children=move |(_, round, current)| {
            let tokens = move |state: &couplet_playback::StageState| {
                state.manuscript.get(round).map(|ink| ink.tokens.clone()).unwrap_or_default()
            };
            if current {
                let tokens = move || store.state.with(tokens);
                view! {
                    <span class="rd now">
                        <For each=tokens key=|ink| *ink children=move |ink| token(store, differs, picked, round, ink) />
                    </span>
                }
                .into_any()
            } else {
                let tokens = store.state.with_untracked(tokens);
                let views = tokens.into_iter().map(|ink| token(store, differs, picked, round, ink)).collect_view();
                view! { <span class="rd">{views}</span> }.into_any()
            }
        } />
    }
}

fn token(
    store: Store,
    differs: Memo<Option<(usize, usize)>>,
    picked: Memo<Option<Selection>>,
    round: usize,
    ink: InkToken,
) -> impl IntoView {
    let text = store.text(ink.token);
    // Behind no drafted token it is no bonus for any.
    let alone = ink.mark == Mark::Bonus && ink.column == 0;
    let (class, below) = match ink.mark {
        Mark::Bonus if alone => ("bon", None),
        Mark::Pencil => ("pen", None),
        Mark::Accepted => ("acc", None),
        Mark::Struck => ("struck", None),
        Mark::Resampled => ("res", Some(icon(Sign::Resampled, 11))),
        Mark::Bonus => ("bon", Some(icon(Sign::Bonus, 13))),
        Mark::Discarded => ("dis", None),
    };
    let title = match ink.mark {
        Mark::Pencil => tr!("drafted"),
        Mark::Accepted => tr!("accepted"),
        Mark::Struck => tr!("rejected"),
        Mark::Resampled => replaced(settings_of(store).rule),
        Mark::Bonus if alone => tr!("from the target alone"),
        Mark::Bonus => tr!("bonus"),
        Mark::Discarded => tr!("discarded"),
    };
    let struck = ink
        .struck
        .map(|token| view! { <s class="was" aria-hidden="true">{store.show(token)}</s> });
    let below = below.map(|icon| view! { <i class="m" aria-hidden="true">{icon}</i> });
    let (lead, word) = lead(&text);
    let blank = !word.is_empty() && word.trim_matches(' ').is_empty();
    let (shown, end) = letters(word);
    let differs = move || (differs.get() == Some((round, ink.column))).then_some("");
    let place = Selection {
        round,
        column: ink.column,
    };
    // Not or no longer part of the text, for whoever hears it.
    let role = match ink.mark {
        Mark::Struck | Mark::Discarded => Some("deletion"),
        Mark::Pencil => Some("insertion"),
        _ => None,
    };
    let current = move || (picked.get() == Some(place)).then_some("true");
    // Only the one that has the focus: a text of buttons could not be read on. How it came about is its
    // title.
    let role = move || current().map_or(role, |_| Some("button"));
    let name = move || current().map(|_| store.say(ink.token));
    view! {
        {lead}
        <span class=format!("tk {class}") class:blank=blank role=role aria-label=name title=title data-differs=differs aria-current=current tabindex="-1"
            style=format!("--i:{}", ink.column) on:click=move |event| {
                store.pick(place);
                // Not for whoever goes on from here with the arrow keys, which press no pointer.
                if event.detail() > 0 && !browser::is_seen(".inspector") {
                    browser::show(".inspector");
                }
            }>
            {struck}{shown}{below}
        </span>
        {end}
    }
}

/// The text of a token with its line breaks made visible, and the last of them by itself: it is
/// to end the line and not the mark.
fn letters(text: &str) -> (Vec<AnyView>, Option<&'static str>) {
    let sign = |sign: &str| view! { <span class="nl">{sign.to_owned()}</span> }.into_any();
    if is_special(text) {
        return (vec![sign(&visible(text, Cut::WordPieces))], None);
    }
    let lines: Vec<&str> = text.split('\n').collect();
    let mut views = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            views.push(sign("↵"));
            let last = index + 1 == lines.len() && line.is_empty();
            if !last {
                views.push("\n".into_any());
            }
        }
        if !line.is_empty() {
            // What the models write is English, whatever the page says of it in titles around.
            views.push(view! { <span lang="en">{(*line).to_owned()}</span> }.into_any());
        }
    }
    (views, text.ends_with('\n').then_some("\n"))
}
