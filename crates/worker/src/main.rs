//! The engine's worker for every browser that has WebAssembly's SIMD.

fn main() {
    couplet_worker::run();
}
