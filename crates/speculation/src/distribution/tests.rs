use super::*;
use proptest::prelude::*;

fn plain() -> Filter {
    Filter::default()
}

fn logits_of(probs: &[f64]) -> Vec<f32> {
    probs.iter().map(|prob| prob.ln() as f32).collect()
}

fn check(logits: &[f32], filter: Filter, expect: &[f64]) {
    let probs = probabilities(logits, &filter);
    assert_eq!(probs.len(), expect.len());
    for (prob, expect) in probs.iter().zip(expect) {
        // The logits are f32.
        assert!((prob - expect).abs() < 1e-6, "{probs:?} is not {expect:?}");
    }
}

#[test]
fn temperature_divides_the_logits() {
    let logits = logits_of(&[0.5, 0.3, 0.2]);
    check(&logits, plain(), &[0.5, 0.3, 0.2]);
    // Temperature ½ squares the odds.
    let squared = [0.25 / 0.38, 0.09 / 0.38, 0.04 / 0.38];
    check(
        &logits,
        Filter {
            temperature: 0.5,
            ..plain()
        },
        &squared,
    );
}

#[test]
fn temperature_zero_is_the_first_of_the_largest() {
    let greedy = Filter {
        temperature: 0.0,
        top_k: 2,
        top_p: 0.1,
    };
    check(&[1.0, 3.0, 3.0], greedy, &[0.0, 1.0, 0.0]);
    check(&[-0.0, 0.0], greedy, &[1.0, 0.0]);
}

#[test]
fn tiny_temperatures_and_masked_logits_stay_finite() {
    check(
        &[3e38, -3e38],
        Filter {
            temperature: 1e-300,
            ..plain()
        },
        &[1.0, 0.0],
    );
    check(&[0.0, f32::NEG_INFINITY, 0.0], plain(), &[0.5, 0.0, 0.5]);
    check(&[0.0, -1e30, 0.0], plain(), &[0.5, 0.0, 0.5]);
}

#[test]
fn top_k_keeps_the_largest_in_place_and_lower_ids_first() {
    let logits = logits_of(&[0.1, 0.4, 0.2, 0.3]);
    check(
        &logits,
        Filter {
            top_k: 2,
            ..plain()
        },
        &[0.0, 4.0 / 7.0, 0.0, 3.0 / 7.0],
    );
    check(
        &logits,
        Filter {
            top_k: 9,
            ..plain()
        },
        &[0.1, 0.4, 0.2, 0.3],
    );
    check(
        &[0.0; 4],
        Filter {
            top_k: 2,
            ..plain()
        },
        &[0.5, 0.5, 0.0, 0.0],
    );
    check(
        &[0.0, -0.0, 1.0],
        Filter {
            top_k: 2,
            ..plain()
        },
        &[1.0 / (1.0 + 1f64.exp()), 0.0, 1.0 / (1.0 + (-1f64).exp())],
    );
}

#[test]
fn top_p_keeps_a_token_while_the_mass_before_it_is_below() {
    let logits = logits_of(&[0.2, 0.5, 0.3]);
    check(
        &logits,
        Filter {
            top_p: 0.6,
            ..plain()
        },
        &[0.0, 0.625, 0.375],
    );
    check(
        &logits,
        Filter {
            top_p: 0.4,
            ..plain()
        },
        &[0.0, 1.0, 0.0],
    );
    // Exactly reached is reached: the third of four equal tokens has ½ before it.
    check(
        &[0.0; 4],
        Filter {
            top_p: 0.5,
            ..plain()
        },
        &[0.5, 0.5, 0.0, 0.0],
    );
    // The first rank stays whatever top-p is.
    check(
        &logits,
        Filter {
            top_p: 0.0,
            ..plain()
        },
        &[0.0, 1.0, 0.0],
    );
}

/// The second token is so improbable that the mass before it is 1 when it is rounded.
#[test]
fn a_top_p_of_one_keeps_the_least_probable_token() {
    let probs = probabilities(&[0.0, -50.0], &plain());
    assert!(probs[0] == 1.0 && probs[1] > 0.0, "{probs:?}");
}

