//! The engine in a dedicated Web Worker: takes commands, posts replies, both as JSON.

mod browser_cache;
mod download;
mod exhibit;
mod known_choices;
mod ladder;
mod loading;
mod scope;
mod session;
mod stillness;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use couplet_protocol::{Command, Failure, FailureKind, Reply};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Event, MessageEvent};

use crate::session::Session;

#[allow(unsafe_code, reason = "declared by the linker, not by any crate")]
mod constructors {
    unsafe extern "C" {
        fn __wasm_call_ctors();
    }

    /// Runs the static constructors once. Without this explicit call the linker wraps every
    /// export in a function that runs them all again on each call from JavaScript.
    pub(crate) fn run() {
        // SAFETY: called once, first thing in `run`, as a program's start code would.
        unsafe { __wasm_call_ctors() }
    }
}

/// Tells the page that this worker is of no more use.
fn report_fault() {
    let sentence = "The engine stopped because of a fault inside Couplet or because memory ran out. \
                    It can be started again; your text and settings are kept.";
    let failure = Failure::new(FailureKind::Internal, sentence);
    scope::post(&Reply::Failed { id: None, failure });
}

/// Listens to the page from here on: all that the binaries do, of which there is one for browsers
/// that know relaxed SIMD and one for the others.
pub fn run() {
    constructors::run();
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        report_fault();
    }));
    // What ends without a panic, such as memory that has run out, ends as a rejected promise.
    let rejected = Closure::<dyn FnMut(Event)>::new(|_| report_fault());
    // Fails only for a null listener.
    scope::scope()
        .add_event_listener_with_callback("unhandledrejection", rejected.as_ref().unchecked_ref())
        .ok();
    rejected.forget();
    let session = Rc::new(Session::default());
    let queue: Rc<RefCell<VecDeque<Command>>> = Rc::default();
    let busy = Rc::new(RefCell::new(false));
    let receive = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Some(text) = event.data().as_string() else {
            return;
        };
        match serde_json::from_str::<Command>(&text) {
            // Stopping does not wait for its turn.
            Ok(Command::Stop { id }) => {
                session.stop(id);
                scope::post(&Reply::Alive);
            }
            // These need no models and do not wait for those that do.
            Ok(Command::Pairs { id }) => {
                let session = session.clone();
                wasm_bindgen_futures::spawn_local(async move { session.pairs(id).await });
            }
            Ok(command @ (Command::Couple { .. } | Command::CountRounds { .. })) => {
                let session = session.clone();
                wasm_bindgen_futures::spawn_local(async move { session.exhibit(command).await });
            }
            Ok(command) => {
                queue.borrow_mut().push_back(command);
                if !busy.replace(true) {
                    let (session, queue, busy) = (session.clone(), queue.clone(), busy.clone());
                    wasm_bindgen_futures::spawn_local(async move {
                        loop {
                            let next = queue.borrow_mut().pop_front();
                            let Some(command) = next else { break };
                            session.obey(command).await;
                        }
                        busy.replace(false);
                    });
                }
            }
            Err(error) => {
                let sentence =
                    format!("The page sent a command that the engine does not know: {error}.");
                let failure = Failure::new(FailureKind::Internal, sentence);
                scope::post(&Reply::Failed { id: None, failure });
            }
        }
    });
    scope::scope().set_onmessage(Some(receive.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    receive.forget();
    scope::post(&Reply::Started);
}
