//! `cargo xtask bench`: the page in a browser, other runtimes with the same weights, and the engine
//! natively, in turn. Here is what has to be in place; `web/bench/run.mjs` measures.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::repo::Repo;
use crate::static_server::Site;
use crate::steps::step;
use crate::{build, node, process, python, static_server, test, transformers};

const HELP: &str = "\
Measures Couplet in Chromium or Firefox, beside onnxruntime-web and wllama with the same weights, and natively

usage: cargo xtask bench [options]

  --quick           few tokens, one pair of models: whether everything works, nothing to go by
  --pair NAME       only this pair
  --backend NAME    only cpu or webgpu
  --peer NAME       only ort (onnxruntime-web), wllama or none
  --no-native       leaves the engine outside the browser out
  --gpu             WebGPU on the machine's own GPU; without, on SwiftShader
  --firefox         in Firefox instead of Chromium, on the machine's Vulkan driver
  --costs           instead of all that, natively: what every pass should take from what the
                    device charges for dispatches, bytes and arithmetic, and what it takes, and
                    what each kernel of the target takes
  --suppose US,GB   with --costs: what speculation should give on a GPU that is not at hand and
                    charges so many microseconds for a dispatch and reads so many GB a second;
                    US,GB,GB where one workgroup drafts whole blocks, reading the last alone

The machine should have nothing else to do. Writes report.json, report.csv and report.svg to
target/bench and prints what was required and what was found.";

/// The program that runs the engine natively.
const ENGINE: &str = "couplet-trainer";

/// Without these, the browser gives no page shared memory, and peers no second thread.
const ISOLATION: &[(&str, &str)] = &[
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// What to measure.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    quick: bool,
    pair: Option<String>,
    backends: Vec<String>,
    peers: Vec<String>,
    native: bool,
    gpu: bool,
    firefox: bool,
    costs: bool,
    suppose: Option<String>,
}

/// Prepares everything and measures.
///
/// # Errors
/// If something cannot be built or installed, or the measuring fails as a whole.
pub fn run(repo: &Repo, arguments: Vec<OsString>) -> Result<()> {
    let Some(options) = parse(arguments)? else {
        println!("{HELP}");
        return Ok(());
    };
    let mut pairs = transformers::chosen(options.pair, transformers::all_pairs(repo)?)?;
    if options.quick {
        pairs.truncate(1);
    }
    let own_driver = options.gpu || options.firefox;
    if options.costs {
        let of: Vec<Vec<&str>> = match &options.suppose {
            Some(prices) => vec![vec!["--suppose", prices]],
            None => {
                let device = |name| if name == "cpu" { "cpu" } else { "gpu" };
                let devices = options.backends.iter().map(|name| device(name.as_str()));
                devices.map(|device| vec!["--device", device]).collect()
            }
        };
        // What is supposed, and the CPU, ask no driver.
        let asks_driver = of.iter().any(|words| words.contains(&"gpu"));
        let driver = match own_driver || !asks_driver {
            true => Driver::Own,
            false => Driver::of_chromium(&test::ensure_chromium()?),
        };
        return costs(repo, &native(repo, driver)?, &pairs, &of);
    }
    let browser = match options.firefox {
        true => test::ensure_firefox()?,
        false => test::ensure_chromium()?,
    };
    let driver = match own_driver {
        true => Driver::Own,
        false => Driver::of_chromium(&browser),
    };
    let mut node = node::command()?;
    build::run(repo)?;
    let native = match options.native {
        true => Some(native(repo, driver)?.as_json()),
        false => None,
    };
    let folder = repo.path("target/bench");
    let peers = folder.join("peers");
    install_peers(repo, &peers)?;
    step("what drives browsers", || {
        node::install(&repo.path("web/e2e"))
    })?;
    if !options.peers.is_empty() {
        export(repo, &pairs, &folder.join("models"))?;
    }
    let address = static_server::start_site(Site {
        mounts: vec![
            ("/page/".to_owned(), repo.dist()),
            ("/bench/".to_owned(), repo.path("web/bench/pages")),
            ("/peers/".to_owned(), peers.join("node_modules")),
            ("/models/".to_owned(), folder.join("models")),
        ],
        headers: ISOLATION,
    })?;
    let config = json!({
        "base": format!("http://{address}/"),
        "browser": browser,
        "firefox": options.firefox,
        "gpu": options.gpu,
        "modules": peers,
        "assets": repo.path("assets/pairs"),
        "out": folder,
        "pairs": pairs,
        "backends": options.backends,
        "peers": options.peers,
        "quick": options.quick,
        "native": native,
    });
    let file = folder.join("config.json");
    fs::write(&file, config.to_string())
        .with_context(|| format!("{} cannot be written", file.display()))?;
    process::run(node.arg(repo.path("web/bench/run.mjs")).arg(&file))?;
    println!(
        "\nreport.json, report.csv and report.svg are in {}",
        folder.display()
    );
    Ok(())
}

