// The mistakes of the museum. Twin: `KernelRule` in crates/kernels/src/params.rs.
const MISTAKE_RESAMPLES_FROM_TARGET: u32 = 100u;
const MISTAKE_MATCH_THEN_RESIDUAL: u32 = 101u;
const MISTAKE_DROPS_IMPROBABLE_DRAFTS: u32 = 102u;
const MISTAKE_MATCH_OR_RATIO: u32 = 103u;
const MISTAKE_RATIO_UPSIDE_DOWN: u32 = 104u;
const MISTAKE_ONE_COIN_FOR_ALL_POSITIONS: u32 = 105u;
const MISTAKE_REPLACEMENT_WITH_THE_SAME_COIN: u32 = 106u;

// Drafted tokens below this probability are dropped by one of them.
const IMPROBABLE: f32 = 0.25;
