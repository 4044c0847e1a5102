use std::collections::HashMap;

/// Counts of token sequences up to a length, with interpolated (Witten-Bell) smoothing: what
/// counting alone achieves, the bar for trained models.
///
/// Source: Chen and Goodman 1999, section 2.4.
pub struct NGram {
    order: usize,
    vocab: usize,
    /// How often each sequence occurs.
    counts: HashMap<u128, u32>,
    /// For each context: how often it occurs and how many different tokens follow it.
    contexts: HashMap<u128, (u32, u32)>,
}

/// A sequence of up to 7 tokens of 16 bits and its length.
fn key(tokens: &[u32]) -> u128 {
    tokens.iter().fold(tokens.len() as u128, |key, token| {
        key << 16 | u128::from(*token)
    })
}

impl NGram {
    /// Counts the sequences of up to `order` tokens in `texts`.
    ///
    /// # Panics
    ///
    /// When `order` is not in 1 to 7 or the vocabulary has more than 65,536 tokens.
    pub fn count<'a>(order: usize, vocab: usize, texts: impl Iterator<Item = &'a [u32]>) -> Self {
        assert!((1..=7).contains(&order), "the order is {order}");
        assert!(vocab <= 1 << 16, "the vocabulary has {vocab} tokens");
        let mut model = Self {
            order,
            vocab,
            counts: HashMap::new(),
            contexts: HashMap::new(),
        };
        for text in texts {
            for end in 1..=text.len() {
                for length in 1..=order.min(end) {
                    let sequence = &text[end - length..end];
                    let count = model.counts.entry(key(sequence)).or_default();
                    *count += 1;
                    let kinds = u32::from(*count == 1);
                    let context = model
                        .contexts
                        .entry(key(&sequence[..length - 1]))
                        .or_default();
                    context.0 += 1;
                    context.1 += kinds;
                }
            }
        }
        model
    }

    /// Mean loss on `tokens`, nats per token.
    pub fn loss(&self, tokens: &[u32]) -> f64 {
        let losses = (0..tokens.len()).map(|end| {
            let before = &tokens[end.saturating_sub(self.order - 1)..end];
            -self.probability(before, tokens[end]).ln()
        });
        losses.sum::<f64>() / tokens.len() as f64
    }

    /// Probability of `token` after `before`.
    fn probability(&self, before: &[u32], token: u32) -> f64 {
        let mut sequence = before.to_vec();
        sequence.push(token);
        let mut probability = 1.0 / self.vocab as f64;
        for length in 1..=sequence.len() {
            let sequence = &sequence[sequence.len() - length..];
            if let Some((total, kinds)) = self.contexts.get(&key(&sequence[..length - 1])) {
                let count = self.counts.get(&key(sequence)).copied().unwrap_or(0);
                let (total, kinds) = (f64::from(*total), f64::from(*kinds));
                probability = (f64::from(count) + kinds * probability) / (total + kinds);
            }
        }
        probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(train: &[u32], held_out: &[u32], vocab: usize) -> f64 {
        NGram::count(3, vocab, [train].into_iter()).loss(held_out)
    }

    #[test]
    fn a_text_that_repeats_is_cheap_and_noise_costs_the_alphabet() {
        let cycle: Vec<u32> = (0..3000).map(|i| i % 3).collect();
        assert!(loss(&cycle, &cycle, 3) < 0.01);
        let mut state = 1u32;
        let noise: Vec<u32> = (0..30_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) % 4
            })
            .collect();
        let loss = loss(&noise[..15_000], &noise[15_000..], 4);
        assert!((loss - 4f64.ln()).abs() < 0.02, "{loss}");
    }

    #[test]
    fn probabilities_sum_to_one() {
        let text: Vec<u32> = (0..500).map(|i| (i * i + i / 7) % 11).collect();
        let model = NGram::count(5, 11, [text.as_slice()].into_iter());
        for before in [&[][..], &[3], &[1, 2, 3, 4], &[10, 10, 10, 10]] {
            let sum: f64 = (0..11).map(|token| model.probability(before, token)).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
    }
}
