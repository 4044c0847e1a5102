//! Long runs against costs and an acceptance rate that only the simulation knows.

use couplet_speculation::formulas::expected_tokens_per_round;

use super::*;
use crate::batch::judged;

/// Numbers in [0, 1), always the same.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct World {
    alpha: f64,
    /// A drafted token in target steps.
    c: f64,
    /// What verifying a token more adds, in target steps.
    slope: f64,
}

impl World {
    fn cost(&self, gamma: usize) -> f64 {
        let gamma = gamma as f64;
        2.0 * (gamma * self.c + 1.0 + gamma * self.slope)
    }

    /// What the draft takes to read a token among others: little where rows share what they read.
    fn reading(&self) -> f64 {
        2.0 * self.c * (0.1 + 0.5 * self.slope)
    }

    /// Tokens per millisecond of the best fixed γ, 0 included.
    fn best(&self) -> f64 {
        let speed = |gamma| expected_tokens_per_round(self.alpha, gamma) / self.cost(gamma);
        (0..=LARGEST).map(speed).fold(0.0, f64::max)
    }

    fn accepted(&self, gamma: usize, chance: &mut Chance) -> usize {
        (0..gamma)
            .take_while(|_| chance.next() < self.alpha)
            .count()
    }
}

/// Tokens per millisecond of a long run: those to be expected of the chosen γ, so that luck in the
/// draws is not taken for skill in choosing.
fn run(world: &World, auto: &mut AutoGamma, tokens: f64, chance: &mut Chance) -> f64 {
    run_on(&Machine::EVEN, world, auto, tokens, chance)
}

/// What times are like on a device.
struct Machine {
    /// Its milliseconds for one of the world's.
    scale: f64,
    /// How many times longer the first round after one of another γ takes.
    cold: f64,
    /// Milliseconds between two times that the clock can tell apart.
    tick: f64,
    /// By how much its pace scatters, as a standard deviation of logarithms.
    uneven: f64,
}

impl Machine {
    const EVEN: Self = Self {
        scale: 1.0,
        cold: 1.0,
        tick: 0.0,
        uneven: 0.0,
    };
}

/// Begins one round where none is under way; returns its γ.
fn next(auto: &mut AutoGamma) -> usize {
    let gamma = auto.choose(true).gamma;
    auto.began(gamma, 1);
    gamma
}

/// Tokens of a text.
const TEXT: f64 = 200.0;

/// Milliseconds for which an uneven machine keeps its pace, about.
const UNEVEN_FOR: f64 = 30.0;

fn run_on(
    machine: &Machine,
    world: &World,
    auto: &mut AutoGamma,
    tokens: f64,
    chance: &mut Chance,
) -> f64 {
    let (mut written, mut time, mut clock) = (0.0, 0.0, 0.0);
    let mut last = None;
    let (mut text, mut unread) = (0.0, 0.0);
    let mut pace = 0.0f64;
    let shown = |time: f64| match machine.tick {
        0.0 => time,
        tick => (time / tick).floor() * tick,
    };
    while written < tokens {
        if text >= TEXT {
            auto.begin(&Settings::default());
            (text, unread) = (0.0, 0.0);
        }
        let gamma = next(auto);
        // Nobody is told how long the draft reads what was written without it.
        if gamma == 0 {
            unread += 1.0;
        } else {
            time += machine.scale * world.reading() * unread;
            unread = 0.0;
        }
        let accepted = world.accepted(gamma, chance);
        // Times scatter, and now and then the machine does something else.
        let noise = 0.9 + 0.2 * chance.next();
        let pause = if chance.next() < 0.01 { 5.0 } else { 1.0 };
        let cold = if last.replace(gamma) == Some(gamma) {
            1.0
        } else {
            machine.cold
        };
        let taken = machine.scale * world.cost(gamma) * noise * cold;
        let begun = shown(clock);
        // What the pace does is nobody's choice, so it counts on the clock and not in the end.
        let kept = (-taken / UNEVEN_FOR).exp();
        let normal = (0..12).map(|_| chance.next()).sum::<f64>() - 6.0;
        pace = kept * pace + (1.0 - kept * kept).sqrt() * machine.uneven * normal;
        clock += taken * pause * pace.exp();
        auto.learn(
            gamma,
            &[(judged(gamma, accepted), accepted)],
            shown(clock) - begun,
        );
        time += taken;
        let more = expected_tokens_per_round(world.alpha, gamma);
        (written, text) = (written + more, text + more);
        assert!(judged(gamma, accepted) <= gamma);
    }
    machine.scale * written / time
}

