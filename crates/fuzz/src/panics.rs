//! Counts panics of all threads. A server catches the panics of its tasks and continues, which
//! would hide them from the fuzzer.

use std::sync::{Mutex, Once, PoisonError};

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
static HOOKED: Once = Once::new();

/// The number of panics so far. Counting begins with the first call.
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

/// The first panic after this count.
pub(crate) fn since(count: usize) -> Option<String> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).get(count).cloned()
}
