//! "Test it, live": the rules' own kernels, counted, against the exact target.

mod chart;
mod controls;
mod says;
mod texts;

use couplet_playback::{count_word, decimal, grouped, procedure, tr};
use couplet_protocol::{BackendKind, Settings};
use leptos::prelude::*;

use crate::heard::Heard;
use crate::lessons::use_lessons;
use crate::proof::bars::{Bar, bars};
use crate::proof::counting::{BATCH, enough};
use crate::proof::pair::ProofPair;
use crate::proof::state::use_proof;
use crate::proof::theory::{Law, is_exact, marginal, target_joint};
use crate::table::{Numbers, Table};
use chart::{difference, output};
use controls::{Choices, Place};
use says::{Trouble, expectation, in_short, verdict};
use texts::AllTexts;

/// Of a band around every target line.
const CONFIDENCE: f64 = 0.95;

/// What theory says about the rule under test.
#[derive(Clone, PartialEq)]
struct Theory {
    law: Law,
    /// Total variation between its texts and the target's.
    off: f64,
    /// How many texts show that.
    enough: Option<u64>,
}

/// The section.
#[component]
pub fn Test() -> impl IntoView {
    let proof = use_proof();
    proof.count_by_itself();
    let theory = Memo::new(move |_| {
        let (pair, gamma) = (proof.pair.get(), proof.gamma.get() as usize);
        let settings = Settings {
            rule: proof.rule.get(),
            ..Settings::default()
        };
        let law = Law::of(procedure(&settings), gamma, &pair);
        let expected = target_joint(&pair.target, gamma + 1);
        let (off, enough) = (law.distance(&expected), enough(&law.joint, &expected));
        Theory { law, off, enough }
    });
    let length = move || proof.gamma.get() as usize + 1;
    let found = Memo::new(move |_| {
        proof.pair.with(|pair| {
            proof
                .tally
                .with(|tally| tally.test(pair, proof.gamma.get()))
        })
    });
    let drawn = Memo::new(move |_| {
        let inexact = !is_exact(proof.rule.get());
        proof.pair.with(|pair| {
            proof.tally.with(|tally| {
                theory.with(|theory| {
                    let place = proof.position.get();
                    let theory =
                        inexact.then(|| marginal(&theory.law.joint, pair.len(), length(), place));
                    bars(pair, length(), place, tally, theory, CONFIDENCE)
                })
            })
        })
    });
    let tokens = move || proof.pair.with(ProofPair::len);
    let lacks = move || theory.with(|theory| (theory.off, theory.enough));
    // Heard once the counting is over, and not at every slice of it. What a lesson has counted is part of
    // its question.
    let lesson = use_lessons().open;
    let heard = Signal::derive(move || {
        let asked = lesson.with(Option::is_none) || proof.tally.with(|tally| tally.trials > BATCH);
        let said = asked && !proof.counting.get();
        found.with(|test| test.as_ref().filter(|_| said).map(in_short))
    });
    let about = move || {
        let tokens = count_word(length());
        let (texts, backends) = proof
            .tally
            .with(|tally| (grouped(tally.trials as usize), tally.backends.clone()));
        match backends.as_slice() {
            [] => tr!(
                "Texts of {tokens} tokens, written by the engine’s kernels on this machine, against the exact target",
                tokens
            ),
            [BackendKind::Gpu] => tr!(
                "{texts} texts of {tokens} tokens, written by the GPU kernels on this machine, against the exact target",
                texts,
                tokens
            ),
            [BackendKind::Cpu] => tr!(
                "{texts} texts of {tokens} tokens, written by the same kernels on the CPU on this machine, against the exact target",
                texts,
                tokens
            ),
            _ => tr!(
                "{texts} texts of {tokens} tokens, some written by the GPU kernels, others by the same kernels on the CPU on this machine, against the exact target",
                texts,
                tokens
            ),
        }
    };
    let numbers = Signal::derive(move || {
        let trials = proof.tally.with(|tally| tally.trials);
        proof
            .pair
            .with(|pair| bars_table(pair, &drawn.get(), trials))
    });
    view! {
        <section class="card test" data-testid="test" aria-labelledby="test-title">
            <header>
                <div>
                    <h2 id="test-title">{tr!("Test it, live")}</h2>
                    <p class="muted" data-testid="test-about">{about}". "{tr!("No model runs here: the same two distributions stand at every place, so the test cannot see whether a place gets the row of another.")}</p>
                </div>
                <Buttons />
            </header>
            <Choices />
            {move || theory.with(|theory| {
                let kept = [theory.law.keeps_first(), proof.pair.with(ProofPair::overlap)];
                expectation(proof.rule.get(), theory.off, theory.enough, length(), kept)
            })}
            {move || proof.pair.with(|pair| output(pair, &drawn.get(), proof.position.get()))}
            {move || proof.pair.with(|pair| difference(pair, &drawn.get()))}
            <p class="muted chart-note">
                {tr!("Difference in percentage points; grey is where an exact sampler stays 95 % of the time with so many texts.")}
                {move || (!is_exact(proof.rule.get())).then(|| format!(" {}", tr!("Dashes: what theory says this rule writes.")))}
                " "{tr!("p is valid only if the number of texts was fixed in advance; adding texts until p is small finds differences that do not exist.")}
            </p>
            <Place />
            <Trouble />
            <div class="test-verdict" data-testid="test-verdict">
                {move || verdict(found.get(), proof.rule.get(), length(), tokens(), lacks())}
            </div>
            <Heard said=heard known=true testid="test-heard" />
            <Numbers content=numbers />
            <p class="visually-hidden" data-testid="test-seed">{move || tr!("Seed {}", proof.seed.get())}</p>
        </section>
        <AllTexts law=Signal::derive(move || theory.with(|theory| theory.law.clone())) />
    }
}

/// More of it, or afresh.
#[component]
fn Buttons() -> impl IntoView {
    let proof = use_proof();
    let counting = move || proof.counting.get();
    view! {
        <div class="test-buttons">
            <button type="button" class="button" data-testid="start-over" title=tr!("Forget what was counted and take other random numbers")
                on:click=move |_| proof.start_over()>
                {tr!("Start over")}
            </button>
            <button type="button" class="button primary" data-testid="add" aria-busy=move || counting().to_string()
                on:click=move |event| match (counting(), event.detail()) {
                    (false, _) => proof.add(),
                    // The second press of a double one is for what stood there at the first.
                    (true, 2..) => {}
                    (true, _) => proof.stop(),
                }>
                {move || if counting() { tr!("Stop counting") } else { tr!("Add {}", grouped(BATCH as usize)) }}
            </button>
        </div>
    }
}

fn bars_table(pair: &ProofPair, bars: &[Bar], trials: u64) -> Table {
    let number =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| decimal(value, 4));
    let rows = pair
        .tokens
        .iter()
        .zip(bars)
        .map(|(token, bar)| {
            let count = bar.share.map_or(0.0, |share| share * trials as f64).round() as usize;
            let band = bar.band.map_or_else(String::new, |[low, high]| {
                tr!(
                    "{low} to {high}",
                    low = decimal(low, 4),
                    high = decimal(high, 4)
                )
            });
            vec![
                token.clone(),
                grouped(count),
                number(bar.share),
                number(Some(bar.target)),
                band,
                number(bar.theory),
            ]
        })
        .collect();
    let head = [
        tr!("token"),
        tr!("count"),
        tr!("share"),
        tr!("target"),
        tr!("95 % band of the target"),
        tr!("theory"),
    ];
    Table {
        name: tr!("What came out in numbers"),
        head: head.to_vec(),
        rows,
    }
}
