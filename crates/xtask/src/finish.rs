//! `cargo xtask finish`, which trunk calls when it has put a page together: the release that the
//! service worker keeps, the hashes by which the page's policy knows its own scripts, the notices, and
//! what scripts can call.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest as _, Sha256, Sha384};

use crate::repo::Repo;
use crate::{files, lean, notices};

const SERVICE_WORKER: &str = "service-worker.js";
/// What stands in the service worker for its build and its files.
const NO_RELEASE: &str = "const RELEASE = { build: \"\", files: {} };";
const PAGE: &str = "index.html";
/// How trunk has a page ask for a style sheet.
const STYLE_SHEET: &str = "<link rel=\"stylesheet\" href=\"./";
/// Where the page in other languages lies.
const WORDS: &str = "words";
/// A script that others begin with, and how they ask for it.
const CHOICE: &str = "couplet-worker_choice.js";
const CHOICE_IMPORT: &str = "importScripts(\"./couplet-worker_choice.js\");\n";
const LOADER: &str = "couplet-worker_loader.js";
/// What scripts can call, and how it is called beside the page: a name by which every server and
/// browser shows it.
const API: &str = "web/API.md";
const API_COPY: &str = "API.txt";
/// What stands in the page for the name of its build, and before it.
const NO_BUILD: &str = "{build}";
const BUILD: &str = "<meta name=\"build\" content=\"";

/// Finishes the page in the folder that trunk names.
///
/// # Errors
/// If trunk did not start this, or the page is not what this file takes it for.
pub fn run(repo: &Repo) -> Result<()> {
    let folder = std::env::var_os("TRUNK_STAGING_DIR")
        .map(PathBuf::from)
        .context("trunk calls this by itself: use `cargo xtask build`")?;
    let write = |path: &str, change: fn(&Path, &str) -> Result<String>| {
        let file = folder.join(path);
        let text = fs::read_to_string(&file).with_context(|| format!("trunk wrote no {path}"))?;
        fs::write(&file, change(&folder, &text)?).with_context(|| format!("writing {path}"))
    };
    write(LOADER, with_choice)?;
    write(SERVICE_WORKER, with_choice)?;
    fs::remove_file(folder.join(CHOICE)).with_context(|| format!("removing {CHOICE}"))?;
    notices::write(repo, &folder)?;
    fs::copy(repo.path(API), folder.join(API_COPY)).with_context(|| format!("copying {API}"))?;
    for language in files::below(&folder.join(WORDS))? {
        write(&format!("{WORDS}/{language}"), |_, text| lean::words(text))?;
    }
    write(PAGE, with_lean_programs)?;
    // The page first: the service worker knows it by its hash.
    write(PAGE, with_one_style_sheet)?;
    write(PAGE, with_lean_insets)?;
    write(PAGE, |_, html| with_policy(html))?;
    write(SERVICE_WORKER, with_release)?;
    write(SERVICE_WORKER, |_, script| lean::script(script))
}

/// Puts the choice of the engine's build where a script asks for it: one file less to wait for, and
/// nothing that the service worker runs without knowing its hash.
fn with_choice(folder: &Path, script: &str) -> Result<String> {
    if !script.contains(CHOICE_IMPORT) {
        bail!("a script has no line `{}`", CHOICE_IMPORT.trim_end());
    }
    let choice = fs::read_to_string(folder.join(CHOICE))
        .with_context(|| format!("index.html copies no {CHOICE}"))?;
    Ok(script.replace(CHOICE_IMPORT, &choice))
}

/// Leaves out of programs and scripts what only readers and tools need, and tells the page their new
/// hashes, and one of all together: a measurement says which build it timed, engine included.
fn with_lean_programs(folder: &Path, html: &str) -> Result<String> {
    if !html.contains(NO_BUILD) {
        bail!("{PAGE} has no place {NO_BUILD}");
    }
    let mut html = html.to_owned();
    let mut build = Sha256::new();
    for name in files::below(folder)? {
        // The service worker has to be told first what is in the release.
        if name.contains('/') || name == SERVICE_WORKER {
            continue;
        }
        let file = folder.join(&name);
        let lean: fn(Vec<u8>) -> Result<Vec<u8>> = match name.rsplit_once('.') {
            Some((_, "wasm")) => |module| lean::program(&module),
            Some((_, "js")) => |script| Ok(lean::script(&String::from_utf8(script)?)?.into()),
            _ => continue,
        };
        let before = fs::read(&file)?;
        let old = integrity(&before);
        let after = lean(before).with_context(|| format!("{name} is not as it should be"))?;
        fs::write(&file, &after).with_context(|| format!("writing {name}"))?;
        html = html.replace(&old, &integrity(&after));
        build.update(&after);
    }
    Ok(html.replace(NO_BUILD, &short(build)))
}

