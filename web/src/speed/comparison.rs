//! Two backends beside each other.

use couplet_playback::decimal;
use couplet_protocol::{BackendKind, SpeedReport};
use tr::tr;

use super::reading::{Fastest, fastest};
use super::words;

/// Which backend to use.
pub struct Comparison {
    /// The faster one, where that can be told.
    pub winner: Option<BackendKind>,
    /// The same in words.
    pub says: String,
}

/// Which of two backends writes faster when each does what it does best. Nothing is claimed where
/// the ranges of their runs overlap.
pub fn compare(one: &SpeedReport, two: &SpeedReport) -> Comparison {
    let (a, b) = (fastest(one), fastest(two));
    let (first, second) = (one.device.backend, two.device.backend);
    let sides = tr!("At their best: {}, {}.", side(first, &a), side(second, &b));
    let (winner, ratio) = if a.speed.min > b.speed.max {
        (Some(first), a.speed.median / b.speed.median)
    } else if b.speed.min > a.speed.max {
        (Some(second), b.speed.median / a.speed.median)
    } else {
        (None, 1.0)
    };
    let verdict = match winner {
        Some(winner) => tr!(
            "Here the {backend} is {ratio} times as fast.",
            backend = words::backend(winner),
            ratio = decimal(ratio, 1)
        ),
        None => tr!("The ranges of their runs overlap, so it is left open which is faster."),
    };
    Comparison {
        winner,
        says: format!("{sides} {verdict}"),
    }
}

fn side(kind: BackendKind, fastest: &Fastest) -> String {
    let backend = words::backend(kind);
    let rate = words::rate(fastest.speed.median);
    match &fastest.row {
        None => tr!(
            "{backend} {rate} tokens per second by the target alone",
            backend,
            rate
        ),
        Some(_) if fastest.auto => tr!(
            "{backend} {rate} tokens per second with γ chosen by the engine",
            backend,
            rate
        ),
        Some(row) => tr!(
            "{backend} {rate} tokens per second with γ {gamma}",
            backend,
            rate,
            gamma = words::gamma(row)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::report;
    use super::*;
    use couplet_protocol::TokensPerSecond;

    #[test]
    fn no_backend_wins_while_the_runs_overlap() {
        let with = |backend, min, median, max| {
            let mut report = report(&[(1, [0.8, 0.9])]);
            report.device.backend = backend;
            report.target_alone = TokensPerSecond { median, min, max };
            report
        };
        let gpu = with(BackendKind::Gpu, 90.0, 100.0, 110.0);
        let overlaps = compare(&gpu, &with(BackendKind::Cpu, 105.0, 120.0, 130.0));
        assert_eq!(overlaps.winner, None);
        assert!(overlaps.says.contains("left open"), "{}", overlaps.says);
        let beats = compare(&gpu, &with(BackendKind::Cpu, 190.0, 200.0, 210.0));
        assert_eq!(beats.winner, Some(BackendKind::Cpu));
        assert!(beats.says.contains("2.0 times"), "{}", beats.says);
    }
}
