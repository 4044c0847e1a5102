use std::collections::HashSet;

use super::*;

const SEEDS: u64 = 20_000;

#[test]
fn stories_have_the_promised_form() {
    for seed in 0..SEEDS {
        let text = story(seed);
        assert!(text.is_ascii(), "{text}");
        assert!((SHORTEST..=LONGEST).contains(&text.len()), "{text}");
        assert_eq!(text.trim(), text);
        for wrong in [
            "  ", " ,", " .", " !", " ?", ",,", "..", ".,", "\n\n", " \n", "\n ", "!.", "?.",
        ] {
            assert!(!text.contains(wrong), "seed {seed} has {wrong:?}: {text}");
        }
        assert!(
            !text.contains(['{', '}', '[', ']', '<', '>', '|']),
            "{text}"
        );
        for line in text.lines() {
            assert_eq!(line.matches('"').count() % 2, 0, "seed {seed}: {line}");
            assert!(line.ends_with(['.', '!', '?', '"']), "seed {seed}: {line}");
        }
    }
}

#[test]
fn articles_fit_and_sentences_start_with_capitals() {
    for seed in 0..SEEDS {
        let text = story(seed);
        let words: Vec<&str> = text.split_whitespace().collect();
        for pair in words.windows(2) {
            let next = pair[1].trim_start_matches('"');
            let vowel = next.starts_with(['a', 'e', 'i', 'o']) || next.starts_with("um");
            match pair[0].trim_start_matches('"') {
                "a" | "A" => assert!(!vowel || next.starts_with("one"), "seed {seed}: {pair:?}"),
                "an" | "An" => assert!(vowel || next.starts_with('u'), "seed {seed}: {pair:?}"),
                _ => {}
            }
            let stuttered = pair[0] == pair[1] && !pair[0].ends_with(',');
            assert!(!stuttered, "seed {seed}: {pair:?}: {text}");
            if pair[0].ends_with(['.', '!', '?']) || pair[0].ends_with(".\"") {
                assert!(
                    next.starts_with(|c: char| c.is_ascii_uppercase()),
                    "seed {seed}: {pair:?}"
                );
            }
        }
    }
}

#[test]
fn no_two_stories_are_equal() {
    let stories: HashSet<String> = (0..SEEDS).map(story).collect();
    assert_eq!(stories.len() as u64, SEEDS);
}

#[test]
fn every_plot_fits_the_length_after_few_attempts() {
    for (number, plot) in PLOTS.iter().enumerate() {
        for seed in 0..300 {
            let lengths: Vec<usize> = (0..60)
                .map(|attempt| {
                    let mut teller = Teller::new(seed, attempt);
                    plot(&mut teller);
                    teller.finish().len()
                })
                .collect();
            let fits = lengths
                .iter()
                .any(|length| (SHORTEST..=LONGEST).contains(length));
            assert!(fits, "plot {number}, seed {seed}: {lengths:?}");
        }
    }
}
