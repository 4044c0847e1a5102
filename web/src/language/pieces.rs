//! Sayings in which some of the words are marked up.

use std::mem;

use leptos::prelude::*;

/// The first of the private characters that hold the places of pieces.
const FIRST: u32 = 0xE000;

/// Holds the place of a marked-up piece in a saying.
pub fn slot(index: u8) -> char {
    char::from_u32(FIRST + u32::from(index)).unwrap_or_default()
}

/// A saying with its pieces in their places.
pub fn filled<const N: usize>(saying: &str, pieces: [AnyView; N]) -> Vec<AnyView> {
    let mut pieces = pieces.map(Some);
    let mut views = Vec::new();
    let mut text = String::new();
    for letter in saying.chars() {
        let index = u32::from(letter).wrapping_sub(FIRST);
        match pieces.get_mut(index as usize) {
            Some(piece) => {
                views.push(mem::take(&mut text).into_any());
                views.extend(piece.take());
            }
            None => text.push(letter),
        }
    }
    views.push(text.into_any());
    views
}
