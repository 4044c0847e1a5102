//! Runs over a vocabulary of six.

use couplet_protocol::{Distribution, Event, FinishReason, Timings};

use crate::{Proposal, Verdict};

/// What the draft and the target of [`compared`] draw from.
pub const DRAFT: [f32; 5] = [0.3, 0.25, 0.2, 0.15, 0.1];
pub const TARGET: [f32; 5] = [0.1, 0.15, 0.2, 0.25, 0.3];

/// A drafted token beside the target's own, as rules of shared noise compare them.
pub fn compared(position: u32, [token, own]: [usize; 2]) -> Proposal {
    Proposal {
        position,
        token: token as u32,
        distribution: Distribution::new(&DRAFT),
        unjudged: None,
        verdict: Some(Verdict {
            draft_prob: DRAFT[token],
            target_prob: TARGET[token],
            draw: 0.0,
            threshold: None,
            own_token: Some(own as u32),
            accepted: token == own,
            distribution: Distribution::new(&TARGET),
        }),
    }
}

fn distribution() -> Distribution {
    Distribution {
        tokens: None,
        probs: vec![0.1, 0.1, 0.2, 0.3, 0.2, 0.1],
        rest: 0.0,
    }
}

fn drafted(round: u32, position: u32, token: u32) -> Event {
    Event::Drafted {
        round,
        position,
        token,
        draft_distribution: distribution(),
    }
}

fn verified(round: u32, position: u32, token: u32, accepted: bool) -> Event {
    let (target_prob, draw) = if accepted { (0.4, 0.5) } else { (0.09, 0.74) };
    let target_distribution = distribution();
    Event::Verified {
        round,
        position,
        token,
        draft_prob: 0.31,
        target_prob,
        draw,
        threshold: None,
        own_token: None,
        accepted,
        target_distribution,
    }
}

fn discarded(round: u32, position: u32, token: u32) -> Event {
    Event::Discarded {
        round,
        position,
        token,
        draft_prob: 0.4,
        target_prob: 0.1,
        target_distribution: distribution(),
    }
}

/// The fields of a verdict that differ from rule to rule.
#[derive(Default)]
struct Numbers {
    draft_prob: f32,
    target_prob: f32,
    draw: f32,
    threshold: Option<f32>,
    own_token: Option<u32>,
}

fn judged(position: u32, token: u32, numbers: Numbers, accepted: bool) -> Event {
    Event::Verified {
        round: 0,
        position,
        token,
        draft_prob: numbers.draft_prob,
        target_prob: numbers.target_prob,
        draw: numbers.draw,
        threshold: numbers.threshold,
        own_token: numbers.own_token,
        accepted,
        target_distribution: distribution(),
    }
}

fn resampled(round: u32, position: u32, token: u32, residual_mass: f32, draw: f32) -> Event {
    Event::Resampled {
        round,
        position,
        token,
        residual: distribution(),
        residual_mass,
        draw,
    }
}

fn committed(round: u32, tokens: &[u32]) -> Event {
    Event::Committed {
        round,
        tokens: tokens.to_vec(),
    }
}

fn started() -> Event {
    Event::Started {
        prompt_tokens: vec![0, 1],
        milliseconds: 5.0,
    }
}

/// Two rounds under Block. In the first the second token passes, so the first is kept although
/// it fails by itself; what comes after it fails. The second is kept whole.
pub fn block() -> Vec<Event> {
    let round = |round: u32, tests: [(f32, f32); 4], kept: u32| {
        let probs = [(0.5, 0.1), (0.1, 0.4), (0.3, 0.2), (0.2, 0.1)];
        let drafted = (0..4).map(move |i| drafted(round, 2 + i, 1 + i));
        let verified = (0..4).map(move |i| {
            let ((draft_prob, target_prob), (draw, threshold)) =
                (probs[i as usize], tests[i as usize]);
            let numbers = Numbers {
                draft_prob,
                target_prob,
                draw,
                threshold: Some(threshold),
                own_token: None,
            };
            judged(2 + i, 1 + i, numbers, i < kept)
        });
        drafted.chain(verified)
    };
    let mut events = vec![started()];
    events.extend(round(
        0,
        [(0.8, 0.3), (0.4, 0.7), (0.6, 0.5), (0.9, 0.2)],
        2,
    ));
    events.extend([
        resampled(0, 4, 5, 0.4, 0.21),
        committed(0, &[1, 2, 5]),
        ended(0),
    ]);
    events.extend(round(
        1,
        [(0.8, 0.3), (0.4, 0.7), (0.6, 0.5), (0.1, 0.2)],
        4,
    ));
    events.extend([bonus(1, 0), committed(1, &[1, 2, 3, 4, 0]), ended(1)]);
    events
}

