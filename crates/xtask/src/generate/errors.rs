//! docs/reference/errors.md: every error code, its HTTP status and what to do about it.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use super::markdown::{self, table};

const INTRODUCTION: &str = "An error has the same fields on every interface: a `code` for programs, a `message` that says \
what was wrong, a `hint` that says what to do in this case, and sometimes a `turn_id` or `retry_after_ms`. On HTTP it is a \
problem document (RFC 9457, `application/problem+json`); on the WebSocket it is the `data` of an `error` answer.";

/// A code as `dwell error-codes` prints it.
#[derive(Deserialize)]
struct ErrorDescription {
    code: String,
    status: u16,
    meaning: String,
    advice: String,
}

pub fn page(codes: &Value) -> Result<String> {
    let codes: Vec<ErrorDescription> = Vec::deserialize(codes).context("failed to understand `dwell error-codes`")?;
    let mut text = markdown::head("Errors", "the error codes in `crates/protocol`");
    text.push_str(&format!("\n{}\n\n", markdown::wrap(INTRODUCTION)));
    let rows: Vec<Vec<String>> = codes
        .into_iter()
        .map(|error| vec![format!("`{}`", error.code), error.status.to_string(), error.meaning, error.advice])
        .collect();
    text.push_str(&table(&["code", "HTTP status", "meaning", "what to do"], &rows));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_code_is_a_row() {
        let codes = json!([{ "code": "busy", "status": 409, "meaning": "A turn runs.", "advice": "Wait." }]);
        let page = page(&codes).unwrap();
        assert!(page.ends_with("|---|---|---|---|\n| `busy` | 409 | A turn runs. | Wait. |\n"), "{page}");
        assert!(super::page(&json!({ "busy": 409 })).is_err());
    }
}