/// The page without comments, its own scripts and styles as lean as those beside it.
fn with_lean_insets(_: &Path, html: &str) -> Result<String> {
    let kept = html.split("<!--").enumerate().map(|(place, part)| {
        let behind = part.split_once("-->").filter(|_| place > 0);
        behind.map_or(part, |(_, behind)| behind.trim_start())
    });
    let mut page: String = kept.collect();
    for (element, lean) in [
        ("script", lean::script as fn(&str) -> Result<String>),
        ("style", lean::style),
    ] {
        let before = page.clone();
        for content in contents(&before, element) {
            page = page.replace(content, &lean(content)?);
        }
    }
    Ok(page)
}

/// As much of a hash as tells builds and files apart, in hexadecimal digits.
fn short(hash: Sha256) -> String {
    format!("{:x}", hash.finalize())[..16].to_owned()
}

/// What a page asks a file to be, so that no other is taken for it.
fn integrity(file: &[u8]) -> String {
    format!("sha384-{}", STANDARD.encode(Sha384::digest(file)))
}

/// Makes one file of all style sheets, in the order in which the page asks for them: nothing is drawn
/// before the last has come, and together they pack better.
fn with_one_style_sheet(folder: &Path, html: &str) -> Result<String> {
    let mut styles = String::new();
    let mut page = Vec::new();
    let mut place = None;
    for line in html.lines() {
        let Some((indent, link)) = line.split_once(STYLE_SHEET) else {
            page.push(line.to_owned());
            continue;
        };
        let name = link.split('"').next().unwrap_or_default();
        let file = folder.join(name);
        let sheet = fs::read_to_string(&file).with_context(|| format!("trunk wrote no {name}"))?;
        styles += &sheet;
        styles.push('\n');
        fs::remove_file(&file).with_context(|| format!("removing {name}"))?;
        if place.is_none() {
            place = Some((page.len(), indent.to_owned()));
            page.push(String::new());
        }
    }
    let Some((at, indent)) = place else {
        bail!("{PAGE} asks for no style sheet by `{STYLE_SHEET}`");
    };
    let styles = lean::style(&styles)?;
    let name = format!("styles-{}.css", short(Sha256::new_with_prefix(&styles)));
    let integrity = integrity(styles.as_bytes());
    fs::write(folder.join(&name), &styles).with_context(|| format!("writing {name}"))?;
    page[at] = format!("{indent}{STYLE_SHEET}{name}\" integrity=\"{integrity}\"/>");
    Ok(page.join("\n") + "\n")
}

/// Fills in the hashes of what stands between the tags of a page.
fn with_policy(html: &str) -> Result<String> {
    let mut html = html.to_owned();
    for (blank, element) in [("{inline-scripts}", "script"), ("{inline-styles}", "style")] {
        if !html.contains(blank) {
            bail!("the policy in index.html has no place {blank}");
        }
        let hashes: Vec<String> = contents(&html, element)
            .into_iter()
            .map(|content| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content))))
            .collect();
        html = html.replace(blank, &hashes.join(" "));
    }
    Ok(html)
}

/// What stands between the tags of an element that has any content.
fn contents<'a>(html: &'a str, element: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{element}"), format!("</{element}>"));
    let mut found = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once(&open) {
        rest = after;
        let Some((attributes, after)) = after.split_once('>') else {
            break;
        };
        // `<scripture>` is none of ours.
        if !attributes.is_empty() && !attributes.starts_with(char::is_whitespace) {
            continue;
        }
        let Some((content, after)) = after.split_once(&close) else {
            break;
        };
        if !content.is_empty() {
            found.push(content);
        }
        rest = after;
    }
    found
}

/// Tells the service worker which files the release has, and the name of the build, which the page puts
/// after those of the engine.
fn with_release(folder: &Path, script: &str) -> Result<String> {
    if !script.contains(NO_RELEASE) {
        bail!("{SERVICE_WORKER} has no line `{NO_RELEASE}`");
    }
    let page = fs::read_to_string(folder.join(PAGE)).with_context(|| format!("no {PAGE}"))?;
    let named = page
        .split_once(BUILD)
        .and_then(|(_, rest)| rest.split_once('"'));
    let (build, _) = named.with_context(|| format!("{PAGE} has no `{BUILD}`"))?;
    let mut release = BTreeMap::new();
    for path in files::below(folder)?
        .into_iter()
        .filter(|path| is_kept(path))
    {
        let digest = Sha256::digest(fs::read(folder.join(&path))?);
        release.insert(path, format!("{digest:x}"));
    }
    let release = json!({ "build": build, "files": release });
    Ok(script.replace(NO_RELEASE, &format!("const RELEASE = {release};")))
}

