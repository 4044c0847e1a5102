//! What every rule expects to keep at the places that a run visited.

use couplet_playback::{ExpectedKept, decimal, grouped, tr};
use couplet_protocol::{Rule, Settings};
use leptos::prelude::*;

use super::rule_formula::shown_settings;
use super::rule_words::{GROUPS, title};
use super::statistics::expected;
use super::version_words::parameters;
use crate::store::{Store, use_store};
use crate::table::Folded;

/// The comparison, folded.
#[component]
pub fn EveryRule() -> impl IntoView {
    let open = RwSignal::new(false);
    view! {
        <div class="every-rule" data-testid="every-rule">
            <Folded open=open name=tr!("The same places under every rule") named=true><Rules /></Folded>
        </div>
    }
}

#[component]
fn Rules() -> impl IntoView {
    let store = use_store();
    let tested = Memo::new(move |_| store.state.with(|state| state.statistics.tested));
    let rejection = expected(store, |_| Rule::Rejection);
    let (none, whole) = (
        Memo::new(move |_| tested.get() == 0),
        Memo::new(move |_| rejection.get().is_some()),
    );
    let kept = kept_per_round(store);
    let of_block = move || {
        let both = kept.get()?;
        let [rejection, block] = both.map(|kept| decimal(kept, 2));
        let less = (both[1] < both[0] && block != rejection).then(|| {
            tr!("Of some drafts Block keeps fewer tokens, but never fewer on average over all that can be drawn.")
        });
        let says = tr!(
            "Block judges a draft as one: of these drafts it would keep {block} tokens a round on average, Rejection {rejection}.",
            block,
            rejection
        );
        Some(format!("{says} {}", less.unwrap_or_default()))
    };
    move || {
        match (none.get(), whole.get()) {
        (true, _) => view! { <p class="muted">{tr!("no token tested yet")}</p> }.into_any(),
        (_, false) => view! {
            <p class="muted">
                {tr!("The formulas take whole distributions, of which only the 20 most probable tokens are known here. With a top-k of 20 or less nothing is missing.")}
            </p>
        }
        .into_any(),
        _ => view! {
            <table aria-label=tr!("The chance that a drafted token is kept")>
                {GROUPS.map(|group| view! {
                    <tbody>
                        <tr><th colspan="2" scope="rowgroup">{(group.title)()}</th></tr>
                        {group.rules.iter().filter(|rule| !rule.judges_together()).map(|rule| view! { <Row rule=*rule /> }).collect_view()}
                    </tbody>
                })}
            </table>
            <p class="muted">
                {move || tr!("The chance that a drafted token is kept, on average over the {} places judged so far. Under another rule the run would have gone elsewhere: a run of its own may have another rate.", grouped(tested.get() as usize))}
                " "{of_block}
            </p>
        }
        .into_any(),
    }
    }
}

#[component]
fn Row(
    /// The rule.
    rule: Rule,
) -> impl IntoView {
    let store = use_store();
    let settings = shown_settings(store);
    let mean = expected(store, move |_| rule);
    let used = Memo::new(move |_| settings.with(|settings| settings.rule == rule));
    let parameters = move || {
        let settings = settings.get();
        parameters(&Settings { rule, ..settings }).map(|parameters| format!(" {parameters}"))
    };
    let share = move || mean.get().unwrap_or(0.0);
    let number = move || {
        mean.get()
            .map_or_else(|| "–".to_owned(), |mean| decimal(mean, 2))
    };
    view! {
        <tr class:here=move || used.get()>
            <th scope="row">
                {title(rule)}{parameters}{move || used.get().then(|| view! { " "<small>{tr!("in use")}</small> })}
            </th>
            <td style=move || format!("--share:{:.3}", share()) data-testid=format!("expected-{}", rule.name())>{number}</td>
        </tr>
    }
}

/// What Rejection and Block would keep of the drafts, on average over the rounds.
fn kept_per_round(store: Store) -> Memo<Option<[f64; 2]>> {
    let known = StoredValue::new((0, ExpectedKept::default()));
    Memo::new(move |_| {
        let epoch = store.epoch.get();
        store.state.with(|state| {
            store.run.with_untracked(|run| {
                known.try_update_value(|(of, known)| {
                    if *of != epoch {
                        (*of, *known) = (epoch, ExpectedKept::default());
                    }
                    known.until(run, state)
                })
            })
        })?
    })
}
