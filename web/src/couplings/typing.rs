//! Distributions as lists of numbers: typed, or pasted from elsewhere.

use couplet_playback::{grouped, separator, tr};
use couplet_speculation::distribution::DistributionError;
use couplet_speculation::input::{
    Argument, InputError, MAX_JOINT_TOKENS, check_argument, normalised,
};
use leptos::prelude::*;

use super::exhibit::{Exhibit, Origin, Row, use_exhibit};
use super::words::{of_input, precise};
use crate::browser;
use crate::permalink::MOST_TOKENS;
use crate::stage::error_line;
use crate::typed_list::{labels, number, numbers};

/// What is wrong with a list, and its sum where that is all that is wrong.
#[derive(Clone, Debug, PartialEq)]
struct Fault {
    sentence: String,
    sum: Option<f64>,
}

fn check(row: Row, text: &str) -> Result<Vec<f64>, Fault> {
    let other = |sentence: String| Fault {
        sentence,
        sum: None,
    };
    let list = numbers(text).map_err(other)?;
    if list.len() > MOST_TOKENS {
        return Err(other(tr!(
            "has {count} probabilities; the page draws up to {most}, and couplet.couple takes up to {joint}",
            count = list.len(),
            most = MOST_TOKENS,
            joint = grouped(MAX_JOINT_TOKENS)
        )));
    }
    let argument = match row {
        Row::Draft => Argument::Draft,
        Row::Target => Argument::Target,
    };
    match check_argument(argument, &list) {
        Ok(()) => Ok(list),
        Err(error) => {
            let sum = match error {
                InputError::Distribution {
                    error: DistributionError::NotOne { sum, .. },
                    ..
                } => Some(sum),
                _ => None,
            };
            Err(Fault {
                sentence: of_input(&error),
                sum,
            })
        }
    }
}

/// What stands in both fields: what a person is writing, which is not written over until it is
/// used, else what is drawn. Tracked.
fn texts(exhibit: Exhibit) -> [String; 2] {
    exhibit.typed.get().unwrap_or_else(|| {
        let exact = exhibit.exact.get();
        [Row::Draft, Row::Target].map(|row| {
            let numbers: Vec<String> = exact.row(row).iter().map(|prob| precise(*prob)).collect();
            numbers.join(&separator())
        })
    })
}

fn text(exhibit: Exhibit, row: Row) -> String {
    let [draft, target] = texts(exhibit);
    match row {
        Row::Draft => draft,
        Row::Target => target,
    }
}

fn write(exhibit: Exhibit, row: Row, text: String) {
    let [draft, target] = untrack(|| texts(exhibit));
    exhibit.typed.set(Some(match row {
        Row::Draft => [text, target],
        Row::Target => [draft, text],
    }));
}

/// The disclosure.
#[component]
pub fn Typing() -> impl IntoView {
    let exhibit = use_exhibit();
    let dirty = move || exhibit.typed.with(Option::is_some);
    let refused = RwSignal::new(None::<String>);
    let lists = move || {
        let [draft, target] = texts(exhibit);
        [check(Row::Draft, &draft), check(Row::Target, &target)]
    };
    let differ = move || match lists() {
        [Ok(draft), Ok(target)] if draft.len() != target.len() => Some(format!(
            "{}: {}",
            tr!("Target"),
            of_input(&InputError::LengthsDiffer {
                draft: draft.len(),
                target: target.len(),
            })
        )),
        _ => None,
    };
    let usable = Memo::new(move |_| lists().iter().all(Result::is_ok) && differ().is_none());
    let apply = move |_| {
        let [Ok(draft), Ok(target)] = untrack(lists) else {
            return;
        };
        let old = exhibit.exact.get_untracked();
        let names = if old.len() == draft.len() {
            old.labels.clone()
        } else {
            labels(draft.len())
        };
        match exhibit.show(names, &draft, &target, Origin::Typed) {
            Ok(()) => {
                exhibit.typed.set(None);
                refused.set(None);
            }
            Err(error) => refused.set(Some(of_input(&error))),
        }
    };
    view! {
        <details class="table typing" data-testid="typing" open=untrack(dirty)>
            <summary>{tr!("Type the numbers")}</summary>
            <p class="muted">{tr!("Lists of probabilities, separated by commas, spaces or lines; a JSON array will do.")}</p>
            {[Row::Draft, Row::Target].map(|row| view! { <List row=row /> }).collect_view()}
            {error_line("typing", Signal::derive(move || differ().or_else(|| refused.get())))}
            <div class="typing-buttons">
                <button type="button" class="button" data-testid="use-numbers" disabled=move || !usable.get() on:click=apply>
                    {tr!("Use these numbers")}
                </button>
                <button type="button" class="button" hidden=move || !dirty()
                    on:click=move |_| {
                        exhibit.typed.set(None);
                        browser::focus("#typed-draft");
                    }>
                    {tr!("Undo")}
                </button>
            </div>
        </details>
    }
}

#[component]
fn List(row: Row) -> impl IntoView {
    let exhibit = use_exhibit();
    let name = row.name();
    let fault = Memo::new(move |_| check(row, &text(exhibit, row)).err());
    let normalise = move |_| {
        if let Ok(probs) = numbers(&untrack(|| text(exhibit, row)))
            .and_then(|list| normalised(&list).map_err(|error| error.to_string()))
        {
            // All digits: fewer would not sum to one again.
            let all: Vec<String> = probs.iter().map(f64::to_string).collect();
            write(exhibit, row, all.join(", "));
            browser::focus(&format!("#typed-{name}"));
        }
    };
    let sum = move || fault.with(|fault| fault.as_ref().and_then(|fault| fault.sum));
    let title = move || match row {
        Row::Draft => tr!("Draft"),
        Row::Target => tr!("Target"),
    };
    view! {
        <div class="field typed-list">
            <label for=format!("typed-{name}")>{title()}</label>
            <textarea id=format!("typed-{name}") data-testid=format!("typed-{name}") rows="2" spellcheck="false" autocomplete="off"
                prop:value=move || text(exhibit, row) aria-invalid=move || fault.get().map(|_| "true")
                aria-describedby=format!("typed-{name}-error")
                on:input=move |event| write(exhibit, row, event_target_value(&event))></textarea>
            {error_line(
                &format!("typed-{name}"),
                Signal::derive(move || fault.get().map(|fault| format!("{}: {}", title(), fault.sentence))),
            )}
            <Show when=move || sum().is_some()>
                <button type="button" class="button" data-testid=format!("normalise-{name}") on:click=normalise>
                    {move || sum().map(|sum| tr!("Normalise (sum is {})", number(sum)))}
                </button>
            </Show>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_wrong_sum_can_be_normalised() {
        let sum = |text| check(Row::Draft, text).err().and_then(|fault| fault.sum);
        assert_eq!(sum("0.5, 0.75"), Some(1.25));
        for text in ["0, 0", "-0.5, 1.5", "nan, 1", "1", ""] {
            assert_eq!(sum(text), None, "{text}");
            assert!(check(Row::Draft, text).is_err(), "{text}");
        }
    }
}
