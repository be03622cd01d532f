//! Doing a thing once for all who want it at the same time.

use std::{collections::HashMap, sync::Mutex};

use futures::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared},
};

/// Work that is under way, by what it is for. Work that nobody waits for any more ends.
pub(super) struct Flights<T: Clone> {
    under_way: Mutex<HashMap<String, WeakShared<BoxFuture<'static, T>>>>,
}

impl<T: Clone> Default for Flights<T> {
    fn default() -> Self {
        Self { under_way: Mutex::new(HashMap::new()) }
    }
}

impl<T: Clone> Flights<T> {
    /// Waits for work that is under way, or begins it; says which.
    pub(super) async fn join(&self, key: &str, begin: impl FnOnce() -> BoxFuture<'static, T>) -> (T, bool) {
        let (work, is_joined) = self.board(key, begin);
        let result = work.clone().await;
        if !is_joined {
            // Those who are still waiting hold on to it themselves.
            self.lock().retain(|at, _| at != key);
        }
        (result, is_joined)
    }

    fn board(&self, key: &str, begin: impl FnOnce() -> BoxFuture<'static, T>) -> (Shared<BoxFuture<'static, T>>, bool) {
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
