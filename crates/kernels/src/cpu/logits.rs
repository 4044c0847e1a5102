//! Twin of `shaders/logits.wgsl`.

use super::{Bindings, norm_factor};
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let state = bindings.words(1);
    let (stream, table) = (bindings.floats(2), bindings.floats(3));
    let mut logits = bindings.floats_mut(4);
    let (inputs, vocab) = (pass.input_size as usize, pass.vocab as usize);
    for row in 0..pass.rows as usize {
        let source = row + pass.source_row as usize;
        if pass.position(state[0], source).is_none() {
            continue;
        }
        let x = &stream[source * inputs..][..inputs];
        let factor = norm_factor(x, pass.epsilon);
        for token in 0..vocab {
            let mut products = [0.0f32; 4];
            for (x, weights) in x
                .chunks_exact(4)
                .zip(table[token * inputs..][..inputs].chunks_exact(4))
            {
                for lane in 0..4 {
                    products[lane] += x[lane] * weights[lane];
                }
            }
            logits[row * vocab + token] =
                (products[0] + products[1] + products[2] + products[3]) * factor;
        }
    }
}
