//! How a file of a pair arrives: in pieces, perhaps over several connections, and believed only
//! once its hash is the model card's. Nothing here knows a network.

use std::ops::Range;

use crate::{FileEntry, sha256_hex};

/// A file of which the beginning has arrived.
#[derive(Debug)]
pub struct Arrival {
    entry: FileEntry,
    bytes: Vec<u8>,
    /// How much of it lies where it outlives the page.
    kept: usize,
}

impl Arrival {
    /// Bytes that are kept together. At most so much is lost when the page is closed.
    pub const PIECE: usize = 256 * 1024;

    /// Bytes for which room is made at once at most: larger files make it as they arrive.
    const LARGEST_RESERVED: usize = 64 * 1024 * 1024;

    /// A file of which nothing has arrived.
    pub fn new(entry: FileEntry) -> Self {
        // A size that the card has wrong is found when the file is; until then nothing hangs on it.
        let mut bytes = Vec::new();
        let _ = bytes.try_reserve_exact(entry.bytes.min(Self::LARGEST_RESERVED));
        Self {
            entry,
            bytes,
            kept: 0,
        }
    }

    /// Bytes that have arrived.
    pub fn received(&self) -> usize {
        self.bytes.len()
    }

    /// Takes in the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes in the next bytes from where they were kept.
    pub fn push_kept(&mut self, bytes: &[u8]) {
        self.push(bytes);
        self.kept = self.bytes.len();
    }

    /// Forgets everything from `length` on, and that anything was kept: whoever cuts has thrown
    /// away what was, since its pieces end elsewhere.
    pub fn cut(&mut self, length: usize) {
        self.bytes.truncate(length);
        self.kept = 0;
    }

    /// Whether as much has arrived as the card announces.
    pub fn is_whole(&self) -> bool {
        self.bytes.len() >= self.entry.bytes
    }

    /// Whether what has arrived is the file.
    pub fn is_sound(&self) -> bool {
        self.bytes.len() == self.entry.bytes && sha256_hex(&self.bytes) == self.entry.sha256
    }

    /// The next piece to keep and its place, once there are enough bytes for one.
    pub fn next_piece(&mut self) -> Option<(Range<usize>, &[u8])> {
        let fresh = self.kept..self.bytes.len();
        if fresh.is_empty() || (fresh.len() < Self::PIECE && !self.is_whole()) {
            return None;
        }
        self.kept = fresh.end;
        Some((fresh.clone(), &self.bytes[fresh]))
    }

    /// The file, once it is sound.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// What is wrong with a file that arrived, but not as the card describes it.
    pub fn complaint(&self) -> String {
        format!(
            "{} of {} bytes arrived, with SHA-256 {} instead of {}",
            self.bytes.len(),
            self.entry.bytes,
            sha256_hex(&self.bytes),
            self.entry.sha256
        )
    }
}

/// What a server's answer to a request for the bytes from some place on means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Bytes follow, and the first of them belongs here.
    From(usize),
    /// The place does not exist or bytes from elsewhere follow: only the whole file will do.
    AskForAll,
    /// The server is in trouble that may pass.
    Later,
    /// There is no such file, or it is not for us.
    Never,
}

impl Answer {
    /// Reads status and `Content-Range` of the answer to a request for the bytes from `from` on.
    pub fn read(status: u16, content_range: Option<&str>, from: usize) -> Self {
        match status {
            206 => match content_range.and_then(first_byte) {
                // A place before the one asked for only repeats bytes.
                Some(first) if first <= from => Self::From(first),
                _ => Self::AskForAll,
            },
            // A server that knows no ranges sends everything.
            200..=299 => Self::From(0),
            416 => Self::AskForAll,
            408 | 425 | 429 | 500.. => Self::Later,
            _ => Self::Never,
        }
    }
}

/// The first byte of `bytes 5-9/10`.
fn first_byte(content_range: &str) -> Option<usize> {
    let range = content_range.trim().strip_prefix("bytes ")?;
    range.split_once('-')?.0.trim().parse().ok()
}

/// How long to wait after a connection broke. Whoever gets ahead starts over with short waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    failures: u32,
    furthest: usize,
}

impl Patience {
    /// Milliseconds before each further attempt.
    const WAITS: [u32; 4] = [300, 1000, 3000, 6000];

    /// Milliseconds to wait before the next attempt; `None` when it is time to ask the person.
    pub fn after_failure(&mut self, received: usize) -> Option<u32> {
        if received > self.furthest {
            self.furthest = received;
            self.failures = 0;
        }
        self.failures += 1;
        Self::WAITS.get(self.failures as usize - 1).copied()
    }
}

