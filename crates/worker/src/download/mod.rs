//! Files of the pairs: kept from an earlier visit, or downloaded, going on where a connection
//! broke. Nothing leaves here whose hash is not the model card's.

mod connection;
mod shelf;

use std::cell::RefCell;
use std::collections::HashMap;

use couplet_model::{Answer, Arrival, FileEntry, Patience};
use couplet_protocol::{Failure, FailureKind};
use web_sys::RequestCache;

use crate::scope;
use connection::Connection;
use shelf::Shelf;

/// What is happening to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It comes from an earlier visit.
    Kept,
    /// It comes over the network.
    Arriving,
    /// The connection broke and will be tried again.
    Broken,
}

/// Who waits for a file.
pub(crate) trait Watcher {
    /// Hears how much of the file there is.
    fn progress(&self, stage: Stage, received: usize);
    /// Whether nobody waits any more.
    fn gave_up(&self) -> bool;
}

/// Files of which something is there; they outlive a failed attempt.
#[derive(Default)]
pub(crate) struct Downloads {
    unfinished: RefCell<HashMap<String, Arrival>>,
}

impl Downloads {
    /// A file of the pair in `folder`, checked against its hash.
    ///
    /// # Errors
    ///
    /// If it cannot be had, or arrives damaged twice.
    pub(crate) async fn file(
        &self,
        folder: &str,
        entry: &FileEntry,
        watcher: &impl Watcher,
    ) -> Result<Vec<u8>, Failure> {
        let address = scope::address(&format!("{folder}{}", entry.path));
        let shelf = Shelf::open(&address, entry).await;
        let unfinished = self.unfinished.borrow_mut().remove(&entry.sha256);
        let mut arrival = match unfinished {
            Some(arrival) => arrival,
            None => {
                let mut arrival = Arrival::new(entry.clone());
                shelf.fill(&mut arrival).await;
                arrival
            }
        };
        if arrival.received() > 0 {
            watcher.progress(Stage::Kept, arrival.received());
        }
        if arrival.is_whole() {
            if arrival.is_sound() {
                return Ok(arrival.into_bytes());
            }
            // A kept copy has gone bad: nobody needs to know, there are others.
            shelf.clear().await;
            arrival.cut(0);
        }
        let mut complaint = String::new();
        // The second time past every cache on the way.
        for cache in [RequestCache::Default, RequestCache::Reload] {
            let result = complete(&address, cache, &mut arrival, &shelf, watcher).await;
            if let Err(failure) = result {
                shelf.settle().await;
                self.unfinished
                    .borrow_mut()
                    .insert(entry.sha256.clone(), arrival);
                return Err(named(&entry.path, failure));
            }
            if arrival.is_sound() {
                shelf.settle().await;
                return Ok(arrival.into_bytes());
            }
            complaint = arrival.complaint();
            shelf.clear().await;
            arrival.cut(0);
        }
        let sentence = format!(
            "{} arrived damaged twice ({complaint}). Try again; if that does not help, the files \
             on the server do not fit together.",
            entry.path
        );
        Err(Failure::new(FailureKind::Download, sentence))
    }

    /// Keeps a sound file for the next attempt.
    pub(crate) fn put_back(&self, entry: &FileEntry, bytes: &[u8]) {
        let mut arrival = Arrival::new(entry.clone());
        arrival.push(bytes);
        self.unfinished
            .borrow_mut()
            .insert(entry.sha256.clone(), arrival);
    }
}

/// A small file that nothing vouches for, as the server has it now; where that does not answer, as the
/// service worker kept it. `breaks` is told of every
/// connection that broke and is tried again.
///
/// # Errors
///
/// If it cannot be had, or nobody waits for it any more.
pub(crate) async fn small(
    path: &str,
    gave_up: &impl Fn() -> bool,
    breaks: impl Fn(),
) -> Result<Vec<u8>, Failure> {
    let address = scope::address(path);
    let mut patience = Patience::default();
    loop {
        let trouble = match attempt(&address, gave_up).await {
            Ok(bytes) => return Ok(bytes),
            Err(trouble) => trouble,
        };
        let may_pass = trouble.may_pass && !gave_up();
        let wait = may_pass.then(|| patience.after_failure(0)).flatten();
        match wait {
            Some(wait) => {
                breaks();
                scope::sleep_unless(wait, gave_up).await;
            }
            None => return Err(named(path, trouble)),
        }
    }
}

