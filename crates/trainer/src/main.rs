//! Trains pairs of decoders, measures them on text they never saw, and writes them in Hugging
//! Face's formats.

mod bench;
mod calibration;
mod checkpoint;
mod compression;
mod corpus;
mod costs;
mod curve;
mod dispatches;
mod evaluation;
mod export;
mod ngram;
mod options;
mod pair;
mod plain_burn;
mod plan;
mod record;
mod reference;
mod report;
mod training;
mod vocabulary;

use std::process::ExitCode;

use crate::options::{Command, HELP};

fn main() -> ExitCode {
    let result = options::read().and_then(|command| match command {
        Command::Help => {
            println!("{HELP}");
            Ok(())
        }
        Command::Train(options) => pair::train_all(&options),
        Command::Evaluate {
            plans,
            corpora,
            out,
        } => plans
            .iter()
            .try_for_each(|plan| pair::evaluate(plan, corpora.as_deref(), &out)),
        Command::Record { plans, out } => plans
            .iter()
            .try_for_each(|plan| record::record(&out.join(plan.name))),
        Command::Bench(options) => bench::bench(
            &options.pair_folder,
            &options.request,
            options.gpu,
            options.plain_tokens,
        ),
        Command::Costs { pair_folder, of } => costs::print(&pair_folder, of),
        Command::Reference { pair_folder, out } => reference::write_reference(&pair_folder, &out),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
