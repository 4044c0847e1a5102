use couplet_playback::{Cut, tr, written};
use couplet_protocol::{Drafter, MAX_GAMMA, MAX_SEED, PairSummary, Settings};
use leptos::ev;
use leptos::prelude::*;

use super::rule_field::{AutoNote, RuleField, RuleNote};
use super::rule_words;
use super::transport::focus_play;
use crate::browser;
use crate::form::{FieldError, Form};
use crate::language::of_engine;
use crate::number_input::NumberInput;
use crate::share::{has_control, use_sharing};
use crate::store::use_store;

/// The settings, and the button that writes with them.
#[component]
pub fn Controls() -> impl IntoView {
    let store = use_store();
    let form = store.form;
    let hidden = use_sharing().hidden;
    // What the engine refuses where no field is shown stands above the page, and may be asked again.
    let is_elsewhere = move |error: &FieldError| {
        let is_refused = |refused: &FieldError| refused.field == error.field;
        form.refused
            .with(|refused| refused.as_ref().is_some_and(is_refused))
            && !hidden.with(|hidden| has_control(&error.field, hidden))
    };
    let error = Memo::new(move |_| form.errors().into_iter().find(|error| !is_elsewhere(error)));
    let asked = StoredValue::new(false);
    // What the engine refuses unfolds the settings, above the text that was just brought into view.
    Effect::new(move |_| {
        if error.with(Option::is_some) && asked.get_value() {
            asked.set_value(false);
            browser::show("#controls .field-error");
            // Whoever has not gone elsewhere meanwhile goes on where it is.
            if browser::has_focus("body, [data-testid=play]") {
                browser::focus("#controls [aria-invalid=true]");
            }
        }
    });
    let send = move || {
        if error.with_untracked(Option::is_some) {
            lead_to_error("#controls");
            return;
        }
        asked.set_value(true);
        store.generate();
        // Space plays and pauses from here on, and does not write anew.
        focus_play();
        // On narrow screens the settings stand in the way of the text.
        store.settings_open.set(false);
        browser::show("#manuscript");
    };
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        send();
    };
    // Enter alone is a line of the prompt.
    let shortcut = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            send();
        }
    };
    let writing = move || store.is_writing();
    // Folded on narrow screens, where the text comes first; an error unfolds it.
    let open = store.settings_open;
    let shown = move || open.get() || error.with(Option::is_some);
    view! {
        <button type="button" class="button settings-toggle" data-testid="settings" aria-controls="controls"
            aria-expanded=move || shown().to_string() on:click=move |_| open.update(|open| *open = !*open)>
            {move || {
                let rule = rule_words::title(form.rule.get());
                let gamma = if form.auto_gamma.get() { tr!("auto") } else { form.gamma.get() };
                tr!("Settings: {rule}, γ {gamma}, temperature {}", written(&form.temperature.get()), rule, gamma)
            }}
        </button>
        // The form checks itself: a browser would refuse numbers between the steps of its arrows.
        <form class="controls" id="controls" novalidate class:open=shown on:submit=submit on:keydown=shortcut
            aria-label=tr!("Settings")>
            <PairField />
            <PromptField form=form />
            <GammaField form=form />
            <DrafterField form=form />
            <NumberField name="temperature" label=tr!("Temperature") value=form.temperature form=form least=0.0 most=Settings::LARGEST_TEMPERATURE
                step="0.05" hint=tr!("0 always takes the most probable token") />
            <NumberField name="top_k" label=tr!("Top-k") value=form.top_k form=form least=0.0 most=f64::from(Settings::MAX_TOP_K) step="1"
                hint=tr!("Keep the k most probable tokens; 0 is off") />
            <NumberField name="top_p" label=tr!("Top-p") value=form.top_p form=form least=0.05 most=1.0 step="0.05"
                hint=tr!("Keep the most probable tokens until they reach this mass; 1 is off") />
            <NumberField name="max_tokens" label=tr!("Tokens") value=form.max_tokens form=form least=1.0 most=f64::from(Settings::MAX_TOKENS) step="1"
                hint=tr!("How many tokens to write") />
            <SeedField form=form />
            // Where the row is full, both go to the next one.
            <div class="rule-and-go">
                <RuleField form=form />
                <div class="field field-go">
                    <button type="submit" class="button go" data-testid="generate" aria-disabled=move || error.with(Option::is_some).to_string()>
                        {move || if writing() { tr!("Write anew") } else { tr!("Write") }}
                    </button>
                </div>
            </div>
            <RuleNote />
            <AutoNote form=form />
        </form>
    }
}

