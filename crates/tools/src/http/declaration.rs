//! The declaration of an owner's HTTP tools, in a TOML file.

use std::collections::BTreeMap;

use protocol::{Cost, Effect, Origin, Safety};
use serde::Deserialize;

/// A tool that is an HTTP endpoint: one `[[tool]]` of the file.
///
/// ```toml
/// [[tool]]
/// name = "book_table"
/// description = "Books a table at the restaurant."
/// url = "http://127.0.0.1:8090/book"
/// effect = "verifiable"
/// look_up_url = "http://127.0.0.1:8090/booked"
/// safety = "acts"
/// headers = { authorization = "env:BOOKING_AUTHORIZATION" }
///
/// [tool.input_schema]
/// type = "object"
/// required = ["day"]
/// properties = { day = { type = "string" } }
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpToolDeclaration {
    /// Its name: a lower-case letter, then up to 63 lower-case letters, digits and `_`.
    pub name: String,
    /// What it does and when to use it, written for a model.
    pub description: String,
    /// The URL that calls are sent to. Redirects are not followed.
    pub url: String,
    /// The HTTP method: `POST` (the default), `PUT`, `PATCH` or `DELETE` with the arguments as a
    /// JSON document, or `GET` with them as query parameters.
    #[serde(default = "post")]
    pub method: String,
    /// JSON Schema of the arguments, as a table or as JSON in a string. Of a schema, `type`,
    /// `required`, `enum`, `properties`, `items` and `additionalProperties = false` are checked
    /// before a call is sent; the rest is for the model to read and for the endpoint to check.
    /// Without one, the tool takes no arguments.
    pub input_schema: Option<toml::Value>,
    /// Whether a call can be run again: `pure`, `idempotent`, `verifiable` or `at_most_once` (the
    /// default).
    #[serde(default)]
    pub effect: Effect,
    /// What it affects: `observes`, `keeps`, `acts` (the default) or `sends`.
    #[serde(default)]
    pub safety: Safety,
    /// Whether its output can be trusted: `trusted` or `untrusted` (the default).
    #[serde(default)]
    pub origin: Origin,
    /// What a call costs, roughly: `free` (the default), `low` or `high`.
    #[serde(default)]
    pub cost: Cost,
    /// Whether several calls may run at the same time; `false` by default.
    #[serde(default)]
    pub parallel: bool,
    /// The timeout of a call; 30 seconds by default, at most 10 minutes.
    pub timeout_ms: Option<u64>,
    /// The number of calls per minute that an owner is allowed; unlimited by default.
    pub calls_per_minute_max: Option<u32>,
    /// The URL that tells whether a call took effect, with the call's key as the parameter `key`.
    /// It answers `{"happened": true, "result": …}` or `{"happened": false}`. Required for
    /// `verifiable`, not allowed otherwise.
    pub look_up_url: Option<String>,
    /// Headers of every request. A value `env:NAME` stands for a secret of that name.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The argument that names what a call affects, so that policy can tell `light.turn_on` from
    /// `lock.open`.
    pub scope_field: Option<String>,
}

fn post() -> String {
    "POST".to_owned()
}
