//! What is said to those who listen.

use std::time::Duration;

use leptos::prelude::*;

/// How long a sentence stays: whoever reads on through the page would find it a second time, since what
/// it tells stands there for all to see.
const STAYS: Duration = Duration::from_secs(10);

/// How long the sentence of a step waits: of steps that somebody takes faster, only the last is said.
pub const STEP: Duration = Duration::from_millis(300);

/// A sentence for those who listen, spoken when it is another one than before.
#[component]
pub fn Heard(
    /// What there is to say.
    #[prop(into)]
    said: Signal<Option<String>>,
    /// How long it waits for the next: of sentences that follow each other faster only the last is heard.
    #[prop(optional)]
    waits: Duration,
    /// Whether what there is at first is no news: it was said before this part of the page was left.
    #[prop(optional)]
    known: bool,
    /// The name by which tests find it.
    #[prop(optional)]
    testid: Option<&'static str>,
) -> impl IntoView {
    let said = Memo::new(move |_| said.get());
    let spoken = RwSignal::new(None);
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        if let Some(timer) = timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
    };
    let later = move |after: Duration, what: Box<dyn FnOnce()>| {
        timer.set_value(set_timeout_with_handle(what, after).ok());
    };
    Effect::new(move |before: Option<()>| {
        let sentence = said.get();
        stop();
        if sentence.is_none() {
            return spoken.set(None);
        }
        if known && before.is_none() {
            return;
        }
        let speak = move || {
            spoken.set(sentence);
            later(STAYS, Box::new(move || spoken.set(None)));
        };
        later(waits, Box::new(speak));
    });
    on_cleanup(stop);
    view! { <p class="visually-hidden" role="status" data-testid=testid>{move || spoken.get()}</p> }
}
