//! What is to be timed, and the button that has it timed.

use couplet_playback::{Cut, count_word, grouped, tr};
use couplet_protocol::{MAX_GAMMA, Settings};
use leptos::prelude::*;

use super::state::{SpeedState, Whole, use_speed};
use super::words;
use crate::engine_client::EngineState;
use crate::form::Form;
use crate::number_input::NumberInput;
use crate::share::ChooseFile;
use crate::stage::{
    NumberField, PairField, RuleField, RuleNote, error_line, hint_line, lead_to_error,
};
use crate::store::{Kept, Store, use_store};
use crate::words::token_count;

/// Before the first measurement: what it will do, and for how long.
#[component]
pub fn Invitation() -> impl IntoView {
    let speed = use_speed();
    view! {
        <section class="card prelude" data-testid="invitation" aria-labelledby="invitation-title">
            <div>
                <h2 id="invitation-title">{tr!("What does speculation buy on this machine?")}</h2>
                <p class="serif">
                    {tr!("A small model drafts, a large one checks the whole draft in one pass. Whether that is faster depends on three numbers, and two of them belong to the machine in front of you.")}
                </p>
                <p class="formula prelude-formula" role="img" aria-label=tr!("speed-up is one minus alpha to the power of gamma plus one, divided by one minus alpha times gamma c plus v")>
                    <span>{tr!("speed-up =")}</span>
                    <span class="fraction">
                        <span>"1 − "<em>"α"</em><sup>"γ+1"</sup></span>
                        <span>"(1 − "<em>"α"</em>")(γ"<em>"c"</em>" + "<em>"v"</em>")"</span>
                    </span>
                </p>
                <dl class="prelude-terms">
                    <div><dt><em>"α"</em></dt><dd>{tr!("how often a drafted token is kept if all before it were: here the same chance for each, independently (Leviathan et al. 2023, theorem 3.8, there with v = 1)")}</dd></div>
                    <div><dt><em>"c"</em></dt><dd>{tr!("what drafting one token costs, in passes of the target")}</dd></div>
                    <div><dt><em>"v"</em></dt><dd>{tr!("what one pass over γ + 1 positions costs, the drafted tokens and the bonus, in passes for one token")}</dd></div>
                </dl>
            </div>
            <div class="prelude-form">
                <Fields />
                <p class="serif" data-testid="plan">{move || plan(use_store(), speed)}</p>
                <p class="muted">{tr!("While it measures, nothing on this page moves, so that drawing costs the engine nothing. You can stop at any time.")}</p>
                <div class="prelude-go">
                    <Measure label=tr!("Measure") />
                    <OpenReport />
                </div>
            </div>
        </section>
    }
}

/// Has a report of another device, or of another day, shown here.
#[component]
pub fn OpenReport() -> impl IntoView {
    view! { <ChooseFile label=tr!("Open a report") testid="report-file" /> }
}

/// Under the facts: the same again, or with other settings.
#[component]
pub fn Again() -> impl IntoView {
    let speed = use_speed();
    let store = use_store();
    let same = move || {
        let request = speed.request();
        speed.main.with(|main| {
            main.as_ref()
                .zip(request)
                .is_some_and(|(main, request)| main.report.request == request)
        })
    };
    view! {
        <details class="again">
            <summary>{tr!("Other settings")}</summary>
            <Fields />
        </details>
        <div class="again-go">
            <p class="muted" data-testid="plan">{move || plan(store, speed)}</p>
            {move || if same() {
                view! { <Measure label=tr!("Measure again") /> }
            } else {
                view! { <Measure label=tr!("Measure with these settings") /> }
            }}
        </div>
    }
}