/// A text that the second of four drafted tokens ends. So many of the four were kept, and the target
/// added one after them.
pub fn ended_by_a_drafted_token(kept: u32) -> Vec<Event> {
    let mut events = vec![started()];
    events.extend((0..4).map(|i| drafted(0, 2 + i, 1 + i)));
    let numbers = || Numbers {
        draft_prob: 0.5,
        target_prob: 0.4,
        draw: 0.7,
        ..Numbers::default()
    };
    let judged = (0..4.min(kept + 1)).map(|i| judged(2 + i, 1 + i, numbers(), i < kept));
    events.extend(judged);
    events.push(if kept < 4 {
        resampled(0, 2 + kept, 5, 0.4, 0.21)
    } else {
        bonus(0, 0)
    });
    events.extend([
        committed(0, &[1, 2]),
        ended(0),
        Event::Finished {
            reason: FinishReason::EndOfText,
        },
    ]);
    events
}

/// A round in which the target draws tokens of its own: (drafted, own) at each position, the last
/// of which the round gets to is the first that differs.
pub fn own_tokens(pairs: &[(u32, u32)]) -> Vec<Event> {
    let mut events = vec![started()];
    events.extend(
        (2..)
            .zip(pairs)
            .map(|(at, (token, _))| drafted(0, at, *token)),
    );
    let mut tokens = Vec::new();
    for (position, (token, own)) in (2..).zip(pairs) {
        let numbers = Numbers {
            draft_prob: 0.31,
            target_prob: 0.2,
            own_token: Some(*own),
            ..Numbers::default()
        };
        events.push(judged(position, *token, numbers, token == own));
        tokens.push(*own);
        if token != own {
            events.push(resampled(0, position, *own, 0.0, 0.0));
            break;
        }
    }
    events.extend([committed(0, &tokens), ended(0)]);
    events
}

/// A round under Typical: one probable enough, one not.
pub fn typical() -> Vec<Event> {
    let numbers = |target_prob| Numbers {
        draft_prob: 0.31,
        target_prob,
        threshold: Some(0.03),
        ..Numbers::default()
    };
    vec![
        started(),
        drafted(0, 2, 2),
        drafted(0, 3, 3),
        judged(2, 2, numbers(0.1), true),
        judged(3, 3, numbers(0.01), false),
        resampled(0, 3, 4, 0.0, 0.5),
        committed(0, &[2, 4]),
        ended(0),
    ]
}

pub fn bonus(round: u32, token: u32) -> Event {
    Event::Bonus {
        round,
        position: 0,
        token,
        target_distribution: distribution(),
        draw: 0.4,
    }
}

fn ended(round: u32) -> Event {
    Event::RoundEnded {
        round,
        timings: Timings {
            milliseconds: 10.0,
            dispatches: 3,
            readbacks: 1,
        },
    }
}

/// A round under Rejection that keeps so many of its drafted tokens.
pub fn kept(gamma: usize, accepted: usize) -> Vec<Event> {
    let places = || (2..).take(gamma);
    let mut events = vec![started()];
    events.extend(places().map(|at| drafted(0, at, 1)));
    events.extend(
        places()
            .take(accepted + 1)
            .enumerate()
            .map(|(i, at)| verified(0, at, 1, i < accepted)),
    );
    events.extend(places().skip(accepted + 1).map(|at| discarded(0, at, 1)));
    events.push(if accepted == gamma {
        bonus(0, 3)
    } else {
        resampled(0, 2 + accepted as u32, 3, 0.29, 0.21)
    });
    let tokens = [vec![1; accepted], vec![3]].concat();
    events.extend([committed(0, &tokens), ended(0)]);
    events
}

/// The target alone, one token a round.
pub fn alone(tokens: &[u32]) -> Vec<Event> {
    let rounds = (0..).zip(tokens).flat_map(|(round, token)| {
        [
            bonus(round, *token),
            committed(round, &[*token]),
            ended(round),
        ]
    });
    std::iter::once(started()).chain(rounds).collect()
}

/// Two rounds under Rejection: one rejection with a discarded token after it, one round that is
/// fully accepted.
pub fn events() -> Vec<Event> {
    vec![
        started(),
        drafted(0, 2, 2),
        drafted(0, 3, 3),
        drafted(0, 4, 4),
        verified(0, 2, 2, true),
        verified(0, 3, 3, false),
        discarded(0, 4, 4),
        resampled(0, 3, 5, 0.29, 0.21),
        committed(0, &[2, 5]),
        ended(0),
        drafted(1, 4, 1),
        drafted(1, 5, 2),
        drafted(1, 6, 3),
        verified(1, 4, 1, true),
        verified(1, 5, 2, true),
        verified(1, 6, 3, true),
        bonus(1, 4),
        committed(1, &[1, 2, 3, 4]),
        ended(1),
        Event::Finished {
            reason: FinishReason::Length,
        },
    ]
}