/// Whether a file is part of what opens without a network. Of the models' files only those that
/// nothing vouches for and the recorded runs: the rest the engine's worker keeps, by hash.
fn is_kept(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    // Licences and the manual of scripts are for whoever asks, and come from the network.
    if path == SERVICE_WORKER || path == "LICENSE" || file.ends_with(".txt") {
        return false;
    }
    match path.strip_prefix("pairs/") {
        Some(_) => matches!(
            file,
            "pairs.json" | "model-card.json" | "recording.json" | "recording-alone.json"
        ),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_sent_without_what_is_said_to_its_readers() {
        let html =
            "<p>\n  <!-- One\n  two -->\n  a<!-- three -->b\n<script>f( 1 ); // four\n</script>";
        let page = with_lean_insets(Path::new(""), html).unwrap();
        assert_eq!(page, "<p>\n  ab\n<script>f(1);</script>");
    }

    #[test]
    fn another_engine_is_another_build() {
        let folder = std::env::temp_dir().join(format!("xtask-build-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let build = |engine: &str| {
            fs::write(folder.join("couplet-worker.js"), engine).unwrap();
            with_lean_programs(&folder, "{build}").unwrap()
        };
        let (one, other) = (build("f(1);"), build("f(2);"));
        assert_eq!(one.len(), 16);
        assert_ne!(one, other);
        assert_eq!(one, build("f(1);"));
        assert!(with_lean_programs(&folder, "<head>").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_policy_knows_what_stands_in_the_page() {
        let html = "<meta content=\"script-src {inline-scripts}; style-src {inline-styles}\">\
                    <script type=\"module\">alert(1)</script><script src=\"x.js\"></script>\
                    <style>\n</style><scripture>no</scripture>";
        let page = with_policy(html).unwrap();
        // `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
        assert!(page.contains(
            "script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; style-src"
        ));
        assert_eq!(page.matches("'sha256-").count(), 2);
        assert!(with_policy("<script>1</script>").is_err());
    }

    #[test]
    fn the_page_is_kept_and_the_weights_are_not() {
        for path in [
            "index.html",
            "couplet-worker_bg.wasm",
            "fonts/a.woff2",
            "pairs/pairs.json",
            "pairs/tales/recording.json",
            "pairs/tales/recording-alone.json",
            "pairs/tales/model-card.json",
        ] {
            assert!(is_kept(path), "{path}");
        }
        for path in [
            "service-worker.js",
            "LICENSE",
            "notices.txt",
            API_COPY,
            "fonts/OFL.txt",
            "pairs/tales/tokenizer.json",
            "pairs/tales/target/model.safetensors",
            "pairs/tales/draft/config.json",
            "pairs/tales/MODEL_CARD.md",
        ] {
            assert!(!is_kept(path), "{path}");
        }
    }

    #[test]
    fn style_sheets_are_one_file_in_their_order() {
        let folder = std::env::temp_dir().join(format!("xtask-styles-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in [("b-1.css", "b { top: 0 }\n/* b */"), ("a-2.css", "a { }\n")] {
            fs::write(folder.join(name), text).unwrap();
        }
        let html = "<head>\n  <link rel=\"stylesheet\" href=\"./b-1.css\" integrity=\"x\"/>\n  <script></script>\n  <link rel=\"stylesheet\" href=\"./a-2.css\"/>\n</head>\n";
        let page = with_one_style_sheet(&folder, html).unwrap();
        let files = files::below(&folder).unwrap();
        assert_eq!(files.len(), 1, "{files:?}");
        assert!(
            page.contains(&format!("  {STYLE_SHEET}{}\"", files[0])),
            "{page}"
        );
        assert_eq!(page.matches(STYLE_SHEET).count(), 1);
        assert!(page.ends_with("  <script></script>\n</head>\n"), "{page}");
        assert_eq!(
            fs::read_to_string(folder.join(&files[0])).unwrap(),
            "b{top:0}a{}"
        );
        assert!(with_one_style_sheet(&folder, "<head></head>").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_choice_of_the_engine_stands_in_the_scripts_that_ask_for_it() {
        let folder = std::env::temp_dir().join(format!("xtask-choice-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(CHOICE), "const choice = 1;\n").unwrap();
        let script = with_choice(&folder, &format!("// Above.\n{CHOICE_IMPORT}below();\n"));
        assert_eq!(script.unwrap(), "// Above.\nconst choice = 1;\nbelow();\n");
        assert!(with_choice(&folder, "below();\n").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_release_lists_every_kept_file_by_its_hash() {
        let folder = std::env::temp_dir().join(format!("xtask-finish-{}", std::process::id()));
        fs::create_dir_all(folder.join("fonts")).unwrap();
        fs::write(folder.join("fonts/a.woff2"), "abc").unwrap();
        let script = format!("before\n{NO_RELEASE}\nafter");
        assert!(with_release(&folder, &script).is_err());
        let page = include_str!("../../../index.html").replace(NO_BUILD, "0123");
        fs::write(folder.join(PAGE), page).unwrap();
        let script = with_release(&folder, &script).unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(
            script.contains(&format!("\"fonts/a.woff2\":\"{abc}\"")),
            "{script}"
        );
        assert!(
            script.starts_with("before\nconst RELEASE = {\"build\":\"0123\","),
            "{script}"
        );
        assert!(script.ends_with(";\nafter"));
        assert!(with_release(&folder, "nothing").is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
