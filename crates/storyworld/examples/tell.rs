//! Prints stories: `cargo run -p couplet-storyworld --example tell -- FIRST LAST`.

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok());
    let first: u64 = numbers.next().unwrap_or(1);
    let last: u64 = numbers.next().unwrap_or(first);
    for seed in first..=last {
        println!("--- {seed}\n{}\n", couplet_storyworld::story(seed));
    }
}
