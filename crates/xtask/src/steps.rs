//! Steps that say their name and how long they took.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// Does `work`, printing `name …` before it and `name … 31 s` after it.
///
/// # Errors
/// Those of `work`, led by the name of the step.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("{name} …");
    let start = Instant::now();
    let outcome = work().with_context(|| name.to_owned());
    let end = if outcome.is_ok() { "" } else { ", failed" };
    println!("{name} … {}{end}", duration(start.elapsed()));
    outcome
}

/// `0.4 s`, `31 s`, `4 min 5 s`.
pub fn duration(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        _ => format!("{} min {} s", whole / 60, whole % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_speech() {
        let check = |milliseconds, expect| {
            assert_eq!(duration(Duration::from_millis(milliseconds)), expect);
        };
        check(410, "0.4 s");
        check(9_499, "9.5 s");
        check(31_200, "31 s");
        check(59_700, "1 min 0 s");
        check(245_000, "4 min 5 s");
    }
}
