//! How drafted tokens are judged: the choice of a rule with a line about each, and the parameters
//! that only some rules have.

use couplet_playback::{is_exact, tr};
use couplet_protocol::{Parameter, Rule, Settings};
use leptos::html;
use leptos::prelude::*;

use super::controls::{FieldErrorLine, NumberField};
use super::rule_words::{GROUPS, hint, title, why_not_exact};
use crate::browser;
use crate::form::Form;
use crate::store::{Scene, Store, use_store};

fn number(text: RwSignal<String>) -> Option<f64> {
    text.with(|text| text.trim().parse().ok())
}

/// Whether the form's rule, with its parameters, writes something else than the target would. A
/// field in error is no reason to say so.
fn inexact(store: Store) -> bool {
    let form = store.form;
    // Where nothing is drafted, nothing is judged; Speed drafts whatever stands on the Stage.
    let drafts = form.auto_gamma.get() || store.scene.get() == Scene::Speed;
    let gamma = number(form.gamma).filter(|_| !drafts);
    let settings = Settings {
        rule: form.rule.get(),
        gamma: if gamma == Some(0.0) { 0 } else { 1 },
        auto_gamma: false,
        temperature: number(form.temperature).unwrap_or(0.0),
        top_k: u32::from(number(form.top_k) == Some(1.0)),
        lenience: number(form.lenience).unwrap_or(1.0),
        ..Settings::default()
    };
    !is_exact(&settings)
}

/// What the seed does not fix while the engine chooses γ.
fn auto_note(form: Form) -> Option<String> {
    let settings = Settings {
        temperature: number(form.temperature).unwrap_or(f64::NAN),
        top_k: u32::from(number(form.top_k) == Some(1.0)),
        ..Settings::default()
    };
    let fixed = form.rule.get().is_drafter_invariant();
    form.auto_gamma.get().then(|| if settings.has_one_text() {
        tr!("The engine chooses γ while it writes, by what it has timed; the text stays the same, since at temperature 0 and at top-k 1 the target has only one.")
    } else if fixed {
        tr!("The engine chooses γ while it writes, by what it has timed; under this rule the seed fixes the text all the same.")
    } else {
        tr!("The engine chooses γ while it writes, by what it has timed, so a link gives the same text only under Gumbel, MinHash, Sample and match and Greedy, or at temperature 0 or top-k 1.")
    })
}

/// Why the text would not be the target's, where it would not: what describes [`RuleField`].
#[component]
pub fn RuleNote() -> impl IntoView {
    let store = use_store();
    let sentence = move || inexact(store).then(|| why_not_exact(store.form.rule.get()));
    view! { <p class="rule-note" id="rule-note">{sentence}</p> }
}

/// Why the text would not be the link's, where it would not.
#[component]
pub fn AutoNote(
    /// The settings.
    form: Form,
) -> impl IntoView {
    view! { <p class="rule-note" id="auto-note" data-testid="auto-note">{move || auto_note(form)}</p> }
}

/// The rule, its parameters and whether it is exact.
#[component]
pub fn RuleField(
    /// The settings.
    form: Form,
) -> impl IntoView {
    let store = use_store();
    let inexact = Memo::new(move |_| inexact(store));
    let reads = move |parameter: Parameter| move || form.rule.get().reads(parameter);
    view! {
        <div class="field-rule">
            <Choice form=form inexact=inexact />
            <Show when=reads(Parameter::Lenience)>
                <NumberField name="lenience" label="Lenience" value=form.lenience form=form least=0.05 most=1.0
                    step="0.05" hint=tr!("Share of the draft’s probability that counts; 1 is Rejection") />
            </Show>
            <Show when=reads(Parameter::Epsilon)>
                <NumberField name="epsilon" label="ε" value=form.epsilon form=form least=0.01 most=1.0 step="0.01"
                    hint=tr!("A token above this probability always stays") />
            </Show>
            <Show when=reads(Parameter::Delta)>
                <NumberField name="delta" label="δ" value=form.delta form=form least=0.01 most=1.0 step="0.01"
                    hint=tr!("A token above δ·e^(−H) stays; H is the entropy of the target, in nats") />
            </Show>
        </div>
    }
}

