//! `diagnose_entity`: finds problems of an entity, their evidence, their likely cause and their
//! impact.

mod anomalies;
mod correlation;
mod finding;
mod impact;
mod investigation;
mod runs;
mod silence;

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{
    answer::{HomeClock, length, resolve_one},
    observes, period,
};
use crate::{EntityId, HomePort, reachable::check_known};
use finding::{FindingOutput, rank};
use impact::Impact;
use investigation::Investigation;

/// The tool `diagnose_entity`.
pub(super) struct DiagnoseEntity {
    pub(super) home: Arc<dyn HomePort>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiagnoseInput {
    /// Its id, as `light.kitchen`; automations and scripts too.
    entity_id: String,
    /// When the trouble was, as `last night`; 24 hours by default.
    #[serde(default)]
    period: Option<String>,
    /// Or from, as `2026-05-12 20:00` on the home's clock.
    #[serde(default)]
    from: Option<String>,
    /// Until when; now by default.
    #[serde(default)]
    until: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Diagnosis {
    entity_id: EntityId,
    name: String,
    state: String,
    since: String,
    /// The period, on the home's clock.
    period: String,
    /// In one sentence.
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    root_cause: Option<FindingOutput>,
    /// What else was found, the surest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingOutput>,
    /// What was checked and is fine, or could not be checked.
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

    async fn call(&self, input: DiagnoseInput, context: &CallContext) -> Result<Diagnosis, ToolFailure> {
        let home = self.home.as_ref();
        check_known(home)?;
        let clock = HomeClock::of(home);
        let subject = resolve_one(home, &input.entity_id)?;
        let (from, until) = (input.from.as_deref(), input.until.as_deref());
        let period = period::read(input.period.as_deref(), from, until, context.now, &clock, "last 24 hours")?;
        context.say(format!("Reading the relations of {}", subject.entity.name));
        let mut investigation = Investigation::new(home, context, clock.clone(), period, subject.clone());
        investigation.look().await?;
        let impact = impact::impact(&mut investigation).await?;
        let Investigation { findings, also, sources, .. } = investigation;
        let (root_cause, findings, suggestions) = rank(findings);
        let state = subject.state.as_deref();
        let summary = match (&root_cause, findings.first()) {
            (Some(cause), _) => format!("Likely cause: {}", cause.what()),
            (None, Some(first)) => format!("No cause found; what is seen: {}", first.what()),
            (None, None) => format!("Nothing unusual was found about {}.", subject.entity.name),
        };
        Ok(Diagnosis {
            entity_id: subject.entity.id.clone(),
            name: subject.entity.name.clone(),
            state: state.map_or_else(|| subject.word().to_owned(), crate::EntityState::in_words),
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
