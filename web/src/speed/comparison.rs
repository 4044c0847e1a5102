//! Two backends beside each other.

use couplet_protocol::{BackendKind, SpeedReport};

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
    let sides = format!("At their best: {}, {}.", side(first, &a), side(second, &b));
    let (winner, ratio) = if a.speed.min > b.speed.max {
        (Some(first), a.speed.median / b.speed.median)
    } else if b.speed.min > a.speed.max {
        (Some(second), b.speed.median / a.speed.median)
    } else {
        (None, 1.0)
    };
    let says = match winner {
        Some(winner) => format!(
            "{sides} Here the {} is {ratio:.1} times as fast.",
            words::backend(winner)
        ),
        None => format!("{sides} Their runs overlap, so these runs cannot tell which is faster."),
    };
    Comparison { winner, says }
}

fn side(kind: BackendKind, fastest: &Fastest) -> String {
    let how = match &fastest.row {
        None => "by the target alone".to_owned(),
        Some(_) if fastest.auto => "with γ chosen by the engine".to_owned(),
        Some(row) => format!("with γ {}", words::gamma(row)),
    };
    format!(
        "{} {} tokens per second {how}",
        words::backend(kind),
        words::rate(fastest.speed.median)
    )
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
        assert!(overlaps.says.contains("cannot tell"), "{}", overlaps.says);
        let beats = compare(&gpu, &with(BackendKind::Cpu, 190.0, 200.0, 210.0));
        assert_eq!(beats.winner, Some(BackendKind::Cpu));
        assert!(beats.says.contains("2.0 times"), "{}", beats.says);
    }
}
