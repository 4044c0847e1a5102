//! A branch beside the run that it left: what was changed, where the texts part, what each cost.

use super::statistics::mean_between;
use couplet_playback::{Continuation, decimal, interval, tr};
use leptos::prelude::*;

use super::icons::{Sign, icon};
use super::kinds;
use super::version_words::changes;
use crate::language::{filled, slot};
use crate::store::{Compared, Store, use_store};
use crate::words::share_at_95;

/// Characters of the text that both share, and most of what each wrote.
const SHARED: usize = 18;
const SHOWN: usize = 160;
/// Characters at both ends of a longer text that both wrote alike.
const ALIKE: [usize; 2] = [8, 12];

/// The panel; nothing while no run has branched.
#[component]
pub fn VersionsPanel() -> impl IntoView {
    let store = use_store();
    let any = Memo::new(move |_| store.compared.with(Option::is_some));
    view! {
        <Show when=move || any.get()>
            <section class="versions" data-testid="versions" aria-label=tr!("Branch and the run that it left")>
                <header>
                    <Switch />
                    <What />
                    // Beside the numbers themselves is no room for it.
                    <p class="muted">{tr!("term" => "[a, b]")}": "{tr!("95 % interval")}</p>
                </header>
                <div class="versions-scroll" tabindex="0" role="region" aria-label=tr!("Both texts")>
                    <table aria-label=tr!("Text after the cut, rounds, tokens per round and acceptance rate")>
                        <tbody>
                            <Row of=|compared| (compared.parent, false) />
                            <Row of=|compared| (compared.child, true) />
                        </tbody>
                    </table>
                </div>
            </section>
        </Show>
    }
}

/// One button for each version.
#[component]
fn Switch() -> impl IntoView {
    let store = use_store();
    let versions = store.versions;
    let count = Memo::new(move |_| versions.list.with(Vec::len));
    view! {
        <div class="segments small" role="group" aria-label=tr!("Run on the page")>
            {move || (0..count.get()).map(|index| {
                let label = move || name(store, index);
                view! {
                    <button type="button" data-testid=format!("version-{index}")
                        aria-pressed=move || (versions.current.get() == index).to_string()
                        on:click=move |_| store.show_version(index)>
                        {label}
                    </button>
                }
            }).collect_view()}
        </div>
    }
}

/// What a version is called: the first run, or the branch and its number.
fn name(store: Store, index: usize) -> String {
    let count = store.versions.list.with(Vec::len);
    match (index, count) {
        (0, _) => tr!("First run"),
        (_, 2) => tr!("Branch"),
        (index, _) => tr!("Branch {index}", index),
    }
}

/// What the branch has changed, and after how much text.
#[component]
fn What() -> impl IntoView {
    let store = use_store();
    let words = move || {
        let compared = store.compared.get()?;
        let list = store.versions.list;
        let (from, changed) = list.with(|list| {
            let (old, new) = (list.get(compared.parent)?, list.get(compared.child)?);
            let branch = new.shown.branch.as_ref()?;
            let stood = compared.comparison.old.tokens.first();
            let forced = branch.forced.map(|token| {
                let stood = stood.map(|token| store.show(*token));
                (stood, store.show(token))
            });
            let changed = changes(&old.shown.settings, &new.shown.settings, forced);
            Some((branch.kept.len(), changed))
        })?;
        let kind = store
            .pair()
            .map_or("token".to_owned(), |pair| pair.token_kind.clone());
        let changed = if changed.is_empty() {
            tr!("nothing changed")
        } else {
            changed.join(", ")
        };
        Some(view! {
            {icon(Sign::Branch, 15)}
            <span>{kinds::after(&kind, from)}": "<b data-testid="changes">{changed}</b></span>
        })
    };
    view! { <p class="versions-what">{words}</p> }
}

