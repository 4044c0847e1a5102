//! A run of two rounds over a vocabulary of six: one rejection with a discarded token behind
//! it, one round that is fully accepted.

use couplet_protocol::{Distribution, Event, FinishReason, Timings};

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

pub fn events() -> Vec<Event> {
    vec![
        Event::Started {
            prompt_tokens: vec![0, 1],
            milliseconds: 5.0,
        },
        drafted(0, 2, 2),
        drafted(0, 3, 3),
        drafted(0, 4, 4),
        verified(0, 2, 2, true),
        verified(0, 3, 3, false),
        Event::Resampled {
            round: 0,
            position: 3,
            token: 5,
            residual: distribution(),
            residual_mass: 0.29,
            draw: 0.21,
        },
        Event::Committed {
            round: 0,
            tokens: vec![2, 5],
        },
        ended(0),
        drafted(1, 4, 1),
        drafted(1, 5, 2),
        drafted(1, 6, 3),
        verified(1, 4, 1, true),
        verified(1, 5, 2, true),
        verified(1, 6, 3, true),
        bonus(1, 4),
        Event::Committed {
            round: 1,
            tokens: vec![1, 2, 3, 4],
        },
        ended(1),
        Event::Finished {
            reason: FinishReason::Length,
        },
    ]
}