/// Name of the place where a piece is kept: the file's address, what the file must be, and where
/// in it the piece belongs. Another release of the file has another name.
pub fn piece_name(address: &str, sha256: &str, from: usize) -> String {
    format!("{address}?sha256={sha256}&from={from}")
}

/// Whether a kept piece belongs to a file below `folder` that is none of `hashes`.
pub fn is_outdated(name: &str, folder: &str, hashes: &[&str]) -> bool {
    let Some(path) = name.strip_prefix(folder) else {
        return false;
    };
    let hash = path
        .split_once("?sha256=")
        .and_then(|(_, rest)| rest.split('&').next());
    hash.is_none_or(|hash| !hashes.contains(&hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(content: &[u8]) -> FileEntry {
        FileEntry {
            path: "file".to_owned(),
            bytes: content.len(),
            sha256: sha256_hex(content),
        }
    }

    #[test]
    fn answers_say_where_their_bytes_belong() {
        let check = |status, range, expect| {
            assert_eq!(Answer::read(status, range, 100), expect, "{status}")
        };
        check(206, Some("bytes 100-199/200"), Answer::From(100));
        check(206, Some("bytes 100-199/*"), Answer::From(100));
        check(206, Some("bytes 50-199/200"), Answer::From(50));
        check(206, Some("bytes 120-199/200"), Answer::AskForAll);
        check(206, None, Answer::AskForAll);
        check(206, Some("lines 1-2/3"), Answer::AskForAll);
        check(200, None, Answer::From(0));
        check(416, Some("bytes */50"), Answer::AskForAll);
        check(503, None, Answer::Later);
        check(429, None, Answer::Later);
        check(404, None, Answer::Never);
        check(403, None, Answer::Never);
    }

    #[test]
    fn pieces_are_kept_in_order_and_once() {
        let content = vec![7; Arrival::PIECE + 10];
        let mut arrival = Arrival::new(entry(&content));
        arrival.push(&content[..Arrival::PIECE - 1]);
        assert!(arrival.next_piece().is_none());
        arrival.push(&content[Arrival::PIECE - 1..Arrival::PIECE + 1]);
        let (range, bytes) = arrival.next_piece().unwrap();
        assert_eq!(
            (range, bytes.len()),
            (0..Arrival::PIECE + 1, Arrival::PIECE + 1)
        );
        assert!(arrival.next_piece().is_none());
        // The end is kept however short it is.
        arrival.push(&content[Arrival::PIECE + 1..]);
        assert!(arrival.is_whole() && arrival.is_sound());
        assert_eq!(
            arrival.next_piece().unwrap().0,
            Arrival::PIECE + 1..Arrival::PIECE + 10
        );
    }

    #[test]
    fn what_was_kept_is_not_kept_again() {
        let content = b"0123456789";
        let mut arrival = Arrival::new(entry(content));
        arrival.push_kept(&content[..4]);
        arrival.push(&content[4..]);
        assert_eq!(arrival.next_piece().unwrap(), (4..10, &content[4..]));
        // After a cut everything is kept anew, also what stays.
        for length in [0, 6] {
            arrival.cut(length);
            assert!(arrival.next_piece().is_none());
            arrival.push(&content[length..]);
            assert_eq!(arrival.next_piece().unwrap(), (0..10, &content[..]));
        }
    }

    #[test]
    fn a_file_is_believed_by_its_hash_only() {
        let content = b"0123456789";
        let mut arrival = Arrival::new(entry(content));
        arrival.push(b"0123456780");
        assert!(arrival.is_whole() && !arrival.is_sound());
        assert!(arrival.complaint().contains("SHA-256"));
        arrival.cut(9);
        arrival.push(b"9");
        assert!(arrival.is_sound());
        arrival.push(b"9");
        assert!(!arrival.is_sound(), "longer than announced");
    }

    #[test]
    fn patience_ends_without_progress_and_begins_again_with_it() {
        let mut patience = Patience::default();
        let waits: Vec<_> = std::iter::from_fn(|| patience.after_failure(0)).collect();
        assert_eq!(waits, Patience::WAITS);
        assert_eq!(patience.after_failure(1), Some(Patience::WAITS[0]));
        assert_eq!(patience.after_failure(1), Some(Patience::WAITS[1]));
    }

    #[test]
    fn pieces_of_other_releases_are_outdated() {
        let folder = "https://example.org/page/pairs/plays/";
        let name = piece_name(&format!("{folder}target/model.safetensors"), "abc", 5);
        assert!(!is_outdated(&name, folder, &["abc", "def"]));
        assert!(is_outdated(&name, folder, &["def"]));
        assert!(!is_outdated(
            &name,
            "https://example.org/page/pairs/tales/",
            &[]
        ));
    }
}
