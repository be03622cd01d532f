//! What the library does not tell, read from the frames themselves.

use std::sync::atomic::{AtomicBool, Ordering};

use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};

/// What a frame has to contain to be read here as well: most frames are text and need not be read twice.
const BLOCKED: &str = "\"blockReason\"";

/// Looks at the frames of one answer as they pass.
#[derive(Debug, Default)]
pub(super) struct Watch {
    is_blocked: AtomicBool,
}

impl Watch {
    /// Whether Gemini refused the question itself, which the library reports like any other empty frame.
    pub(super) fn is_blocked(&self) -> bool {
        self.is_blocked.load(Ordering::Relaxed)
    }
}

impl ChatFrameSink for Watch {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        if let Some(json) = frame.data.contains(BLOCKED).then(|| frame.json()).flatten()
            && json["promptFeedback"]["blockReason"].is_string()
        {
            self.is_blocked.store(true, Ordering::Relaxed);
        }
    }
}
