//! What general compressors make of a text: `gzip -9` and `xz -9`, where they are installed.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Bytes that `program -9` adds to the compressed `before` for `text` after it: like the
/// models, the compressor has seen the training text. `None` where the program is not
/// installed or fails.
pub fn added_bytes(program: &str, before: &str, text: &str) -> Option<u64> {
    let alone = compressed_bytes(program, &[before])?;
    let both = compressed_bytes(program, &[before, text])?;
    Some(both.saturating_sub(alone))
}

fn compressed_bytes(program: &str, texts: &[&str]) -> Option<u64> {
    let mut child = Command::new(program)
        .args(["-9", "--stdout"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let mut output = child.stdout.take()?;
    let bytes = std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            texts
                .iter()
                .try_for_each(|text| input.write_all(text.as_bytes()))
        });
        let mut bytes = Vec::new();
        let read = output.read_to_end(&mut bytes);
        let written = writer.join().ok()?;
        (read.is_ok() && written.is_ok()).then_some(bytes.len() as u64)
    });
    let finished = child.wait().ok()?.success();
    bytes.filter(|_| finished)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_gives_no_figure() {
        assert_eq!(added_bytes("couplet-no-such-program", "a", "b"), None);
    }

    #[test]
    fn what_was_seen_before_costs_little() {
        let text = "The owl kept the key. ".repeat(40);
        if let Some(bytes) = added_bytes("gzip", &text, &text) {
            assert!(bytes < 40, "{bytes}");
        }
    }
}
