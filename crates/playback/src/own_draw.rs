use couplet_protocol::Distribution;
use couplet_speculation::{Purpose, uniform};

use crate::Proposal;

/// The draw with which Sample and match has the target draw a token of its own: the target's
/// distribution lies end to end from 0 to 1 in the order of the vocabulary, and u lands somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnDraw {
    /// The uniform draw.
    pub u: f32,
    /// Where the drafted token lies: from, to.
    pub drafted: [f64; 2],
    /// Where the target's own token lies.
    pub own: [f64; 2],
}

impl OwnDraw {
    /// Draws again: u follows from the seed. `None` before the target has spoken, and where the
    /// log does not hold its whole distribution.
    pub fn new(seed: u64, proposal: &Proposal) -> Option<Self> {
        let verdict = proposal.verdict.as_ref()?;
        let u = uniform(seed, proposal.position, Purpose::Target, 0);
        let own = place(&verdict.distribution, verdict.own_token?)?;
        let drafted = place(&verdict.distribution, proposal.token)?;
        // Sums in another order end elsewhere by a few roundings.
        let lands = (own[0] - 1e-5..=own[1] + 1e-5).contains(&f64::from(u));
        lands.then_some(Self { u, drafted, own })
    }
}

fn place(distribution: &Distribution, token: u32) -> Option<[f64; 2]> {
    if !distribution.is_whole() {
        return None;
    }
    let total: f64 = distribution.probs.iter().map(|prob| f64::from(*prob)).sum();
    let prob = f64::from(*distribution.probs.get(token as usize)?);
    let before = &distribution.probs[..token as usize];
    let from: f64 = before.iter().map(|prob| f64::from(*prob)).sum();
    (total > 0.0).then(|| [from / total, (from + prob) / total])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use couplet_speculation::draw;

    #[test]
    fn the_draw_lands_on_the_targets_own_token() {
        let target = [0.1f32, 0.2, 0.3, 0.4];
        let exact = target.map(f64::from);
        for position in 0..200 {
            let u = uniform(5, position, Purpose::Target, 0);
            let own = draw(&exact, f64::from(u)) as u32;
            let proposal = Proposal {
                position,
                token: 2,
                distribution: Distribution::new(&[0.25; 4]),
                unjudged: None,
                verdict: Some(Verdict {
                    draft_prob: 0.25,
                    target_prob: 0.3,
                    draw: 0.0,
                    threshold: None,
                    own_token: Some(own),
                    accepted: own == 2,
                    distribution: Distribution::new(&target),
                }),
            };
            let drawn = OwnDraw::new(5, &proposal).unwrap();
            let at = f64::from(drawn.u);
            assert!(drawn.own[0] <= at + 1e-5 && at <= drawn.own[1] + 1e-5);
            assert!((drawn.drafted[1] - drawn.drafted[0] - 0.3).abs() < 1e-6);
            let mut other = proposal.clone();
            other.verdict.as_mut().unwrap().own_token = Some((own + 2) % 4);
            assert_eq!(OwnDraw::new(5, &other), None, "not the draw that was drawn");
        }
    }
}
