//! Leaves the names of functions out of the download: a third of the module, and of no use to
//! a visitor.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-bins=--strip-all");
        // wasm-bindgen reads there what the module may use.
        println!("cargo::rustc-link-arg-bins=--keep-section=target_features");
    }
}
