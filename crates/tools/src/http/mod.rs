//! HTTP endpoints as tools, declared in a TOML file.
//!
//! [`load`] parses the file; [`HttpToolDeclaration`] lists its fields. A call is one request with
//! the arguments and the headers `Idempotency-Key`, `Dwell-Session`, `Dwell-Turn` and `Dwell-Call`.
//! A 2xx response is the output, as JSON or as text. A 4xx response means that nothing was done;
//! any other leaves that open. The operator chose the addresses, so private ones are allowed.
//! Redirects are not followed: the operator did not choose where they lead.

mod declaration;

mod endpoint;
mod schema;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use protocol::Effect;
use reqwest::{
    Client, Method, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

pub use declaration::HttpToolDeclaration;
use endpoint::HttpTool;

use crate::{
    registry::{AnyTool, is_name},
    tool::Declaration,
};

/// The timeout for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest timeout of a call.
const TIMEOUT_MS_MAX: u64 = 10 * 60 * 1000;

/// Headers that only Dwell sets.
const OWN_HEADERS: [&str; 8] = [
    "idempotency-key",
    "dwell-session",
    "dwell-turn",
    "dwell-call",
    "content-type",
    "content-length",
    "host",
    "transfer-encoding",
];

/// Why the file of tools cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is not valid TOML, or it has no tools.
    #[error("the tools file cannot be read: {0}")]
    Unreadable(String),
    /// A tool is declared incorrectly.
    #[error("tool `{tool}`: {problem}")]
    BadTool {
        /// Its name, or its position in the file.
        tool: String,
        /// What is wrong.
        problem: String,
    },
    /// A field of a tool is invalid.
    #[error("tool `{tool}`: `{field}` {problem}")]
    BadField {
        /// Its name.
        tool: String,
        /// The field.
        field: String,
        /// What is wrong, as in "must be …".
        problem: String,
    },
    /// A name is used twice.
    #[error("there are two tools named `{0}`")]
    NameTaken(String),
    /// The HTTP client cannot be created.
    #[error("cannot create an HTTP client: {0}")]
    NoClient(String),
}

/// The tools of a file, with the secrets to redact.
pub struct LoadedTools {
    /// The tools.
    pub tools: Vec<Arc<dyn AnyTool>>,
    /// The secret header values, whole and word by word: an endpoint may repeat only the `abc` of
    /// `Bearer abc`.
    pub secrets: Vec<SecretString>,
}

/// Parses the file. `secrets` resolves header values of the form `env:NAME`.
pub fn load(text: &str, secrets: impl Fn(&str) -> Option<SecretString>) -> Result<LoadedTools, Error> {
    let mut file: toml::Table = toml::from_str(text).map_err(|error| Error::Unreadable(one_line(&error)))?;
    let tools = match file.remove("tool") {
        None => Vec::new(),
        Some(toml::Value::Array(tools)) => tools,
        Some(_) => return Err(Error::Unreadable("a tool is written as `[[tool]]`, with two brackets".to_owned())),
    };
    if let Some(other) = file.keys().next() {
        return Err(Error::Unreadable(format!("it contains `{other}`, but only `[[tool]]` is allowed")));
    }
    let mut loaded = LoadedTools { tools: Vec::new(), secrets: Vec::new() };
    if tools.is_empty() {
        return Ok(loaded);
    }
    let client = client()?;
    let mut names = BTreeSet::new();
    for (index, tool) in tools.into_iter().enumerate() {
        let name = tool.get("name").and_then(toml::Value::as_str);
        let name = name.map_or_else(|| format!("number {}", index + 1), str::to_owned);
        let declared: HttpToolDeclaration =
            tool.try_into().map_err(|error| Error::BadTool { tool: name.clone(), problem: one_line(&error) })?;
        if !names.insert(name.clone()) {
            return Err(Error::NameTaken(name));
        }
        let (endpoint, held) = endpoint(declared, &client, &secrets)?;
        loaded.tools.push(Arc::new(endpoint));
        loaded.secrets.extend(held);
    }
    Ok(loaded)
}

