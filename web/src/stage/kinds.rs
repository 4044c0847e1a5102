//! How many there are of what a run is made of.

use couplet_playback::tr;

/// So many tokens of a kind: "12 characters".
pub fn tokens(kind: &str, count: usize) -> String {
    match kind {
        "character" => tr!("1 character" | "{n} characters" % count),
        "word piece" => tr!("1 word piece" | "{n} word pieces" % count),
        "token" => tr!("1 token" | "{n} tokens" % count),
        // What the file of somebody else calls them.
        kind if count == 1 => format!("1 {kind}"),
        kind => format!("{count} {kind}s"),
    }
}

/// Behind so many tokens of a kind: "after 12 characters".
pub fn after(kind: &str, count: usize) -> String {
    match kind {
        "word piece" => tr!("after 1 word piece" | "after {n} word pieces" % count),
        kind => tr!("after {tokens}", tokens = tokens(kind, count)),
    }
}

/// So many rounds.
pub fn rounds(count: usize) -> String {
    tr!("1 round" | "{n} rounds" % count)
}