/// What is wrong with a field, under it.
#[component]
pub fn FieldErrorLine(
    /// The settings.
    form: Form,
    /// Name of the field.
    field: &'static str,
) -> impl IntoView {
    error_line(
        field,
        Signal::derive(move || form.error_at(field).map(|error| error.sentence)),
    )
}

/// The line under a field, heard when whoever types there has a moment for it. The page's own sentences
/// have no full stop, the engine's have one.
pub fn error_line(field: &str, sentence: Signal<Option<String>>) -> AnyView {
    let (id, sentence) = (format!("{field}-error"), Memo::new(move |_| sentence.get()));
    let line = move |sentence: String| {
        let sentence = sentence.trim_end_matches('.');
        view! { <p class="field-error" id=id.clone()>{format!("{sentence}.")}</p> }
    };
    view! { <div role="status">{move || sentence.get().map(&line)}</div> }.into_any()
}

/// A button that a field in error makes useless leads to the first one.
pub fn lead_to_error(form: &str) {
    browser::unfold(&format!("details:has({form})"));
    // A setting that stands elsewhere has a sentence here and no field.
    let _ = browser::focus(&format!("{form} [aria-invalid=true]"))
        || browser::focus(&format!("{form} .field-error[tabindex]"));
    browser::bring_near(&format!("{form} .field-error"));
}

