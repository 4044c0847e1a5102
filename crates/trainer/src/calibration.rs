//! Calibration: a model that has seen its text several times is surer than it should be. One
//! number, by which all of its logits are divided, puts that right.
//!
//! Source: Guo, Pleiss, Sun, Weinberger 2017, "On calibration of modern neural networks",
//! section 4.2 (temperature scaling).

use burn::tensor::{Device, Int, Tensor};
use couplet_model::Decoder;

use crate::corpus::Corpus;
use crate::evaluation::{cross_entropy, tokens_tensor, windows};

/// Tokens at the beginning of each held-out text that the number is chosen on.
pub const TOKENS: usize = 15_000;

/// The temperature at which a model's loss on the beginning of the held-out texts is smallest,
/// from 0.8 to 1.6 in steps of 0.01.
pub fn best_temperature(
    decoder: &Decoder,
    corpus: &Corpus,
    context: usize,
    device: &Device,
) -> f64 {
    let mut batches: Vec<(Tensor<3>, Tensor<2, Int>)> = Vec::new();
    for text in &corpus.held_out {
        let tokens = &text.tokens[..text.tokens.len().min(TOKENS)];
        for windows in windows(tokens, context).chunks(16) {
            let inputs: Vec<&[u32]> = windows.iter().map(|w| &w[..context]).collect();
            let targets: Vec<&[u32]> = windows.iter().map(|w| &w[1..]).collect();
            let logits = decoder.forward(tokens_tensor(&inputs, device));
            batches.push((logits, tokens_tensor(&targets, device)));
        }
    }
    let loss = |hundredths: i32| -> f64 {
        let losses = batches.iter().map(|(logits, targets)| {
            let logits = logits.clone().div_scalar(f64::from(hundredths) / 100.0);
            let loss = cross_entropy(logits, targets.clone()).into_scalar::<f32>();
            f64::from(loss) * targets.dims()[0] as f64
        });
        losses.sum()
    };
    // The loss has one valley: the search closes in on it.
    let (mut low, mut high) = (80, 160);
    while high - low > 2 {
        let third = (high - low) / 3;
        let (left, right) = (low + third, high - third);
        if loss(left) < loss(right) {
            high = right;
        } else {
            low = left;
        }
    }
    let best = (low..=high).min_by(|a, b| loss(*a).total_cmp(&loss(*b)));
    f64::from(best.unwrap_or(100)) / 100.0
}

/// The same model with all logits divided by `temperature`: the weights of the norm before the
/// output layer are, so every other software computes the same.
pub fn divide_logits(mut decoder: Decoder, temperature: f64) -> Decoder {
    let gamma = decoder.model.norm.gamma;
    decoder.model.norm.gamma = gamma.map(|weights| weights.div_scalar(temperature));
    decoder
}
