//! Which kernels were the quickest, kept between visits: timing them again would only cost time.

use std::hash::{DefaultHasher, Hash, Hasher};

use couplet_engine::KernelSet;
use couplet_kernels::Kernel;
use wasm_bindgen::JsCast;
use web_sys::Response;

use crate::{browser_cache, scope};

const NAME: &str = "couplet-choices-1";

/// Kept in the place of a choice where choosing failed.
const FAILED: &str = "failed";

/// What a choice was made for: a pair, a GPU, a browser, and these very kernels.
pub(crate) struct Place(String);

impl Place {
    /// The place of a pair on a GPU.
    pub(crate) fn new(pair: &str, gpu: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        // Browsers compile kernels, and a new version does it differently.
        (pair, gpu, scope::browser()).hash(&mut hasher);
        for kernel in Kernel::ALL {
            kernel.sources().hash(&mut hasher);
        }
        let place = format!("kernels?for={:016x}", hasher.finish());
        Self(scope::address(&place))
    }

    /// What was chosen in an earlier visit; nothing if the browser keeps nothing.
    pub(crate) async fn known(&self) -> Option<KernelSet> {
        let key = self.kept().await?;
        KernelSet::ALL.into_iter().find(|set| set.key() == key)
    }

    /// Keeps that choosing failed in the place of any choice, and tells whether it had failed before.
    pub(crate) async fn keep_failure(&self) -> bool {
        let before = self.kept().await.as_deref() == Some(FAILED);
        self.keep_text(FAILED).await;
        before
    }

    async fn kept(&self) -> Option<String> {
        let cache = browser_cache::open(NAME).await?;
        let response = browser_cache::answer(cache.match_with_str(&self.0)).await?;
        let response: Response = response.dyn_into().ok()?;
        let text = browser_cache::answer(response.text().ok()?).await?;
        text.as_string()
    }

    /// Keeps a choice.
    pub(crate) async fn keep(&self, choice: KernelSet) {
        self.keep_text(choice.key()).await;
    }

    async fn keep_text(&self, text: &str) {
        let Some(cache) = browser_cache::open(NAME).await else {
            return;
        };
        let Ok(response) = Response::new_with_opt_str(Some(text)) else {
            return;
        };
        browser_cache::answer(cache.put_with_str(&self.0, &response)).await;
    }
}