#[component]
fn Fields() -> impl IntoView {
    let store = use_store();
    let speed = use_speed();
    let form = store.form;
    view! {
        <div class="controls speed-fields">
            <PairField />
            <RuleField form=form />
            <NumberField name="temperature" label=tr!("Temperature") value=form.temperature form=form least=0.0 most=Settings::LARGEST_TEMPERATURE
                step="0.05" hint=tr!("0 always takes the most probable token") />
            <NumberField name="max_tokens" label=tr!("Tokens per run") value=form.max_tokens form=form least=1.0 most=f64::from(Settings::MAX_TOKENS)
                step="1" hint=tr!("How many tokens every timed run writes, past the end of a text too") />
            <OwnField name="longest" label=tr!("γ from 1 to") value=speed.longest
                hint=tr!("Every draft length up to this one is timed") />
            <OwnField name="pairs" label=tr!("Repeats") value=speed.pairs
                hint=tr!("Runs with the draft and by the target alone, in turn; an interval at 95 % takes six, for the best of several up to ten") />
            <label class="speed-auto" title=tr!("The engine chooses γ while it writes, by what it has measured")>
                <input type="checkbox" data-testid="bench-auto" prop:checked=move || speed.auto.get()
                    on:change=move |event| speed.auto.set(event_target_checked(&event)) />
                {tr!("also the engine’s own choice of γ")}
            </label>
            <RuleNote />
            <p class="muted speed-hint" data-testid="bench-hint">
                {tr!("To see it pay less, or not at all, let γ go up to {}: the further ahead a token is drafted, the more rarely it is kept.", MAX_GAMMA)}
            </p>
            {move || beside(store).map(|settings| view! {
                <p class="muted speed-hint" data-testid="bench-beside">{tr!("As set on the Stage: {}.", settings)}</p>
            })}
            {move || set_on_the_stage(form).map(|sentence| view! {
                <p class="field-error" role="alert" tabindex="-1" data-testid="stage-error">{sentence}</p>
            })}
        </div>
    }
}

/// What is set on the Stage and has no field here, where it is not the usual.
fn beside(store: Store) -> Option<String> {
    let settings = store.form.read().ok()?;
    let set = words::beside_rule(&settings, &*store.pair()?);
    (!set.is_empty()).then(|| set.join(", "))
}

/// What is wrong with a setting that has no field here.
fn set_on_the_stage(form: Form) -> Option<String> {
    let elsewhere = ["prompt", "gamma", "drafter", "top_k", "top_p", "seed"];
    let mut errors = form.errors().into_iter();
    let error = errors.find(|error| elsewhere.contains(&error.field.as_str()))?;
    Some(error.on_the_stage())
}

/// A number that belongs to this scene.
#[component]
fn OwnField(name: &'static str, label: String, value: Whole, hint: String) -> impl IntoView {
    let Whole { text, least, most } = value;
    let error = Memo::new(move |_| value.read().err());
    let id = format!("bench-{name}");
    view! {
        <div class="field field-number" title=hint>
            <label for=format!("bench-{name}")>{label}</label>
            <NumberInput id=id.clone() value=text edit=Callback::new(move |typed| text.set(typed)) least=f64::from(least)
                most=f64::from(most) step="1" invalid=Signal::derive(move || error.with(Option::is_some))
                describedby=format!("{id}-hint {id}-error") />
            {hint_line(&id, hint.clone())}
            {error_line(&id, Signal::derive(move || Some(format!("{}.", error.get()?))))}
        </div>
    }
}

/// The button.
#[component]
fn Measure(label: String) -> impl IntoView {
    let store = use_store();
    let speed = use_speed();
    let ready = move || store.engine.state.get() == EngineState::Ready;
    let possible = move || ready() && !store.measuring.busy();
    let invalid = move || speed.request().is_none();
    let text = move || match store.engine.state.get() {
        _ if store.measuring.busy() => tr!("Measuring"),
        EngineState::Ready => label.clone(),
        EngineState::Starting | EngineState::Loading { .. } => tr!("The models are on their way"),
        EngineState::Failed(_) | EngineState::Crashed => tr!("No engine to measure"),
    };
    view! {
        <button type="button" class="button primary bench" data-testid="bench" disabled=move || !possible()
            aria-disabled=move || invalid().to_string()
            on:click=move |_| if untrack(invalid) { lead_to_error(".speed-fields") } else { speed.measure() }>
            {text}
        </button>
    }
}

