//! A file server for the browser tests and the bench: folders below paths, with byte ranges.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// Longer request heads than any browser sends.
const HEAD_LIMIT: u64 = 64 * 1024;

/// What is served.
pub struct Site {
    /// Prefixes of paths, and the folders whose files lie below them.
    pub mounts: Vec<(String, PathBuf)>,
    /// Header lines of every answer, each with its line end.
    pub headers: &'static str,
}

/// Serves the files of `root` below `prefix` until the process ends; returns the URL.
///
/// # Errors
/// If no port can be had.
pub fn start(root: PathBuf, prefix: &str) -> Result<String> {
    let address = start_site(Site {
        mounts: vec![(prefix.to_owned(), root)],
        headers: "",
    })?;
    Ok(format!("http://{address}{prefix}"))
}

/// Serves a site until the process ends; returns its host and port.
///
/// # Errors
/// If no port can be had.
pub fn start_site(site: Site) -> Result<SocketAddr> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port to serve the page on")?;
    let address = listener.local_addr()?;
    let site = Arc::new(site);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let site = Arc::clone(&site);
            // A visitor who leaves mid-download is no error of the server's.
            thread::spawn(move || answer(stream, &site).ok());
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let request = read_request(&stream)?;
    if request.method != "GET" && request.method != "HEAD" {
        return respond(
            &mut stream,
            "405 Method Not Allowed",
            "Allow: GET, HEAD\r\n",
        );
    }
    let file = site.mounts.iter().find_map(|(prefix, root)| {
        resolve(&request.target, prefix).map(|relative| root.join(relative))
    });
    let Some(file) = file else {
        return respond(&mut stream, "404 Not Found", "");
    };
    let file = if file.is_dir() {
        file.join("index.html")
    } else {
        file
    };
    let Ok(metadata) = fs::metadata(&file) else {
        return respond(&mut stream, "404 Not Found", "");
    };
    let size = metadata.len();
    let (status, place, first, count) = match request
        .range
        .as_deref()
        .map(|range| byte_range(range, size))
    {
        None | Some(Range::Whole) => ("200 OK", String::new(), 0, size),
        // Also where the part is everything: whoever asks for a range is told which one comes.
        Some(Range::Part { first, last }) => (
            "206 Partial Content",
            format!("Content-Range: bytes {first}-{last}/{size}\r\n"),
            first,
            last - first + 1,
        ),
        Some(Range::Unsatisfiable) => {
            let header = format!("Content-Range: bytes */{size}\r\n");
            return respond(&mut stream, "416 Range Not Satisfiable", &header);
        }
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {count}\r\n\
         Accept-Ranges: bytes\r\nCache-Control: no-store\r\nConnection: close\r\n{}{place}",
        mime_type(&file),
        site.headers
    );
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    if request.method == "GET" {
        let mut file = File::open(&file)?;
        file.seek(SeekFrom::Start(first))?;
        io::copy(&mut file.take(count), &mut stream)?;
    }
    Ok(())
}

/// An answer without content.
fn respond(stream: &mut TcpStream, status: &str, headers: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n"
    )
}

struct Request {
    method: String,
    target: String,
    range: Option<String>,
}

fn read_request(stream: &TcpStream) -> io::Result<Request> {
    let mut lines = BufReader::new(stream.take(HEAD_LIMIT)).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut words = first.split(' ');
    let mut request = Request {
        method: words.next().unwrap_or_default().to_owned(),
        target: words.next().unwrap_or_default().to_owned(),
        range: None,
    };
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("range")
        {
            request.range = Some(value.trim().to_owned());
        }
    }
    Ok(request)
}

