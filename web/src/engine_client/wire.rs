//! The engine client's plain parts: its queue, and what replies and addresses mean.

use std::collections::VecDeque;

use couplet_protocol::{BackendChoice, Command, Event, Failure, FailureKind, FinishReason, Reply};
use wasm_bindgen::prelude::Closure;
use web_sys::{Event as DomEvent, MessageEvent, Worker};

use crate::browser;

/// The worker's script, which trunk puts beside the page.
pub const WORKER_SCRIPT: &str = "couplet-worker_loader.js";

/// Why there is no worker.
pub const NO_WORKER: &str = "This browser did not let the engine start.";

/// Sees the replies to one request.
pub type Sink = Box<dyn FnMut(&Reply)>;
/// Waits for the engine to be ready, or for the list of pairs.
pub type Waiter = Box<dyn FnOnce(Result<(), Failure>)>;

/// A command, its number and who wants the replies.
pub struct Request {
    pub id: u32,
    pub command: Command,
    pub sink: Sink,
}

/// A worker and the closures that listen to it.
pub struct Live {
    pub worker: Worker,
    pub _on_message: Closure<dyn FnMut(MessageEvent)>,
    pub _on_error: Closure<dyn FnMut(DomEvent)>,
}

/// What the client keeps between messages.
#[derive(Default)]
pub struct Inner {
    pub live: Option<Live>,
    pub generation: u32,
    pub started: bool,
    /// How often a worker was heard.
    pub heard: u32,
    /// How often in a row the worker's script was not to be had.
    pub misses: usize,
    pub last_id: u32,
    pub queue: VecDeque<Request>,
    pub active: Option<Request>,
    /// Requests that do not wait for the queue: posted as soon as there is a worker.
    pub aside: Vec<Request>,
    pub restarts: u32,
    /// How often a pair was asked for.
    pub loads: u32,
    pub waiters: Vec<Waiter>,
    pub pairs_waiters: Vec<Waiter>,
    pub pair: String,
    pub backend: BackendChoice,
}

/// The failure of everything that waited for a worker which died.
pub fn crash_failure(sentence: &str) -> Failure {
    Failure::new(FailureKind::Internal, sentence)
}

/// Address of the worker, beside the page wherever that is hosted. The engine's files have the same
/// names in every build; what stands after them, the loader hands on, keeps a page from those of
/// another build that the browser still has.
pub fn worker_url() -> String {
    let build = browser::build_hash().unwrap_or_default();
    format!("{WORKER_SCRIPT}?{build}")
}

/// The request that a reply belongs to.
pub fn reply_id(reply: &Reply) -> Option<u32> {
    match reply {
        Reply::Alive | Reply::Started => None,
        Reply::Pairs { id, .. }
        | Reply::Loading { id, .. }
        | Reply::Loaded { id, .. }
        | Reply::Events { id, .. }
        | Reply::Distribution { id, .. }
        | Reply::Benching { id, .. }
        | Reply::Benched { id, .. }
        | Reply::Coupled { id, .. }
        | Reply::RoundsCounted { id, .. } => Some(*id),
        Reply::Failed { id, .. } => *id,
    }
}

/// The last reply to a request that somebody stops before the engine has it.
pub fn stopped_reply(request: &Request) -> Reply {
    let id = request.id;
    match request.command {
        Command::Generate { .. } => Reply::Events {
            id,
            events: vec![Event::Finished {
                reason: FinishReason::Stopped,
            }],
        },
        _ => Reply::Failed {
            id: Some(id),
            failure: Failure::measurement_stopped(),
        },
    }
}

/// Whether a reply is the last one to its request.
pub fn is_last(reply: &Reply) -> bool {
    match reply {
        Reply::Alive | Reply::Started | Reply::Loading { .. } | Reply::Benching { .. } => false,
        Reply::Events { events, .. } => events
            .iter()
            .any(|event| matches!(event, Event::Finished { .. })),
        _ => true,
    }
}
