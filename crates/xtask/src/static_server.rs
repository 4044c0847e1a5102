//! A file server for the browser tests and the bench: folders below paths, with byte ranges.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::thread;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

/// What is served.
pub struct Site {
    /// Prefixes of paths, and the folders whose files lie below them.
    pub mounts: Vec<(String, PathBuf)>,
    /// Headers of every answer.
    pub headers: &'static [(&'static str, &'static str)],
}

/// Serves the files of `root` below `prefix` until the process ends; returns the URL.
///
/// # Errors
/// If no port can be had.
pub fn start(root: PathBuf, prefix: &str) -> Result<String> {
    let address = start_site(Site {
        mounts: vec![(prefix.to_owned(), root)],
        headers: &[],
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
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let router = router(site);
    thread::spawn(move || {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, router).await
        })
    });
    Ok(address)
}

fn router(site: Site) -> Router {
    // What was built anew is not to be hidden by what a browser kept.
    let fresh = (header::CACHE_CONTROL.as_str(), "no-store");
    let mut router = Router::new();
    for (prefix, root) in site.mounts {
        let prefix = prefix.trim_end_matches('/');
        let files = ServeDir::new(root).redirect_path_prefix(prefix);
        router = router.nest_service(prefix, files);
    }
    for (name, value) in site.headers.iter().copied().chain([fresh]) {
        let (name, value) = (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        router = router.layer(SetResponseHeaderLayer::overriding(name, value));
    }
    router
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn files_arrive_whole_and_in_parts_below_their_path_only() {
        let root = std::env::temp_dir().join(format!("xtask-server-{}", std::process::id()));
        fs::create_dir_all(root.join("site/folder")).unwrap();
        fs::write(root.join("secret"), "").unwrap();
        for name in ["index.html", "two words.txt", "x_bg.wasm", "a.safetensors"] {
            fs::write(root.join("site").join(name), "0123456789").unwrap();
        }
        let address = start_site(Site {
            mounts: vec![("/any/sub/path/".to_owned(), root.join("site"))],
            headers: &[("cross-origin-opener-policy", "same-origin")],
        })
        .unwrap();
        let ask = |method: &str, target: &str, header: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            let lines = format!("Host: x\r\nConnection: close\r\n{header}");
            write!(stream, "{method} {target} HTTP/1.1\r\n{lines}\r\n").unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        let get = |name: &str, header: &str| ask("GET", &format!("/any/sub/path/{name}"), header);
        let whole = get("", "");
        assert!(whole.starts_with("HTTP/1.1 200 ") && whole.ends_with("\r\n\r\n0123456789"));
        for line in [
            "content-type: text/html",
            "accept-ranges: bytes",
            "cache-control: no-store",
            "cross-origin-opener-policy: same-origin",
        ] {
            assert!(whole.contains(&format!("\r\n{line}\r\n")), "{whole}");
        }
        let part = get("index.html", "Range: bytes=2-4\r\n");
        assert!(part.starts_with("HTTP/1.1 206 ") && part.ends_with("\r\n\r\n234"));
        assert!(part.contains("\r\ncontent-range: bytes 2-4/10\r\n"));
        let end = get("index.html", "Range: bytes=7-\r\n");
        assert!(end.starts_with("HTTP/1.1 206 ") && end.ends_with("\r\n\r\n789"));
        assert!(get("index.html", "Range: bytes=10-\r\n").starts_with("HTTP/1.1 416 "));
        assert!(get("two%20words.txt?v=1", "").ends_with("\r\n\r\n0123456789"));
        assert!(get("x_bg.wasm", "").contains("\r\ncontent-type: application/wasm\r\n"));
        let weights = get("a.safetensors", "");
        assert!(weights.contains("\r\ncontent-type: application/octet-stream\r\n"));
        for outside in ["no.js", "../secret", "%2e%2e/secret", "%2e%2e%2fsecret"] {
            assert!(get(outside, "").starts_with("HTTP/1.1 404 "), "{outside}");
        }
        assert!(get("folder", "").contains("\r\nlocation: /any/sub/path/folder/\r\n"));
        assert!(ask("GET", "/index.html", "").starts_with("HTTP/1.1 404 "));
        assert!(ask("POST", "/any/sub/path/", "").starts_with("HTTP/1.1 405 "));
        fs::remove_dir_all(root).unwrap();
    }
}
