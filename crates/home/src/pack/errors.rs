//! `get_errors`: reads the home's system log.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{
    answer::{CitedSources, HomeClock, cut, failed},
    observes,
};
use crate::{HomePort, LogEntry, LogLevel};

/// The default number of entries.
const LIMIT: usize = 12;
const LIMIT_MAX: usize = 40;
/// The number of characters of a message.
const MESSAGE_CHARS_MAX: usize = 220;

/// Reads the system log.
pub(super) struct GetErrors {
    pub(super) home: Arc<dyn HomePort>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ErrorsInput {
    /// Only entries that mention this: an integration, an entity, a word.
    text: Option<String>,
    /// At least this bad: warning, error or critical.
    level: Option<String>,
    /// At most so many, the newest; 12 by default.
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ErrorsOutput {
    /// Newest first.
    entries: Vec<ErrorEntry>,
    /// How many more there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    time_zone: String,
    sources: Vec<Citation>,
}

#[derive(Serialize, JsonSchema)]
struct ErrorEntry {
    level: &'static str,
    source: String,
    message: String,
    /// When last; with how often, and since when.
    at: String,
}

#[async_trait]
impl Tool for GetErrors {
    type Input = ErrorsInput;
    type Output = ErrorsOutput;

    fn declaration(&self) -> Declaration {
        observes(self.home.as_ref(), "get_errors", "Errors and warnings of the home's system log, newest first.")
            .about(&["error", "warning", "log", "problem", "broken", "fail"])
    }

    async fn call(&self, input: ErrorsInput, context: &CallContext) -> Result<ErrorsOutput, ToolFailure> {
        let home = self.home.as_ref();
        let least = match input.level.as_deref().map(str::trim) {
            None | Some("" | "warning") => LogLevel::Warning,
            Some("error") => LogLevel::Error,
            Some("critical") => LogLevel::Critical,
            Some(_) => return Err(ToolFailure::Invalid("`level` is warning, error or critical".to_owned())),
        };
        context.say("Reading the system log");
        let mut all = home.errors().await.map_err(failed)?;
        all.retain(|entry| entry.level >= least);
        if let Some(text) = input.text.map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty()) {
            all.retain(|entry| whole(entry).contains(&text));
        }
        all.sort_by_key(|entry| std::cmp::Reverse(entry.last_at));
        let limit = input.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let more = all.len().checked_sub(limit).filter(|more| *more > 0);
        all.truncate(limit);
        let (clock, mut sources) = (HomeClock::of(home), CitedSources::default());
        let entries = all.iter().map(|entry| tell(entry, &clock, sources.log(&entry.logger))).collect();
        Ok(ErrorsOutput { entries, more, time_zone: clock.name, sources: sources.finish() })
    }

    fn sources(&self, output: &ErrorsOutput) -> Vec<Citation> {
        output.sources.clone()
    }
}

/// The whole text of an entry, in lower case.
pub(super) fn whole(entry: &LogEntry) -> String {
    format!("{} {} {}", entry.logger, entry.messages.join(" "), entry.exception).to_lowercase()
}

/// The newest message of an entry.
pub(super) fn message(entry: &LogEntry) -> String {
    let text = entry.messages.first().map_or(entry.exception.as_str(), String::as_str);
    cut(text, MESSAGE_CHARS_MAX)
}

pub(super) fn level(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Warning => "warning",
        LogLevel::Error => "error",
        LogLevel::Critical => "critical",
    }
}

fn tell(entry: &LogEntry, clock: &HomeClock, source: String) -> ErrorEntry {
    let at = match entry.count {
        0 | 1 => clock.at(entry.last_at),
        count => format!("{} ({count} times since {})", clock.at(entry.last_at), clock.at(entry.first_at)),
    };
    ErrorEntry { level: level(entry.level), source, message: message(entry), at }
}
