//! Twin of `shaders/gate_up.wgsl`.

use wide::f32x4;

use super::exp::Exponential;
use super::fused::{Products, compute};
use super::multiply::{load, multiply};
use super::{Bindings, norm_factor};
use crate::{Pass, padded};

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let length = bindings.words(1)[0];
    let (stream, weights) = (bindings.floats(2), bindings.floats(3));
    let mut activated = bindings.floats_mut(4);
    let rows = pass.from_source_row();
    let (inputs, columns) = (pass.input_size as usize, pass.output_size as usize);
    let width = padded(columns);
    let mut projected = vec![0.0f32; rows.len() * 2 * width];
    let input = &stream[rows.start * inputs..rows.end * inputs];
    multiply(input, rows.len(), &weights, &mut projected);
    for (row, projected) in rows.zip(projected.chunks_exact_mut(2 * width)) {
        if pass.position(length, row).is_none() {
            continue;
        }
        let factor = f32x4::splat(norm_factor(&stream[row * inputs..][..inputs], pass.epsilon));
        let (gates, ups) = projected.split_at_mut(width);
        compute(Activation { gates, ups, factor });
        activated[row * columns..][..columns].copy_from_slice(&gates[..columns]);
    }
}

/// Shape (columns): `gates` become `silu(gates) * ups`, both times `factor` before.
struct Activation<'a> {
    gates: &'a mut [f32],
    ups: &'a [f32],
    factor: f32x4,
}

impl Products for Activation<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) {
        let exponential = Exponential::new();
        for (gate, up) in self.gates.chunks_exact_mut(4).zip(self.ups.chunks_exact(4)) {
            let (x, up) = (load(gate, 0) * self.factor, load(up, 0) * self.factor);
            let silu = x / (f32x4::ONE + exponential.of(-x, multiply_add));
            gate.copy_from_slice(&(silu * up).to_array());
        }
    }
}
