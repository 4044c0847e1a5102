//! Twin of `shaders/attention.wgsl`.

use super::Bindings;
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let state = bindings.words(1);
    let (queries, keys, values) = (bindings.floats(2), bindings.floats(3), bindings.floats(4));
    let mut mixed = bindings.floats_mut(5);
    let (heads, kv_heads, head_dim) = (
        pass.heads as usize,
        pass.kv_heads as usize,
        pass.head_dim as usize,
    );
    let scale = 1.0 / (head_dim as f32).sqrt();
    let mut query = vec![0.0f32; head_dim];
    for row in 0..pass.rows as usize {
        let Some(position) = pass.position(state[0], row) else {
            continue;
        };
        for head in 0..heads {
            let kv_head = head / (heads / kv_heads);
            let base = (row * heads + head) * head_dim;
            for (scaled, x) in query.iter_mut().zip(&queries[base..base + head_dim]) {
                *scaled = x * scale;
            }
            let sum = &mut mixed[base..base + head_dim];
            sum.fill(0.0);
            let mut largest = -1e30f32;
            let mut total = 0.0f32;
            for past in 0..=position {
                let at = (past * kv_heads + kv_head) * head_dim;
                let mut products = [0.0f32; 4];
                for (x, key) in query
                    .chunks_exact(4)
                    .zip(keys[at..at + head_dim].chunks_exact(4))
                {
                    for lane in 0..4 {
                        products[lane] += x[lane] * key[lane];
                    }
                }
                let score = products[0] + products[1] + products[2] + products[3];
                if score > largest {
                    let shrink = (largest - score).exp();
                    total *= shrink;
                    for x in sum.iter_mut() {
                        *x *= shrink;
                    }
                    largest = score;
                }
                let weight = (score - largest).exp();
                total += weight;
                for (x, value) in sum.iter_mut().zip(&values[at..at + head_dim]) {
                    *x += weight * value;
                }
            }
            for x in sum.iter_mut() {
                *x /= total;
            }
        }
    }
}
