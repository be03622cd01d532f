//! The log of the server, for its operator.

use std::time::Duration;

use axum::{Json, extract::State};
use protocol::{LogLevel, LogPage};
use serde::Deserialize;

use super::meta::operator;
use crate::{access::Principal, app::AppState, problem::HttpResult, rest::extract::Params};

/// Lines in one answer.
const LINES_MAX: u32 = 1_000;
/// How long a request may wait for a new line.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Which lines are asked for.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LogsQuery {
    after: u64,
    limit: u32,
    level: LogLevel,
    wait_ms: u64,
    /// Read before: the request has reached that node.
    #[allow(dead_code, reason = "it must be accepted")]
    node: Option<String>,
}

impl Default for LogsQuery {
    fn default() -> Self {
        Self { after: 0, limit: 100, level: LogLevel::Trace, wait_ms: 0, node: None }
    }
}

pub(crate) async fn logs(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(asked): Params<LogsQuery>,
) -> HttpResult<Json<LogPage>> {
    let operator = operator(&app, &owner, "only the operator can read the log")?;
    let Some(feed) = &operator.logs else { return Ok(Json(LogPage::default())) };
    let LogsQuery { after, limit, level, wait_ms, .. } = asked;
    let limit = limit.min(LINES_MAX) as usize;
    // Listening starts before reading, so that no line is logged unseen in between.
    let mut newest = feed.newest();
    let page = feed.lines(after, limit, level);
    if !page.data.is_empty() || wait_ms == 0 {
        return Ok(Json(page));
    }
    let wait = Duration::from_millis(wait_ms).min(WAIT_MAX);
    let mut page = page;
    let waiting = async {
        while page.data.is_empty() && newest.wait_for(|newest| *newest > page.last).await.is_ok() {
            page = feed.lines(page.last, limit, level);
        }
    };
    tokio::select! {
        _ = tokio::time::timeout(wait, waiting) => {}
        () = app.stopping.cancelled() => {}
    }
    Ok(Json(page))
}
