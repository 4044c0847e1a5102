//! What a bench reports. How fast a machine is, is not tested: reports must be whole and agree
//! with themselves wherever they are made.

use std::rc::Rc;

use crate::common::{backends, clock, shipped, tiny, tiny_files_ending, tiny_settings};
use couplet_engine::{Backend, Engine, Pair, bench};
use couplet_protocol::{BackendKind, DeviceInfo, Settings, SpeedReport, SpeedRequest};

fn device() -> DeviceInfo {
    DeviceInfo {
        backend: BackendKind::Cpu,
        name: "a test".to_owned(),
        variant: String::new(),
        reason: None,
    }
}

fn report(engine: &Engine, request: &SpeedRequest) -> SpeedReport {
    pollster::block_on(bench(engine, request, device(), async |_| true))
        .expect("the device works")
        .expect("nobody stops it")
}

fn request(settings: Settings) -> SpeedRequest {
    SpeedRequest {
        settings,
        gammas: vec![1, 3],
        auto: true,
        pairs: 5,
    }
}

#[test]
fn a_report_is_whole_and_agrees_with_itself() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        let request = request(Settings {
            max_tokens: 20,
            ..tiny_settings()
        });
        let report = report(&engine, &request);
        assert_eq!(report.request, request, "{name}");
        assert_eq!(report.tokens, 20, "{name}");
        let card = &engine.pair().card;
        let weights = report.weights.as_ref().unwrap();
        assert_eq!(weights.target, card.target.weights.sha256, "{name}");
        assert_eq!(weights.draft, card.draft.weights.sha256, "{name}");
        assert!(report.tick.is_some_and(f64::is_finite), "{name}");
        assert_eq!(report.gammas.len(), 2, "{name}");
        assert_eq!(report.costs.verify.len(), 2, "{name}");
        for speed in report.gammas.iter().chain(&report.auto) {
            let [low, high] = speed.interval;
            assert!(low <= speed.speed_up && speed.speed_up <= high, "{name}");
            assert_eq!(speed.tokens, 5 * 20, "{name}");
            assert_eq!(speed.runs.len(), 5, "{name}");
            for (runs, ratio) in speed.runs.iter().zip(&speed.ratios) {
                let [written, alone] = runs.map(|run| f64::from(run.tokens) / run.milliseconds);
                assert!((written / alone - ratio).abs() < 1e-9 * ratio, "{name}");
            }
            assert_eq!(speed.verdict, Some(report.verdict(speed)), "{name}");
            // Five pairs give the range of their ratios.
            assert_eq!(speed.confidence, None, "{name}");
            assert!(speed.accepted <= speed.judged, "{name}");
            assert!(Some(speed.judged) <= speed.drafted, "{name}");
            assert!(
                speed.speculation.min > 0.0 && speed.target_alone.min > 0.0,
                "{name}"
            );
        }
        // What is timed as speculation drafts in every round but for a last one without room: the
        // target alone in its place would not.
        for speed in &report.gammas {
            let drafted = speed.drafted.unwrap();
            assert!(drafted + 5 >= speed.rounds, "{name}: {speed:?}");
        }
        let gamma = |index: usize| report.gammas[index].gamma;
        assert_eq!([gamma(0), gamma(1)], [1.0, 3.0], "{name}");
        assert!(
            report.gammas.iter().all(|speed| speed.predicted.is_some()),
            "{name}"
        );
        let costs = &report.costs;
        assert!(costs.target_step > 0.0 && costs.draft_step > 0.0, "{name}");
        let best = report.best().expect("two draft lengths").gamma as u32;
        let lanes: Vec<u32> = report.race.iter().map(|lane| lane.gamma).collect();
        let raced = if report.is_about_auto() { 0 } else { best };
        assert_eq!(lanes, [0, raced], "{name}");
        for lane in &report.race {
            let rising = lane
                .rounds
                .windows(2)
                .all(|pair| pair[0].end <= pair[1].end);
            assert!(rising, "{name}: {lane:?}");
            let tokens: usize = lane.rounds.iter().map(|round| round.tokens.len()).sum();
            assert_eq!(tokens, 20, "{name}");
            let drafted: Vec<u32> = lane.rounds.iter().map(|round| round.gamma).collect();
            let drafts = drafted.iter().any(|count| *count > 0);
            assert_eq!(drafts, lane.gamma > 0, "{name}");
            assert_eq!(lane.readbacks > 0, name == "GPU", "{name}");
        }
        let shares: Vec<u32> = report.shares.iter().map(|share| share.gamma).collect();
        assert_eq!(shares, [0, best], "{name}");
        assert_eq!(report.shares[0].draft, 0.0, "{name}");
        assert!(
            report.shares[1].draft > 0.0 && report.shares[1].target > 0.0,
            "{name}"
        );
    }
}

/// A text that ended after a few tokens would be a run of next to no time, which counts like any other.
#[test]
fn a_timed_text_goes_on_past_its_end() {
    let files = tiny_files_ending(8, 5);
    for (name, backend) in backends() {
        let pair = Rc::new(Pair::new(files.clone()).unwrap());
        let engine = pollster::block_on(Engine::new(pair, &backend, clock)).unwrap();
        let request = request(Settings {
            max_tokens: 30,
            ..tiny_settings()
        });
        let report = report(&engine, &request);
        let mut ends = 0;
        for lane in &report.race {
            let tokens: Vec<u32> = lane
                .rounds
                .iter()
                .flat_map(|round| round.tokens.clone())
                .collect();
            assert_eq!(tokens.len(), 30, "{name}");
            ends += tokens.iter().filter(|token| **token == 5).count();
        }
        assert!(ends > 0, "{name}: some text has to have an end to go past");
        for speed in report.gammas.iter().chain(&report.auto) {
            assert!(
                speed.runs.iter().flatten().all(|run| run.tokens == 30),
                "{name}"
            );
        }
    }
}

