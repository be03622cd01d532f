//! Panics of any thread. A server catches those of its tasks and goes on, which is right and would hide them here.

use std::sync::{Mutex, Once, PoisonError};

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
static HOOKED: Once = Once::new();

/// How many there were so far. Counting begins with the first call.
pub(crate) fn count() -> usize {
    HOOKED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
            before(info);
        }));
    });
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).len()
}

/// The first one after so many.
pub(crate) fn since(count: usize) -> Option<String> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).get(count).cloned()
}
