//! Reads from the raw frames what the library does not report.

use std::sync::atomic::{AtomicBool, Ordering};

use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};

/// A frame is parsed here only if it contains this: most frames are text and need not be parsed
/// twice.
const BLOCKED: &str = "\"blockReason\"";

/// Observes the frames of one answer.
#[derive(Debug, Default)]
pub(super) struct FrameObserver {
    is_blocked: AtomicBool,
}

impl FrameObserver {
    /// Whether Gemini blocked the prompt, which the library reports like any other empty frame.
    pub(super) fn is_blocked(&self) -> bool {
        self.is_blocked.load(Ordering::Relaxed)
    }
}

impl ChatFrameSink for FrameObserver {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        if let Some(json) = frame.data.contains(BLOCKED).then(|| frame.json()).flatten()
            && json["promptFeedback"]["blockReason"].is_string()
        {
            self.is_blocked.store(true, Ordering::Relaxed);
        }
    }
}
