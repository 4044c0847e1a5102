//! Several drafts for one place: how often one of them is kept.

use couplet_playback::{count_word, decimal, tr};
use couplet_speculation::several_drafts::{most, recursive, recursive_without_repetition};
use leptos::prelude::*;

use super::exhibit::use_exhibit;

/// The most drafts that are looked at. Every order of them is, while a handle is dragged.
const MOST: usize = 3;

/// How often one of some drafts is kept, by the two distributions and how many drafts there are.
type Kept = fn(&[f64], &[f64], usize) -> f64;

fn rows() -> [(&'static str, String, Kept); 3] {
    [
        (
            "recursive",
            tr!("drawn independently, tested in turn (SpecInfer)"),
            recursive,
        ),
        (
            "most",
            tr!(
                "drawn independently, the most that an exact rule can keep (Sun et al. 2023; Hu et al. 2025)"
            ),
            most,
        ),
        (
            "once",
            tr!("no token drawn twice, tested in turn (Jeon et al. 2024)"),
            recursive_without_repetition,
        ),
    ]
}

/// The panel.
#[component]
pub fn SeveralDrafts() -> impl IntoView {
    let exhibit = use_exhibit();
    let heads = (1..=MOST)
        .map(|count| {
            let head = tr!(
                "{number} draft" | "{number} drafts" % count,
                number = count_word(count)
            );
            view! { <th scope="col">{head}</th> }
        })
        .collect_view();
    let rows = rows()
        .map(|(name, says, kept)| {
            let cells = (1..=MOST)
                .map(|drafts| {
                    let share = Memo::new(move |_| {
                        exhibit
                            .exact
                            .with(|exact| kept(exact.pair.draft_probs(), exact.pair.target_probs(), drafts))
                    });
                    view! {
                        <td data-testid=format!("drafts-{name}-{drafts}")>
                            {move || decimal(share.get(), 3)}
                            <span class="drafts-bar" aria-hidden="true">
                                <span style:width=move || format!("{:.1}%", 100.0 * share.get())></span>
                            </span>
                        </td>
                    }
                })
                .collect_view();
            view! { <tr><th scope="row">{says}</th>{cells}</tr> }
        })
        .collect_view();
    view! {
        <section class="card drafts" data-testid="drafts" aria-labelledby="drafts-title">
            <div>
                <h2 id="drafts-title">{tr!("Several drafts for one place")}</h2>
                <p class="serif">
                    {tr!("One pass of the target can judge several drafts for the same place, which is what trees of drafts are for. Tested in turn, each is judged against what those before it have left of the target. Whatever comes out is still the target’s own.")}
                </p>
                <p class="muted">{tr!("How often one of them is kept, computed; the engine here drafts a single line. The second row is the most for drafts that are drawn independently: drafts that never repeat a token can exceed it.")}</p>
            </div>
            <div class="table-scroll" tabindex="0" role="region" aria-label=tr!("How often one of several drafts is kept")>
                <table class="drafts-table" aria-labelledby="drafts-title">
                    <thead><tr><td></td>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}
