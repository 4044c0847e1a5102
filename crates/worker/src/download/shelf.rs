//! Where files are kept between visits: pieces in the browser's Cache API. Where there is none,
//! every visit downloads.

use std::cell::RefCell;

use couplet_model::{Arrival, FileEntry, is_outdated, piece_name};
use futures_util::future::join_all;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, Request, Response};

use crate::browser_cache;

/// The number counts layouts of the cache; a page throws away those it does not know.
const NAME: &str = "couplet-files-1";
const FAMILY: &str = "couplet-files-";

/// The place of one file.
pub(super) struct Shelf {
    cache: Option<Cache>,
    address: String,
    sha256: String,
    /// Pieces on their way to the disk.
    puts: RefCell<Vec<JsFuture>>,
}

impl Shelf {
    /// The place of the file at an address.
    pub(super) async fn open(address: &str, entry: &FileEntry) -> Self {
        Self {
            cache: browser_cache::open(NAME).await,
            address: address.to_owned(),
            sha256: entry.sha256.clone(),
            puts: RefCell::default(),
        }
    }

    fn name(&self, from: usize) -> String {
        piece_name(&self.address, &self.sha256, from)
    }

    /// Adds everything that was kept, as far as it has no gaps.
    pub(super) async fn fill(&self, arrival: &mut Arrival) {
        let Some(cache) = &self.cache else { return };
        while !arrival.is_whole() {
            match piece(cache, &self.name(arrival.received())).await {
                Some(bytes) if bytes.length() > 0 => arrival.push_kept(&bytes.to_vec()),
                _ => return,
            }
        }
    }

    /// Keeps what has arrived since the last call, in pieces.
    pub(super) fn keep(&self, arrival: &mut Arrival) {
        let Some(cache) = &self.cache else { return };
        while let Some((range, bytes)) = arrival.next_piece() {
            let content = Uint8Array::from(bytes);
            if let Ok(response) = Response::new_with_opt_js_u8_array(Some(&content)) {
                let put = cache.put_with_str(&self.name(range.start), &response);
                self.puts.borrow_mut().push(JsFuture::from(put));
            }
        }
    }

    /// Waits until everything is on the disk, or that seems to hang. What the disk has no room for is
    /// simply not there next time.
    pub(super) async fn settle(&self) {
        let puts = std::mem::take(&mut *self.puts.borrow_mut());
        browser_cache::soon(join_all(puts)).await;
    }

    /// Throws the file away.
    pub(super) async fn clear(&self) {
        self.settle().await;
        let Some(cache) = &self.cache else { return };
        let beginning = format!("{}?sha256={}&", self.address, self.sha256);
        remove(cache, |name| name.starts_with(&beginning)).await;
    }
}

/// Forgets caches of other layouts, and files below `folder` that have none of these hashes.
pub(super) async fn tidy(folder: &str, hashes: &[&str]) {
    if let Some(caches) = browser_cache::storage()
        && let Some(names) = browser_cache::answer(caches.keys()).await
    {
        for name in Array::from(&names)
            .iter()
            .filter_map(|name| name.as_string())
        {
            if name.starts_with(FAMILY) && name != NAME {
                browser_cache::answer(caches.delete(&name)).await;
            }
        }
    }
    if let Some(cache) = browser_cache::open(NAME).await {
        remove(&cache, |name| is_outdated(name, folder, hashes)).await;
    }
}

async fn piece(cache: &Cache, name: &str) -> Option<Uint8Array> {
    let response = browser_cache::answer(cache.match_with_str(name)).await?;
    let response: Response = response.dyn_into().ok()?;
    let buffer = browser_cache::answer(response.array_buffer().ok()?).await?;
    Some(Uint8Array::new(&buffer))
}

async fn remove(cache: &Cache, chosen: impl Fn(&str) -> bool) {
    let Some(requests) = browser_cache::answer(cache.keys()).await else {
        return;
    };
    for request in Array::from(&requests).iter() {
        let request: Request = request.unchecked_into();
        if chosen(&request.url()) {
            browser_cache::answer(cache.delete_with_request(&request)).await;
        }
    }
}
