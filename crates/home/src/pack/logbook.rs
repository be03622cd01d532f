//! `get_logbook`: reads the logbook.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{
    answer::{CitedSources, HomeClock, UnknownEntity, count, cut, failed, resolve},
    observes, period,
};
use crate::{EntityId, HomePort, LogbookEntry, reachable::check_known};

/// The default number of lines.
const LIMIT: usize = 25;
const LIMIT_MAX: usize = 60;

/// Reads the logbook.
pub(super) struct GetLogbook {
    pub(super) home: Arc<dyn HomePort>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LogbookInput {
    /// Ids; none for all of the home.
    entity_ids: Vec<String>,
    /// As `last night`, `yesterday evening`, `last 6 hours`; 24 hours by default.
    period: Option<String>,
    /// Or from, as `2026-05-12 20:00` on the home's clock.
    from: Option<String>,
    /// Until when; now by default.
    until: Option<String>,
    /// At most so many lines, the newest; 25 by default.
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LogbookOutput {
    from: String,
    until: String,
    time_zone: String,
    /// Oldest first: moment, what, what happened, and by what.
    lines: Vec<String>,
    /// How many older lines were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<UnknownEntity>,
    sources: Vec<Citation>,
}

#[async_trait]
impl Tool for GetLogbook {
    type Input = LogbookInput;
    type Output = LogbookOutput;

    fn declaration(&self) -> Declaration {
        observes(self.home.as_ref(), "get_logbook", "What happened in the home and why, line by line.").about(&[
            "happened",
            "happen",
            "yesterday",
            "night",
            "turned",
            "opened",
            "triggered",
            "automation",
        ])
    }

    async fn call(&self, input: LogbookInput, context: &CallContext) -> Result<LogbookOutput, ToolFailure> {
        let home = self.home.as_ref();
        check_known(home)?;
        let clock = HomeClock::of(home);
        let LogbookInput { entity_ids, period, from, until, limit } = input;
        let (from, until) = (from.as_deref(), until.as_deref());
        let period = period::read(period.as_deref(), from, until, context.now, &clock, "last 24 hours")?;
        let (known, unknown) = resolve(home, &entity_ids)?;
        let mut sources = CitedSources::default();
        let ids: Vec<EntityId> = known.iter().map(|snapshot| snapshot.entity.id.clone()).collect();
        if ids.is_empty() {
            context.say("Reading the logbook");
            sources.logbook(None, "");
        } else {
            context.say(format!("Reading the logbook of {}", count(ids.len(), "entity", "entities")));
        }
        for snapshot in &known {
            sources.logbook(Some(&snapshot.entity.id), &snapshot.entity.name);
        }
        // A call that names only unknown entities did not ask for all of them.
        let is_asked = !ids.is_empty() || entity_ids.is_empty();
        let mut all = if is_asked { home.logbook(&ids, period).await.map_err(failed)? } else { Vec::new() };
        let index = home.index();
        let is_hidden = |id: &EntityId| index.get(id).is_some_and(|snapshot| !snapshot.entity.exposed);
        all.retain(|line| line.entity_id.as_ref().is_none_or(|id| !is_hidden(id)));
        let limit = limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let left_out = all.len().checked_sub(limit).filter(|more| *more > 0);
        let lines = all.iter().skip(left_out.unwrap_or(0)).map(|line| tell(line, &clock)).collect();
        let (from, until) = (clock.at(period.from), clock.at(period.until));
        Ok(LogbookOutput { from, until, time_zone: clock.name, lines, left_out, unknown, sources: sources.finish() })
    }

    fn sources(&self, output: &LogbookOutput) -> Vec<Citation> {
        output.sources.clone()
    }
}

fn tell(line: &LogbookEntry, clock: &HomeClock) -> String {
    let what = format!("{} {} {}", clock.at(line.at), line.name, line.message);
    let told = line.cause.as_ref().map_or_else(|| what.clone(), |cause| format!("{what}, by {cause}"));
    cut(&told, 160)
}