/// Reads the arguments; `None` when help is asked for.
fn parse(arguments: Vec<OsString>) -> Result<Option<Options>> {
    use lexopt::prelude::*;
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let mut options = Options {
        quick: false,
        pair: None,
        backends: all(&["cpu", "webgpu"]),
        peers: all(&["ort", "wllama"]),
        native: true,
        gpu: false,
        firefox: false,
        costs: false,
        suppose: None,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("quick") => options.quick = true,
            Long("pair") => options.pair = Some(parser.value()?.string()?),
            Long("backend") => {
                let name = parser.value()?.string()?;
                if !options.backends.contains(&name) {
                    bail!("--backend {name}: choose cpu or webgpu");
                }
                options.backends = vec![name];
            }
            Long("peer") => {
                let name = parser.value()?.string()?;
                options.peers = match name.as_str() {
                    "none" => Vec::new(),
                    "ort" | "wllama" => vec![name],
                    _ => bail!("--peer {name}: choose ort, wllama or none"),
                };
            }
            Long("no-native") => options.native = false,
            Long("gpu") => options.gpu = true,
            Long("firefox") => options.firefox = true,
            Long("costs") => options.costs = true,
            Long("suppose") => options.suppose = Some(parser.value()?.string()?),
            Long("help") | Short('h') => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.suppose.is_some() && !options.costs {
        bail!("--suppose goes with --costs");
    }
    Ok(Some(options))
}

/// The Vulkan driver under the engine.
enum Driver {
    /// The machine's own, as the browser.
    Own,
    /// The copy of SwiftShader that the browser brought along, described by this file.
    OfChromium(PathBuf),
    /// The machine's own, though the browser has another that could not be found.
    Other,
}

impl Driver {
    fn of_chromium(chromium: &Path) -> Self {
        swiftshader(chromium).map_or(Self::Other, Self::OfChromium)
    }
}

/// How the engine is run natively.
struct Native {
    program: PathBuf,
    driver: Driver,
}

impl Native {
    /// What tells the driver to take, where the machine does not choose.
    fn icd(&self) -> Option<&Path> {
        match &self.driver {
            Driver::OfChromium(file) => Some(file),
            Driver::Own | Driver::Other => None,
        }
    }

    fn as_json(&self) -> Value {
        json!({
            "program": self.program,
            "icd": self.icd(),
            "same_driver": !matches!(self.driver, Driver::Other),
        })
    }
}

/// Prints the cost model beside what it predicts, for every pair of models and whatever the
/// arguments in `of` name.
fn costs(repo: &Repo, native: &Native, pairs: &[String], of: &[Vec<&str>]) -> Result<()> {
    for pair in pairs {
        for of in of {
            let mut command = Command::new(&native.program);
            command
                .args(["costs", "--pair-folder"])
                .arg(repo.path("assets/pairs").join(pair))
                .args(of);
            if let Some(icd) = native.icd() {
                // Loaders differ in which of them they know.
                command.env("VK_DRIVER_FILES", icd);
                command.env("VK_ICD_FILENAMES", icd);
            }
            process::run(&mut command)?;
        }
    }
    Ok(())
}

/// Builds the engine natively, as fast as it can be, and says how it is to be run. Both builds have
/// 128-bit vectors, the browser's by WebAssembly's `simd128`, the native one because no processor in
/// particular is named; and both add products in one instruction, the browser's by relaxed SIMD, the
/// native one where the processor says that it can.
fn native(repo: &Repo, driver: Driver) -> Result<Native> {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(repo.root())
        .args(["build", "--profile", "bench", "--package", ENGINE])
        .arg("--message-format=json-render-diagnostics");
    let messages = step("the engine, natively", || process::output(&mut cargo))?;
    let program =
        executable(&messages).with_context(|| format!("cargo built no program {ENGINE}"))?;
    Ok(Native { program, driver })
}

/// Where the engine's program lies, from what cargo says while it builds, a message a line: only
/// cargo knows all that may have moved its folder.
fn executable(messages: &str) -> Option<PathBuf> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_engine = message["target"]["name"] == ENGINE;
        let program = message["executable"].as_str().filter(|_| is_engine)?;
        Some(program.into())
    })
}

