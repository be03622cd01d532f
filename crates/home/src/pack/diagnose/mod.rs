//! `diagnose_entity`: what is wrong with an entity, what shows it, what likely lies behind it, and what suffers from it.

mod case;
mod finding;
mod impact;
mod oddness;
mod runs;
mod silence;
mod together;

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Context, Declaration, Failure, Tool};

use super::{
    answer::{Clockface, length, resolve_one},
    observes, period,
};
use crate::{EntityId, House};
use case::Case;
use finding::{Told, rank};
use impact::Impact;

/// Diagnoses an entity.
pub(super) struct DiagnoseEntity {
    pub(super) home: Arc<dyn House>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiagnoseInput {
    /// Its id, as `light.kitchen`; automations and scripts too.
    entity_id: String,
    /// When the trouble was, as `last night`; 24 hours unless told.
    #[serde(default)]
    period: Option<String>,
    /// Or from, as `2026-05-12 20:00` on the home's clock.
    #[serde(default)]
    from: Option<String>,
    /// Until when; now unless told.
    #[serde(default)]
    until: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Diagnosis {
    entity_id: EntityId,
    name: String,
    state: String,
    since: String,
    /// What was looked at, on the home's clock.
    period: String,
    /// In one sentence.
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    root_cause: Option<Told>,
    /// What else was found, the surest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Told>,
    /// What was looked at and is fine, or could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<String>,
    /// What depends on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    impact: Vec<Impact>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<&'static str>,
    sources: Vec<Citation>,
}

#[async_trait]
impl Tool for DiagnoseEntity {
    type Input = DiagnoseInput;
    type Output = Diagnosis;

    fn declaration(&self) -> Declaration {
        let about = "Finds out what is or was wrong with an entity: evidence, likely root cause, impact, advice. Use it for any why.";
        observes(self.home.as_ref(), "diagnose_entity", about)
    }

    async fn call(&self, input: DiagnoseInput, context: &Context) -> Result<Diagnosis, Failure> {
        let home = self.home.as_ref();
        let clock = Clockface::of(home);
        let subject = resolve_one(home, &input.entity_id)?;
        let (from, until) = (input.from.as_deref(), input.until.as_deref());
        let period = period::read(input.period.as_deref(), from, until, context.now, &clock, "last 24 hours")?;
        context.say(format!("Gathering what {} has to do with", subject.entity.name));
        let mut case = Case::new(home, context, clock.clone(), period, subject.clone());
        case.look().await?;
        let impact = impact::impact(&mut case).await?;
        let Case { findings, also, sources, .. } = case;
        let (root_cause, findings, suggestions) = rank(findings);
        let state = subject.state.as_deref();
        let summary = match (&root_cause, findings.first()) {
            (Some(cause), _) => format!("Likely cause: {}", cause.what()),
            (None, Some(first)) => format!("No cause found; what is seen: {}", first.what()),
            (None, None) => format!("Nothing odd was found about {}.", subject.entity.name),
        };
        Ok(Diagnosis {
            entity_id: subject.entity.id.clone(),
            name: subject.entity.name.clone(),
            state: state.map_or_else(|| subject.word().to_owned(), crate::State::in_words),
            since: state.map_or_else(String::new, |state| {
                format!("{} ({})", clock.at(state.changed_at), length(context.now.since(state.changed_at)))
            }),
            period: format!("{} to {} {}", clock.at(period.from), clock.at(period.until), clock.name),
            summary,
            root_cause,
            findings,
            also,
            impact,
            suggestions,
            sources: sources.finish(),
        })
    }

    fn sources(&self, output: &Diagnosis) -> Vec<Citation> {
        output.sources.clone()
    }
}