/// The file that a request target means, relative to the served folder; none if it lies
/// outside of `prefix` or of the folder.
fn resolve(target: &str, prefix: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?;
    let path = percent_decode(path)?;
    let mut relative = PathBuf::new();
    for segment in path.strip_prefix(prefix)?.split('/') {
        match segment {
            "" | "." => {}
            ".." => return None,
            segment if segment.contains(['\\', ':', '\0']) => return None,
            segment => relative.push(segment),
        }
    }
    Some(relative)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[derive(Debug, PartialEq, Eq)]
enum Range {
    /// Everything: what is asked for is not understood, which a server is to overlook.
    Whole,
    /// Both ends included.
    Part {
        first: u64,
        last: u64,
    },
    Unsatisfiable,
}

/// What a `Range` header asks of a file of `size` bytes. Several ranges at once are not
/// understood.
fn byte_range(header: &str, size: u64) -> Range {
    let bounds = header
        .strip_prefix("bytes=")
        .and_then(|range| range.split_once('-'))
        .map(|(first, last)| (first.trim(), last.trim()));
    let Some((first, last)) = bounds else {
        return Range::Whole;
    };
    let parse = |text: &str| (!text.is_empty()).then(|| text.parse::<u64>()).transpose();
    match (parse(first), parse(last)) {
        (Ok(Some(first)), Ok(Some(last))) if last < first => Range::Whole,
        (Ok(Some(first)), Ok(_)) if first >= size => Range::Unsatisfiable,
        (Ok(Some(first)), Ok(last)) => Range::Part {
            first,
            last: last.unwrap_or(u64::MAX).min(size - 1),
        },
        (Ok(None), Ok(Some(count))) if count == 0 || size == 0 => Range::Unsatisfiable,
        (Ok(None), Ok(Some(count))) => Range::Part {
            first: size.saturating_sub(count),
            last: size - 1,
        },
        _ => Range::Whole,
    }
}

fn mime_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("wasm") => "application/wasm",
        Some("wgsl" | "txt" | "md") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("woff") => "font/woff",
        Some("ttf") => "font/ttf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_resolve_below_the_prefix_only() {
        let check = |target, expect: Option<&str>| {
            assert_eq!(
                resolve(target, "/a/b/"),
                expect.map(PathBuf::from),
                "{target}"
            );
        };
        check("/a/b/", Some(""));
        check("/a/b/x/y.js?v=1", Some("x/y.js"));
        check("/a/b/two%20words.txt", Some("two words.txt"));
        check("/a/c/y.js", None);
        check("/a/b/../secret", None);
        check("/a/b/%2e%2e/secret", None);
        check("/a/b/%zz", None);
    }

    #[test]
    fn ranges_follow_rfc_9110() {
        let check = |header, expect| assert_eq!(byte_range(header, 100), expect, "{header}");
        check("bytes=0-9", Range::Part { first: 0, last: 9 });
        check(
            "bytes=90-",
            Range::Part {
                first: 90,
                last: 99,
            },
        );
        check(
            "bytes=90-500",
            Range::Part {
                first: 90,
                last: 99,
            },
        );
        check(
            "bytes=-10",
            Range::Part {
                first: 90,
                last: 99,
            },
        );
        check("bytes=-500", Range::Part { first: 0, last: 99 });
        check("bytes=100-", Range::Unsatisfiable);
        check("bytes=-0", Range::Unsatisfiable);
        check("bytes=9-0", Range::Whole);
        check("bytes=0-1,5-6", Range::Whole);
        check("lines=0-1", Range::Whole);
    }

    #[test]
    fn types_are_those_that_browsers_insist_on() {
        let check = |name, expect| assert_eq!(mime_type(Path::new(name)), expect, "{name}");
        check("a/x_bg.wasm", "application/wasm");
        check("x.js", "text/javascript; charset=utf-8");
        check("model.safetensors", "application/octet-stream");
    }

    #[test]
    fn files_arrive_whole_and_in_parts() {
        let root = std::env::temp_dir().join(format!("xtask-server-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("index.html"), "0123456789").unwrap();
        let url = start(root.clone(), "/any/sub/path/").unwrap();
        let address = url
            .strip_prefix("http://")
            .unwrap()
            .split('/')
            .next()
            .unwrap();
        let get = |target: &str, headers: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "GET {target} HTTP/1.1\r\nHost: x\r\n{headers}\r\n").unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        let whole = get("/any/sub/path/", "");
        assert!(whole.starts_with("HTTP/1.1 200 ") && whole.ends_with("\r\n\r\n0123456789"));
        let part = get("/any/sub/path/index.html", "range: bytes=2-4\r\n");
        assert!(part.starts_with("HTTP/1.1 206 ") && part.ends_with("\r\n\r\n234"));
        assert!(part.contains("\r\nContent-Range: bytes 2-4/10\r\n"));
        assert!(part.contains("\r\nContent-Length: 3\r\n"));
        let end = get("/any/sub/path/index.html", "Range: bytes=7-\r\n");
        assert!(end.starts_with("HTTP/1.1 206 ") && end.ends_with("\r\n\r\n789"));
        assert!(end.contains("\r\nContent-Range: bytes 7-9/10\r\n"));
        let all = get("/any/sub/path/index.html", "Range: bytes=0-\r\n");
        assert!(all.starts_with("HTTP/1.1 206 ") && all.ends_with("\r\n\r\n0123456789"));
        assert!(all.contains("\r\nContent-Range: bytes 0-9/10\r\n"));
        let beyond = get("/any/sub/path/index.html", "Range: bytes=10-\r\n");
        assert!(beyond.starts_with("HTTP/1.1 416 ") && beyond.ends_with("\r\n\r\n"));
        assert!(beyond.contains("\r\nContent-Range: bytes */10\r\n"));
        let several = get("/any/sub/path/index.html", "Range: bytes=0-1,5-6\r\n");
        assert!(several.starts_with("HTTP/1.1 200 ") && several.ends_with("\r\n\r\n0123456789"));
        assert!(get("/index.html", "").starts_with("HTTP/1.1 404 "));
        fs::remove_dir_all(root).unwrap();
    }
}
