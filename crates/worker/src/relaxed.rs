//! The engine's worker for browsers that also know relaxed SIMD, which the feature asks for.

fn main() {
    couplet_worker::run();
}
