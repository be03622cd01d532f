//! `get_logbook`: what happened, line by line.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Context, Declaration, Failure, Tool};

use super::{
    answer::{Clockface, Sources, Unknown, count, cut, failed, resolve},
    observes, period,
};
use crate::{EntityId, Happening, House};

/// How many lines are told unless more are wanted.
const LIMIT: usize = 25;
const LIMIT_MAX: usize = 60;

/// Reads the logbook.
pub(super) struct GetLogbook {
    pub(super) home: Arc<dyn House>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LogbookInput {
    /// Ids; none for all of the home.
    entity_ids: Vec<String>,
    /// As `last night`, `yesterday evening`, `last 6 hours`; 24 hours unless told.
    period: Option<String>,
    /// Or from, as `2026-05-12 20:00` on the home's clock.
    from: Option<String>,
    /// Until when; now unless told.
    until: Option<String>,
    /// At most so many lines, the newest; 25 unless told.
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Logbook {
    from: String,
    until: String,
    time_zone: String,
    /// Oldest first: moment, what, what happened, and by what.
    lines: Vec<String>,
    /// How many older lines were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<Unknown>,
    sources: Vec<Citation>,
}

#[async_trait]
impl Tool for GetLogbook {
    type Input = LogbookInput;
    type Output = Logbook;

    fn declaration(&self) -> Declaration {
        observes(
            self.home.as_ref(),
            "get_logbook",
            "What happened in the home and what brought it about, line by line.",
        )
        .about(&["happened", "happen", "yesterday", "night", "turned", "opened", "triggered", "automation"])
    }

    async fn call(&self, input: LogbookInput, context: &Context) -> Result<Logbook, Failure> {
        let home = self.home.as_ref();
        let clock = Clockface::of(home);
        let LogbookInput { entity_ids, period, from, until, limit } = input;
        let (from, until) = (from.as_deref(), until.as_deref());
        let period = period::read(period.as_deref(), from, until, context.now, &clock, "last 24 hours")?;
        let (known, unknown) = resolve(home, &entity_ids)?;
        let mut sources = Sources::default();
        let ids: Vec<EntityId> = known.iter().map(|standing| standing.entity.id.clone()).collect();
        if ids.is_empty() {
            context.say("Reading the logbook");
            sources.logbook(None, "");
        } else {
            context.say(format!("Reading the logbook of {}", count(ids.len(), "entity", "entities")));
        }
        for standing in &known {
            sources.logbook(Some(&standing.entity.id), &standing.entity.name);
        }
        // Whoever named only what is not there did not ask for everything.
        let is_asked = !ids.is_empty() || entity_ids.is_empty();
        let mut all = if is_asked { home.logbook(&ids, period).await.map_err(failed)? } else { Vec::new() };
        let index = home.index();
        let is_hidden = |id: &EntityId| index.get(id).is_some_and(|standing| !standing.entity.exposed);
        all.retain(|line| line.entity_id.as_ref().is_none_or(|id| !is_hidden(id)));
        let limit = limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let left_out = all.len().checked_sub(limit).filter(|more| *more > 0);
        let lines = all.iter().skip(left_out.unwrap_or(0)).map(|line| tell(line, &clock)).collect();
        let (from, until) = (clock.at(period.from), clock.at(period.until));
        Ok(Logbook { from, until, time_zone: clock.name, lines, left_out, unknown, sources: sources.finish() })
    }

    fn sources(&self, output: &Logbook) -> Vec<Citation> {
        output.sources.clone()
    }
}

fn tell(line: &Happening, clock: &Clockface) -> String {
    let what = format!("{} {} {}", clock.at(line.at), line.name, line.message);
    let told = line.cause.as_ref().map_or_else(|| what.clone(), |cause| format!("{what}, by {cause}"));
    cut(&told, 160)
}
