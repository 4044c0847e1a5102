//! Expands the imports of every shader, checks the result and generates a typed table of
//! kernels: a shader that does not validate fails the build, not the visitor.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Stands for the number of a row. A shader with one in it is a template for so many rows: those that
/// a round at the default γ verifies. Adapters made of software take 50 ms and more to build a
/// kernel for each row in it.
const ROW: char = '$';
const MOST_ROWS: u32 = 6;

/// A shader that imports this reads one matrix of 16 bits, whose gains are its last binding.
const HALVES_IMPORT: &str = "//#import shares";

fn main() {
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let files = wgsl_files(&shaders);
    let together = wgsl_files(&shaders.join("together"));

    let mut variants = String::new();
    let mut names = String::new();
    let mut sources = String::new();
    let mut most_rows = String::new();
    let mut bindings = String::new();
    let mut invocations = String::new();
    for file in files.iter().chain(&together) {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = name_of(file, &together);
        let texts = expand(file, &shaders);
        let (kinds, size) = check(file, &texts[0]);
        for text in &texts[1..] {
            assert!(
                check(file, text) == (kinds.clone(), size),
                "{}",
                file.display()
            );
        }
        let variant = camel_case(&name);
        let header = source_comment(file);
        let rows = texts.len();
        writeln!(most_rows, "            Self::{variant} => {rows},").expect("writing to a string");
        writeln!(variants, "    /// {header}\n    {variant},").expect("writing to a string");
        writeln!(names, "            Self::{variant} => {name:?},").expect("writing to a string");
        writeln!(sources, "            Self::{variant} => &{texts:?},")
            .expect("writing to a string");
        writeln!(bindings, "            Self::{variant} => &[{kinds}],")
            .expect("writing to a string");
        writeln!(invocations, "            Self::{variant} => {size},")
            .expect("writing to a string");
    }
    let variant_of = |file: &PathBuf| format!("Self::{}", camel_case(&name_of(file, &together)));
    let all: Vec<String> = files.iter().chain(&together).map(variant_of).collect();
    let list = all.join(", ");
    let mut partners = String::new();
    for file in &together {
        let alone = shaders.join(file.file_name().expect("a file"));
        let mut expected = check(&alone, &expand(&alone, &shaders)[0]).0;
        if reads_halves(file) {
            // Gains.
            expected += ", BindingKind::ReadOnly";
        }
        assert!(
            check(file, &expand(file, &shaders)[0]).0 == expected,
            "{}: the bindings of {}",
            file.display(),
            alone.display()
        );
        let (alone, together) = (variant_of(&alone), variant_of(file));
        writeln!(partners, "            {alone} => Some({together}),")
            .expect("writing to a string");
    }
    let halves = files
        .iter()
        .chain(&together)
        .filter(|file| reads_halves(file));
    let halves = halves.map(variant_of).collect::<Vec<_>>().join(" | ");
    let table = format!(
        "/// A kernel: one file in `shaders/`.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\npub enum Kernel {{\n{variants}}}\n\n\
         impl Kernel {{\n\
         /// Every kernel.\n pub const ALL: &[Self] = &[{list}];\n\
         /// Name of its file, with `_together` after that of one in that folder.\n pub fn name(self) -> &'static str {{ match self {{\n{names} }} }}\n\
         /// The most rows that an invocation can compute together: more than one where the text is\n\
         /// a template for every number of them.\n\
         pub fn most_rows_together(self) -> u32 {{ match self {{\n{most_rows} }} }}\n\
         /// Its WGSL texts, imports expanded, without comments: for each number of rows that an invocation computes\n\
         /// together, from 1 on.\n pub fn sources(self) -> &'static [&'static str] {{ match self {{\n{sources} }} }}\n\
         /// The kernel with the same results whose invocations share their work, where there is one:\n\
         /// for devices on which waiting inside a workgroup is cheap.\n\
         pub fn together(self) -> Option<Self> {{ match self {{\n{partners} _ => None }} }}\n\
         /// Whether it reads weights of 16 bits and has their gains in its last binding. Its twin has\n\
         /// the weights in 32 bits, the gains folded in, and no such binding.\n\
         pub fn reads_halves(self) -> bool {{ matches!(self, {halves}) }}\n\
         /// How many invocations a workgroup has.\n pub const fn invocations(self) -> u32 {{ match self {{\n{invocations} }} }}\n\
         /// What each binding is, in order.\n pub fn bindings(self) -> &'static [BindingKind] {{ match self {{\n{bindings} }} }}\n\
         }}\n"
    );
    let out = std::env::var("OUT_DIR").expect("set by cargo");
    std::fs::write(Path::new(&out).join("kernels.rs"), table).expect("a writable build folder");
}

