//! `current_time`: the time in a time zone.

use async_trait::async_trait;
use ports::ToolFailure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::zone::Zones;
use crate::tool::{CallContext, Declaration, Tool};

/// Returns the time.
pub(super) struct CurrentTime(pub(super) Zones);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The time zone by its IANA name, as in `Europe/Berlin`; the user's own if absent.
    #[serde(default)]
    time_zone: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CurrentTimeOutput {
    /// Hours and minutes, as in `14:05`.
    time: String,
    /// The date, as in `2026-02-28`.
    date: String,
    /// The day of the week, as in `Saturday`.
    weekday: String,
    /// The time zone.
    time_zone: String,
    /// All of it in ISO 8601.
    iso: String,
}

#[async_trait]
impl Tool for CurrentTime {
    type Input = Input;
    type Output = CurrentTimeOutput;

    fn declaration(&self) -> Declaration {
        Declaration::new(
            "current_time",
            "Tells the current time, date and weekday, in the user's time zone or in a named one. Use it whenever the \
             answer depends on what time or day it is.",
        )
        .computes()
        .core()
    }

    async fn call(&self, input: Input, context: &CallContext) -> Result<CurrentTimeOutput, ToolFailure> {
        let now = self.0.at(context.now, input.time_zone.as_deref()).map_err(ToolFailure::Invalid)?;
        Ok(CurrentTimeOutput {
            time: now.strftime("%H:%M").to_string(),
            date: now.date().to_string(),
            weekday: now.strftime("%A").to_string(),
            time_zone: now.time_zone().iana_name().unwrap_or("UTC").to_owned(),
            iso: now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        })
    }
}
