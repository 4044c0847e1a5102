//! Twin of `shaders/attention_inputs.wgsl`.

use super::multiply::multiply;
use super::{Bindings, norm_factor};
use crate::{Pass, padded};

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let length = bindings.words(1)[0];
    let (stream, weights, rotary) = (bindings.floats(2), bindings.floats(3), bindings.floats(4));
    let (mut keys, mut values, mut queries) = (
        bindings.floats_mut(5),
        bindings.floats_mut(6),
        bindings.floats_mut(7),
    );
    let (rows, hidden) = (pass.rows as usize, pass.input_size as usize);
    let (heads, kv_heads, head_dim) = (
        pass.heads as usize,
        pass.kv_heads as usize,
        pass.head_dim as usize,
    );
    let capacity = pass.capacity as usize;
    let width = padded((heads + 2 * kv_heads) * head_dim);
    let mut projected = vec![0.0f32; rows * width];
    multiply(&stream[..rows * hidden], rows, &weights, &mut projected);
    for (row, projected) in projected.chunks_exact_mut(width).enumerate() {
        let Some(position) = pass.position(length, row) else {
            continue;
        };
        let factor = norm_factor(&stream[row * hidden..][..hidden], pass.epsilon);
        for x in projected.iter_mut() {
            *x *= factor;
        }
        let angles = &rotary[position * head_dim..][..head_dim];
        let (turned, values_of_row) = projected.split_at_mut((heads + kv_heads) * head_dim);
        for head in turned.chunks_exact_mut(head_dim) {
            turn(head, angles);
        }
        let (queries_of_row, keys_of_row) = turned.split_at(heads * head_dim);
        queries[row * heads * head_dim..][..heads * head_dim].copy_from_slice(queries_of_row);
        for kv_head in 0..kv_heads {
            let of_head = kv_head * head_dim..(kv_head + 1) * head_dim;
            let at = (kv_head * capacity + position) * head_dim;
            keys[at..at + head_dim].copy_from_slice(&keys_of_row[of_head.clone()]);
            values[at..at + head_dim].copy_from_slice(&values_of_row[of_head]);
        }
    }
}

/// Rotates each pair of a head's first and second half; `angles` are cosine and sine of each.
fn turn(head: &mut [f32], angles: &[f32]) {
    let (low, high) = head.split_at_mut(angles.len() / 2);
    for ((low, high), angle) in low.iter_mut().zip(high).zip(angles.chunks_exact(2)) {
        (*low, *high) = (
            *low * angle[0] - *high * angle[1],
            *high * angle[0] + *low * angle[1],
        );
    }
}
