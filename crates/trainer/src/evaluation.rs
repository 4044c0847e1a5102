//! What trained models are worth, on text that they never saw.

use burn::tensor::{Device, Int, Tensor, TensorData, activation};
use couplet_model::Decoder;

/// Windows that are passed through a model at once.
const BATCH: usize = 16;

/// Rows of a batch as a tensor, `(batch, length)`.
pub fn tokens_tensor(rows: &[&[u32]], device: &Device) -> Tensor<2, Int> {
    let length = rows[0].len();
    let data: Vec<i32> = rows
        .iter()
        .flat_map(|row| row.iter().map(|id| *id as i32))
        .collect();
    Tensor::from_data(TensorData::new(data, [rows.len(), length]), device)
}

/// Mean negative log-likelihood in nats per token.
///
/// `tokens` is cut into windows of `context` predictions that do not overlap, so early
/// positions of a window see little context: the figure is an upper bound.
pub fn mean_loss(decoder: &Decoder, tokens: &[u32], context: usize, device: &Device) -> f64 {
    let mut total = 0.0;
    let mut count = 0;
    for windows in windows(tokens, context).chunks(BATCH) {
        let inputs: Vec<&[u32]> = windows.iter().map(|w| &w[..context]).collect();
        let targets: Vec<&[u32]> = windows.iter().map(|w| &w[1..]).collect();
        let loss = cross_entropy(
            decoder.forward(tokens_tensor(&inputs, device)),
            tokens_tensor(&targets, device),
        );
        total += f64::from(loss.into_scalar::<f32>()) * (windows.len() * context) as f64;
        count += windows.len() * context;
    }
    total / count as f64
}

/// Mean cross-entropy of `(batch, length, vocab)` logits against `(batch, length)` tokens, nats.
pub fn cross_entropy(logits: Tensor<3>, targets: Tensor<2, Int>) -> Tensor<1> {
    let log_probs = activation::log_softmax(logits, 2);
    log_probs
        .gather(2, targets.unsqueeze_dim::<3>(2))
        .mean()
        .neg()
}

/// How well two models agree on every window of a text, in the three ways that are reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// `sum_x min(target(x), draft(x)) = 1 - TV` at temperature 1, mean over the positions.
    pub at_one: f64,
    /// The same at temperature 0.7.
    pub at_seven_tenths: f64,
    /// Share of positions at which both have the same most probable token.
    pub greedy: f64,
}

/// Agreement of several drafts with a target in every window of `tokens`, `(drafts, windows)`.
/// Windows are those of [`mean_loss`].
pub fn agreement(
    target: &Decoder,
    drafts: &[&Decoder],
    tokens: &[u32],
    context: usize,
    device: &Device,
) -> Vec<Vec<Agreement>> {
    let mut found = vec![Vec::new(); drafts.len()];
    for windows in windows(tokens, context).chunks(BATCH) {
        let inputs: Vec<&[u32]> = windows.iter().map(|w| &w[..context]).collect();
        let inputs = tokens_tensor(&inputs, device);
        let target_logits = target.forward(inputs.clone());
        for (draft, found) in drafts.iter().zip(&mut found) {
            let draft_logits = draft.forward(inputs.clone());
            let overlap = |temperature: f64| {
                let probs = |logits: &Tensor<3>| {
                    activation::softmax(logits.clone().div_scalar(temperature), 2)
                };
                per_window(
                    probs(&target_logits).min_pair(probs(&draft_logits)),
                    context,
                )
            };
            let same = target_logits
                .clone()
                .argmax(2)
                .equal(draft_logits.clone().argmax(2))
                .float();
            let greedy = per_window(same, context);
            found.extend(overlap(1.0).into_iter().zip(overlap(0.7)).zip(greedy).map(
                |((at_one, at_seven_tenths), greedy)| Agreement {
                    at_one,
                    at_seven_tenths,
                    greedy,
                },
            ));
        }
    }
    found
}

/// The sum over tokens and the mean over positions of `(batch, context, any)`, per window.
fn per_window(values: Tensor<3>, context: usize) -> Vec<f64> {
    let batch = values.dims()[0];
    let sums: Tensor<2> = values.reshape([batch as i64, -1]).sum_dim(1);
    let sums: Vec<f32> = sums
        .into_data()
        .try_into_vec()
        .expect("sums of numbers are numbers");
    sums.iter()
        .map(|sum| f64::from(*sum) / context as f64)
        .collect()
}

/// `tokens` as windows of `context` predictions: each holds one token more, which is also the
/// first of the next window.
pub fn windows(tokens: &[u32], context: usize) -> Vec<&[u32]> {
    (0..(tokens.len() - 1) / context)
        .map(|i| &tokens[i * context..=(i + 1) * context])
        .collect()
}
