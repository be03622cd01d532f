//! Servers that speak the wires of Anthropic, Gemini and Ollama from a script, as far as a streaming client sees them.

mod anthropic;
mod gemini;
mod offered;
mod ollama;
mod reply;
mod server;

pub use offered::{Offered, OfferedModel};
pub use reply::ProviderReply;
pub use server::{ProviderRequest, ProviderServer};

use serde_json::Value;

/// Whose wire a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// `POST /v1/messages`, events with names.
    Anthropic,
    /// `POST /v1beta/models/MODEL:streamGenerateContent?alt=sse`, events without.
    Gemini,
    /// `POST /api/chat`, a document a line.
    Ollama,
}

/// How many tokens a reply says it took and gave.
const USAGE: (u32, u32) = (10, 5);

/// A stream in the making: frames that are sent one by one.
struct Script {
    /// What comes before the first piece of the answer.
    opening: Vec<String>,
    /// The answer, piece by piece.
    pieces: Vec<String>,
    /// What comes after the last.
    closing: Vec<String>,
}

impl Wire {
    /// The media type of its streams.
    const fn content_type(self) -> &'static str {
        match self {
            Self::Anthropic | Self::Gemini => "text/event-stream",
            Self::Ollama => "application/x-ndjson",
        }
    }

    fn script(self, reply: &ProviderReply, model: &str) -> Script {
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

/// The arguments as a document, for wires that have no other way; a text that is none goes as a string.
fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}
