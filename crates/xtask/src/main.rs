//! The project's own commands: `cargo xtask <command>`. Bare, it lists them.

mod apt;
mod bars;
mod bench;
mod build;
mod files;
mod finish;
mod lean;
mod node;
mod notices;
mod process;
mod python;
mod repo;
mod sayings;
mod serve;
mod static_server;
mod steps;
mod test;
mod tidy;
mod tools;
mod trainer;
mod transformers;
mod wasm_target;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::repo::Repo;

/// One row of the help text and the function behind it.
struct Command {
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    run: fn(&Repo, Vec<OsString>) -> Result<ExitCode>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "serve",
        arguments: "[--port N]",
        summary: "install what is missing, build the page and serve it (port 8080)",
        run: |repo, arguments| {
            serve::run(repo, serve::parse_port(arguments)?)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "build",
        arguments: "",
        summary: "build the page into dist/ and print the size of what a visitor downloads",
        run: |repo, arguments| {
            no_arguments(arguments)?;
            build::run(repo)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "finish",
        arguments: "",
        summary: "the last step of a build, called by trunk: hashes for offline use and the policy, notices",
        run: |repo, arguments| {
            no_arguments(arguments)?;
            finish::run(repo)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "test",
        arguments: "",
        summary: "every check: format, lints, unit tests, tidy, build, browser tests",
        run: run_tests,
    },
    Command {
        name: "tidy",
        arguments: "",
        summary: "check the rules of ARCHITECTURE.md that a compiler does not know",
        run: |repo, arguments| {
            no_arguments(arguments)?;
            Ok(test::report(tidy::run(repo)?))
        },
    },
    Command {
        name: "train",
        arguments: "…",
        summary: "train pairs: `train --help` lists the arguments",
        run: |repo, arguments| {
            trainer::run(repo, "train", arguments)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "evaluate",
        arguments: "…",
        summary: "measure trained pairs again and compare with their model cards",
        run: |repo, arguments| {
            trainer::run(repo, "evaluate", arguments)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "record",
        arguments: "…",
        summary: "make the recorded runs that play before the models arrive and in lessons",
        run: |repo, arguments| {
            trainer::run(repo, "record", arguments)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "bench",
        arguments: "[--quick] …",
        summary: "measure speed, beside other runtimes too: `bench --help` lists the arguments",
        run: |repo, arguments| {
            bench::run(repo, arguments)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "bars",
        arguments: "",
        summary: "measure what the page is held to and write docs/bars.md",
        run: |repo, arguments| {
            no_arguments(arguments)?;
            bars::run(repo)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "pictures",
        arguments: "",
        summary: "take the pictures of the page anew: docs/pictures and those that tests compare",
        run: |repo, arguments| {
            no_arguments(arguments)?;
            bars::pictures(repo)?;
            Ok(ExitCode::SUCCESS)
        },
    },
    Command {
        name: "transformers",
        arguments: "[--pair NAME]",
        summary: "check that Hugging Face's transformers computes what this runtime does",
        run: |repo, arguments| {
            transformers::run(repo, arguments)?;
            Ok(ExitCode::SUCCESS)
        },
    },
];

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let Some(name) = arguments.next() else {
        print!("{}", help());
        return Ok(ExitCode::SUCCESS);
    };
    let name = name.to_string_lossy();
    if matches!(&*name, "help" | "-h" | "--help") {
        print!("{}", help());
        return Ok(ExitCode::SUCCESS);
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(&Repo::locate()?, arguments.collect()),
        None => bail!("there is no command `{name}`; `cargo xtask` lists them"),
    }
}

fn help() -> String {
    let mut text = String::from("Usage: cargo xtask <command>\n\n");
    for command in COMMANDS {
        let call = format!("{} {}", command.name, command.arguments);
        text.push_str(&format!("  {call:<26} {}\n", command.summary));
    }
    text.push_str(
        "\nEnvironment:\n  \
         CHROMIUM, FIREFOX   browsers for the browser tests and the bench, where they stand elsewhere\n  \
         COUPLET_WASM_STD    `distribution`: build the wasm standard library from Debian's\n                      \
         sources even where rustup could fetch it\n  \
         COUPLET_WITHOUT_GPU `1`: `test` goes without a Vulkan driver, and skips what needs one\n",
    );
    text
}

fn run_tests(repo: &Repo, arguments: Vec<OsString>) -> Result<ExitCode> {
    no_arguments(arguments)?;
    Ok(test::report(test::run(repo)))
}

/// # Errors
/// If there is any argument.
fn no_arguments(arguments: Vec<OsString>) -> Result<()> {
    match arguments.first() {
        None => Ok(()),
        Some(argument) => bail!(
            "this command takes no arguments, so `{}` means nothing to it",
            argument.to_string_lossy()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_command_on_one_line() {
        let text = help();
        for command in COMMANDS {
            let lines = text
                .lines()
                .filter(|line| line.starts_with(&format!("  {} ", command.name)))
                .count();
            assert_eq!(lines, 1, "{} in:\n{text}", command.name);
        }
    }
}
