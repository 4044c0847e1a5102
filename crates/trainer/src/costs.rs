//! The cost model of a device, beside what it measures.

use std::path::Path;
use std::rc::Rc;

use anyhow::Context as _;
use couplet_engine::{Engine, KernelSet, Pair, PairFiles, cost_table};

use crate::bench::{backend, device, milliseconds};

/// Prints the table as Markdown, for each of the kernel sets that a GPU is offered.
///
/// # Errors
///
/// If the pair cannot be used, or there is no GPU where one is asked for.
pub fn print(pair_folder: &Path, gpu: bool) -> anyhow::Result<()> {
    let pair = PairFiles::from_folder(pair_folder)
        .and_then(Pair::new)
        .with_context(|| format!("no pair can be read from {}", pair_folder.display()))?;
    let name = pair.card.name.clone();
    let backend = backend(gpu)?;
    let engine = pollster::block_on(Engine::new(Rc::new(pair), &backend, milliseconds))?;
    let chosen = pollster::block_on(engine.choose_kernels())?;
    println!("### {name}, {}\n", device(&backend, chosen).name);
    if !gpu {
        return print_table(&engine, "");
    }
    for kernels in KernelSet::ALL {
        engine.use_kernel_set(kernels);
        let note = if kernels == chosen {
            ", the quicker"
        } else {
            ""
        };
        print_table(&engine, &format!("; {}{note}", kernels.name()))?;
    }
    Ok(())
}

fn print_table(engine: &Engine, note: &str) -> anyhow::Result<()> {
    let (units, rows) = pollster::block_on(cost_table(engine))?;
    println!(
        "One dispatch {:.2} µs, one submission {:.1} µs, a readback {:.0} µs, {:.1} GB/s, {:.1} multiply-adds per ns{}.\n",
        units.dispatch, units.submit, units.readback, units.bandwidth, units.rate, note,
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
            1e-6 * row.work.bytes as f64,
            1e-6 * row.work.multiply_adds as f64,
            row.predicted,
            row.measured,
            row.measured / row.predicted,
        );
    }
    println!();
    Ok(())
}