/// A list that opens under the chosen rule. The focus stays on that, and which option is meant is
/// said beside it.
#[component]
fn Choice(form: Form, inexact: Memo<bool>) -> impl IntoView {
    let open = RwSignal::new(false);
    let active = RwSignal::new(form.rule.get_untracked());
    let button = NodeRef::<html::Button>::new();
    let show = move || {
        active.set(form.rule.get_untracked());
        open.set(true);
        request_animation_frame(move || {
            // The whole list fits a phone's window only from its top.
            if browser::is_narrow() {
                browser::jump(".field-choice");
            } else {
                // Further down on a page, the list may end below the window.
                browser::bring_near("#rule-list");
                bring_near(active);
            }
        });
        // Not every browser focuses a button that is clicked.
        if let Some(button) = button.get_untracked() {
            let _ = button.focus();
        }
    };
    let choose = move |rule: Rule| {
        open.set(false);
        if form.rule.get_untracked() != rule {
            form.rule.set(rule);
            form.edited();
        }
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        let key = event.key();
        if !open.get_untracked() {
            if ["ArrowDown", "ArrowUp"].contains(&key.as_str()) {
                event.prevent_default();
                show();
            }
            return;
        }
        let at = active.get_untracked();
        match key.as_str() {
            "Enter" | " " => choose(at),
            "Escape" => open.set(false),
            key => match moved(at, key) {
                Some(rule) => {
                    active.set(rule);
                    bring_near(active);
                }
                None => return,
            },
        }
        event.prevent_default();
    };
    let groups = GROUPS
        .iter()
        .enumerate()
        .map(|(index, group)| {
            let (id, name) = (format!("rule-group-{index}"), format!("rule-group-{index}"));
            let options = group
                .rules
                .iter()
                .map(|rule| option(form, active, *rule, choose))
                .collect_view();
            view! {
                <div role="group" aria-labelledby=name>
                    <p class="choice-group" id=id>{(group.title)()}</p>
                    {options}
                </div>
            }
        })
        .collect_view();
    let chosen = move || form.rule.get();
    let meant = move || open.get().then(|| format!("rule-{}", active.get().name()));
    view! {
        <div class="field field-choice">
            <span class="label">
                <span id="rule-label">{tr!("Rule")}</span>
                <Show when=move || inexact.get()>
                    " "<b class="not-exact" data-testid="not-exact" title=move || why_not_exact(chosen())>{tr!("not exact")}</b>
                </Show>
            </span>
            <button type="button" class="choice" id="rule" data-testid="rule" node_ref=button role="combobox"
                aria-haspopup="listbox" aria-expanded=move || open.get().to_string() aria-controls="rule-list"
                aria-activedescendant=meant aria-labelledby="rule-label" aria-describedby="rule-note"
                title=move || hint(chosen())
                on:click=move |_| if open.get_untracked() { open.set(false) } else { show() }
                on:keydown=on_key on:blur=move |_| open.set(false)>
                {move || title(chosen())}
            </button>
            // Whatever is pressed here leaves the focus where it is.
            <div class="choices" id="rule-list" role="listbox" aria-labelledby="rule-label" hidden=move || !open.get()
                on:mousedown=move |event| event.prevent_default()>
                {groups}
            </div>
            <FieldErrorLine form=form field="rule" />
        </div>
    }
}

/// Scrolls the list to the option that is meant: without the focus no browser does.
fn bring_near(active: RwSignal<Rule>) {
    if let Some(rule) = active.try_get_untracked() {
        browser::bring_near(&format!("#rule-{}", rule.name()));
    }
}

/// Where a key leads from one rule to another in the list; the first letter of a name leads to it.
fn moved(from: Rule, key: &str) -> Option<Rule> {
    let order: Vec<Rule> = GROUPS
        .iter()
        .flat_map(|group| group.rules)
        .copied()
        .collect();
    let at = order.iter().position(|rule| *rule == from).unwrap_or(0);
    match key {
        "ArrowDown" => order.get(at + 1).or(order.last()).copied(),
        "ArrowUp" => order.get(at.saturating_sub(1)).copied(),
        "Home" => order.first().copied(),
        "End" => order.last().copied(),
        _ => {
            let starts = |rule: &Rule| title(*rule).to_ascii_lowercase().starts_with(key);
            let mut behind = order.iter().skip(at + 1).chain(&order).copied();
            behind.find(starts)
        }
    }
}

fn option(
    form: Form,
    active: RwSignal<Rule>,
    rule: Rule,
    choose: impl Fn(Rule) + 'static,
) -> impl IntoView {
    let id = format!("rule-{}", rule.name());
    view! {
        <div class="choice-option" id=id.clone() role="option" data-testid=id
            aria-selected=move || (form.rule.get() == rule).to_string() class:active=move || active.get() == rule
            on:mousemove=move |_| if active.get_untracked() != rule { active.set(rule) }
            on:click=move |_| choose(rule)>
            <b>{title(rule)}</b>
            <span>{hint(rule)}</span>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_through_the_list_and_stay_in_it() {
        assert_eq!(moved(Rule::Rejection, "ArrowDown"), Some(Rule::Block));
        assert_eq!(moved(Rule::Rejection, "ArrowUp"), Some(Rule::Rejection));
        assert_eq!(moved(Rule::Typical, "ArrowDown"), Some(Rule::Typical));
        assert_eq!(moved(Rule::Block, "End"), Some(Rule::Typical));
        assert_eq!(moved(Rule::Block, "g"), Some(Rule::Gumbel));
        assert_eq!(moved(Rule::Gumbel, "g"), Some(Rule::Greedy));
        assert_eq!(moved(Rule::Greedy, "g"), Some(Rule::Gumbel));
        assert_eq!(moved(Rule::Greedy, "Tab"), None);
    }
}
