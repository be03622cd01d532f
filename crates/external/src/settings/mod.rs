//! Checks the declared servers before anything is started.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    time::Duration,
};

use protocol::Effect;
use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};

use crate::declaration::{ServerDeclaration, ToolOverride};

/// The default timeout of a call and of a start.
const TIMEOUT_MS: u64 = 30_000;
/// The longest timeout of either.
const TIMEOUT_MS_MAX: u64 = 10 * 60 * 1000;
/// Short enough that the names of tools fit behind it.
const NAME_CHARS_MAX: usize = 32;
/// The variables that a process inherits.
const INHERITED: [&str; 3] = ["PATH", "HOME", "LANG"];
/// Headers that belong to the protocol.
const OWN_HEADERS: [&str; 8] = [
    "accept",
    "content-type",
    "content-length",
    "host",
    "transfer-encoding",
    "mcp-session-id",
    "mcp-protocol-version",
    "last-event-id",
];
/// Headers and variables whose values are secrets, by a part of their name.
const SECRET_NAMES: [&str; 7] = ["auth", "key", "token", "secret", "cookie", "password", "credential"];

/// Why a server cannot be used as it is declared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`mcp.servers.{server}{dot}{field}` {problem}", dot = if field.is_empty() { "" } else { "." })]
pub struct Error {
    /// Its name.
    pub server: String,
    /// The field.
    pub field: String,
    /// What is wrong, as in "must be …".
    pub problem: String,
}

/// The servers of the configuration, with the secrets to redact.
pub struct LoadedServers {
    /// The servers.
    pub servers: Vec<ExternalServer>,
    /// The secret values of their headers and environments, whole and word by word.
    pub secrets: Vec<SecretString>,
}

/// A checked server declaration.
pub struct ExternalServer {
    pub(crate) name: String,
    pub(crate) reach: Transport,
    pub(crate) allow: Vec<String>,
    pub(crate) trust_annotations: bool,
    pub(crate) timeout: Duration,
    pub(crate) start_timeout: Duration,
    pub(crate) calls_per_minute_max: Option<u32>,
    pub(crate) tools: BTreeMap<String, ToolOverride>,
}

/// The transport.
pub(crate) enum Transport {
    /// A process to start.
    Process(ProcessCommand),
    /// An HTTP address.
    Http(HttpEndpoint),
}

pub(crate) struct ProcessCommand {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// The whole environment of the process.
    pub(crate) env: Vec<(String, SecretString)>,
    pub(crate) cwd: Option<PathBuf>,
}

pub(crate) struct HttpEndpoint {
    pub(crate) url: Url,
    pub(crate) headers: HashMap<HeaderName, HeaderValue>,
    pub(crate) allow_private: bool,
}

/// Checks the declarations. `secrets` resolves variables of the environment by name.
pub fn load(
    declared: BTreeMap<String, ServerDeclaration>,
    variable: &dyn Fn(&str) -> Option<SecretString>,
) -> Result<LoadedServers, Error> {
    let mut loaded = LoadedServers { servers: Vec::new(), secrets: Vec::new() };
    for (name, declared) in declared {
        let server = server(&name, declared, variable, &mut loaded.secrets).map_err(|(field, problem)| Error {
            server: name.clone(),
            field,
            problem,
        })?;
        loaded.servers.push(server);
    }
    Ok(loaded)
}

type FieldProblem = (String, String);

fn wrong<T>(field: &str, problem: impl Into<String>) -> Result<T, FieldProblem> {
    Err((field.to_owned(), problem.into()))
}

fn server(
    name: &str,
    declared: ServerDeclaration,
    variable: &dyn Fn(&str) -> Option<SecretString>,
    secrets: &mut Vec<SecretString>,
) -> Result<ExternalServer, FieldProblem> {
    if !tools::is_name(name) || name.len() > NAME_CHARS_MAX {
        return wrong("", "needs another name: a lower-case letter, then up to 31 lower-case letters, digits and `_`");
    }
    for (tool, settings) in &declared.tools {
        check_tool(tool, settings)?;
    }
    if declared.allow.iter().any(|pattern| pattern.trim().is_empty()) {
        return wrong(
            "allow",
            "has an empty pattern; name tools as the server does, with `*` for any run of characters",
        );
    }
    let timeout = millis("timeout_ms", declared.timeout_ms)?;
    let start_timeout = millis("start_timeout_ms", declared.start_timeout_ms)?;
    per_minute("calls_per_minute_max", declared.calls_per_minute_max)?;
    let (allow, trust_annotations) = (declared.allow.clone(), declared.trust_annotations);
    let (calls_per_minute_max, tools) = (declared.calls_per_minute_max, declared.tools.clone());
    let reach = match (declared.command.clone(), declared.url.clone()) {
        (Some(command), None) => Transport::Process(program(command, declared, variable, secrets)?),
        (None, Some(url)) => Transport::Http(address(&url, declared, variable, secrets)?),
        (Some(_), Some(_)) => {
            return wrong("url", "cannot be combined with `command`: give one of them");
        }
        (None, None) => return wrong("", "needs a `command` to start or a `url` to connect to"),
    };
    Ok(ExternalServer {
        name: name.to_owned(),
        reach,
        allow,
        trust_annotations,
        timeout,
        start_timeout,
        calls_per_minute_max,
        tools,
    })
}

