//! The OpenAPI description, generated from the table of routes and the schemas of `protocol`.

use protocol::HomeChanged;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    access::is_open,
    routes::{PROBLEM, Route, RouteResponse, routes},
};

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
            "schemas": generator.take_definitions(true),
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
        },
    })
}

/// A generator that puts schemas under `components`.
pub(crate) fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = "/components/schemas".into()).into()
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let (status, answer) = match &route.answer {
        RouteResponse::Json(status, schema) => (status, content("application/json", &json!(schema(generator)))),
        RouteResponse::Other(101, _) => (&101, json!({ "description": "The connection is a WebSocket now." })),
        RouteResponse::Other(status, media) => (status, content(media, &json!({ "type": "string" }))),
    };
    let mut operation = json!({
        "summary": route.summary,
        "parameters": parameters(route),
        "responses": {
            (status.to_string()): answer,
            "default": content("application/problem+json", &json!(PROBLEM(generator))),
        },
    });
    if let Some(body) = route.body {
        operation["requestBody"] = json!({ "content": { "application/json": { "schema": body(generator) } } });
    }
    if is_open(&route.method, route.path) {
        operation["security"] = json!([]);
    }
    operation
}

fn content(media: &str, schema: &Value) -> Value {
    let description = if media == "application/problem+json" { "What went wrong." } else { "Done." };
    json!({ "description": description, "content": { media: { "schema": schema } } })
}

fn parameters(route: &Route) -> Vec<Value> {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).map(|name| {
        let name = name.trim_start_matches('*');
        let schema = match name {
            "app" | "file" | "key" | "model" => json!({ "type": "string" }),
            "version" => json!({ "type": "integer", "minimum": 1 }),
            _ => json!({ "type": "string", "pattern": "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" }),
        };
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    });
    let in_query = route.query.iter().map(|(name, kind, meaning)| {
        let schema = if *kind == "integer" { json!({ "type": kind, "minimum": 0 }) } else { json!({ "type": kind }) };
        json!({ "name": name, "in": "query", "description": meaning, "schema": schema })
    });
    in_path.chain(in_query).collect()
}