/// The parser's error spans several lines; the last one names the field.
fn one_line(error: &toml::de::Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn client() -> Result<Client, Error> {
    Client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        // Otherwise proxies would be read from the environment.
        .no_proxy()
        .user_agent(concat!("dwell/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Error::NoClient(error.to_string()))
}

fn endpoint(
    tool: HttpToolDeclaration,
    client: &Client,
    secrets: &dyn Fn(&str) -> Option<SecretString>,
) -> Result<(HttpTool, Vec<SecretString>), Error> {
    let name = tool.name.clone();
    let bad = |field: &str, problem: &str| Error::BadField {
        tool: name.clone(),
        field: field.to_owned(),
        problem: problem.to_owned(),
    };
    if !is_name(&tool.name) {
        return Err(bad("name", "must be a lower-case letter, then up to 63 lower-case letters, digits and `_`"));
    }
    if tool.description.trim().is_empty() {
        return Err(bad("description", "must not be empty: the model decides by it"));
    }
    let mut declaration = Declaration {
        effect: tool.effect,
        safety: tool.safety,
        origin: tool.origin,
        cost: tool.cost,
        parallel: tool.parallel,
        calls_per_minute_max: tool.calls_per_minute_max,
        // The operator declared it for the agents of this server.
        is_core: true,
        ..Declaration::new(tool.name, tool.description)
    };
    if let Some(ms) = tool.timeout_ms {
        if !(1..=TIMEOUT_MS_MAX).contains(&ms) {
            return Err(bad("timeout_ms", "must be from 1 to 600000"));
        }
        declaration.timeout = Duration::from_millis(ms);
    }
    if tool.calls_per_minute_max == Some(0) {
        return Err(bad("calls_per_minute_max", "must be 1 or more; leave a tool out to switch it off"));
    }
    let input_schema = input_schema(tool.input_schema).map_err(|problem| bad("input_schema", &problem))?;
    if let Some(field) = &tool.scope_field
        && input_schema["properties"].get(field).is_none()
    {
        return Err(bad("scope_field", "must be one of the properties in `input_schema`"));
    }
    let method = match tool.method.to_ascii_uppercase().as_str() {
        "GET" => Method::GET,
        "POST" => Method::POST,
        "PUT" => Method::PUT,
        "PATCH" => Method::PATCH,
        "DELETE" => Method::DELETE,
        _ => return Err(bad("method", "must be GET, POST, PUT, PATCH or DELETE")),
    };
    let look_up_url = match (tool.effect, tool.look_up_url) {
        (Effect::Verifiable, Some(text)) => Some(url(&text).map_err(|problem| bad("look_up_url", problem))?),
        (Effect::Verifiable, None) => return Err(bad("look_up_url", "is required for a verifiable tool")),
        (_, Some(_)) => return Err(bad("look_up_url", "is for verifiable tools only")),
        (_, None) => None,
    };
    let (headers, held) = headers(&tool.headers, secrets).map_err(|(header, problem)| bad(&header, &problem))?;
    let endpoint = HttpTool {
        url: url(&tool.url).map_err(|problem| bad("url", problem))?,
        headers,
        client: client.clone(),
        scope_field: tool.scope_field,
        declaration,
        input_schema,
        method,
        look_up_url,
    };
    Ok((endpoint, held))
}

fn url(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).map_err(|_| "must be a full URL, as in `http://127.0.0.1:8090/book`")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or a password; put them into `headers`");
    }
    Ok(url)
}

fn input_schema(declared: Option<toml::Value>) -> Result<Value, String> {
    let schema = match declared {
        None => json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        Some(toml::Value::String(text)) => {
            serde_json::from_str(&text).map_err(|error| format!("is not valid JSON: {error}"))?
        }
        Some(table) => serde_json::to_value(table).map_err(|error| format!("cannot be read: {error}"))?,
    };
    if schema["type"] != "object" {
        return Err("must describe an object: `type = \"object\"`".to_owned());
    }
    schema::check(&schema)?;
    Ok(schema)
}

/// Headers whose values are secrets, by a part of their name.
const SECRET_HEADERS: [&str; 5] = ["auth", "key", "token", "secret", "cookie"];

fn headers(
    declared: &std::collections::BTreeMap<String, String>,
    secrets: &dyn Fn(&str) -> Option<SecretString>,
) -> Result<(HeaderMap, Vec<SecretString>), (String, String)> {
    let (mut headers, mut held) = (HeaderMap::new(), Vec::new());
    for (name, value) in declared {
        let bad = |problem: String| (format!("headers.{name}"), problem);
        let header: HeaderName = name.parse().map_err(|_| bad("is not a valid header name".to_owned()))?;
        if OWN_HEADERS.contains(&header.as_str()) {
            return Err(bad("is set by Dwell itself".to_owned()));
        }
        let secret = match value.strip_prefix("env:") {
            Some(secret) => {
                secrets(secret).ok_or_else(|| bad(format!("names the secret `{secret}`, which is not set")))?
            }
            None => SecretString::from(value.clone()),
        };
        if value.starts_with("env:") || SECRET_HEADERS.iter().any(|part| header.as_str().contains(part)) {
            held.extend(secret.expose_secret().split_whitespace().map(SecretString::from));
            held.push(secret.expose_secret().trim().into());
        }
        let mut value = HeaderValue::from_str(secret.expose_secret().trim())
            .map_err(|_| bad("has a value that is not valid in a header".to_owned()))?;
        // Hides the value in debug output of the HTTP library.
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok((headers, held))
}