/// With nine pairs the interval of one draft length leaves out the two ratios at its ends, and the one
/// that has to hold for both contenders leaves out none.
#[test]
fn intervals_have_the_confidence_that_they_are_given_for() {
    let engine = tiny(&Backend::cpu(), 8);
    let settings = Settings {
        max_tokens: 20,
        ..tiny_settings()
    };
    let request = SpeedRequest {
        pairs: 9,
        gammas: vec![1, 3],
        auto: false,
        ..request(settings)
    };
    let report = report(&engine, &request);
    for speed in &report.gammas {
        let mut sorted = speed.ratios.clone();
        sorted.sort_by(f64::total_cmp);
        assert_eq!(speed.interval, [sorted[1], sorted[7]]);
        assert_eq!(speed.interval_among_all, Some([sorted[0], sorted[8]]));
    }
}

/// What the passes cost is timed in the last places that there are, and no further.
#[test]
fn a_prompt_that_leaves_hardly_any_room_can_be_benched() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        for free in [2, 4] {
            let prompt = "a".repeat(engine.pair().context() - 1 - free);
            let settings = Settings {
                prompt,
                max_tokens: 2,
                ..tiny_settings()
            };
            let request = SpeedRequest {
                gammas: vec![1, 8],
                ..request(settings)
            };
            let report = report(&engine, &request);
            assert!(report.costs.target_step > 0.0, "{name}, {free} free");
        }
    }
}

#[test]
fn a_bench_tells_how_far_it_is_and_stops_when_asked() {
    let engine = tiny(&Backend::cpu(), 8);
    let request = request(Settings {
        max_tokens: 10,
        ..tiny_settings()
    });
    let mut seen = Vec::new();
    let go_on = async |progress: couplet_engine::Progress<'_>| {
        seen.push((progress.stage.to_owned(), progress.done));
        assert_eq!(progress.runs, 4 + 3 * 2 * 5);
        progress.done < 12
    };
    let stopped = pollster::block_on(bench(&engine, &request, device(), go_on));
    assert_eq!(stopped.expect("the device works"), None);
    assert_eq!(seen.last().map(|(_, done)| *done), Some(12));
    assert!(seen.iter().any(|(stage, _)| stage == "1 drafted token"));
    assert!(seen.windows(2).all(|pair| pair[0].1 <= pair[1].1));
}

/// The last passes by themselves are timed when all runs are done.
#[test]
fn a_bench_hears_a_stop_while_it_times_passes() {
    let engine = tiny(&Backend::cpu(), 8);
    let request = request(Settings {
        max_tokens: 10,
        ..tiny_settings()
    });
    let go_on = async |progress: couplet_engine::Progress<'_>| progress.done < progress.runs;
    let stopped = pollster::block_on(bench(&engine, &request, device(), go_on));
    assert_eq!(stopped.expect("the device works"), None);
}

/// With room for one token nothing is drafted, so there is no acceptance rate to predict from.
#[test]
fn nothing_is_predicted_where_nothing_was_judged() {
    let engine = tiny(&Backend::cpu(), 8);
    let settings = Settings {
        prompt: "a".repeat(engine.pair().context() - 2),
        max_tokens: 1,
        ..tiny_settings()
    };
    let report = report(&engine, &request(settings));
    for speed in report.gammas.iter().chain(&report.auto) {
        assert_eq!((speed.drafted, speed.judged), (Some(0), 0));
        assert_eq!(speed.predicted, None);
    }
}

#[test]
fn a_request_out_of_range_is_refused() {
    let engine = tiny(&Backend::cpu(), 8);
    let request = SpeedRequest {
        pairs: 1,
        ..request(tiny_settings())
    };
    let refused = pollster::block_on(bench(&engine, &request, device(), async |_| true));
    let failure = refused.expect_err("one pair is too few").failure();
    assert_eq!(failure.field.as_deref(), Some("pairs"));
}

/// `cargo test --package couplet-engine --test engine -- --ignored --nocapture` prints what
/// this machine's CPU does, with `COUPLET_BENCH_BACKEND=GPU` its GPU.
#[test]
#[ignore = "prints speeds for a person to read"]
fn print_the_speed_of_this_machine() {
    for (name, backend) in backends() {
        let wanted = std::env::var("COUPLET_BENCH_BACKEND").unwrap_or_else(|_| "CPU".to_owned());
        if name != wanted {
            continue;
        }
        let engine = shipped(&backend);
        let request = SpeedRequest {
            settings: Settings::default(),
            gammas: SpeedRequest::all_gammas(),
            auto: true,
            pairs: 5,
        };
        let report = report(&engine, &request);
        println!("{name}: alone {:?}", report.target_alone);
        println!("{:?}", report.costs);
        for speed in report.gammas.iter().chain(&report.auto) {
            let predicted = speed.predicted.unwrap_or(f64::NAN);
            println!(
                "gamma {:.2}: {:.3} in [{:.3}, {:.3}], predicted {predicted:.3}, measured/predicted {:.3}, alpha {:.3}, tokens a round {:.2}",
                speed.gamma,
                speed.speed_up,
                speed.interval[0],
                speed.interval[1],
                speed.speed_up / predicted,
                speed.acceptance_rate().unwrap_or(0.0),
                f64::from(speed.tokens) / f64::from(speed.rounds),
            );
        }
        println!("{:?}", report.shares);
        for lane in &report.race {
            println!(
                "gamma {}: {} rounds, {} readbacks",
                lane.gamma,
                lane.rounds.len(),
                lane.readbacks
            );
        }
    }
}
