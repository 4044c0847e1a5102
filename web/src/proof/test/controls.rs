//! What is tested: the rule, gamma, and which token of the texts is drawn.

use couplet_protocol::{RoundsRequest, Rule};
use leptos::prelude::*;

use crate::proof::pair::ProofPair;
use crate::proof::rules::sentence;
use crate::proof::state::{MOST_GAMMA, most_gamma, use_proof};
use crate::proof::theory::is_exact;
use crate::stage::rule_title;
use crate::store::use_store;
use couplet_playback::{grouped, tr};

/// Rule and gamma.
#[component]
pub fn Choices() -> impl IntoView {
    let store = use_store();
    let proof = use_proof();
    let most = move || proof.pair.with(|pair| most_gamma(pair.len()));
    let limited = move || {
        let most = most();
        (most < MOST_GAMMA).then(|| {
            let tokens = proof.pair.with(ProofPair::len);
            let texts = tokens.saturating_pow(most + 2);
            tr!(
                "γ up to {most} here: with {more} there would be {texts} different texts, too many for the test to find each often enough.",
                most,
                more = most + 1,
                texts = grouped(texts.min(RoundsRequest::MAX_OUTCOMES))
            )
        })
    };
    view! {
        <div class="test-choices">
            <div class="field">
                <label for="test-rule">{tr!("Rule")}</label>
                <select id="test-rule" data-testid="test-rule" aria-describedby="test-rule-says"
                    on:change=move |event| {
                        let name = event_target_value(&event);
                        if let Some(rule) = Rule::named(&name) {
                            proof.choose_rule(rule);
                        }
                    }>
                    {Rule::ALL
                        .map(|rule| {
                            let title = match is_exact(rule) {
                                true => rule_title(rule).to_owned(),
                                false => tr!("{} (not exact)", rule_title(rule)),
                            };
                            view! {
                                <option value=rule.name() prop:selected=move || proof.rule.get() == rule>
                                    {title}
                                </option>
                            }
                        })
                        .collect_view()}
                </select>
            </div>
            <fieldset class="field">
                <legend>{tr!("Look-ahead γ")}</legend>
                <div class="segments">
                    {(1..=MOST_GAMMA)
                        .map(|gamma| {
                            view! {
                                <button type="button" data-testid=format!("test-gamma-{gamma}") disabled=move || most() < gamma
                                    aria-pressed=move || (proof.gamma.get() == gamma).to_string()
                                    on:click=move |_| proof.choose_gamma(gamma)>
                                    {gamma}
                                </button>
                            }
                        })
                        .collect_view()}
                </div>
            </fieldset>
            <p class="muted" id="test-rule-says">
                {move || sentence(proof.rule.get(), store.notation.get())}
                {move || limited().map(|why| view! { " "<span data-testid="gamma-limit">{why}</span> })}
            </p>
        </div>
    }
}

/// Which token of the texts is drawn.
#[component]
pub fn Place() -> impl IntoView {
    let proof = use_proof();
    view! {
        <div class="test-place">
            <span class="muted" id="test-place">{tr!("Bars of token")}</span>
            <div class="segments small" role="group" aria-labelledby="test-place">
                {move || (0..=proof.gamma.get() as usize)
                    .map(|place| {
                        view! {
                            <button type="button" data-testid=format!("test-token-{}", place + 1)
                                aria-pressed=move || (proof.position.get() == place).to_string()
                                on:click=move |_| proof.position.set(place)>
                                {place + 1}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </div>
    }
}
