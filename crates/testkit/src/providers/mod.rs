//! Scripted servers with the wire formats of Anthropic, Gemini and Ollama, as far as a streaming
//! client sees them.

mod anthropic;
mod catalog;
mod gemini;
mod ollama;
mod reply;
mod server;

pub use catalog::{CatalogModel, ModelCatalog};
pub use reply::ProviderReply;
pub use server::{ProviderRequest, ProviderServer};

use serde_json::Value;

/// The wire format of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderWire {
    /// `POST /v1/messages`, named events.
    Anthropic,
    /// `POST /v1beta/models/MODEL:streamGenerateContent?alt=sse`, events without names.
    Gemini,
    /// `POST /api/chat`, one JSON document a line.
    Ollama,
}

/// The input and output tokens that a reply reports.
const USAGE: (u32, u32) = (10, 5);

/// A stream, as frames that are sent one by one.
struct StreamScript {
    /// The frames before the first piece of the answer.
    opening: Vec<String>,
    /// The answer, piece by piece.
    pieces: Vec<String>,
    /// The frames after the last piece.
    closing: Vec<String>,
}

impl ProviderWire {
    /// The media type of its streams.
    const fn content_type(self) -> &'static str {
        match self {
            Self::Anthropic | Self::Gemini => "text/event-stream",
            Self::Ollama => "application/x-ndjson",
        }
    }

    fn script(self, reply: &ProviderReply, model: &str) -> StreamScript {
        match self {
            Self::Anthropic => anthropic::script(reply, model),
            Self::Gemini => gemini::script(reply, model),
            Self::Ollama => ollama::script(reply, model),
        }
    }

    /// An error in the middle of a stream.
    fn error_frame(self, message: &str) -> String {
        match self {
            Self::Anthropic => anthropic::event("error", &anthropic::error(529, message)),
            Self::Gemini => gemini::event(&gemini::error(503, message)),
            Self::Ollama => ollama::line(&ollama::error(message)),
        }
    }

    /// The body of an error.
    fn error_body(self, status: u16, message: &str) -> Value {
        match self {
            Self::Anthropic => anthropic::error(status, message),
            Self::Gemini => gemini::error(status, message),
            Self::Ollama => ollama::error(message),
        }
    }
}

/// The arguments as JSON, for wire formats that require it; a text that is not JSON is sent as a
/// string.
fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}
