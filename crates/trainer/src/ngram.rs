/// Loss of a trigram model with interpolated (Witten-Bell) smoothing: what counting alone
/// achieves, the bar for the trained models.
///
/// Returns nats per token on `validation`, each token predicted from the two before it.
/// Source: Chen and Goodman 1999, section 2.4.
pub fn trigram_loss(train: &[u32], validation: &[u32], vocab: usize) -> f64 {
    let mut counts = [
        vec![0u32; vocab],
        vec![0u32; vocab * vocab],
        vec![0u32; vocab * vocab * vocab],
    ];
    for window in train.windows(3) {
        let [a, b, c] = [window[0] as usize, window[1] as usize, window[2] as usize];
        counts[0][c] += 1;
        counts[1][b * vocab + c] += 1;
        counts[2][(a * vocab + b) * vocab + c] += 1;
    }
    let probability = |a: usize, b: usize, c: usize| {
        let mut lower = 1.0 / vocab as f64;
        for (order, context) in [0, b, a * vocab + b].into_iter().enumerate() {
            let row = &counts[order][context * vocab..][..vocab];
            let total = f64::from(row.iter().sum::<u32>());
            let kinds = row.iter().filter(|count| **count > 0).count() as f64;
            if total > 0.0 {
                lower = (f64::from(row[c]) + kinds * lower) / (total + kinds);
            }
        }
        lower
    };
    let losses = validation
        .windows(3)
        .map(|w| -probability(w[0] as usize, w[1] as usize, w[2] as usize).ln());
    losses.sum::<f64>() / (validation.len() - 2) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_repeats_is_cheap_and_noise_costs_the_alphabet() {
        let cycle: Vec<u32> = (0..3000).map(|i| i % 3).collect();
        assert!(trigram_loss(&cycle, &cycle, 3) < 0.01);
        let mut state = 1u32;
        let noise: Vec<u32> = (0..30_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) % 4
            })
            .collect();
        let loss = trigram_loss(&noise[..15_000], &noise[15_000..], 4);
        assert!((loss - 4f64.ln()).abs() < 0.02, "{loss}");
    }
}
