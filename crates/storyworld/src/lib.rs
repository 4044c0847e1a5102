//! A story grammar: a small world of characters, wants, obstacles, helpers and endings, from
//! which any number of short children's stories is told.
//!
//! Facts are chosen once per story and kept ([`teller`]); people come from [`cast`]; each plot
//! is a function that chooses its facts and tells them in order.

mod cast;
mod fears;
mod kindness;
mod objects;
mod quests;
mod teller;
mod troubles;

use teller::Teller;

/// What the text is, in one sentence.
pub const DESCRIPTION: &str = "Short children's stories in simple English, generated from a \
    hand-written story grammar with characters, wants, obstacles, helpers and endings.";

/// The shortest story in characters.
pub const SHORTEST: usize = 450;
/// The longest story in characters.
pub const LONGEST: usize = 850;

/// All plots.
const PLOTS: &[fn(&mut Teller)] = &[
    objects::lost,
    objects::too_high,
    objects::quarrel,
    objects::broken,
    objects::gift,
    kindness::small_friend,
    kindness::lost_way,
    kindness::newcomer,
    kindness::trade,
    fears::fear,
    fears::noise,
    troubles::promise,
    troubles::boast,
    troubles::fib,
    quests::baking,
    quests::cold_feet,
    quests::map,
    quests::moon,
    quests::seed,
    quests::show,
];

/// Tells the story of a seed: [`SHORTEST`] to [`LONGEST`] ASCII characters, paragraphs on lines of
/// their own.
pub fn story(seed: u64) -> String {
    let mut attempt = 0;
    loop {
        // The same plot for many attempts: otherwise plots that fit more often would be told
        // more often.
        let plot = Teller::new(seed, u32::MAX - attempt / 100).pick(PLOTS);
        let mut teller = Teller::new(seed, attempt);
        plot(&mut teller);
        let text = teller.finish();
        if (SHORTEST..=LONGEST).contains(&text.len()) {
            return text;
        }
        attempt += 1;
    }
}

#[cfg(test)]
mod tests;
