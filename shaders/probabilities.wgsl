// Temperature, top-k and top-p: the distribution that is both sampled from and verified with.
//
// settings   temperature, top_k, top_p
// logits     (rows, vocab)      from row 0 on
// probs      (rows, vocab)      written from destination_row on
//
// One workgroup per row. Twin: crates/kernels/src/cpu/probabilities.rs.
//#import pass
//#import settings

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read_write> probs: array<f32>;

// As many as software adapters compute at once: waiting for others is dear there.
const LANES: u32 = 8u;

//#import row_probabilities

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let destination = (group.x + pass_.destination_row) * pass_.vocab;
    row_probabilities(lane, group.x * pass_.vocab, destination);
}
