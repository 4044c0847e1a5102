//! The cost model of a device, beside what it measures.

use std::path::Path;
use std::rc::Rc;

use anyhow::Context as _;
use couplet_engine::{
    Backend, Engine, KernelSet, Pair, PairFiles, ROWS_TIMED, UnitCosts, cost_table, kernel_costs,
    predicted_rounds,
};
use couplet_model::TextEvaluation;
use couplet_speculation::formulas::expected_tokens_per_round;

use crate::bench::{backend, device, milliseconds};
use crate::options::CostsOf;

/// Drafted tokens of the longest round that is predicted.
const MOST_GAMMA: usize = 8;

/// Kernels that take so many times as long as the chosen ones have no table, which would take minutes.
const OUT_OF_THE_QUESTION: f64 = 10.0;

/// Prints the table as Markdown, for each of the kernel sets that a GPU is offered.
///
/// # Errors
///
/// If the pair cannot be used, or there is no GPU where one is asked for.
pub fn print(pair_folder: &Path, of: CostsOf) -> anyhow::Result<()> {
    let pair = PairFiles::from_folder(pair_folder)
        .and_then(Pair::new)
        .with_context(|| format!("no pair can be read from {}", pair_folder.display()))?;
    let name = pair.card.name.clone();
    let gpu = match of {
        CostsOf::Cpu => false,
        CostsOf::Gpu => true,
        CostsOf::Supposed(units) => return print_supposed(pair, &units),
    };
    let backend = backend(gpu)?;
    let engine = pollster::block_on(Engine::new(Rc::new(pair), &backend, milliseconds))?;
    let chosen = pollster::block_on(engine.choose_kernels())?;
    println!("### {name}, {}\n", device(&backend, chosen).name);
    if !gpu {
        return print_table(&engine, "");
    }
    let quickest = pollster::block_on(engine.glance())?;
    for kernels in engine.kernel_sets() {
        engine.use_kernel_set(kernels);
        let times = pollster::block_on(engine.glance())? / quickest;
        if times > OUT_OF_THE_QUESTION {
            println!("{}: {times:.0} times as long.\n", kernels.name());
            continue;
        }
        let note = if kernels == chosen {
            ", the quicker"
        } else {
            ""
        };
        print_table(&engine, &format!("; {}{note}", kernels.name()))?;
    }
    Ok(())
}

/// What speculation should give on a GPU with these prices.
fn print_supposed(pair: Pair, units: &UnitCosts) -> anyhow::Result<()> {
    let name = pair.card.name.clone();
    let all: Option<TextEvaluation> = pair.card.evaluation.texts.last().cloned();
    let all = all.with_context(|| format!("the card of {name} has no acceptance rates"))?;
    // Programs are counted and none runs: any device will do.
    let engine = pollster::block_on(Engine::new(Rc::new(pair), &Backend::cpu(), milliseconds))?;
    engine.use_kernel_set(KernelSet::Together);
    let predicted = predicted_rounds(&engine, units, MOST_GAMMA);
    let (kernels, alone) = match units.workgroup_bandwidth {
        Some(bandwidth) => (
            KernelSet::BlockAtOnce,
            format!(", {bandwidth} GB/s for a workgroup alone"),
        ),
        None => (KernelSet::Together, String::new()),
    };
    println!(
        "### {name}, a GPU that is not at hand\n\nPredicted, not measured: {} µs for a dispatch, {} GB/s{alone}, arithmetic for nothing; {}. The target alone takes {:.0} µs for a token; c = {:.2}.\n",
        units.dispatch,
        units.bandwidth,
        kernels.name(),
        1e3 * predicted.step,
        predicted.draft_cost,
    );
    let gammas: String = (1..=MOST_GAMMA)
        .map(|gamma| format!(" γ {gamma} |"))
        .collect();
    println!(
        "| temperature | α |{gammas}\n|{}",
        "---|".repeat(2 + MOST_GAMMA)
    );
    for row in &all.acceptance {
        let factors: String = (1..)
            .zip(&predicted.rounds)
            .map(|(gamma, round)| {
                let tokens = expected_tokens_per_round(row.distilled, gamma);
                format!(" {:.2} |", tokens / round)
            })
            .collect();
        println!("| {} | {:.3} |{factors}", row.temperature, row.distilled);
    }
    println!();
    Ok(())
}

fn print_table(engine: &Engine, note: &str) -> anyhow::Result<()> {
    let (units, rows) = pollster::block_on(cost_table(engine))?;
    println!(
        "One dispatch {:.2} µs, one submission {:.1} µs, a readback {:.0} µs, {:.1} GB/s, {:.1} multiply-adds per ns{}{}.\n",
        units.dispatch,
        units.submit,
        units.readback,
        units.bandwidth,
        units.rate,
        units
            .workgroup_bandwidth
            .map_or(String::new(), |alone| format!(
                ", {alone:.1} GB/s for a workgroup alone"
            )),
        note,
    );
    println!(
        "| pass | dispatches | MB | million multiply-adds | predicted ms | measured ms | measured / predicted |"
    );
    println!("|---|---|---|---|---|---|---|");
    for row in rows {
        println!(
            "| {} | {} | {:.2} | {:.2} | {:.3} | {:.3} | {:.2} |",
            row.name,
            row.work.dispatches,
            1e-6 * (row.work.bytes + row.work.bytes_of_one_workgroup) as f64,
            1e-6 * row.work.multiply_adds as f64,
            row.predicted,
            row.measured,
            row.measured / row.predicted,
        );
    }
    println!();
    print_kernels(engine)
}

/// What the kernels of the target take, where they are dispatches that wait for each other.
fn print_kernels(engine: &Engine) -> anyhow::Result<()> {
    println!(
        "| kernel of the target | in a pass |{}",
        ROWS_TIMED
            .map(|rows| format!(" µs, {rows} {} |", if rows == 1 { "row" } else { "rows" }))
            .concat()
    );
    println!("{}|", "|---".repeat(2 + ROWS_TIMED.len()));
    for kernel in pollster::block_on(kernel_costs(engine))? {
        let times: String = kernel
            .microseconds
            .iter()
            .map(|time| format!(" {time:.1} |"))
            .collect();
        println!("| `{}` | {} |{times}", kernel.name, kernel.dispatches);
    }
    println!();
    Ok(())
}
