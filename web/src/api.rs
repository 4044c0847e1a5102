//! Stub.
pub fn install(_store: crate::store::Store) {}
