//! Extractors whose errors name the mistake.

use std::{convert::Infallible, fmt::Display, str::FromStr};

use axum::{
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{HeaderMap, request::Parts},
};
use protocol::{Code, Problem};
use serde::de::DeserializeOwned;

use super::{body::RawBody, named_fields::NamedFields};
use crate::{
    access::{AccessGrant, Peer, Principal},
    app::AppState,
    problem::ProblemResponse,
};

/// An id in the path.
pub(crate) struct PathId<T>(pub(crate) T);

impl<T: FromStr<Err: Display>> FromRequestParts<AppState> for PathId<T> {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ProblemResponse> {
        let path = Path::<String>::from_request_parts(parts, app).await;
        let Path(text) = path.map_err(|error| invalid(error.body_text()))?;
        text.parse().map(Self).map_err(|error: T::Err| invalid(error.to_string()))
    }
}

/// Several ids in the path, in order.
pub(crate) struct PathIds<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<AppState> for PathIds<T> {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ProblemResponse> {
        let path = Path::<T>::from_request_parts(parts, app).await;
        path.map(|Path(ids)| Self(ids)).map_err(|error| invalid(error.body_text()))
    }
}

/// Query parameters.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for Params<T> {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ProblemResponse> {
        match Query::<T>::from_request_parts(parts, app).await {
            Ok(Query(params)) => Ok(Self(params)),
            Err(error) => Err(invalid(error.body_text())),
        }
    }
}

/// A JSON body; an empty one counts as `{}`.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<AppState> for JsonBody<T> {
    type Rejection = ProblemResponse;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ProblemResponse> {
        let RawBody(bytes) = RawBody::from_request(request, app).await?;
        let text = if bytes.is_empty() { b"{}" } else { bytes.as_slice() };
        check_object(text)?;
        Ok(Self(parse(text, app.limits.json_depth_max)?))
    }
}

/// Where a request comes from.
pub(crate) struct ClientPeer(pub(crate) Peer);

impl FromRequestParts<AppState> for ClientPeer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Infallible> {
        Ok(Self(Peer::from_info(parts.extensions.get())))
    }
}

impl FromRequestParts<AppState> for Principal {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ProblemResponse> {
        from_guard(parts)
    }
}

impl FromRequestParts<AppState> for AccessGrant {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ProblemResponse> {
        from_guard(parts)
    }
}

fn from_guard<T: Clone + Send + Sync + 'static>(parts: &Parts) -> Result<T, ProblemResponse> {
    // The guard runs before every route that uses this; a missing extension is a bug.
    parts.extensions.get::<T>().cloned().ok_or_else(|| {
        ProblemResponse(Problem::new(
            Code::Internal,
            "the request was not authenticated",
            "This is a bug: please report it.",
        ))
    })
}

/// The `Idempotency-Key` header, which must not contradict the body's own key.
pub(crate) fn idempotency_key(headers: &HeaderMap, in_body: Option<String>) -> Result<Option<String>, ProblemResponse> {
    let Some(header) = headers.get("idempotency-key") else { return Ok(in_body) };
    let header = header.to_str().map_err(|_| invalid("the Idempotency-Key is not plain text"))?;
    match in_body {
        Some(other) if other != header => Err(invalid("the Idempotency-Key and the key in the body differ")),
        _ => Ok(Some(header.to_owned())),
    }
}

/// Reads JSON of bounded depth.
pub(crate) fn parse<T: DeserializeOwned>(text: &[u8], depth_max: usize) -> Result<T, Problem> {
    check_depth(text, depth_max)?;
    let mut json = serde_json::Deserializer::from_slice(text);
    let read = T::deserialize(NamedFields::new(&mut json)).and_then(|value| json.end().map(|()| value));
    read.map_err(|error| {
        let hint = "`/openapi.json` and docs/reference/wire.md describe every message.";
        Problem::new(Code::InvalidRequest, format!("invalid JSON: {error}"), hint)
    })
}

/// Refuses a list instead of an object: serde would read its values as fields by order.
pub(crate) fn check_object(text: &[u8]) -> Result<(), Problem> {
    if text.trim_ascii_start().first() == Some(&b'[') {
        let hint = "Send an object with named fields; `/openapi.json` describes it.";
        return Err(Problem::new(Code::InvalidRequest, "the JSON is a list, but an object is expected", hint));
    }
    Ok(())
}

/// Refuses nesting beyond the limit, before anything is built from it.
pub(crate) fn check_depth(text: &[u8], depth_max: usize) -> Result<(), Problem> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > depth_max {
            let message = format!("the JSON is nested deeper than {depth_max} levels");
            return Err(Problem::new(Code::TooDeep, message, "Flatten it."));
        }
    }
    Ok(())
}

pub(crate) fn invalid(message: impl Into<String>) -> ProblemResponse {
    ProblemResponse(Problem::new(Code::InvalidRequest, message, "Correct the request and send it again."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_object() {
        assert!(check_object(b"[null, null]").is_err() && check_object(b" \n [").is_err());
        assert!(check_object(br#" {"a": [1]}"#).is_ok() && check_object(b"nonsense").is_ok());
    }

    #[test]
    fn depth_counts_brackets_outside_of_strings_only() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(check_depth(nested(8).as_bytes(), 8).is_ok());
        assert!(check_depth(nested(9).as_bytes(), 8).is_err());
        assert!(check_depth(br#"{"a": "[[[[[[[[[[ \" {{{{{{{{{"}"#, 8).is_ok());
        assert!(check_depth("[]".repeat(1_000).as_bytes(), 1).is_ok());
    }
}
