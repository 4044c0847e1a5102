//! `cargo xtask serve`: from a fresh clone to the page.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::num::NonZeroU16;
use std::process::Child;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use lexopt::prelude::*;

use crate::repo::Repo;
use crate::steps::step;
use crate::{build, process};

const DEFAULT_PORT: u16 = 8080;

/// Reads `--port N`.
///
/// # Errors
/// If there is anything else, or no port number.
pub fn parse_port(arguments: Vec<OsString>) -> Result<u16> {
    let mut port = DEFAULT_PORT;
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("port") => {
                port = parser
                    .value()?
                    .parse::<NonZeroU16>()
                    .ok()
                    .context("--port takes a number from 1 to 65535")?
                    .get();
            }
            _ => return Err(argument.unexpected().into()),
        }
    }
    Ok(port)
}

/// Serves the page until interrupted, building again when a source file changes.
///
/// # Errors
/// If something cannot be installed, the port is taken, or the page cannot be built.
pub fn run(repo: &Repo, port: u16) -> Result<()> {
    // A minute of building before hearing that the port is taken would be a minute lost.
    if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() {
        bail!(
            "port {port} is taken or not allowed: choose another with `cargo xtask serve --port N`"
        );
    }
    let mut trunk = build::trunk(repo)?;
    trunk.args([
        "serve",
        "--release",
        "--offline",
        "--port",
        &port.to_string(),
    ]);
    let mut server = step("page", || {
        let mut server = trunk
            .spawn()
            .with_context(|| format!("`{}` could not be started", process::describe(&trunk)))?;
        wait_for_page(&mut server, port)?;
        Ok(server)
    })?;
    println!("\n  Couplet is at http://127.0.0.1:{port}/   (Ctrl-C stops it)\n");
    let status = server.wait()?;
    if !status.success() {
        bail!("trunk ended with {status}");
    }
    Ok(())
}

/// Returns when the page answers.
fn wait_for_page(server: &mut Child, port: u16) -> Result<()> {
    let mut said = false;
    loop {
        if let Some(status) = server.try_wait()? {
            bail!("trunk ended with {status} before the page was up");
        }
        match page_status(port) {
            Some(200) => return Ok(()),
            // trunk serves what it has, even after a build that failed.
            Some(_) if !said => {
                println!("the build failed; trunk tries again when a source file changes");
                said = true;
            }
            _ => {}
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// The HTTP status of the page, if a server answers.
fn page_status(port: u16) -> Option<u16> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    write!(
        stream,
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
    )
    .ok()?;
    let mut start = [0; 12];
    stream.read_exact(&mut start).ok()?;
    std::str::from_utf8(&start[9..]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_or_refused() {
        let parse = |words: &[&str]| parse_port(words.iter().map(OsString::from).collect());
        assert_eq!(parse(&[]).unwrap(), DEFAULT_PORT);
        assert_eq!(parse(&["--port", "9000"]).unwrap(), 9000);
        assert_eq!(parse(&["--port=9000"]).unwrap(), 9000);
        assert!(parse(&["--port", "many"]).is_err());
        assert!(parse(&["--port", "0"]).is_err());
        assert!(parse(&["--prot", "9000"]).is_err());
    }
}
