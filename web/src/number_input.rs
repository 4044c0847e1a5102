//! A field for one number, with a comma or a point, whatever the page's language. A browser's own
//! field of the type `number` drops the mark that its language does not use without a word: of
//! "0,2" it makes 02.

use couplet_playback::{without_idle_noughts, written};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// The field. What stands in it keeps to no range: whoever reads it says what is wrong.
#[component]
pub fn NumberInput(
    /// Its name in the document, and for tests.
    id: String,
    /// What stands in it, with a point.
    #[prop(into)]
    value: Signal<String>,
    /// Called with what is typed, with a point.
    #[prop(into)]
    edit: Callback<String>,
    /// Smallest number that the arrow keys reach.
    least: f64,
    /// Largest number.
    most: f64,
    /// What an arrow key adds.
    step: &'static str,
    /// Whether something is wrong with it.
    #[prop(into)]
    invalid: Signal<bool>,
    /// The elements that describe it.
    describedby: String,
) -> impl IntoView {
    let typed = move |event| {
        let text = plain(&event_target_value(&event));
        if text != value.get_untracked() {
            edit.run(text);
        }
    };
    let pressed = move |event: KeyboardEvent| {
        let up = match event.key().as_str() {
            "ArrowUp" => true,
            "ArrowDown" => false,
            _ => return,
        };
        event.prevent_default();
        edit.run(stepped(&value.get_untracked(), up, least, most, step));
    };
    let now = move || value.get().trim().parse::<f64>().ok();
    let keys = match step.contains('.') || least.fract() != 0.0 {
        true => "decimal",
        false => "numeric",
    };
    view! {
        <input id=id.clone() data-testid=id type="text" inputmode=keys autocomplete="off" maxlength="24" role="spinbutton"
            aria-valuemin=least.to_string() aria-valuemax=most.to_string() aria-valuenow=move || now().map(|now| now.to_string())
            prop:value=move || written(&value.get()) on:input=typed on:keydown=pressed
            aria-invalid=move || invalid.get().then_some("true") aria-describedby=describedby />
    }
}

/// What is typed as programs read it.
fn plain(typed: &str) -> String {
    typed.replace(',', ".").replace('−', "-")
}

/// The next multiple of a step above or below a number; from what is no number, the smallest.
fn stepped(text: &str, up: bool, least: f64, most: f64, step: &str) -> String {
    /// Of a step: a number that is this close to a multiple is one.
    const CLOSE: f64 = 1e-6;
    let decimals = step
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let size: f64 = step.parse().unwrap_or(1.0);
    let next = match text.trim().parse::<f64>() {
        Ok(now) if now.is_finite() && up => ((now / size + CLOSE).floor() + 1.0) * size,
        Ok(now) if now.is_finite() => ((now / size - CLOSE).ceil() - 1.0) * size,
        _ => least,
    };
    without_idle_noughts(&format!("{:.decimals$}", next.clamp(least, most))).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_are_points_and_a_typeset_minus_is_one() {
        assert_eq!(plain("0,2"), "0.2");
        assert_eq!(plain("0.2"), "0.2");
        assert_eq!(plain("−1"), "-1");
    }

    #[test]
    fn arrows_go_to_the_next_multiple_and_stay_in_range() {
        let up = |text| stepped(text, true, 0.0, 4.0, "0.05");
        let down = |text| stepped(text, false, 0.0, 4.0, "0.05");
        assert_eq!(up("0.8"), "0.85");
        assert_eq!(down("0.8"), "0.75");
        assert_eq!(up("0.15"), "0.2");
        assert_eq!(up("0.82"), "0.85");
        assert_eq!(down("0.82"), "0.8");
        assert_eq!(up("0.95"), "1");
        assert_eq!([up("4"), down("0")], ["4", "0"]);
        assert_eq!([up("99"), down("99")], ["4", "4"]);
        assert_eq!([up(""), up("x"), up("inf")], ["0", "0", "0"]);
        assert_eq!(stepped("120", true, 1.0, 4096.0, "1"), "121");
        assert_eq!(stepped("0.1", false, 0.05, 1.0, "0.05"), "0.05");
        assert_eq!(stepped("0.05", false, 0.05, 1.0, "0.05"), "0.05");
    }
}
