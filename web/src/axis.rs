//! Where the lines of a chart stand.

/// A step of 1, 2 or 5 times a power of ten that divides a height into few parts.
pub fn round_step(height: f64, parts: f64) -> f64 {
    let rough = (height / parts).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power)
}
