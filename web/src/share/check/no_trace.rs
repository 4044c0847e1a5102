//! What a text is that is no trace, in a sentence for the person who has it.

use couplet_playback::tr;
use couplet_protocol::{Branch, DeviceInfo, Event, PairInfo, Settings, VERSION};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::rounds::place;
use super::{at, damaged};
use crate::language;
use crate::permalink::{cannot_be, shorten};

/// What is wrong with a text that was refused with a sentence, and what to do.
pub fn said(text: &str, sentence: &str) -> String {
    let what = if text.trim().is_empty() {
        tr!("it is empty")
    } else if text.starts_with("round,column") || text.starts_with("gamma,auto,") {
        // The page's own tables, of a run and of a measurement.
        tr!("it is a table (CSV)")
    } else {
        match serde_json::from_str::<Value>(text) {
            Err(error) => tr!(
                "it is not complete JSON, at line {line}, column {column} it cannot be read on, and may have been cut off or changed",
                line = error.line(),
                column = error.column()
            ),
            Ok(Value::Object(object)) => match odd(&object) {
                Some(what) => what,
                None => {
                    let clause = fault_of(&object);
                    return clause.map_or_else(|| language::of_engine(sentence), damaged);
                }
            },
            Ok(Value::Array(_)) => tr!("it is a list; take one run out of it"),
            Ok(_) => tr!("it has no version"),
        }
    };
    tr!(
        "This file is not a trace that can be replayed: {what}. Choose the file that “Trace as JSON” gave.",
        what
    )
}

/// What an object is that is no trace of this version.
fn odd(object: &Map<String, Value>) -> Option<String> {
    if object.contains_key("request") && object.contains_key("gammas") {
        return Some(tr!("it is the report of a measurement"));
    }
    let is_run = |(_, value): &(&String, &Value)| value.get("version").is_some();
    match object.get("version") {
        Some(version) if *version == VERSION => None,
        Some(version) => Some(tr!(
            "its version is {found}, not the number {known}",
            found = shorten(&version.to_string()),
            known = VERSION
        )),
        None => Some(match object.iter().find(is_run) {
            Some((key, _)) => tr!("a trace is inside it, as “{key}”", key = shorten(key)),
            None => tr!("it has no version"),
        }),
    }
}

/// Says why a text in JSON is not of a type, if it is not.
type Reader = fn(&str) -> Option<serde_json::Error>;

fn reader<T: DeserializeOwned>(text: &str) -> Option<serde_json::Error> {
    serde_json::from_str::<T>(text).err()
}

/// A clause about the first part of a trace that is not as it has to be.
fn fault_of(trace: &Map<String, Value>) -> Option<String> {
    let parts: [(&str, Reader); 4] = [
        ("settings", reader::<Settings>),
        ("pair", reader::<PairInfo>),
        ("device", reader::<DeviceInfo>),
        ("branch", reader::<Option<Branch>>),
    ];
    for (name, read) in parts {
        let clause = match trace.get(name) {
            Some(part) => fault(read, part, name),
            None => (name != "branch").then(|| missing(name)),
        };
        if clause.is_some() {
            return clause;
        }
    }
    let Some(events) = trace.get("events").and_then(Value::as_array) else {
        return Some(missing("events"));
    };
    events.iter().enumerate().find_map(|(index, event)| {
        let clause = fault(reader::<Event>, event, "event")?;
        let round = event.get("round").and_then(Value::as_u64);
        Some(at(clause, &place(index, round)))
    })
}

/// A clause about what keeps a part of a trace from being of its type, which is found by leaving
/// out one field after the other: the messages of a type do not say where.
fn fault(read: Reader, part: &Value, name: &str) -> Option<String> {
    let error = reason(read, part)?;
    if let Some(field) = error.strip_prefix("missing field `") {
        return Some(missing(field.trim_end_matches('`')));
    }
    let mut at_fault = (name.to_owned(), part);
    for (field, value) in part.as_object().into_iter().flatten() {
        let mut rest = part.clone();
        if let Value::Object(rest) = &mut rest {
            rest.remove(field);
        }
        // What says of which kind an event is counts last: nothing is right without it.
        if reason(read, &rest).as_ref() != Some(&error) {
            at_fault = match name {
                "event" => (field.clone(), value),
                _ => (format!("{name}.{field}"), value),
            };
            if field != "event" {
                break;
            }
        }
    }
    let (path, value) = at_fault;
    if error.starts_with("unknown field") {
        return Some(format!("{path}: {}", tr!("there is no such option")));
    }
    Some(cannot_be(&path, &plain(value)))
}

/// Why a value is not of a type, without a place.
fn reason(read: Reader, value: &Value) -> Option<String> {
    let error = read(&value.to_string())?.to_string();
    error.split(" at line ").next().map(str::to_owned)
}

/// A value as a person reads it.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn missing(name: &str) -> String {
    tr!("{name} is missing", name)
}
