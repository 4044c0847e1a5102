//! Twin of `shaders/attention_inputs.wgsl`.

use super::{Bindings, multiply_rows, norm_factor};
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let state = bindings.words(1);
    let (stream, weights, rotary) = (bindings.floats(2), bindings.floats(3), bindings.floats(4));
    let (mut queries, mut keys, mut values) = (
        bindings.floats_mut(5),
        bindings.floats_mut(6),
        bindings.floats_mut(7),
    );
    let (rows, inputs, outputs) = (
        pass.rows as usize,
        pass.input_size as usize,
        pass.output_size as usize,
    );
    let (heads, kv_heads, head_dim) = (
        pass.heads as usize,
        pass.kv_heads as usize,
        pass.head_dim as usize,
    );
    let half = head_dim / 2;
    let mut projected = vec![0.0f32; rows * outputs];
    multiply_rows(
        &stream[..rows * inputs],
        inputs,
        &weights,
        &mut projected,
        outputs,
    );
    for row in 0..rows {
        let Some(position) = pass.position(state[0], row) else {
            continue;
        };
        let factor = norm_factor(&stream[row * inputs..][..inputs], pass.epsilon);
        let projected = &mut projected[row * outputs..][..outputs];
        for x in projected.iter_mut() {
            *x *= factor;
        }
        for head in 0..heads + 2 * kv_heads {
            let source = &projected[head * head_dim..][..head_dim];
            if head >= heads + kv_heads {
                let kv_head = head - heads - kv_heads;
                let base = (position * kv_heads + kv_head) * head_dim;
                values[base..base + head_dim].copy_from_slice(source);
                continue;
            }
            let destination = if head < heads {
                &mut queries[(row * heads + head) * head_dim..][..head_dim]
            } else {
                &mut keys[(position * kv_heads + head - heads) * head_dim..][..head_dim]
            };
            for lane in 0..half {
                let angle = 2 * (position * half + lane);
                let (cosine, sine) = (rotary[angle], rotary[angle + 1]);
                let (low, high) = (source[lane], source[lane + half]);
                destination[lane] = low * cosine - high * sine;
                destination[lane + half] = high * cosine + low * sine;
            }
        }
    }
}