/// What is wrong with an answer in which no file of that kind has come: a login page has, say, that
/// somebody on the way sends.
pub(crate) fn something_else(path: &str) -> Failure {
    named(
        path,
        Trouble::broken("something else came in its place".to_owned()),
    )
}

async fn attempt(address: &str, gave_up: &impl Fn() -> bool) -> Result<Vec<u8>, Trouble> {
    let connection = Connection::open(address, RequestCache::NoCache, 0, gave_up)
        .await
        .map_err(Trouble::broken)?;
    match Answer::read(connection.status, None, 0) {
        Answer::From(_) => {}
        answer => return Err(Trouble::refused(answer, connection.status)),
    }
    let mut bytes = Vec::new();
    while let Some(more) = connection.next(gave_up).await.map_err(Trouble::broken)? {
        bytes.extend(more.to_vec());
    }
    Ok(bytes)
}

/// Downloads what is missing. Comes back without trouble also when the server has no more to
/// give.
async fn complete(
    address: &str,
    cache: RequestCache,
    arrival: &mut Arrival,
    shelf: &Shelf,
    watcher: &impl Watcher,
) -> Result<(), Trouble> {
    let mut patience = Patience::default();
    while !arrival.is_whole() {
        let before = arrival.received();
        match transfer(address, cache, arrival, shelf, watcher).await {
            Ok(()) if arrival.received() <= before => return Ok(()),
            Ok(()) => {}
            Err(trouble) => {
                let may_pass = trouble.may_pass && !watcher.gave_up();
                let wait = may_pass
                    .then(|| patience.after_failure(arrival.received()))
                    .flatten();
                let Some(wait) = wait else {
                    return Err(trouble);
                };
                watcher.progress(Stage::Broken, arrival.received());
                scope::sleep_unless(wait, &|| watcher.gave_up()).await;
            }
        }
    }
    Ok(())
}

/// One connection's worth of a file.
async fn transfer(
    address: &str,
    cache: RequestCache,
    arrival: &mut Arrival,
    shelf: &Shelf,
    watcher: &impl Watcher,
) -> Result<(), Trouble> {
    let from = arrival.received();
    let gave_up = || watcher.gave_up();
    let mut connection = Connection::open(address, cache, from, &gave_up)
        .await
        .map_err(Trouble::broken)?;
    let mut answer = Answer::read(connection.status, connection.content_range.as_deref(), from);
    if answer == Answer::AskForAll && from > 0 {
        connection = Connection::open(address, cache, 0, &gave_up)
            .await
            .map_err(Trouble::broken)?;
        answer = Answer::read(connection.status, connection.content_range.as_deref(), 0);
    }
    match answer {
        Answer::From(first) if first == from => {}
        Answer::From(first) => {
            // What is kept of the part that comes again would be kept twice. What stays is kept
            // anew, or the next visit would find a gap at the beginning.
            shelf.clear().await;
            arrival.cut(first);
            shelf.keep(arrival);
        }
        answer => return Err(Trouble::refused(answer, connection.status)),
    }
    while !arrival.is_whole() {
        let Some(bytes) = connection.next(&gave_up).await.map_err(Trouble::broken)? else {
            return Ok(());
        };
        arrival.push(&bytes.to_vec());
        shelf.keep(arrival);
        watcher.progress(Stage::Arriving, arrival.received());
    }
    Ok(())
}

/// Forgets what no visit needs any more: caches of other layouts, and files of the pair in
/// `folder` that have none of these hashes.
pub(crate) async fn tidy(folder: &str, hashes: &[&str]) {
    shelf::tidy(&scope::address(folder), hashes).await;
}

/// Why an attempt came to nothing.
struct Trouble {
    /// In a few words.
    why: String,
    /// Whether another attempt may fare better.
    may_pass: bool,
}

impl Trouble {
    fn broken(why: String) -> Self {
        Self {
            why,
            may_pass: true,
        }
    }

    fn refused(answer: Answer, status: u16) -> Self {
        Self {
            why: format!("the server answered {status}"),
            may_pass: answer == Answer::Later,
        }
    }
}

fn named(path: &str, trouble: Trouble) -> Failure {
    let sentence = format!(
        "{path} could not be downloaded ({}). Check the connection and try again: what has \
         arrived is kept.",
        trouble.why
    );
    Failure::new(FailureKind::Download, sentence)
}
