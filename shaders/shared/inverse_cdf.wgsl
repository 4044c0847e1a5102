// Draws from unnormalised weights: the first token whose cumulative sum exceeds u times the
// total, all sums in the order of ids; a token of weight 0 is never drawn. The importing kernel
// defines weight_of(row, token). Twin: crates/kernels/src/cpu/inverse_cdf.rs.
fn draw_token(row: u32, vocab: u32, u: f32) -> u32 {
    var total = 0.0;
    for (var token = 0u; token < vocab; token++) {
        total += weight_of(row, token);
    }
    let goal = u * total;
    var last = 0u;
    var sum = 0.0;
    for (var token = 0u; token < vocab; token++) {
        let weight = weight_of(row, token);
        if weight > 0.0 {
            sum += weight;
            last = token;
            if sum > goal {
                return token;
            }
        }
    }
    return last;
}