#[test]
fn top_p_sees_the_distribution_renormalised_after_top_k() {
    // Of .4, .3, .3 two stay as 4/7 and 3/7. Before the second there is .571 of the
    // renormalised mass, but only .4 of the original.
    let logits = logits_of(&[0.4, 0.3, 0.3]);
    check(
        &logits,
        Filter {
            top_k: 2,
            top_p: 0.5,
            ..plain()
        },
        &[1.0, 0.0, 0.0],
    );
    check(
        &logits,
        Filter {
            top_p: 0.5,
            ..plain()
        },
        &[4.0 / 7.0, 3.0 / 7.0, 0.0],
    );
}

#[test]
fn draws_are_the_first_id_above() {
    let weights = [1.0, 0.0, 2.0, 1.0, 0.0];
    for (u, id) in [
        (0.0, 0),
        (0.2499, 0),
        (0.25, 2),
        (0.7499, 2),
        (0.75, 3),
        (1.0, 3),
    ] {
        assert_eq!(draw(&weights, u), id, "u = {u}");
    }
    assert_eq!(draw(&[0.0, 0.0, 5.0], 0.0), 2);
}

#[test]
#[should_panic(expected = "nothing can be drawn")]
fn nothing_is_drawn_from_zero_mass() {
    draw(&[0.0, 0.0], 0.5);
}

#[test]
fn equal_distributions_have_no_residual() {
    assert_eq!(residual(&[0.5, 0.5], &[0.5, 0.5]), None);
    assert_eq!(residual(&[0.6, 0.4], &[0.5, 0.4]), None);
}

#[test]
fn the_residual_stays_in_id_order() {
    let residual = residual(&[0.5, 0.3, 0.2, 0.0], &[0.2, 0.4, 0.2, 0.2]).unwrap();
    for (prob, expect) in residual.iter().zip([0.0, 1.0 / 3.0, 0.0, 2.0 / 3.0]) {
        assert!((prob - expect).abs() < 1e-12);
    }
}

#[test]
fn entropies_are_in_nats() {
    assert_eq!(entropy(&[1.0, 0.0]), 0.0);
    assert!((entropy(&[0.25; 4]) - 4f64.ln()).abs() < 1e-15);
}

#[test]
fn a_bad_distribution_is_named() {
    let error = |probs: &[f64]| check_distribution(probs).unwrap_err();
    assert_eq!(check_distribution(&[0.5, 0.5]), Ok(()));
    assert_eq!(error(&[]), DistributionError::Empty);
    assert_eq!(
        error(&[1.5, -0.5]),
        DistributionError::Negative {
            token: 1,
            prob: -0.5
        }
    );
    assert_eq!(error(&[0.0, 0.0]), DistributionError::AllZero);
    assert_eq!(
        error(&[0.5, 0.25]),
        DistributionError::NotOne {
            sum: 0.75,
            excess: -0.25
        }
    );
    assert_eq!(
        error(&[f64::NAN, 1.0]).to_string(),
        "the probability of token 0 is NaN"
    );
    assert_eq!(
        error(&[f64::INFINITY]).to_string(),
        "the probability of token 0 is inf"
    );
    assert_eq!(
        error(&[0.5, 0.25]).to_string(),
        "the probabilities sum to 0.75, which is -0.25 away from one"
    );
}

prop_compose! {
    /// Two distributions over one vocabulary; about a third of the entries are zero.
    fn couple()(size in 1usize..8)(
        draft in prop::collection::vec(prop_oneof![1 => Just(0.0), 2 => 0.0..1.0f64], size),
        target in prop::collection::vec(prop_oneof![1 => Just(0.0), 2 => 0.0..1.0f64], size),
        fallback in 0..size,
    ) -> (Vec<f64>, Vec<f64>) {
        let normalised = |mut weights: Vec<f64>| {
            if weights.iter().sum::<f64>() == 0.0 {
                weights[fallback] = 1.0;
            }
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect()
        };
        (normalised(draft), normalised(target))
    }
}