/// A processor whose caches hold one γ's weights at a time, under browsers' clocks.
#[test]
fn neither_cold_caches_nor_coarse_clocks_mislead_it() {
    // Chromium's clock and Firefox's, which tells less.
    for (tick, least) in [(0.1, 0.97), (1.0, 0.96)] {
        for cold in [1.0, 1.3, 1.8] {
            for (c, slope, alpha) in [(0.6, 0.9, 0.76), (0.15, 0.9, 0.8), (0.15, 0.3, 0.8)] {
                let world = World { alpha, c, slope };
                let machine = Machine {
                    scale: 0.15,
                    cold,
                    tick,
                    ..Machine::EVEN
                };
                let mut chance = Chance(1611);
                let known = Experience::new(
                    0.8,
                    &[0, 1, 3, 4, 7].map(|gamma| (gamma, machine.scale * world.cost(gamma))),
                );
                let mut auto = AutoGamma::new(known, machine.tick);
                let share =
                    run_on(&machine, &world, &mut auto, 20_000.0, &mut chance) / world.best();
                assert!(
                    share >= least,
                    "{share:.4} with ticks of {tick} ms, {cold} times as long when cold, c {c}, slope {slope}"
                );
            }
        }
    }
}

/// A machine whose caches others use too: a third slower in one moment than in the next. Texts are
/// short, and the calibration met some moment or other.
#[test]
fn a_changing_pace_is_not_held_against_the_draft_length_that_met_it() {
    for (c, slope) in [(0.15, 0.5), (0.25, 0.6), (0.15, 0.3), (0.1, 0.1)] {
        for (scale, cold) in [(0.15, 1.2), (2.0, 1.02)] {
            let world = World {
                alpha: 0.8,
                c,
                slope,
            };
            let machine = Machine {
                scale,
                cold,
                tick: 0.005,
                uneven: 0.16,
            };
            let share = |seed: u64| {
                let mut chance = Chance(seed);
                let samples = [0, 1, 3, 4, 7].map(|gamma| {
                    let moment = 0.85 + 0.3 * chance.next();
                    (gamma, scale * world.cost(gamma) * moment)
                });
                let mut auto = AutoGamma::new(Experience::new(0.8, &samples), machine.tick);
                run_on(&machine, &world, &mut auto, 2_000.0, &mut chance) / world.best()
            };
            let mean = (0..12).map(share).sum::<f64>() / 12.0;
            assert!(
                mean >= 0.97,
                "{mean:.4} with c {c}, slope {slope}, rounds {scale} times as long"
            );
        }
    }
}

fn calibrated(world: &World, prior: f64, error: f64) -> AutoGamma {
    let off = |gamma: usize| {
        let sign = if gamma.is_multiple_of(4) { 1.0 } else { -1.0 };
        (gamma, world.cost(gamma) * (1.0 + sign * error))
    };
    AutoGamma::new(Experience::new(prior, &[0, 1, 2, 4, 8].map(off)), 0.0)
}

