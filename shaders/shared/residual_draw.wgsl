// Draws what closes a round from the residual or from the target's own distribution. After
// verdict and before inverse_cdf. Twin: crates/kernels/src/cpu/verdict.rs.

// Whether draw_token sees the residual, and what the two distributions are multiplied by in it.
var<private> from_residual: bool;
var<private> draft_factor: f32;
var<private> target_factor: f32;

fn weight_of(row: u32, token: u32) -> f32 {
    let target_prob = target_probs[row * pass_.vocab + token];
    if from_residual {
        let draft_prob = draft_probs[row * pass_.vocab + token];
        return max(0.0, target_factor * target_prob - draft_factor * draft_prob);
    }
    return target_prob;
}

// Mass of the residual of a row, not normalised.
fn residual_mass(row: u32) -> f32 {
    from_residual = true;
    return sum_of_weights(row, pass_.vocab);
}

// The closing token after `accepted` drafted ones: from the residual of the first that was not
// kept if `wants_residual`, from the target's own distribution otherwise and for a bonus.
fn closing_after(length: u32, accepted: u32, wants_residual: bool) -> Closing {
    let rejected = accepted < pass_.rows;
    var mass = 0.0;
    if rejected && wants_residual {
        mass = residual_mass(accepted);
    }
    // Rounding can leave nothing: then the two distributions agree, and the target's serves.
    from_residual = mass > 0.0;
    let purpose = select(PURPOSE_TARGET, PURPOSE_RESIDUAL, rejected);
    let u = uniform_at(settings.seed, length + accepted, purpose, 0u);
    return Closing(draw_token(accepted, pass_.vocab, u), mass, u, target_factor);
}
