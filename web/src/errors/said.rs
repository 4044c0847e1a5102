//! A sentence that is said anew in the language which is spoken when it is read.

use std::sync::Arc;

use crate::language;

/// A sentence that outlives the views, which another language makes anew.
#[derive(Clone)]
pub enum Said {
    /// By the engine, which speaks English.
    ByEngine(String),
    /// By the page, in the language that is spoken then.
    ByPage(Arc<dyn Fn() -> String + Send + Sync>),
}

impl Said {
    /// By the page.
    pub fn new(say: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self::ByPage(Arc::new(say))
    }

    /// In the language that is spoken now.
    pub fn now(&self) -> String {
        match self {
            Self::ByEngine(sentence) => language::of_engine(sentence),
            Self::ByPage(say) => say(),
        }
    }
}

impl PartialEq for Said {
    fn eq(&self, other: &Self) -> bool {
        self.now() == other.now()
    }
}