/// A version's text after the cut, and its counts.
#[component]
fn Row(
    /// Which version, and whether it is the one that left the other.
    of: fn(&Compared) -> (usize, bool),
) -> impl IntoView {
    let store = use_store();
    let row = move || {
        let compared = store.compared.get()?;
        let (index, is_child) = of(&compared);
        let has_formula = store
            .versions
            .list
            .with(|list| Some(list.get(index)?.shown.settings.has_formula()))?;
        let comparison = &compared.comparison;
        let part = if is_child {
            &comparison.new
        } else {
            &comparison.old
        };
        let here = compared.current == index;
        let differs = comparison.differs_at.map(|at| at - comparison.from);
        let shared = shared(store, &compared);
        let rounds = tr!("{} round" | "{} rounds" % part.rounds.len(), slot(0));
        let count = view! { <b>{part.rounds.len()}</b> };
        Some(view! {
            <tr class:here=here data-testid=if is_child { "row-branch" } else { "row-old" }>
                <th scope="row">
                    {name(store, index)}
                    {here.then(|| view! { <small>" "{tr!("on the page")}</small> })}
                </th>
                <td class="versions-text" lang="en">{text(store, &shared, part, differs)}</td>
                <td>{filled(&rounds, [count.into_any()])}</td>
                <td>{per_round(part)}" "{tr!("per round")}</td>
                {rate(part, has_formula)}
            </tr>
        })
    };
    view! { {row} }
}

fn per_round(part: &Continuation) -> AnyView {
    let mean = part
        .tokens_per_round()
        .map_or("–".to_owned(), |value| decimal(value, 2));
    let lengths = part.rounds.iter().map(|length| f64::from(*length));
    view! { <b>{mean}</b>" "{mean_between(&lengths.collect::<Vec<_>>(), part.most_drafted, interval)} }
        .into_any()
}

fn rate(part: &Continuation, has_formula: bool) -> impl IntoView + use<> {
    let rate = (part.tested > 0).then(|| part.accepted as f64 / part.tested as f64);
    // No token is tested by itself otherwise.
    let interval = rate.filter(|_| has_formula).map(|_| {
        let ends = share_at_95(part.accepted, part.tested);
        let [low, high] = ends.map(|end| decimal(end, 2));
        interval(low, high)
    });
    let title = match has_formula {
        false => tr!("acceptance rate"),
        true => tr!(
            "acceptance rate, and its Wilson interval at 95 %, if all tests were independent and alike"
        ),
    };
    let rate = match rate {
        None => "–".into_any(),
        Some(rate) => {
            view! { <b>{decimal(rate, 2)}</b>" "{interval.map(|ends| view! { <small>{ends}</small> })} }.into_any()
        }
    };
    view! { <td title=title><em>"α"</em>" "{rate}</td> }
}

/// The end of the text that both have.
fn shared(store: Store, compared: &Compared) -> String {
    let kept = store.versions.list.with_untracked(|list| {
        let branch = list.get(compared.child)?.shown.branch.as_ref()?;
        Some(branch.kept.clone())
    });
    let letters: Vec<char> = words(store, &kept.unwrap_or_default()).chars().collect();
    letters[letters.len().saturating_sub(SHARED)..]
        .iter()
        .collect()
}

/// Tokens as text, in one line.
fn words(store: Store, tokens: &[u32]) -> String {
    let text: String = tokens.iter().map(|token| store.text(*token)).collect();
    text.replace('\n', "↵")
}

fn text(store: Store, shared: &str, part: &Continuation, differs: Option<usize>) -> AnyView {
    // What both wrote alike is told by its ends, so that the difference is in sight.
    let same: String = words(
        store,
        &part.tokens[..differs.unwrap_or(0).min(part.tokens.len())],
    );
    let letters: Vec<char> = same.chars().collect();
    let same = if letters.len() > ALIKE.iter().sum::<usize>() + 3 {
        let first: String = letters[..ALIKE[0]].iter().collect();
        let last: String = letters[letters.len() - ALIKE[1]..].iter().collect();
        format!("{first} … {last}")
    } else {
        same
    };
    let mut left = SHOWN;
    let behind = part.tokens.iter().enumerate().skip(differs.unwrap_or(0));
    let tokens = behind.map_while(|(index, token)| {
        let text = words(store, &[*token]);
        left = left.checked_sub(text.chars().count())?;
        Some(if differs == Some(index) {
            let title = tr!("the first token that differs");
            let lang = store.language.get_untracked().code();
            view! { <mark title=title lang=lang><span lang="en">{text}</span><span class="visually-hidden">" "{tr!("(the first that differs)")}</span></mark> }.into_any()
        } else {
            text.into_any()
        })
    });
    let tokens: Vec<AnyView> = tokens.collect();
    view! {
        <span class="versions-shared">{shared.to_owned()}</span>
        <i class="seam" aria-hidden="true"></i>
        {same}
        {tokens}
    }
    .into_any()
}
