//! Two backends beside each other.

use couplet_playback::{decimal, tr};
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

/// Which of two backends, or `elsewhere` of the device that a file is from and this one, writes faster when each does what it does best. Nothing is claimed where
/// the intervals of their medians overlap, or where there are too few runs for these.
pub fn compare(one: &SpeedReport, two: &SpeedReport, elsewhere: bool) -> Comparison {
    let (a, b) = (fastest(one), fastest(two));
    let (first, second) = (one.device.backend, two.device.backend);
    let names = match elsewhere {
        true => [tr!("there"), tr!("here")],
        false => [first, second].map(|kind| words::backend(kind).to_owned()),
    };
    let sides = tr!(
        "At their best: {}, {}.",
        side(&names[0], &a),
        side(&names[1], &b)
    );
    let intervals = a.interval.zip(b.interval);
    let (winner, ratio) = match intervals {
        Some(([low, _], [_, high])) if low > high => (Some(first), a.median / b.median),
        Some(([_, high], [low, _])) if low > high => (Some(second), b.median / a.median),
        _ => (None, 1.0),
    };
    // Not “1.0 times as fast”.
    let ratio = match ratio < 1.095 {
        true => words::bound(ratio),
        false => decimal(ratio, 1),
    };
    let verdict = match winner {
        Some(_) if elsewhere && a.median > b.median => {
            tr!("There it is {ratio} times as fast.", ratio)
        }
        Some(_) if elsewhere => tr!("Here it is {ratio} times as fast.", ratio),
        Some(winner) => tr!(
            "Here the {backend} is {ratio} times as fast.",
            backend = words::backend(winner),
            ratio
        ),
        None if intervals.is_some() => tr!(
            "The 95 % intervals of these medians, each for the best of what was timed there, overlap, so it is left open which is faster."
        ),
        None => tr!(
            "There are too few runs for 95 % intervals of these medians, so it is left open which is faster."
        ),
    };
    Comparison {
        winner,
        says: format!("{sides} {verdict}"),
    }
}

fn side(backend: &str, fastest: &Fastest) -> String {
    let rate = words::rate(fastest.median);
    match &fastest.row {
        None => tr!(
            "{backend} {rate} tokens per second by the target alone, over all its runs",
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
    use couplet_protocol::{RunTime, TokensPerSecond};

    /// A report of two draft lengths in which the target alone, in all its runs, is the fastest, each
    /// of these speeds so often.
    fn alone(backend: BackendKind, speeds: &[(f64, usize)]) -> SpeedReport {
        let mut report = report(&[(1, [0.8, 0.9]), (2, [0.8, 0.9])]);
        report.device.backend = backend;
        let all = speeds
            .iter()
            .flat_map(|(speed, times)| vec![*speed; *times]);
        let run = |speed: f64| RunTime {
            tokens: 100,
            milliseconds: 1e5 / speed,
        };
        let runs: Vec<[RunTime; 2]> = all.map(|speed| [run(1.0), run(speed)]).collect();
        let median = runs[runs.len() / 2][1].speed();
        for row in &mut report.gammas {
            row.runs = runs.clone();
        }
        // The range takes in whatever a busy moment makes of a single run.
        report.target_alone = TokensPerSecond {
            median,
            min: speeds[0].0,
            max: speeds[speeds.len() - 1].0,
        };
        report
    }

    /// Beside every draft length that was timed stands the target alone, in the same minutes and with the
    /// same text: two lengths know it no better than one.
    #[test]
    fn what_is_timed_beside_several_counts_once_a_pair() {
        let of = |lengths: &[(u32, [f64; 2])]| {
            let run = |speed: f64| RunTime {
                tokens: 100,
                milliseconds: 1e5 / speed,
            };
            let mut report = report(lengths);
            for row in &mut report.gammas {
                row.runs = (0..13)
                    .map(|pair| [run(1.0), run(100.0 + 10.0 * f64::from(pair))])
                    .collect();
            }
            report.target_alone.median = 160.0;
            fastest(&report).interval
        };
        let two = of(&[(1, [0.8, 0.9]), (2, [0.8, 0.9])]).unwrap();
        assert_eq!(two, [110.0, 210.0]);
    }

    #[test]
    fn no_backend_wins_while_the_intervals_of_their_medians_overlap() {
        let gpu = alone(BackendKind::Gpu, &[(90.0, 4), (100.0, 5), (110.0, 4)]);
        let beside = [(80.0, 4), (105.0, 5), (130.0, 4)];
        let overlaps = compare(&gpu, &alone(BackendKind::Cpu, &beside), false);
        assert_eq!(overlaps.winner, None);
        assert!(overlaps.says.contains("overlap"), "{}", overlaps.says);
        let beats = compare(&gpu, &alone(BackendKind::Cpu, &[(200.0, 13)]), false);
        assert_eq!(beats.winner, Some(BackendKind::Cpu));
        assert!(beats.says.contains("2.0 times"), "{}", beats.says);
    }

    #[test]
    fn two_devices_are_told_by_their_places() {
        let [slow, fast] = [100.0, 200.0].map(|speed| alone(BackendKind::Cpu, &[(speed, 13)]));
        let says = compare(&fast, &slow, true).says;
        assert!(says.starts_with("At their best: there 200 "), "{says}");
        assert!(says.contains(", here 100 tokens"), "{says}");
        assert!(says.ends_with(" There it is 2.0 times as fast."), "{says}");
        let says = compare(&slow, &fast, true).says;
        assert!(says.ends_with(" Here it is 2.0 times as fast."), "{says}");
    }

    #[test]
    fn one_slow_run_hides_no_winner() {
        let gpu = alone(BackendKind::Gpu, &[(120.0, 3), (135.0, 7), (150.0, 3)]);
        let cpu = alone(BackendKind::Cpu, &[(140.0, 1), (2000.0, 11), (2100.0, 1)]);
        assert_eq!(compare(&gpu, &cpu, false).winner, Some(BackendKind::Cpu));
        assert_eq!(compare(&cpu, &gpu, false).winner, Some(BackendKind::Cpu));
    }

    #[test]
    fn too_few_runs_leave_it_open_however_clear_they_look() {
        let gpu = alone(BackendKind::Gpu, &[(100.0, 13)]);
        // Seven are enough for the best of three, and each row brings three of them.
        let few = compare(&gpu, &alone(BackendKind::Cpu, &[(200.0, 3)]), false);
        assert_eq!(few.winner, None);
        assert!(few.says.contains("too few runs"), "{}", few.says);
    }
}