fn check_share(world: &World, prior: f64, error: f64, seed: u64) {
    let mut auto = calibrated(world, prior, error);
    let share = run(world, &mut auto, 20_000.0, &mut Chance(seed)) / world.best();
    let World { alpha, c, slope } = world;
    assert!(
        share >= 0.96,
        "{share:.4} at alpha {alpha}, c {c}, slope {slope}, prior {prior}, error {error}, seed {seed}"
    );
}

#[test]
fn it_is_never_far_below_the_best_that_it_could_have_chosen() {
    let check_worlds = |seed: u64| {
        for alpha in [0.05, 0.3, 0.5, 0.65, 0.8, 0.9, 0.98] {
            for c in [0.02, 0.1, 0.3, 0.7] {
                for slope in [0.0, 0.05, 0.2, 0.6, 1.0] {
                    let world = World { alpha, c, slope };
                    check_share(&world, 0.8, 0.0, seed);
                    check_share(&world, 0.3, 0.1, seed);
                }
            }
        }
    };
    // By far the longest of these tests: at once it keeps every core busy.
    std::thread::scope(|scope| {
        for seed in [1611, 5, 99, 1234] {
            scope.spawn(move || check_worlds(seed));
        }
    });
}

#[test]
fn it_is_off_where_drafting_cannot_pay_and_looks_no_more() {
    let world = World {
        alpha: 0.9,
        c: 0.8,
        slope: 0.9,
    };
    let mut chance = Chance(7);
    let mut auto = calibrated(&world, 0.9, 0.0);
    for _ in 0..5000 {
        let gamma = next(&mut auto);
        assert_eq!(gamma, 0);
        let taken = world.cost(0) * (0.95 + 0.1 * chance.next());
        auto.learn(0, &[(0, 0)], taken);
    }
}

#[test]
fn it_comes_back_when_the_text_becomes_easy() {
    let mut chance = Chance(3);
    let hard = World {
        alpha: 0.05,
        c: 0.2,
        slope: 0.1,
    };
    let mut auto = calibrated(&hard, 0.8, 0.0);
    run(&hard, &mut auto, 5_000.0, &mut chance);
    assert_eq!(auto.current, Some(0));
    let easy = World { alpha: 0.9, ..hard };
    run(&easy, &mut auto, 10_000.0, &mut chance);
    let share = run(&easy, &mut auto, 10_000.0, &mut chance) / easy.best();
    assert!(share >= 0.98, "{share:.4}");
}

/// A calibration while the machine was busy: some costs are several times what they are.
#[test]
fn it_finds_out_that_its_calibration_was_wrong() {
    let world = World {
        alpha: 0.8,
        c: 0.15,
        slope: 0.9,
    };
    for wrong in [0, 1, 2, 4, 8] {
        let mut chance = Chance(wrong as u64);
        // And so are those on the lines to them.
        let known = Experience::with_costs(
            0.8,
            std::array::from_fn(|gamma| {
                let factor = [3.0, 2.0, 1.5].get(gamma.abs_diff(wrong)).unwrap_or(&1.0);
                factor * world.cost(gamma)
            }),
        );
        let mut auto = AutoGamma::new(known, 0.0);
        run(&world, &mut auto, 3_000.0, &mut chance);
        let share = run(&world, &mut auto, 10_000.0, &mut chance) / world.best();
        assert!(share >= 0.98, "{share:.4} where {wrong} was wrong");
    }
}

