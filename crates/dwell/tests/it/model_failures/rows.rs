//! The kinds of model failures and what clients see of each.

use std::time::Duration;

use testkit::{Reply, ToolCall};

/// A kind of failure.
pub(crate) struct FailureCase {
    pub(crate) name: &'static str,
    /// What the model server answers, every time it is asked.
    pub(crate) reply: fn() -> Reply,
    /// The number of requests for one question.
    pub(crate) asked: usize,
    pub(crate) status: &'static str,
    /// The code of the turn's error; empty if it has none.
    pub(crate) code: &'static str,
    pub(crate) recoverable: bool,
    /// Why the answer ended; empty if there is none.
    pub(crate) stop_reason: &'static str,
    /// The text that remains.
    pub(crate) text: &'static str,
    /// OpenAI's API: the status, and `finish_reason` or the code of the error.
    pub(crate) openai: (u16, &'static str),
    /// Ollama's API: the status, and `done_reason`, or `error` where there is one.
    pub(crate) ollama: (u16, &'static str),
}

const WORDS: &str = "They sleep all winter. ";

type ErrorCode = (u16, &'static str);

/// The error of OpenAI's and Ollama's APIs for a failing provider.
const FAILED: ErrorCode = (502, "upstream_failed");
const FILTERED: ErrorCode = (400, "content_filter");

const fn failing(name: &'static str, reply: fn() -> Reply, code: &'static str, openai: ErrorCode) -> FailureCase {
    let ollama = (openai.0, "error");
    FailureCase {
        name,
        reply,
        asked: 3,
        status: "failed",
        code,
        recoverable: true,
        stop_reason: "",
        text: "",
        openai,
        ollama,
    }
}

const fn refused(name: &'static str, reply: fn() -> Reply, code: &'static str, openai: ErrorCode) -> FailureCase {
    FailureCase { asked: 1, recoverable: false, ..failing(name, reply, code, openai) }
}

const fn answered(
    name: &'static str,
    reply: fn() -> Reply,
    stop_reason: &'static str,
    openai: &'static str,
) -> FailureCase {
    // Ollama's clients know a reason for cut answers but none for filtered ones.
    let ollama = if matches!(openai.as_bytes(), b"length") { (200, "length") } else { (200, "stop") };
    let failing = failing(name, reply, "", (200, openai));
    FailureCase { asked: 1, status: "completed", stop_reason, text: WORDS, ollama, ..failing }
}

pub(crate) const ROWS: &[FailureCase] = &[
    answered("whole", || Reply::text(WORDS), "complete", "stop"),
    answered("slow first token", || Reply::text(WORDS).after(Duration::from_millis(400)), "complete", "stop"),
    FailureCase {
        asked: 2,
        text: "They sleep all winter. They sleep all winter. ",
        ..answered("length", || Reply::text(WORDS).finishing("length"), "length", "length")
    },
    FailureCase {
        asked: 2,
        recoverable: true,
        ..refused("length, no word", || Reply::text("").finishing("length"), "model_empty", FAILED)
    },
    FailureCase {
        asked: 2,
        text: "They sleep all winter. They sleep all winter. ",
        ..answered("length, in a call", cut_in_a_call, "length", "length")
    },
    answered(
        "content filter, some words",
        || Reply::text(WORDS).finishing("content_filter"),
        "content_filter",
        "content_filter",
    ),
    refused("content filter, no word", || Reply::text("").finishing("content_filter"), "model_filtered", FILTERED),
    refused(
        "content policy",
        || Reply::status(400).error_message("The prompt triggered the content management policy."),
        "model_filtered",
        FILTERED,
    ),
    answered("refusal", || Reply::text(WORDS).finishing("refusal"), "refusal", "stop"),
    refused("refusal, no word", || Reply::text("").finishing("refusal"), "model_declined", (400, "refusal")),
    FailureCase { asked: 2, ..failing("empty", || Reply::text(""), "model_empty", FAILED) },
    refused("401", || Reply::status(401), "model_refused", (502, "upstream_auth")),
    refused("403", || Reply::status(403), "model_refused", (502, "upstream_auth")),
    refused("404", || Reply::status(404), "model_refused", (404, "model_not_found")),
    failing("408", || Reply::status(408), "model_failed", (504, "upstream_timeout")),
    refused(
        "413",
        || Reply::status(413).error_message("prompt is too long"),
        "model_context_exceeded",
        (400, "context_length_exceeded"),
    ),
    FailureCase {
        asked: 1,
        ..failing("429", || Reply::status(429).retry_after_s(7_200), "model_rate_limited", (429, "rate_limit_exceeded"))
    },
    failing("500", || Reply::status(500), "model_failed", FAILED),
    failing("503", || Reply::status(503), "model_failed", (503, "upstream_overloaded")),
    failing("cut before a word", || Reply::text(WORDS).cut_after(0), "model_cut_off", FAILED),
    FailureCase {
        asked: 1,
        text: "They sleep ",
        ..failing("cut", || Reply::text(WORDS).cut_after(2), "model_cut_off", FAILED)
    },
    failing("malformed", Reply::malformed, "model_malformed", FAILED),
];

fn cut_in_a_call() -> Reply {
    let half = ToolCall::new("c1", "pin", r#"{"text": "They sl"#);
    Reply::text(WORDS).then_tool_calls([half]).finishing("length")
}
