use couplet_protocol::{MAX_SEED, PairSummary, Rule};
use leptos::prelude::*;

use crate::form::Form;
use crate::store::use_store;

/// The settings, and the button that writes with them.
#[component]
pub fn Controls() -> impl IntoView {
    let store = use_store();
    let form = store.form;
    let error = Memo::new(move |_| form.error());
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        store.generate();
    };
    let writing = move || store.writing.get().is_some() || store.wanted.get();
    // Folded on narrow screens, where the text comes first; an error unfolds it.
    let open = store.settings_open;
    let shown = move || open.get() || error.with(Option::is_some);
    view! {
        <button type="button" class="button settings-toggle" data-testid="settings" aria-controls="controls"
            aria-expanded=move || shown().to_string() on:click=move |_| open.update(|open| *open = !*open)>
            {move || format!("Settings: γ {}, temperature {}", form.gamma.get(), form.temperature.get())}
        </button>
        <form class="controls" id="controls" class:open=shown on:submit=submit aria-label="Settings">
            <PairField />
            <PromptField form=form />
            <NumberField name="gamma" label="Look-ahead γ" value=form.gamma form=form min="0" max="8" step="1"
                hint="Tokens drafted per round; 0 is the target alone" />
            <NumberField name="temperature" label="Temperature" value=form.temperature form=form min="0" max="4"
                step="0.05" hint="0 always takes the most probable token" />
            <NumberField name="top_k" label="Top-k" value=form.top_k form=form min="0" max="1000000" step="1"
                hint="Keep the k most probable tokens; 0 is off" />
            <NumberField name="top_p" label="Top-p" value=form.top_p form=form min="0.05" max="1" step="0.05"
                hint="Keep the most probable tokens up to this mass; 1 is off" />
            <SeedField form=form />
            <NumberField name="max_tokens" label="Tokens" value=form.max_tokens form=form min="1" max="4096" step="1"
                hint="How many tokens to write" />
            <RuleField form=form />
            <div class="field field-go">
                <button type="submit" class="button go" data-testid="generate" disabled=move || error.with(Option::is_some)>
                    {move || if writing() { "Write anew" } else { "Write" }}
                </button>
            </div>
        </form>
    }
}

#[component]
fn FieldErrorLine(form: Form, field: &'static str) -> impl IntoView {
    let sentence = move || {
        form.error()
            .filter(|error| error.field == field)
            .map(|error| error.sentence)
    };
    view! {
        {move || {
            sentence().map(|sentence| {
                view! { <p class="field-error" id=format!("{field}-error") role="alert">{sentence}"."</p> }
            })
        }}
    }
}

