// What every decode kernel is told about the rows it computes. Sizes are counts of numbers,
// not bytes. Twin: `Pass` in crates/kernels/src/params.rs, same order.
struct Pass {
    // Rows computed together, from source_row on.
    rows: u32,
    // Position of row 0, relative to the committed length; rows before position 0 are idle.
    offset: i32,
    // Width of the input and of the output of a matrix.
    input_size: u32,
    output_size: u32,
    // Attention: query heads, key and value heads, width of a head.
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    // First row read and, by kernels of a layer, written. Attention's inputs are projected from row 0
    // on, whatever this says.
    source_row: u32,
    destination_row: u32,
    // Number of tokens in the vocabulary.
    vocab: u32,
    // Positions in the caches and in the token buffer.
    capacity: u32,
    // Epsilon inside the root of RMSNorm.
    epsilon: f32,
    // Whose draw it is: one of the PURPOSE_ constants.
    purpose: u32,
}

// The row after the last one.
fn end_row(pass_: Pass) -> u32 {
    return pass_.source_row + pass_.rows;
}

// Position of a row in the text; negative for a row before its beginning.
fn row_position(pass_: Pass, length: u32, row: u32) -> i32 {
    return i32(length) + pass_.offset + i32(row);
}