fn wgsl_files(folder: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wgsl")
        })
        .collect();
    files.sort();
    files
}

fn reads_halves(file: &Path) -> bool {
    read(file).lines().any(|line| line == HALVES_IMPORT)
}

/// The file's name, with what it is in the folder `together`.
fn name_of(file: &Path, together: &[PathBuf]) -> String {
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .expect("a file name in UTF-8");
    if together.iter().any(|other| other == file) {
        format!("{stem}_together")
    } else {
        stem.to_owned()
    }
}

/// Puts the text of every `//#import name` before the shader. Returns one text, or one for each
/// number of rows where it is a template.
fn expand(file: &Path, shaders: &Path) -> Vec<String> {
    let text = read(file);
    let mut expanded = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("//#import ") {
            let shared = shaders.join("shared").join(format!("{}.wgsl", name.trim()));
            println!("cargo::rerun-if-changed={}", shared.display());
            expanded.push_str(&read(&shared));
        }
    }
    expanded += &text;
    let expanded = code_of(&expanded);
    if expanded.contains(ROW) {
        (1..=MOST_ROWS)
            .map(|rows| for_rows(&expanded, rows))
            .collect()
    } else {
        vec![expanded]
    }
}

/// The text without comments and indentation: visitors would download them, and a comment that changes
/// would have every visitor's kernels chosen anew (`known_choices.rs` in the worker).
fn code_of(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let (code, _comment) = line.split_once("//").unwrap_or((line, ""));
        code.trim()
    });
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n") + "\n"
}

/// The template's text for so many rows: a line with a dollar sign for each of them.
fn for_rows(template: &str, rows: u32) -> String {
    let mut text = format!("const ROWS: u32 = {rows}u;\n");
    for line in template.lines() {
        let copies = if line.contains(ROW) { rows } else { 1 };
        for row in 0..copies {
            text += &line.replace(ROW, &row.to_string());
            text.push('\n');
        }
    }
    text
}

/// Validates the shader, lists its bindings and counts the invocations of a workgroup.
fn check(file: &Path, source: &str) -> (String, u32) {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{}:\n{}", file.display(), error.emit_to_string(source)));
    // `unpack2x16float`, which WebGPU has everywhere and the native interfaces nearly.
    let capabilities = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}:\n{}", file.display(), error.emit_to_string(source)));
    assert!(
        module.entry_points.len() == 1 && module.entry_points[0].name == "main",
        "{}: one entry point named main",
        file.display()
    );
    let mut kinds: Vec<(u32, &str)> = module
        .global_variables
        .iter()
        .filter_map(|(_, variable)| {
            let binding = variable.binding.as_ref()?;
            let kind = match variable.space {
                naga::AddressSpace::Uniform => "BindingKind::Uniform",
                naga::AddressSpace::Storage { access }
                    if access.contains(naga::StorageAccess::STORE) =>
                {
                    "BindingKind::ReadWrite"
                }
                _ => "BindingKind::ReadOnly",
            };
            Some((binding.binding, kind))
        })
        .collect();
    kinds.sort_unstable();
    let in_order = kinds
        .iter()
        .enumerate()
        .all(|(index, (binding, _))| *binding as usize == index);
    assert!(
        in_order,
        "{}: bindings are numbered from 0 without gaps",
        file.display()
    );
    let kinds: Vec<&str> = kinds.iter().map(|(_, kind)| *kind).collect();
    let invocations = module.entry_points[0].workgroup_size.iter().product();
    (kinds.join(", "), invocations)
}

/// The first paragraph of the file's comment.
fn source_comment(file: &Path) -> String {
    let text = read(file);
    let comment: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//"))
        .take_while(|line| !line.trim().is_empty())
        .map(str::trim)
        .collect();
    comment.join(" ")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn camel_case(name: &str) -> String {
    name.split('_')
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect()
}