fn has_error(form: Form, field: &'static str) -> Option<&'static str> {
    form.error()
        .filter(|error| error.field == field)
        .map(|_| "true")
}

#[component]
fn PairField() -> impl IntoView {
    let store = use_store();
    let engine = store.engine;
    let chosen = store.form.pair;
    // Until the list has arrived, the chosen pair is all there is; the run on the page may
    // know its title.
    let options = Memo::new(move |_| {
        let mut options: Vec<(String, String)> = engine.pairs.with(|pairs| {
            let option = |pair: &PairSummary| (pair.name.clone(), pair.title.clone());
            pairs.iter().map(option).collect()
        });
        let name = chosen.get();
        if !options.iter().any(|(listed, _)| *listed == name) {
            let title = store
                .pair()
                .filter(|pair| pair.name == name)
                .map_or_else(|| name.clone(), |pair| pair.title.clone());
            options.push((name, title));
        }
        options
    });
    view! {
        <div class="field field-pair">
            <label for="pair">"Pair"</label>
            <select id="pair" data-testid="pair" on:change=move |event| store.choose_pair(&event_target_value(&event))>
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
    view! {
        <div class="field field-prompt">
            <label for="prompt">
                "Prompt"
                <span class="breaks" title="Line breaks in the prompt">
                    {move || match breaks() {
                        0 => String::new(),
                        count @ 1..=3 => " ↵".repeat(count),
                        count => format!(" ↵ × {count}"),
                    }}
                </span>
            </label>
            <textarea id="prompt" data-testid="prompt" rows="1" spellcheck="false" autocomplete="off"
                prop:value=move || form.prompt.get() on:input=edit aria-invalid=move || has_error(form, "prompt")
                aria-describedby="prompt-error"></textarea>
            <FieldErrorLine form=form field="prompt" />
        </div>
    }
}

#[component]
fn NumberField(
    name: &'static str,
    label: &'static str,
    value: RwSignal<String>,
    form: Form,
    min: &'static str,
    max: &'static str,
    step: &'static str,
    hint: &'static str,
) -> impl IntoView {
    let edit = move |event| {
        value.set(event_target_value(&event));
        form.edited();
    };
    view! {
        <div class="field field-number" title=hint>
            <label for=name>{label}</label>
            <input id=name data-testid=name type="number" inputmode="decimal" min=min max=max step=step
                prop:value=move || value.get() on:input=edit aria-invalid=move || has_error(form, name)
                aria-describedby=format!("{name}-error") />
            <FieldErrorLine form=form field=name />
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
    view! {
        <div class="field field-seed" title="The same seed and settings give the same text">
            <label for="seed">"Seed"</label>
            <span class="with-button">
                <input id="seed" data-testid="seed" type="text" inputmode="numeric" autocomplete="off"
                    prop:value=move || form.seed.get() on:input=edit aria-invalid=move || has_error(form, "seed")
                    aria-describedby="seed-error" />
                <button type="button" class="die" data-testid="dice" aria-label="Roll a new seed" title="Roll a new seed"
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
            <FieldErrorLine form=form field="seed" />
        </div>
    }
}

#[component]
fn RuleField(form: Form) -> impl IntoView {
    let inexact = move || {
        let warm = form.temperature.with(|text| {
            text.trim()
                .parse::<f64>()
                .is_ok_and(|temperature| temperature > 0.0)
        });
        form.rule.get() == Rule::Greedy && warm
    };
    view! {
        <fieldset class="field field-rule" aria-describedby="rule-note">
            <legend>
                "Rule "
                <Show when=inexact>
                    <b class="not-exact" data-testid="not-exact">"not exact"</b>
                </Show>
            </legend>
            <div class="segments">
                {Rule::ALL
                    .map(|rule| {
                        let (title, hint) = match rule {
                            Rule::Rejection => ("Rejection", "Keeps a token with probability min(1, target / draft): the text is exactly the target’s"),
                            Rule::Block => ("Block", "Judges the drafted tokens together and keeps the longest prefix that passes: the text is exactly the target’s"),
                            Rule::Gumbel => ("Gumbel", "Both models race the same clocks: the text is exactly the target’s and does not depend on the draft"),
                            Rule::MinHash => ("MinHash", "Both models look at the same darts: the text is exactly the target’s and does not depend on the draft"),
                            Rule::SampleAndMatch => ("Match", "Keeps a token only if the target’s own draw is the same: exact, and the text does not depend on the draft"),
                            Rule::Greedy => ("Greedy", "Keeps a token only if it is the target’s most probable one: exact at temperature 0"),
                            Rule::Lenience => ("Lenience", "Keeps more than Rejection does: not exact"),
                            Rule::Typical => ("Typical", "Keeps what the target finds probable enough: not exact"),
                        };
                        view! {
                            <button type="button" title=hint data-testid=format!("rule-{}", rule.name())
                                aria-pressed=move || if form.rule.get() == rule { "true" } else { "false" }
                                on:click=move |_| {
                                    form.rule.set(rule);
                                    form.edited();
                                }>
                                {title}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
            <p class="rule-note" id="rule-note">
                {move || {
                    inexact().then_some("Always inks the target’s favourite, so above temperature 0 its text is not the target’s.")
                }}
            </p>
            <FieldErrorLine form=form field="rule" />
        </fieldset>
    }
}
