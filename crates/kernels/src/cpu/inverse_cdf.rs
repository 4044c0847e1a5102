//! Twin of `shaders/shared/inverse_cdf.wgsl`.

/// The first token whose cumulative weight exceeds `u` times the total; never one of weight 0.
pub(super) fn draw_token(weights: impl Iterator<Item = f32> + Clone, u: f32) -> u32 {
    let mut total = 0.0f32;
    for weight in weights.clone() {
        total += weight;
    }
    let goal = u * total;
    let mut last = 0;
    let mut sum = 0.0f32;
    for (token, weight) in weights.enumerate() {
        if weight > 0.0 {
            sum += weight;
            last = token as u32;
            if sum > goal {
                return last;
            }
        }
    }
    last
}