/// A GPU works on two batches at a time, and often on fewer rounds than a look takes: what comes after
/// them is chosen before it is known what they took.
#[test]
fn looks_end_where_two_batches_are_under_way() {
    let world = World {
        alpha: 0.8,
        c: 0.15,
        slope: 0.3,
    };
    for most in [1, 2, 5, 32] {
        for (tick, error) in [(0.1, 0.3), (1.0, 0.3), (1.0, 0.6)] {
            let mut chance = Chance(1611);
            let costs = std::array::from_fn(|gamma| {
                // What is best looks worse than it is.
                let error = if gamma >= 3 { error } else { -0.2 };
                world.cost(gamma) * (1.0 + error)
            });
            let mut auto = AutoGamma::new(Experience::with_costs(0.8, costs), tick);
            let mut under_way = std::collections::VecDeque::new();
            let (mut written, mut time, mut clock) = (0.0, 0.0, 0.0f64);
            let mut last = None;
            while written < 20_000.0 {
                while under_way.len() < 2 {
                    let Choice { gamma, rounds } = auto.choose(under_way.is_empty());
                    let rounds = rounds.min(most);
                    auto.began(gamma, rounds);
                    under_way.push_back((gamma, rounds));
                }
                let (gamma, rounds) = under_way.pop_front().unwrap();
                let cold = if last.replace(gamma) == Some(gamma) {
                    0.0
                } else {
                    0.3
                };
                let noise = 0.95 + 0.1 * chance.next();
                let taken = world.cost(gamma) * (rounds as f64 + cold) * noise;
                let begun = (clock / tick).floor();
                clock += taken;
                let each = ((clock / tick).floor() - begun) * tick / rounds as f64;
                let tests: Vec<_> = (0..rounds)
                    .map(|_| {
                        let accepted = world.accepted(gamma, &mut chance);
                        (judged(gamma, accepted), accepted)
                    })
                    .collect();
                auto.learn(gamma, &tests, each);
                let each = expected_tokens_per_round(world.alpha, gamma);
                (written, time) = (written + rounds as f64 * each, time + taken);
            }
            let share = written / time / world.best();
            assert!(
                share >= 0.96,
                "{share:.4} with {most} rounds at once, ticks of {tick} ms, {error} wrong"
            );
        }
    }
}

/// A calibration of many rounds at once, and then somebody who watches each: every round takes
/// longer by a readback that no draft length is to blame for.
#[test]
fn what_all_rounds_take_longer_is_not_held_against_each_in_turn() {
    for (c, slope, alpha) in [(0.36, 0.3, 0.74), (0.18, 0.3, 0.8), (0.1, 0.1, 0.9)] {
        // In steps of the target.
        for readback in [0.15, 0.4, 1.0] {
            let world = World { alpha, c, slope };
            let cost = |gamma: usize| world.cost(gamma) + readback * world.cost(0);
            let speed = |gamma: usize| expected_tokens_per_round(alpha, gamma) / cost(gamma);
            let best = (0..=LARGEST).map(speed).fold(0.0, f64::max);
            let mut chance = Chance(1611);
            let known = Experience::new(
                alpha,
                &[0, 1, 3, 4, 7].map(|gamma| (gamma, world.cost(gamma))),
            );
            let mut auto = AutoGamma::new(known, 0.1);
            let (mut written, mut time) = (0.0, 0.0);
            for _ in 0..60 {
                let gamma = next(&mut auto);
                let accepted = world.accepted(gamma, &mut chance);
                let noise = 0.95 + 0.1 * chance.next();
                auto.learn(
                    gamma,
                    &[(judged(gamma, accepted), accepted)],
                    cost(gamma) * noise,
                );
                written += expected_tokens_per_round(alpha, gamma);
                time += cost(gamma);
            }
            let share = written / time / best;
            assert!(
                share >= 0.96,
                "{share:.4} with a readback of {readback} steps, c {c}, slope {slope}"
            );
        }
    }
}

#[test]
fn only_a_draft_that_reads_owes_what_was_written_without_it() {
    let world = World {
        alpha: 0.5,
        c: 0.2,
        slope: 0.5,
    };
    for drafter in Drafter::ALL {
        let mut auto = calibrated(&world, 0.5, 0.0);
        auto.begin(&Settings {
            drafter,
            ..Settings::default()
        });
        auto.learn(0, &[(0, 0)], world.cost(0));
        assert_eq!(
            auto.reading() > 0.0,
            drafter == Drafter::Model,
            "{drafter:?}"
        );
    }
}