/// What a measurement with the settings of the form comes to.
fn plan(store: Store, speed: SpeedState) -> String {
    let Some(request) = speed.request() else {
        return tr!("A setting needs a look first.");
    };
    let lengths = request.gammas.len();
    let runs = request.runs();
    let wanted = request.settings.max_tokens as usize;
    // A text ends where the context is full, and the prompt is in it too.
    let pair = store.engine.pair.get();
    let here = pair.filter(|pair| pair.name == request.settings.pair);
    let prompt = request.settings.prompt.chars().count();
    let room = here.map_or(usize::MAX, |pair| {
        let taken = match Cut::of(&pair.tokens) {
            Cut::Characters => prompt,
            // About: only the engine can cut it.
            Cut::WordPieces => prompt / 4,
        };
        ((pair.context - pair.prefix_tokens) as usize).saturating_sub(taken)
    });
    let tokens = wanted.min(room);
    let length = match wanted > room {
        true => tr!("up to {}", token_count(tokens)),
        false => token_count(tokens),
    };
    let (runs_in_all, warming, pairs) = (grouped(runs), request.warm_ups(), request.pairs);
    let what = match request.auto && lengths > 0 {
        true => tr!(
            "{runs} runs of {tokens}: {warming} to warm up, then for one draft length and for the engine’s choice the target alone and speculation in turn, {pairs} times."
                | "{runs} runs of {tokens}: {warming} to warm up, then for each of {lengths} draft lengths and for the engine’s choice the target alone and speculation in turn, {pairs} times."
                    % lengths,
            runs = runs_in_all,
            tokens = length,
            warming,
            lengths = count_word(lengths),
            pairs
        ),
        false => tr!(
            "{runs} runs of {tokens}: {warming} to warm up, then the target alone and speculation in turn, {pairs} times."
                | "{runs} runs of {tokens}: {warming} to warm up, then for each of {lengths} draft lengths the target alone and speculation in turn, {pairs} times."
                    % lengths.max(1),
            runs = runs_in_all,
            tokens = length,
            warming,
            lengths = count_word(lengths),
            pairs
        ),
    };
    let how_long = match known_pace(store, &request.settings.pair) {
        Some(pace) => tr!(
            "At the pace of the last measurement here that takes {}.",
            duration(pace * (runs * tokens) as f64)
        ),
        None => tr!("How long that takes here is known once it has begun."),
    };
    format!("{what} {how_long}")
}

/// The pace of the last measurement of this pair on the engine that is loaded, if there was one.
fn known_pace(store: Store, pair: &str) -> Option<f64> {
    let device = store.engine.device.get()?;
    store.measuring.reports.with(|reports| {
        let here = |kept: &&Kept| kept.pair.name == pair && kept.report.device == device;
        reports.iter().rev().find(here).and_then(pace)
    })
}

/// Seconds that a measurement took for each token of its runs. The engine's own speeds are faster:
/// they leave out prompts and what is timed between the runs.
fn pace(kept: &Kept) -> Option<f64> {
    let tokens = kept.report.request.runs() * kept.report.tokens as usize;
    let pace = kept.seconds / tokens as f64;
    (pace.is_finite() && pace > 0.0).then_some(pace)
}

/// Seconds in words, as coarsely as they are known.
pub fn duration(seconds: f64) -> String {
    match seconds {
        ..1.5 => tr!("about a second"),
        ..55.0 => tr!("about {} seconds", format!("{seconds:.0}")),
        ..75.0 => tr!("about a minute"),
        ..105.0 => tr!("about a minute and a half"),
        _ => tr!("about {} minutes", format!("{:.0}", seconds / 60.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test::kept;
    use super::*;

    #[test]
    fn a_measurement_is_promised_the_pace_of_the_one_before() {
        let mut before = kept(&[(1, [1.0, 1.1]), (2, [1.0, 1.1])], |request| {
            request.pairs = 5
        });
        assert_eq!(pace(&before), None, "nobody knows how long it took");
        // 23 runs of ten tokens.
        before.seconds = 46.0;
        assert!((pace(&before).unwrap() - 0.2).abs() < 1e-12);
        let mut report = (*before.report).clone();
        report.tokens = 0;
        before.report = report.into();
        assert_eq!(pace(&before), None);
    }
}
