//! `window.couplet.couple`: what it accepts and what it returns.

use couplet_playback::tr;
use couplet_protocol::{CoupleRequest, Coupled, CouplingName, MAX_SEED, Settings};
use couplet_speculation::couplings::Coupling;
use couplet_speculation::input::{
    Argument, InputError, MAX_JOINT_TOKENS, MAX_TRIALS, check_argument, check_trials, normalised,
};
use couplet_speculation::total_variation;
use serde_json::{Map, Value, json};

use super::throwing::name_of;
use super::words::of_input;

/// The option at fault, and a sentence about it.
pub type Fault = (String, String);

const OPTIONS: [&str; 6] = ["draft", "target", "rule", "trials", "seed", "normalise"];

/// The request in the options of a call.
///
/// # Errors
/// The first option that does not work, and why.
pub fn read(options: &Map<String, Value>) -> Result<CoupleRequest, Fault> {
    if let Some(name) = options
        .keys()
        .find(|name| !OPTIONS.contains(&name.as_str()))
    {
        return Err(fault(name, tr!("there is no such option")));
    }
    let normalise = match options.get("normalise") {
        None => false,
        Some(Value::Bool(normalise)) => *normalise,
        Some(_) => return Err(fault("normalise", tr!("must be true or false"))),
    };
    let draft = probabilities(options, Argument::Draft, normalise)?;
    let target = probabilities(options, Argument::Target, normalise)?;
    if draft.len() != target.len() {
        let (draft, target) = (draft.len(), target.len());
        let error = InputError::LengthsDiffer { draft, target };
        return Err(fault("target", of_input(&error)));
    }
    let name = options.get("rule").and_then(Value::as_str);
    let mut couplings = CouplingName::ALL.into_iter();
    let rule = couplings.find(|coupling| name == Some(coupling.name()));
    let rule = rule.ok_or_else(|| {
        let names = tr!("must be \"independent\", \"minhash\", \"gumbel\" or \"optimal\"");
        fault("rule", names)
    })?;
    let trials = match options.get("trials") {
        None => Some(20_000),
        Some(trials) => whole(trials),
    };
    let trials = trials
        .filter(|trials| check_trials(*trials).is_ok())
        .ok_or_else(|| fault("trials", tr!("must be a whole number, 1 to {}", MAX_TRIALS)))?;
    let seed = match options.get("seed") {
        None => Some(Settings::default().seed),
        Some(seed) => whole(seed),
    };
    let seed = seed
        .filter(|seed| *seed <= MAX_SEED)
        .ok_or_else(|| fault("seed", tr!("must be a whole number, 0 to {}", MAX_SEED)))?;
    Ok(CoupleRequest {
        draft,
        target,
        rule,
        trials,
        seed,
    })
}

/// What is exact of a request, beside which its counts can be held.
pub fn exact(request: &CoupleRequest) -> Value {
    let coupling = Coupling::ALL
        .into_iter()
        .find(|coupling| name_of(*coupling) == request.rule);
    let (draft, target) = (&request.draft, &request.target);
    json!({
        "agreement": coupling.map(|coupling| coupling.agreement(draft, target)),
        "total_variation": total_variation(draft, target),
    })
}

/// What the call returns: the counts as rows of the draft's tokens and columns of the target's, and
/// what is [`exact`].
pub fn answer(coupled: &Coupled, tokens: usize, exact: &Value) -> Value {
    let rows: Vec<&[u32]> = coupled.counts.chunks(tokens.max(1)).collect();
    json!({
        "counts": rows,
        "exact": exact,
        "trials": coupled.trials,
        "backend": coupled.backend,
        "milliseconds": coupled.milliseconds,
    })
}

fn fault(name: &str, sentence: String) -> Fault {
    (name.to_owned(), sentence)
}

/// A whole number, also when a script wrote it as `1e6`.
fn whole(value: &Value) -> Option<u64> {
    let fraction = || {
        value
            .as_f64()
            .filter(|value| value.fract() == 0.0 && *value >= 0.0)
    };
    value
        .as_u64()
        .or_else(|| fraction().map(|value| value as u64))
}

fn probabilities(
    options: &Map<String, Value>,
    argument: Argument,
    normalise: bool,
) -> Result<Vec<f64>, Fault> {
    let name = argument.name();
    let Some(Value::Array(list)) = options.get(name) else {
        return Err(fault(name, tr!("must be a list of probabilities")));
    };
    let mut probs = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        // NaN and Infinity arrive as null.
        let Some(prob) = value.as_f64() else {
            let sentence = tr!("number {} of the list is not a number", index + 1);
            return Err(fault(name, sentence));
        };
        probs.push(prob);
    }
    if probs.len() > MAX_JOINT_TOKENS {
        let count = probs.len();
        return Err(fault(name, of_input(&InputError::JointTooLarge { count })));
    }
    if normalise && let Ok(probs) = normalised(&probs) {
        return Ok(probs);
    }
    check_argument(argument, &probs).map_err(|error| {
        let wrong_sum = normalised(&probs).is_ok() && probs.len() > 1;
        let sentence = of_input(&error);
        let sentence = match wrong_sum {
            true => tr!(
                "{sentence}; add normalise: true to have that done",
                sentence
            ),
            false => sentence,
        };
        fault(name, sentence)
    })?;
    Ok(probs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: &[(&str, Value)]) -> Option<Fault> {
        let mut options = Map::new();
        for (name, value) in [
            ("draft", json!([0.5, 0.5])),
            ("target", json!([0.25, 0.75])),
            ("rule", json!("gumbel")),
            ("trials", json!(10)),
        ] {
            options.insert(name.to_owned(), value);
        }
        for (name, value) in change {
            options.insert((*name).to_owned(), value.clone());
        }
        read(&options).err()
    }

    #[test]
    fn every_bad_argument_is_named() {
        let many = vec![1.0 / 2049.0; 2049];
        for (name, value) in [
            ("draft", json!([1.5, -0.5])),
            ("draft", json!([0.5, null])),
            ("draft", json!([0.5, 0.75])),
            ("draft", json!([0, 0])),
            ("draft", json!([1])),
            ("draft", json!("0.5, 0.5")),
            ("draft", json!(many)),
            ("target", json!([0.2, 0.3, 0.5])),
            ("target", Value::Null),
            ("rule", json!("coin")),
            ("rule", Value::Null),
            ("rule", json!({ "gumbel": null })),
            ("trials", json!(0)),
            ("trials", json!(1e12)),
            ("trials", json!(1.5)),
            ("seed", json!(-1)),
            ("seed", json!(1e17)),
            ("normalise", json!(1)),
            ("tials", json!(1)),
        ] {
            let fault = refused(&[(name, value.clone())]);
            assert_eq!(fault.map(|fault| fault.0).as_deref(), Some(name), "{value}");
        }
        assert_eq!(refused(&[]), None);
        assert_eq!(refused(&[("trials", json!(1e6))]), None);
    }

    #[test]
    fn a_wrong_sum_is_told_and_normalised_on_request() {
        let wrong = ("draft", json!([0.5, 0.75]));
        let (_, sentence) = refused(std::slice::from_ref(&wrong)).unwrap_or_default();
        assert!(
            sentence.contains("1.25") && sentence.contains("normalise"),
            "{sentence}"
        );
        assert_eq!(refused(&[wrong, ("normalise", json!(true))]), None);
    }
}
