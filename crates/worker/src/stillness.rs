//! Times that other work would falsify.

use std::cell::Cell;

/// Whether something is being timed, while which other work waits.
#[derive(Default)]
pub(crate) struct Stillness(Cell<bool>);

impl Stillness {
    /// Keeps other work waiting as long as what it returns lives. Whoever times has a turn of his
    /// own: two never do so at once.
    pub(crate) fn hold(&self) -> Held<'_> {
        self.0.set(true);
        Held(self)
    }

    pub(crate) fn is_held(&self) -> bool {
        self.0.get()
    }
}

/// Ends by being dropped, also where what was timed is given up.
#[must_use]
pub(crate) struct Held<'a>(&'a Stillness);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.set(false);
    }
}
