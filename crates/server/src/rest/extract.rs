//! Reading requests so that every mistake gets an answer that names it.

use std::{convert::Infallible, fmt::Display, str::FromStr};

use axum::{
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{HeaderMap, request::Parts},
};
use protocol::{Code, Problem};
use serde::de::DeserializeOwned;

use super::{body::Raw, named_fields::Named};
use crate::{
    access::{Pass, Peer, Principal},
    app::App,
    problem::Failure,
};

/// An id in the path.
pub(crate) struct Id<T>(pub(crate) T);

impl<T: FromStr<Err: Display>> FromRequestParts<App> for Id<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let path = Path::<String>::from_request_parts(parts, app).await;
        let Path(text) = path.map_err(|error| invalid(error.body_text()))?;
        text.parse().map(Self).map_err(|error: T::Err| invalid(error.to_string()))
    }
}

/// Several ids in the path, in its order.
pub(crate) struct Ids<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Ids<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let path = Path::<T>::from_request_parts(parts, app).await;
        path.map(|Path(ids)| Self(ids)).map_err(|error| invalid(error.body_text()))
    }
}

/// Query parameters.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Params<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        match Query::<T>::from_request_parts(parts, app).await {
            Ok(Query(params)) => Ok(Self(params)),
            Err(error) => Err(invalid(error.body_text())),
        }
    }
}

/// A JSON body; an empty one counts as `{}`.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        let Raw(bytes) = Raw::from_request(request, app).await?;
        let text = if bytes.is_empty() { b"{}" } else { bytes.as_slice() };
        check_object(text)?;
        Ok(Self(parse(text, app.limits.json_depth_max)?))
    }
}

/// Where a request comes from.
pub(crate) struct Origin(pub(crate) Peer);

impl FromRequestParts<App> for Origin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self(Peer::from_info(parts.extensions.get())))
    }
}

impl FromRequestParts<App> for Principal {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Failure> {
        from_guard(parts)
    }
}

impl FromRequestParts<App> for Pass {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Failure> {
        from_guard(parts)
    }
}

fn from_guard<T: Clone + Send + Sync + 'static>(parts: &Parts) -> Result<T, Failure> {
    // The guard stands in front of every route but one; reaching this without it is a fault of ours.
    parts.extensions.get::<T>().cloned().ok_or_else(|| {
        Failure(Problem::new(Code::Internal, "the request was not authenticated", "Report this, please."))
    })
}

/// The `Idempotency-Key` header, and that it does not contradict the body's own key.
pub(crate) fn idempotency_key(headers: &HeaderMap, in_body: Option<String>) -> Result<Option<String>, Failure> {
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
    let read = T::deserialize(Named::new(&mut json)).and_then(|value| json.end().map(|()| value));
    read.map_err(|error| {
        let hint = "`/openapi.json` and the manual's wire reference describe every message.";
        Problem::new(Code::InvalidRequest, format!("the JSON does not fit: {error}"), hint)
    })
}

/// Refuses a list where an object is expected: its values would be taken for fields by their order.
pub(crate) fn check_object(text: &[u8]) -> Result<(), Problem> {
    if text.trim_ascii_start().first() == Some(&b'[') {
        let hint = "Send an object with named fields; `/openapi.json` describes it.";
        return Err(Problem::new(Code::InvalidRequest, "the JSON is a list, and an object is expected", hint));
    }
    Ok(())
}

/// Refuses nesting that is deeper than anybody needs, before anything is built from it.
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

pub(crate) fn invalid(message: impl Into<String>) -> Failure {
    Failure(Problem::new(Code::InvalidRequest, message, "Correct the request and send it again."))
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
