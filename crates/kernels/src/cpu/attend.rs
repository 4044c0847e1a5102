//! Twin of `shaders/attend.wgsl`: its two halves, one after the other.

use super::{Bindings, attention, attention_inputs};
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>) {
    attention_inputs::run(bindings);
    let pass: Pass = bindings.uniform(0);
    let length = bindings.words(1)[0];
    attention::run_on(
        &pass,
        length,
        &bindings.floats(5),
        &bindings.floats(6),
        &mut bindings.floats_mut(7),
    );
}
