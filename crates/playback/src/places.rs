use crate::{Run, StageState};

/// How many drafted tokens were tested, and how many of them were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    /// Those that were judged.
    pub tested: u64,
    /// Those that were kept.
    pub accepted: u64,
}

/// The tests at each place of a draft, its first one first, up to where the state stands. Places at
/// which nothing was tested are left out: a place is reached only if all before it were kept.
pub fn tests_by_place(run: &Run, state: &StageState) -> Vec<Tests> {
    let mut places = Vec::<Tests>::new();
    let Some(step) = state.step else {
        return places;
    };
    for (index, round) in run.rounds().iter().enumerate().take(step.round + 1) {
        let judged = if index == step.round {
            state.judged()
        } else {
            round.tested()
        };
        if places.len() < judged {
            places.resize(judged, Tests::default());
        }
        for (place, tests) in places.iter_mut().take(judged).enumerate() {
            tests.tested += 1;
            tests.accepted += u64::from(place < round.accepted());
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn counts(run: &Run, playhead: usize) -> Vec<(u64, u64)> {
        let places = tests_by_place(run, &run.state(playhead));
        let pair = |tests: &Tests| (tests.accepted, tests.tested);
        places.iter().map(pair).collect()
    }

    #[test]
    fn a_place_is_tested_where_all_before_it_were_kept() {
        let run = Run::from_events(&fixture::events());
        assert_eq!(counts(&run, 0), []);
        assert_eq!(counts(&run, 2), [], "nothing is judged yet");
        assert_eq!(counts(&run, 3), [(1, 1)]);
        assert_eq!(counts(&run, 6), [(1, 1), (0, 1)]);
        // The second round while its first token is judged, and all of it.
        assert_eq!(counts(&run, 9), [(2, 2), (0, 1)]);
        assert_eq!(counts(&run, usize::MAX), [(2, 2), (1, 2), (1, 1)]);
    }

    #[test]
    fn the_places_add_up_to_what_is_counted_in_all() {
        for events in [
            fixture::events(),
            fixture::typical(),
            fixture::kept(4, 2),
            fixture::ended_by_a_drafted_token(4),
        ] {
            let run = Run::from_events(&events);
            for playhead in 0..=run.steps().len() {
                let sums = counts(&run, playhead)
                    .iter()
                    .fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
                let all = run.state(playhead).statistics;
                assert_eq!(sums, (all.accepted, all.tested), "{playhead}");
            }
        }
    }

    #[test]
    fn the_target_alone_tests_nothing() {
        let run = Run::from_events(&fixture::alone(&[2, 3]));
        assert_eq!(counts(&run, usize::MAX), []);
    }
}
