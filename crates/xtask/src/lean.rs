//! What is sent to visitors without what only readers and tools need of it: comments, space, names.

use anyhow::{Result, anyhow};
use wasm_encoder::RawSection;
use wasmparser::Parser;

/// The id of sections that mean nothing to a browser, such as names.
/// Source: WebAssembly core specification, section 5.5, "Modules".
const CUSTOM_SECTION: u8 = 0;

/// A style sheet.
///
/// # Errors
/// If it is none.
pub fn style(sheet: &str) -> Result<String> {
    let lean = minifier::css::minify(sheet).map_err(|why| anyhow!("a style sheet: {why}"))?;
    Ok(lean.to_string())
}

/// A script.
///
/// # Errors
/// If it is none.
pub fn script(script: &str) -> Result<String> {
    let lean = minifier::js::minify(script).map_err(|why| anyhow!("a script: {why}"))?;
    Ok(lean.to_string())
}

/// A file of words, in JSON.
///
/// # Errors
/// If it is no JSON.
pub fn words(json: &str) -> Result<String> {
    let words: serde_json::Value = serde_json::from_str(json)?;
    Ok(words.to_string())
}

/// A module of WebAssembly.
///
/// # Errors
/// If it is none.
pub fn program(module: &[u8]) -> Result<Vec<u8>> {
    let mut lean = wasm_encoder::Module::new();
    for part in Parser::new(0).parse_all(module) {
        if let Some((id, range)) = part?.as_section()
            && id != CUSTOM_SECTION
        {
            let data = &module[range.start as usize..range.end as usize];
            lean.section(&RawSection { id, data });
        }
    }
    Ok(lean.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_the_space_between_them() {
        let sent = words("{\n  \"a b\": \"c \\\"d\\\"  e\"\n}\n").unwrap();
        assert_eq!(sent, r#"{"a b":"c \"d\"  e"}"#);
        assert!(words("{").is_err());
    }

    #[test]
    fn styles_and_scripts_lose_what_is_said_to_readers() {
        let sheet = "i { top: 0 }\n/* Why: 'it' is so. */\nb::after { content: \"/* a */  b\"; width: calc(1px + 2px); }\n";
        assert_eq!(
            style(sheet).unwrap(),
            "i{top:0}b::after{content:\"/* a */  b\";width:calc(1px + 2px);}"
        );
        let said = "// One\n/** Two. */\nconst a = `x  ${\"//\"}`;\n  b(a, /[/*]/);\n";
        assert_eq!(script(said).unwrap(), "const a=`x  ${\"//\"}`;b(a,/[/*]/);");
    }

    #[test]
    fn modules_lose_what_only_tools_read() {
        use wasm_encoder::{CustomSection, Module, TypeSection};
        let module = |is_named: bool| {
            let mut types = TypeSection::new();
            types.ty().function([], []);
            let mut module = Module::new();
            module.section(&types);
            if is_named {
                module.section(&CustomSection {
                    name: "name".into(),
                    data: (&[7; 130]).into(),
                });
            }
            module.section(&wasm_encoder::FunctionSection::new());
            module.finish()
        };
        assert_eq!(program(&module(true)).unwrap(), module(false));
        for cut in [4, 9, 20] {
            assert!(program(&module(true)[..cut]).is_err(), "{cut}");
        }
        assert!(program(b"<!doctype html>").is_err());
    }
}