fn has_error(form: Form, field: &'static str) -> Option<&'static str> {
    form.error_at(field).map(|_| "true")
}

/// Which pair of models.
#[component]
pub fn PairField() -> impl IntoView {
    let store = use_store();
    let engine = store.engine;
    let chosen = store.form.pair;
    // Until the list has arrived, the chosen pair is all there is; the run on the page may
    // know its title.
    let options = Memo::new(move |_| {
        let mut options: Vec<(String, String)> = engine.pairs.with(|pairs| {
            let option = |pair: &PairSummary| (pair.name.clone(), of_engine(&pair.title));
            pairs.iter().map(option).collect()
        });
        let name = chosen.get();
        if !options.iter().any(|(listed, _)| *listed == name) {
            let title = store
                .pair()
                .filter(|pair| pair.name == name)
                .map_or_else(|| name.clone(), |pair| of_engine(&pair.title));
            options.push((name, title));
        }
        options
    });
    view! {
        <div class="field field-pair">
            <label for="pair">{tr!("Pair")}</label>
            <select id="pair" data-testid="pair" aria-invalid=move || has_error(store.form, "pair") aria-describedby="pair-error" on:change=move |event| store.choose_pair(&event_target_value(&event))>
                {move || {
                    options
                        .get()
                        .into_iter()
                        .map(|(name, title)| {
                            let value = name.clone();
                            view! { <option value=value prop:selected=move || chosen.get() == name>{title}</option> }
                        })
                        .collect_view()
                }}
            </select>
            <FieldErrorLine form=store.form field="pair" />
        </div>
    }
}

#[component]
fn PromptField(form: Form) -> impl IntoView {
    let breaks = move || form.prompt.with(|prompt| prompt.matches('\n').count());
    let edit = move |event| {
        form.prompt.set(event_target_value(&event));
        form.edited();
    };
    // All of it while it is written, one line else. It folds when the press or the key that left it is
    // over: any sooner, and what is pressed would move away from under the pointer.
    let whole = RwSignal::new(false);
    let fold = move || {
        if whole.get_untracked() && !browser::has_focus("#prompt") {
            whole.set(false);
            browser::unscroll("#prompt");
        }
    };
    let pressed = window_event_listener(ev::click, move |_| fold());
    let typed = window_event_listener(ev::keyup, move |_| fold());
    on_cleanup(move || {
        pressed.remove();
        typed.remove();
    });
    view! {
        <div class="field field-prompt">
            <label for="prompt">
                {tr!("Prompt")}
                <span class="breaks" title=tr!("Line breaks in the prompt")>
                    {move || match breaks() {
                        0 => String::new(),
                        count @ 1..=3 => " ↵".repeat(count),
                        count => format!(" ↵ × {count}"),
                    }}
                </span>
            </label>
            <textarea id="prompt" data-testid="prompt" rows="1" spellcheck="false" autocomplete="off" lang="en"
                prop:value=move || form.prompt.get() on:input=edit aria-invalid=move || has_error(form, "prompt")
                aria-describedby="prompt-error" class:whole=whole on:focus=move |_| whole.set(true)></textarea>
            <FieldErrorLine form=form field="prompt" />
        </div>
    }
}

/// What a field's title says, for whoever does not point at it; its id is the field's and `-hint`.
pub fn hint_line(field: &str, hint: impl Into<Signal<String>>) -> AnyView {
    let hint: Signal<String> = hint.into();
    view! { <span class="visually-hidden hint-line" id=format!("{field}-hint")>{move || hint.get()}</span> }
        .into_any()
}

/// A field for a number.
#[component]
pub fn NumberField(
    /// Name of the setting.
    name: &'static str,
    /// Its name for people.
    #[prop(into)]
    label: String,
    /// What is written in it.
    value: RwSignal<String>,
    /// The settings.
    form: Form,
    /// Smallest number that the arrow keys reach.
    #[prop(into)]
    least: f64,
    /// Largest number.
    #[prop(into)]
    most: f64,
    /// What an arrow key adds.
    step: &'static str,
    /// What it does, in a sentence.
    #[prop(into)]
    hint: String,
) -> impl IntoView {
    view! {
        <div class="field field-number" title=hint>
            <label for=name>{label}</label>
            <NumberInput id=name.to_owned() value=value edit=write_to(value, form) least=least most=most step=step
                invalid=Signal::derive(move || has_error(form, name).is_some())
                describedby=format!("{name}-hint {name}-error") />
            {hint_line(name, hint.clone())}
            <FieldErrorLine form=form field=name />
        </div>
    }
}

/// Takes what is typed in a field over into the form.
fn write_to(value: RwSignal<String>, form: Form) -> Callback<String> {
    Callback::new(move |text| {
        value.set(text);
        form.edited();
    })
}

/// Tokens drafted per round: a number, or whatever the engine finds best while it writes.
#[component]
fn GammaField(form: Form) -> impl IntoView {
    let toggle = move |_| {
        form.auto_gamma.update(|auto| *auto = !*auto);
        form.edited();
    };
    let auto = move || form.auto_gamma.get();
    let hint = tr!(
        "Tokens drafted per round, 0 to {}; 0 is the target alone",
        MAX_GAMMA
    );
    view! {
        <div class="field field-number field-gamma" title=hint>
            <label for="gamma">{tr!("Look-ahead γ")}</label>
            <span class="with-button">
                {move || if auto() {
                    view! { <output id="gamma" class="value" data-testid="gamma-auto">{tr!("by engine")}</output> }.into_any()
                } else {
                    view! {
                        <NumberInput id="gamma".to_owned() value=form.gamma edit=write_to(form.gamma, form) least=0.0
                            most=f64::from(MAX_GAMMA) step="1" invalid=Signal::derive(move || has_error(form, "gamma").is_some())
                            describedby="gamma-hint gamma-error".to_owned() />
                    }
                    .into_any()
                }}
                <button type="button" class="auto" data-testid="auto-gamma" aria-pressed=move || auto().to_string()
                    aria-label=tr!("auto: the engine chooses γ while it writes") aria-describedby="auto-note"
                    title=tr!("The engine chooses γ while it writes, 0 to {}, by what it has measured", Settings::MAX_AUTO_GAMMA) on:click=toggle>
                    {tr!("auto")}
                </button>
            </span>
            {hint_line("gamma", hint.clone())}
            <FieldErrorLine form=form field="gamma" />
        </div>
    }
}

/// Who drafts, in a word or two.
pub fn drafter_title(drafter: Drafter, cut: Cut) -> String {
    match (drafter, cut) {
        (Drafter::Model, _) => tr!("Model"),
        (Drafter::Bigram, Cut::Characters) => tr!("Letter pairs"),
        (Drafter::Bigram, Cut::WordPieces) => tr!("Token pairs"),
        (Drafter::Uniform, _) => tr!("Uniform"),
    }
}

#[component]
fn DrafterField(form: Form) -> impl IntoView {
    let store = use_store();
    let title = move |drafter| {
        let pair = store.pair();
        let cut = pair.map_or(Cut::Characters, |pair| Cut::of(&pair.tokens));
        drafter_title(drafter, cut)
    };
    let hint = Signal::derive(move || match form.drafter.get() {
        Drafter::Model => tr!("The small model proposes"),
        Drafter::Bigram => tr!("A table of what follows what in the training text proposes"),
        Drafter::Uniform => tr!(
            "Every token is proposed with the same probability; top-k and top-p keep the first of the vocabulary, temperature 0 only one"
        ),
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        if let Some(drafter) = Drafter::named(&name) {
            form.drafter.set(drafter);
            form.edited();
        }
    };
    view! {
        <div class="field field-drafter" title=move || hint.get()>
            <label for="drafter">{tr!("Drafter")}</label>
            <select id="drafter" data-testid="drafter" aria-invalid=move || has_error(form, "drafter")
                aria-describedby="drafter-hint drafter-error" on:change=choose>
                {Drafter::ALL
                    .map(|drafter| {
                        view! {
                            <option value=drafter.name() prop:selected=move || form.drafter.get() == drafter>
                                {move || title(drafter)}
                            </option>
                        }
                    })
                    .collect_view()}
            </select>
            {hint_line("drafter", hint)}
            <FieldErrorLine form=form field="drafter" />
        </div>
    }
}

#[component]
fn SeedField(form: Form) -> impl IntoView {
    let edit = move |event| {
        form.seed.set(event_target_value(&event));
        form.edited();
    };
    let roll = move |_| {
        let seed = (js_sys::Math::random() * 100_000.0)
            .floor()
            .min(MAX_SEED as f64);
        form.seed.set(format!("{seed:.0}"));
        form.edited();
    };
    let hint = tr!(
        "The same seed and settings give the same text on this device; with auto γ not under every rule"
    );
    view! {
        <div class="field field-seed" title=hint>
            <label for="seed">{tr!("Seed")}</label>
            <span class="with-button">
                <input id="seed" data-testid="seed" type="text" inputmode="numeric" autocomplete="off"
                    prop:value=move || form.seed.get() on:input=edit aria-invalid=move || has_error(form, "seed")
                    aria-describedby="seed-hint seed-error" />
                <button type="button" class="die" data-testid="dice" aria-label=tr!("Roll a new seed") title=tr!("Roll a new seed")
                    on:click=roll>
                    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                        <rect x="1.7" y="1.7" width="12.6" height="12.6" rx="3" fill="none" stroke="currentColor"
                            stroke-width="1.5" />
                        <circle cx="5.2" cy="5.2" r="1.3" fill="currentColor" />
                        <circle cx="8" cy="8" r="1.3" fill="currentColor" />
                        <circle cx="10.8" cy="10.8" r="1.3" fill="currentColor" />
                    </svg>
                </button>
            </span>
            {hint_line("seed", hint.clone())}
            <FieldErrorLine form=form field="seed" />
        </div>
    }
}
