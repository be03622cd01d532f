//! docs/reference/rest.md: every route, what it takes and what it answers.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    markdown::{self, table},
    schema,
};

const INTRODUCTION: &str = "Every request carries `Authorization: Bearer TOKEN` unless the route says that it needs no token. \
Bodies and answers are JSON unless another media type is named. An error is a problem document (RFC 9457) with a code; \
[Errors](errors.md) lists the codes. The same description for programs is [openapi.json](../openapi.json), which a \
running server serves at `/openapi.json`.";

/// The methods in the order in which they are listed.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The parts of the page, by the beginnings of paths; the first that fits counts.
const GROUPS: [(&str, &[&str]); 13] = [
    ("Sessions", &["/api/v1/sessions"]),
    ("Turns", &["/api/v1/turns", "/api/v1/ask"]),
    ("Events and WebSocket", &["/events", "/ws", "/api/v1/tickets"]),
    ("Tools and approvals", &["/api/v1/tools", "/api/v1/approvals"]),
    ("Artifacts", &["/api/v1/artifacts"]),
    ("Memory", &["/api/v1/profile", "/api/v1/memories", "/api/v1/vaults"]),
    ("Values", &["/api/v1/values"]),
    ("Library", &["/api/v1/library"]),
    ("OpenAI's API", &["/v1/"]),
    ("Ollama's API", &["/api/tags", "/api/show", "/api/version", "/api/chat", "/api/generate", "/ollama/"]),
    ("Model Context Protocol", &["/mcp", "/.well-known/"]),
    ("Server", &["/healthz", "/readyz", "/openapi.json", "/api/v1/"]),
    ("The page in the browser", &["/"]),
];

struct RestOperation<'a> {
    method: String,
    path: &'a str,
    value: &'a Value,
}

pub fn page(openapi: &Value) -> String {
    let mut text = markdown::head("REST", "the routes of `dwell openapi`");
    text.push_str(&format!("\n{}\n", markdown::wrap(INTRODUCTION)));
    let operations = operations(openapi);
    for (title, _) in GROUPS {
        let inside: Vec<&RestOperation<'_>> =
            operations.iter().filter(|operation| group(operation.path) == title).collect();
        if inside.is_empty() {
            continue;
        }
        text.push_str(&format!("\n## {title}\n\n{}", overview(&inside)));
        for operation in inside {
            text.push_str(&details(operation));
        }
    }
    text
}

fn operations(openapi: &Value) -> Vec<RestOperation<'_>> {
    // Sorted here: the order of the description is that of its map.
    let paths: BTreeMap<&String, &Value> = openapi["paths"].as_object().into_iter().flatten().collect();
    let mut operations = Vec::new();
    for (path, methods) in paths {
        for method in METHODS {
            if let Some(value) = methods.get(method) {
                operations.push(RestOperation { method: method.to_uppercase(), path, value });
            }
        }
    }
    operations
}

fn group(path: &str) -> &'static str {
    let fits = |starts: &[&str]| starts.iter().any(|start| path.starts_with(start));
    GROUPS.iter().find(|(_, starts)| fits(starts)).map_or("Server", |(title, _)| title)
}

impl RestOperation<'_> {
    fn title(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn summary(&self) -> &str {
        self.value["summary"].as_str().unwrap_or_default()
    }
}

fn overview(operations: &[&RestOperation<'_>]) -> String {
    let rows: Vec<Vec<String>> = operations
        .iter()
        .map(|operation| {
            let title = operation.title();
            vec![format!("[`{title}`](#{})", schema::anchor(&title)), operation.summary().to_owned()]
        })
        .collect();
    table(&["route", "what it does"], &rows)
}

fn details(operation: &RestOperation<'_>) -> String {
    let mut text = format!("\n### `{}`\n\n{}\n", operation.title(), markdown::wrap(operation.summary()));
    let parameters: Vec<Vec<String>> =
        operation.value["parameters"].as_array().into_iter().flatten().map(parameter).collect();
    if !parameters.is_empty() {
        text.push_str(&format!("\n{}", table(&["parameter", "in", "type", "meaning"], &parameters)));
    }
    text.push_str(&format!("\n{}", table(&["body", "type"], &bodies(operation.value))));
    text
}

fn parameter(parameter: &Value) -> Vec<String> {
    let name = parameter["name"].as_str().unwrap_or_default();
    let place = parameter["in"].as_str().unwrap_or_default();
    let meaning = parameter["description"].as_str().unwrap_or(if place == "path" { "which one" } else { "" });
    let mark = if parameter["required"] == true { "" } else { "?" };
    vec![format!("`{name}`{mark}"), place.to_owned(), schema::kind(&parameter["schema"]), meaning.to_owned()]
}

/// What a route takes and what it answers.
fn bodies(operation: &Value) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let taken = operation["requestBody"]["content"].as_object().into_iter().flatten();
    rows.extend(taken.map(|(_, content)| vec!["request".to_owned(), schema::kind(&content["schema"])]));
    let mut errors = Vec::new();
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        if status == "default" {
            continue;
        }
        if status.starts_with(['4', '5']) {
            errors.push(status.as_str());
            continue;
        }
        let label = format!("response {status}");
        match answer["content"].as_object() {
            None => rows.push(vec![label, answer["description"].as_str().unwrap_or_default().to_owned()]),
            Some(contents) => {
                rows.extend(contents.iter().map(|(media, content)| vec![label.clone(), answered(media, content)]));
            }
        }
    }
    if !errors.is_empty() {
        rows.push(vec!["errors".to_owned(), errors.join(", ")]);
    }
    rows
}

fn answered(media: &str, content: &Value) -> String {
    match schema::reference(&content["schema"]) {
        Some(_) => schema::kind(&content["schema"]),
        None => format!("`{media}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_route_says_what_it_takes_and_answers() {
        let openapi = json!({ "paths": { "/api/v1/turns/{turn_id}/cancel": { "post": {
            "summary": "Cancels a turn.",
            "parameters": [{ "name": "turn_id", "in": "path", "required": true, "schema": { "type": "string" } }],
            "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Why" } } } },
            "responses": {
                "200": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Cancelled" } } } },
                "404": {}, "409": {}, "default": {},
            },
        } } } });
        let page = page(&openapi);
        for expected in [
            "\n## Turns\n",
            "| [`POST /api/v1/turns/{turn_id}/cancel`](#post-apiv1turnsturn_idcancel) | Cancels a turn. |",
            "\n### `POST /api/v1/turns/{turn_id}/cancel`\n\nCancels a turn.\n",
            "| `turn_id` | path | string | which one |",
            "| request | [`Why`](types.md#why) |\n| response 200 | [`Cancelled`](types.md#cancelled) |\n| errors | 404, 409 |",
        ] {
            assert!(page.contains(expected), "{expected}\n\n{page}");
        }
    }

    #[test]
    fn every_path_has_a_group() {
        assert_eq!(group("/api/v1/sessions/{session_id}/fork"), "Sessions");
        assert_eq!(group("/v1/models"), "OpenAI's API");
        assert_eq!(group("/api/v1/stats"), "Server");
        assert_eq!(group("/assets/{file}"), "The page in the browser");
    }
}
