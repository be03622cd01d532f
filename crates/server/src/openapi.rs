//! The OpenAPI description, generated from the table of routes and the schemas of `protocol`. It
//! states what the server does: `crates/dwell/tests/it/contract.rs` checks that with many requests.

use std::collections::BTreeSet;

use axum::http::Method;
use protocol::{HomeChanged, Problem};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    access::is_open,
    chat::{Dialect, limit_requests},
    mcp,
    routes::{PROBLEM, Route, RouteMedia, SchemaOf, parameters, routes},
};

/// The media type of Dwell's own errors.
const PROBLEM_JSON: &str = "application/problem+json";
const JSON: &str = "application/json";

/// The OpenAPI 3.1 document.
pub fn openapi() -> Value {
    let mut generator = generator();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes() {
        let operation = operation(&route, &mut generator);
        // OpenAPI has no wildcard parameters, so `{*name}` becomes `{name}`.
        let path = paths.entry(route.path.replace("{*", "{")).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation;
    }
    // Types that only the WebSocket uses: clients generate all their types from this list.
    generator.subschema_for::<HomeChanged>();
    generator.subschema_for::<Problem>();
    let mut schemas = generator.take_definitions(true);
    limit_requests(&mut schemas);
    schemas.values_mut().for_each(limit_integers);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Dwell",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Durable sessions of AI agents. The WebSocket's messages are described in the wire reference.",
        },
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
        },
    })
}

/// A generator that puts schemas under `components`.
pub(crate) fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = "/components/schemas".into()).into()
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    responses.insert(route.status.to_string(), answer(route, generator));
    let refusal = refusal(route, generator);
    for status in refusals(route) {
        responses.insert(status.to_string(), described(meaning(status), &refusal));
    }
    responses.insert("default".to_owned(), described("What went wrong.", &refusal));
    let mut operation = json!({
        "summary": route.summary,
        "parameters": parameters::of(route),
        "responses": responses,
    });
    if let Some(body) = route.body {
        operation["requestBody"] = request_body(body, generator);
    }
    if is_open(&route.method, route.path) {
        operation["security"] = json!([]);
    }
    operation
}

/// The successful answer.
fn answer(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let content: Map<String, Value> = route
        .answers
        .iter()
        .map(|RouteMedia { media, schema }| {
            let plain = if media.ends_with("+json") { "object" } else { "string" };
            let schema = schema.map_or_else(|| json!({ "type": plain }), |schema| json!(schema(generator)));
            ((*media).to_owned(), json!({ "schema": schema }))
        })
        .collect();
    match route.status {
        101 => json!({ "description": "The connection is a WebSocket now." }),
        _ if content.is_empty() => json!({ "description": "Done, without a body." }),
        _ => described("Done.", &content.into()),
    }
}

fn described(description: &str, content: &Value) -> Value {
    json!({ "description": description, "content": content })
}

/// The content of an error: in the format of the API that the path belongs to.
fn refusal(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let problem = json!({ "schema": PROBLEM(generator) });
    match Dialect::of(route.path) {
        Some(dialect) => json!({ JSON: { "schema": dialect.error_schema(generator) } }),
        // The protocol's own errors are JSON-RPC messages, or plain text where there is no request.
        None if route.path == mcp::ENDPOINT => json!({
            PROBLEM_JSON: problem,
            JSON: { "schema": { "type": "object" } },
            "text/plain": { "schema": { "type": "string" } },
        }),
        None => json!({ PROBLEM_JSON: problem }),
    }
}

/// The statuses with which a route may refuse a request.
fn refusals(route: &Route) -> BTreeSet<u16> {
    let mut statuses = BTreeSet::from([403, 429, 500, 503]);
    let has_input = route.body.is_some() || !route.query.is_empty() || route.path.contains('{');
    statuses.extend(has_input.then_some(400));
    statuses.extend((!is_open(&route.method, route.path)).then_some(401));
    statuses.extend(route.path.contains('{').then_some(404));
    if route.method != Method::GET {
        statuses.extend([408, 409, 413]);
    }
    if route.body.is_some() {
        // A model, a session or a turn that the body names; the conversation of another program.
        statuses.extend([404, 422]);
    }
    statuses
}

const fn meaning(status: u16) -> &'static str {
    match status {
        400 => "The request is wrong; the message says what to correct.",
        401 => "No valid token.",
        403 => "The policy, the host or the origin does not allow it, or a quota is used up.",
        404 => "There is no such thing, or it belongs to another owner.",
        408 => "The body did not arrive in time.",
        409 => "It contradicts the current state or an earlier request with the same key.",
        413 => "The body is too large.",
        422 => "The server does not have this model.",
        429 => "Too many requests, or the queue is full.",
        503 => "The server is stopping, has too many connections, or lacks what the request needs.",
        _ => "Something in the server failed.",
    }
}

/// States the range of whole numbers, of which the schemas of Rust's types name only the type.
fn limit_integers(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let range = match fields.get("format").and_then(Value::as_str) {
                Some("uint8") => Some((json!(0), json!(u8::MAX))),
                Some("uint16") => Some((json!(0), json!(u16::MAX))),
                Some("uint32") => Some((json!(0), json!(u32::MAX))),
                Some("uint64" | "uint") => Some((json!(0), json!(u64::MAX))),
                Some("int32") => Some((json!(i32::MIN), json!(i32::MAX))),
                Some("int64") => Some((json!(i64::MIN), json!(i64::MAX))),
                _ => None,
            };
            if let Some((least, most)) = range {
                fields.entry("minimum").or_insert(least);
                fields.entry("maximum").or_insert(most);
            }
            fields.values_mut().for_each(limit_integers);
        }
        Value::Array(items) => items.iter_mut().for_each(limit_integers),
        _ => {}
    }
}

fn request_body(body: SchemaOf, generator: &mut SchemaGenerator) -> Value {
    let schema = json!(body(generator));
    // An empty body counts as `{}`, so it is needed only where a field is.
    let name = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let whole = name.and_then(|name| generator.definitions().get(name)).unwrap_or(&schema);
    let is_required = whole["required"].as_array().is_some_and(|fields| !fields.is_empty());
    json!({ "required": is_required, "content": { JSON: { "schema": schema } } })
}