proptest! {
    #[test]
    fn the_residual_mass_is_the_total_variation((draft, target) in couple()) {
        let mass: f64 = pairs(&draft, &target).map(|(d, t)| (t - d).max(0.0)).sum();
        let distance = total_variation(&draft, &target);
        prop_assert!((mass - distance).abs() < 1e-12);
        prop_assert!((1.0 - overlap(&draft, &target) - distance).abs() < 1e-12);
    }

    #[test]
    fn one_position_of_rejection_is_the_target((draft, target) in couple()) {
        let distance = total_variation(&draft, &target);
        let residual = residual(&draft, &target).unwrap_or_else(|| target.clone());
        for id in 0..target.len() {
            let output = draft[id].min(target[id]) + distance * residual[id];
            prop_assert!((output - target[id]).abs() < 1e-12);
        }
    }

    #[test]
    fn probabilities_are_a_distribution_that_respects_its_filter(
        logits in prop::collection::vec(prop_oneof![-8.0..8.0f32, Just(1.0f32)], 1..20),
        temperature in prop_oneof![1 => Just(0.0), 5 => 0.05..3.0f64],
        top_k in 0usize..8,
        top_p in 0.01..=1.0f64,
    ) {
        let probs = probabilities(&logits, &Filter { temperature, top_k, top_p });
        prop_assert!((probs.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        prop_assert_eq!(check_distribution(&probs), Ok(()));

        let kept: Vec<usize> = (0..probs.len()).filter(|&id| probs[id] > 0.0).collect();
        prop_assert!(top_k == 0 || kept.len() <= top_k);
        // Nothing that was cut ranks before anything that stayed.
        for &stays in &kept {
            for cut in (0..probs.len()).filter(|id| !kept.contains(id)) {
                let before = logits[cut] > logits[stays]
                    || (logits[cut] == logits[stays] && cut < stays);
                prop_assert!(!before, "{cut} was cut and {stays} stayed");
            }
        }
        // Whatever stays has the proportions of the softmax.
        if temperature > 0.0 {
            for pair in kept.windows(2) {
                let odds = f64::from(logits[pair[0]] - logits[pair[1]]) / temperature;
                let found = (probs[pair[0]] / probs[pair[1]]).ln();
                prop_assert!((odds - found).abs() < 1e-4 * (1.0 + odds.abs()));
            }
        }
    }

    #[test]
    fn top_p_is_reached_by_what_stays_and_by_no_less(
        logits in prop::collection::vec(-8.0..8.0f32, 1..20),
        top_p in 0.01..0.99f64,
    ) {
        let full = probabilities(&logits, &plain());
        let cut = probabilities(&logits, &Filter { top_p, ..plain() });
        let mut kept: Vec<f64> =
            (0..full.len()).filter(|&id| cut[id] > 0.0).map(|id| full[id]).collect();
        kept.sort_by(f64::total_cmp);
        let mass: f64 = kept.iter().sum();
        prop_assert!(mass >= top_p - 1e-12);
        prop_assert!(mass - kept[0] < top_p + 1e-12);
    }

    #[test]
    fn a_draw_has_positive_weight((weights, _) in couple(), u in prop_oneof![
        Just(0.0), Just(1.0), 0.0..=1.0f64
    ]) {
        prop_assert!(weights[draw(&weights, u)] > 0.0);
    }
}

proptest! {
    #[test]
    fn ranked_is_by_falling_value_and_then_by_place(
        values in prop::collection::vec((-3i8..3).prop_map(f64::from), 0..40),
    ) {
        let places = ranked(values.clone());
        for pair in places.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            prop_assert!(values[a] > values[b] || (values[a] == values[b] && a < b));
        }
        let mut all = places;
        all.sort_unstable();
        prop_assert_eq!(all, (0..values.len()).collect::<Vec<_>>());
    }
}
