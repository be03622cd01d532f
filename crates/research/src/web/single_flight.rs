//! Single flight: concurrent callers share one execution of the same work.

use std::{collections::HashMap, sync::Mutex};

use futures::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared},
};

/// Running work by its key. Work is dropped when its last caller stops waiting.
pub(super) struct SingleFlight<T: Clone> {
    under_way: Mutex<HashMap<String, WeakShared<BoxFuture<'static, T>>>>,
}

impl<T: Clone> Default for SingleFlight<T> {
    fn default() -> Self {
        Self { under_way: Mutex::new(HashMap::new()) }
    }
}

impl<T: Clone> SingleFlight<T> {
    /// Joins running work or starts it. Returns whether it was joined.
    pub(super) async fn join(&self, key: &str, begin: impl FnOnce() -> BoxFuture<'static, T>) -> (T, bool) {
        let (work, is_joined) = self.join_or_start(key, begin);
        let result = work.clone().await;
        if !is_joined {
            // The callers that still wait hold their own reference.
            self.lock().retain(|at, _| at != key);
        }
        (result, is_joined)
    }

    fn join_or_start(
        &self,
        key: &str,
        begin: impl FnOnce() -> BoxFuture<'static, T>,
    ) -> (Shared<BoxFuture<'static, T>>, bool) {
        let mut under_way = self.lock();
        if let Some(work) = under_way.get(key).and_then(WeakShared::upgrade) {
            return (work, true);
        }
        under_way.retain(|_, work| work.upgrade().is_some());
        let work = begin().shared();
        under_way.extend(work.downgrade().map(|work| (key.to_owned(), work)));
        (work, false)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, WeakShared<BoxFuture<'static, T>>>> {
        self.under_way.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
