//! `/metrics`: measurements of the server, for the operator or a scraper with its own token.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use observe::Gauges;
use protocol::{Code, Problem};
use secrecy::SecretString;

use crate::{
    access::Principal,
    app::AppState,
    problem::{HttpResult, ProblemResponse},
};

/// The path.
pub(crate) const PATH: &str = "/metrics";

/// Renders the measurements.
pub trait MetricsPage: Send + Sync + 'static {
    /// The media type.
    fn content_type(&self) -> &'static str;

    /// All measurements, with these gauges.
    fn render(&self, gauges: &Gauges) -> String;
}

/// The settings of `/metrics`.
pub struct MetricsSettings {
    /// Renders the measurements.
    pub page: Box<dyn MetricsPage>,
    /// A token that is valid for this path only.
    pub token: Option<SecretString>,
}

pub(crate) async fn metrics(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Response> {
    let Some(page) = &app.metrics else {
        let hint = "Set `metrics.enabled` to true in the configuration file, and restart the server.";
        return Err(ProblemResponse(Problem::new(Code::NotFound, "metrics are off", hint)));
    };
    if app.operator.as_ref().is_none_or(|operator| operator.owner != owner) {
        let hint = "Use the token of `metrics.token`, or that of the file `token` in the data folder.";
        return Err(ProblemResponse(Problem::new(Code::Forbidden, "only the operator can read metrics", hint)));
    }
    let connections = app.connection_stats(&owner);
    let gauges = Gauges {
        connections: connections.open,
        streams: connections.streams,
        mcp_sessions: connections.mcp_sessions,
        ..app.hub.gauges().await?
    };
    Ok(([(header::CONTENT_TYPE, page.content_type())], page.render(&gauges)).into_response())
}