fn check_tool(tool: &str, settings: &ToolOverride) -> Result<(), FieldProblem> {
    let field = |name: &str| format!("tools.{tool}.{name}");
    if settings.effect == Some(Effect::Verifiable) {
        let problem = "cannot be `verifiable`: these servers cannot be asked whether a call has happened";
        return wrong(&field("effect"), problem);
    }
    if settings.description.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return wrong(&field("description"), "must not be empty: leave it out to use the server's description");
    }
    millis(&field("timeout_ms"), settings.timeout_ms)?;
    per_minute(&field("calls_per_minute_max"), settings.calls_per_minute_max)
}

fn millis(field: &str, said: Option<u64>) -> Result<Duration, FieldProblem> {
    match said {
        Some(ms) if !(1..=TIMEOUT_MS_MAX).contains(&ms) => wrong(field, "must be from 1 to 600000"),
        said => Ok(Duration::from_millis(said.unwrap_or(TIMEOUT_MS))),
    }
}

fn per_minute(field: &str, said: Option<u32>) -> Result<(), FieldProblem> {
    if said == Some(0) {
        wrong(field, "must be 1 or more; leave a tool out of `allow` to switch it off")
    } else {
        Ok(())
    }
}

fn program(
    command: String,
    declared: ServerDeclaration,
    variable: &dyn Fn(&str) -> Option<SecretString>,
    secrets: &mut Vec<SecretString>,
) -> Result<ProcessCommand, FieldProblem> {
    if command.trim().is_empty() {
        return wrong("command", "must not be empty");
    }
    if !declared.headers.is_empty() || declared.allow_private {
        return wrong("headers", "and `allow_private` are for servers with a `url`");
    }
    let mut env: Vec<(String, SecretString)> =
        INHERITED.iter().filter_map(|name| Some(((*name).to_owned(), variable(name)?))).collect();
    for (name, value) in &declared.env {
        let (field, value) = (format!("env.{name}"), value.expose_secret());
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return wrong(&field, "is not a valid environment variable");
        }
        let value = resolve(&field, name, value, variable, secrets)?;
        env.retain(|(inherited, _)| inherited != name);
        env.push((name.clone(), value));
    }
    Ok(ProcessCommand { command, args: declared.args, env, cwd: declared.cwd })
}

fn address(
    url: &str,
    declared: ServerDeclaration,
    variable: &dyn Fn(&str) -> Option<SecretString>,
    secrets: &mut Vec<SecretString>,
) -> Result<HttpEndpoint, FieldProblem> {
    if !declared.args.is_empty() || !declared.env.is_empty() || declared.cwd.is_some() {
        return wrong("url", "cannot be combined with `args`, `env` or `cwd`, which are for programs to start");
    }
    let Ok(url) = Url::parse(url) else {
        return wrong("url", "must be a full URL, as in `https://tools.example/mcp`");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return wrong("url", "must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("url", "must not hold a user name or a password; put them into `headers`");
    }
    // Some servers take their key in the URL.
    secrets.extend(url.query_pairs().map(|(_, value)| SecretString::from(value.into_owned())));
    let mut headers = HashMap::new();
    for (name, value) in &declared.headers {
        let field = format!("headers.{name}");
        let Ok(header) = name.parse::<HeaderName>() else { return wrong(&field, "is not a valid header name") };
        if OWN_HEADERS.contains(&header.as_str()) {
            return wrong(&field, "is set by Dwell itself");
        }
        let value = resolve(&field, name, value.expose_secret(), variable, secrets)?;
        let Ok(mut value) = HeaderValue::from_str(value.expose_secret().trim()) else {
            return wrong(&field, "has a value that is not valid in a header");
        };
        // Hides the value in debug output of the HTTP library.
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(HttpEndpoint { url, headers, allow_private: declared.allow_private })
}

/// The value itself, or the variable that it names; secrets are recorded.
fn resolve(
    field: &str,
    name: &str,
    value: &str,
    variable: &dyn Fn(&str) -> Option<SecretString>,
    secrets: &mut Vec<SecretString>,
) -> Result<SecretString, FieldProblem> {
    let (resolved, is_named) = match value.strip_prefix("env:") {
        Some(named) => match variable(named) {
            Some(secret) => (secret, true),
            None => return wrong(field, format!("names the variable `{named}`, which is not set")),
        },
        None => (SecretString::from(value.to_owned()), false),
    };
    let name = name.to_ascii_lowercase();
    if is_named || SECRET_NAMES.iter().any(|part| name.contains(part)) {
        // A server may repeat only the `abc` of `Bearer abc`.
        secrets.extend(resolved.expose_secret().split_whitespace().map(SecretString::from));
        secrets.push(resolved.expose_secret().trim().into());
    }
    Ok(resolved)
}

#[cfg(test)]
mod tests;
