use burn::tensor::{Device, Int, Tensor, TensorData, activation};
use couplet_model::Decoder;

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
pub fn validation_loss(decoder: &Decoder, tokens: &[u32], context: usize, device: &Device) -> f64 {
    let mut total = 0.0;
    let mut count = 0;
    for windows in windows(tokens, context).chunks(16) {
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

/// Acceptance rate `E[sum_x min(target(x), draft(x))] = 1 - E[TV]` at temperature 1, over the
/// positions of `tokens`.
pub fn acceptance_rate(
    target: &Decoder,
    draft: &Decoder,
    tokens: &[u32],
    context: usize,
    device: &Device,
) -> f64 {
    let mut total = 0.0;
    let mut count = 0;
    for windows in windows(tokens, context).chunks(16) {
        let inputs: Vec<&[u32]> = windows.iter().map(|w| &w[..context]).collect();
        let inputs = tokens_tensor(&inputs, device);
        let target_probs = activation::softmax(target.forward(inputs.clone()), 2);
        let draft_probs = activation::softmax(draft.forward(inputs), 2);
        let overlap = target_probs.min_pair(draft_probs).sum();
        total += f64::from(overlap.into_scalar::<f32>());
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

fn windows(tokens: &[u32], context: usize) -> Vec<&[u32]> {
    (0..(tokens.len() - 1) / context)
        .map(|i| &tokens[i * context..=(i + 1) * context])
        .collect()
}
