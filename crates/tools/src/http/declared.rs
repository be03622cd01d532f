//! How an owner declares tools of their own, in a TOML file.

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
pub struct Declared {
    /// Its name: a small letter, then up to 63 small letters, digits and `_`.
    pub name: String,
    /// What it does and when to use it, in words for a model.
    pub description: String,
    /// Where calls are sent. Redirects are not followed.
    pub url: String,
    /// How calls are sent: `POST` (the default), `PUT`, `PATCH` or `DELETE` with the arguments as a JSON document, or
    /// `GET` with them as parameters.
    #[serde(default = "post")]
    pub method: String,
    /// JSON Schema of the arguments, as a table or as JSON in a string. Of a schema, `type`, `required`, `enum`,
    /// `properties`, `items` and `additionalProperties = false` are checked before a call is sent; the rest is for the
    /// model to read and for the endpoint to check. Without one, the tool takes no arguments.
    pub input_schema: Option<toml::Value>,
    /// What running a call again would do: `pure`, `idempotent`, `verifiable` or `at_most_once` (the default).
    #[serde(default)]
    pub effect: Effect,
    /// What it touches: `observes`, `keeps`, `acts` (the default) or `sends`.
    #[serde(default)]
    pub safety: Safety,
    /// Whose words its answer is made of: `trusted` or `untrusted` (the default).
    #[serde(default)]
    pub origin: Origin,
    /// What a call costs, roughly: `free` (the default), `low` or `high`.
    #[serde(default)]
    pub cost: Cost,
    /// Whether several calls may run at once; no unless said.
    #[serde(default)]
    pub parallel: bool,
    /// How long a call may take; 30 seconds unless said, at most 10 minutes.
    pub timeout_ms: Option<u64>,
    /// How many calls a minute an owner is allowed; any number unless said.
    pub calls_per_minute_max: Option<u32>,
    /// Where it can be asked whether a call has happened, with the call's key as the parameter `key`: the answer is
    /// `{"happened": true, "result": …}` or `{"happened": false}`. Needed for `verifiable` and for no other.
    pub look_up_url: Option<String>,
    /// Headers that go with every request. A value `env:NAME` stands for a secret of that name.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The argument that says what exactly a call touches, so that policy can tell `light.turn_on` from `lock.open`.
    pub scope_field: Option<String>,
}

fn post() -> String {
    "POST".to_owned()
}