/// The description of the SwiftShader that a Chromium brought along.
fn swiftshader(chromium: &Path) -> Option<PathBuf> {
    let beside = fs::canonicalize(chromium)
        .ok()
        .and_then(|file| file.parent().map(Path::to_path_buf));
    // What lies on the search path is often a script that starts the browser from elsewhere.
    let usual = [
        "/usr/lib/chromium",
        "/usr/lib/chromium-browser",
        "/opt/google/chrome",
    ];
    beside
        .into_iter()
        .chain(usual.map(PathBuf::from))
        .map(|folder| folder.join("vk_swiftshader_icd.json"))
        .find(|file| file.is_file())
}

/// Installs the other runtimes, outside of everything that is shipped.
fn install_peers(repo: &Repo, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(repo.path("web/bench").join(name), folder.join(name))
            .with_context(|| format!("{name} cannot be copied to {}", folder.display()))?;
    }
    step("onnxruntime-web and wllama", || node::install(folder))
}

/// Writes the pairs' weights in the formats of other runtimes.
fn export(repo: &Repo, pairs: &[String], folder: &Path) -> Result<()> {
    let scripts = repo.path("crates/model/python");
    let python = python::environment(
        &repo.path("target/bench/venv"),
        &scripts.join("bench-requirements.txt"),
        |_, _| Ok(()),
    )?;
    for pair in pairs {
        for model in ["target", "draft"] {
            let from = repo.path("assets/pairs").join(pair).join(model);
            let to = folder.join(pair).join(model);
            step(&format!("{pair}/{model} as ONNX and GGUF"), || {
                for (script, out) in [
                    ("export_onnx.py", to.clone()),
                    ("export_gguf.py", to.join("model.gguf")),
                ] {
                    process::run(
                        Command::new(&python)
                            .arg(scripts.join(script))
                            .arg(&from)
                            .arg(out)
                            .env("PYTHONUTF8", "1"),
                    )?;
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_choose_what_is_measured() {
        let parse = |words: &[&str]| parse(words.iter().map(OsString::from).collect());
        let all = parse(&[]).unwrap().unwrap();
        assert_eq!(all.backends, ["cpu", "webgpu"]);
        assert_eq!(all.peers, ["ort", "wllama"]);
        assert!(all.native && !all.quick && !all.gpu && all.pair.is_none());
        let some = parse(&[
            "--quick",
            "--backend",
            "cpu",
            "--peer",
            "none",
            "--no-native",
        ]);
        let some = some.unwrap().unwrap();
        assert_eq!(some.backends, ["cpu"]);
        assert!(some.quick && some.peers.is_empty() && !some.native);
        assert!(parse(&["--help"]).unwrap().is_none());
        assert!(parse(&["--backend", "cuda"]).is_err());
        assert!(parse(&["--peer", "webllm"]).is_err());
        assert!(parse(&["stories"]).is_err());
        assert!(parse(&["--suppose", "5,200"]).is_err(), "without --costs");
        let supposed = parse(&["--costs", "--suppose", "5,200"]).unwrap().unwrap();
        assert_eq!(supposed.suppose.as_deref(), Some("5,200"));
    }

    #[test]
    fn the_program_is_where_cargo_says() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"serde"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"build-script-build"},"executable":"/x/build"}
{"reason":"compiler-artifact","target":{"name":"couplet-trainer"},"executable":"/x/couplet-trainer"}
{"reason":"build-finished","success":true}"#;
        let found = executable(messages);
        assert_eq!(found, Some(PathBuf::from("/x/couplet-trainer")));
        assert_eq!(executable(""), None);
    }
}
