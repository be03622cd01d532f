//! An investigation: the steps of a diagnosis, and the findings so far.

use ports::ToolFailure;
use protocol::Timestamp;
use tools::CallContext;

use super::finding::{Cause, DiagnosticFinding};
use crate::{
    EntityId, EntityRelations, EntitySnapshot, EntityState, HomePort, LogEntry, Period, StateSeries,
    pack::{
        answer::{CitedSources, HomeClock, count, if_readable},
        errors,
    },
};

/// How long before the period log entries are relevant.
const LOG_BEFORE_MILLIS: i64 = 3_600_000;
/// The time distance within which a log entry may be related.
const LOG_NEAR_MILLIS: i64 = 5_000;
/// Shorter names occur in unrelated lines.
const NAME_CHARS_MIN: usize = 5;
const LOG_LINES_MAX: usize = 3;

/// The investigation of one entity.
pub(super) struct Investigation<'a> {
    pub(super) home: &'a dyn HomePort,
    pub(super) context: &'a CallContext,
    pub(super) clock: HomeClock,
    pub(super) period: Period,
    pub(super) subject: EntitySnapshot,
    pub(super) sources: CitedSources,
    pub(super) findings: Vec<DiagnosticFinding>,
    pub(super) also: Vec<String>,
}

/// Where the problem is located, as far as it is known.
pub(super) struct Focus {
    /// The entity that has the problem.
    pub(super) snapshot: EntitySnapshot,
    /// The moments of the problem.
    pub(super) moments: Vec<Timestamp>,
}

impl<'a> Investigation<'a> {
    pub(super) fn new(
        home: &'a dyn HomePort,
        context: &'a CallContext,
        clock: HomeClock,
        period: Period,
        subject: EntitySnapshot,
    ) -> Self {
        let (sources, findings, also) = (CitedSources::default(), Vec::new(), Vec::new());
        Self { home, context, clock, period, subject, sources, findings, also }
    }

    /// Runs all steps.
    pub(super) async fn look(&mut self) -> Result<(), ToolFailure> {
        let is_silent = self.subject.state.as_deref().is_some_and(|state| !state.is_known() && !is_stateless(state));
        let focus = if is_silent { self.silence().await? } else { self.anomalies().await? };
        self.logged(&focus).await?;
        if matches!(self.subject.entity.id.domain(), "automation" | "script") {
            self.runs().await?;
        }
        Ok(())
    }

    pub(super) fn found(
        &mut self,
        cause: Cause,
        confidence: f64,
        entity_id: Option<&EntityId>,
        what: String,
        evidence: Vec<String>,
    ) {
        self.findings.push(DiagnosticFinding { cause, what, confidence, entity_id: entity_id.cloned(), evidence });
    }

    pub(super) async fn related(&mut self, id: &EntityId) -> Result<EntityRelations, ToolFailure> {
        let related = self.home.related(id).await;
        Ok(if_readable(related, "the relations of entities", &mut self.also)?.unwrap_or_default())
    }

    /// The states of some entities over time.
    pub(super) async fn history(
        &mut self,
        of: &[EntitySnapshot],
        period: Period,
    ) -> Result<Vec<StateSeries>, ToolFailure> {
        let ids: Vec<EntityId> = of.iter().map(|snapshot| snapshot.entity.id.clone()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let past = self.home.history(&ids, period).await;
        Ok(if_readable(past, "the history", &mut self.also)?.unwrap_or_default())
    }

    /// Searches the system log for related entries.
    async fn logged(&mut self, focus: &Focus) -> Result<(), ToolFailure> {
        self.context.say("Reading the system log");
        let read = self.home.errors().await;
        let Some(entries) = if_readable(read, "the system log", &mut self.also)? else { return Ok(()) };
        let names = names(&[&self.subject, &focus.snapshot]);
        let from = focus.moments.iter().min().map_or(self.period.from, |first| self.period.from.min(*first));
        let is_near = |entry: &LogEntry| {
            entry.last_at.as_millis() >= from.as_millis() - LOG_BEFORE_MILLIS && entry.first_at <= self.period.until
        };
        let mentions = |entry: &&LogEntry| {
            let text = errors::whole(entry);
            names.iter().any(|name| text.contains(name))
        };
        let mut mentioned: Vec<&LogEntry> = entries.iter().filter(mentions).filter(|entry| is_near(entry)).collect();
        mentioned.sort_by_key(|entry| std::cmp::Reverse((entry.level, entry.count)));
        for entry in mentioned.into_iter().take(LOG_LINES_MAX) {
            let beside = |moment: &Timestamp| {
                entry.first_at.as_millis() - LOG_NEAR_MILLIS <= moment.as_millis()
                    && moment.as_millis() <= entry.last_at.as_millis() + LOG_NEAR_MILLIS
            };
            let (first, last) = (self.clock.at(entry.first_at), self.clock.until(entry.first_at, entry.last_at));
            let when = if entry.count > 1 { format!("{} times from {first} to {last}", entry.count) } else { first };
            let what =
                format!("The system log says ({}, {when}): {}", errors::level(entry.level), errors::message(entry));
            let confidence = if focus.moments.iter().any(beside) { 0.6 } else { 0.4 };
            let source = self.sources.log(&entry.logger);
            self.found(Cause::Logged, confidence, None, what, vec![source]);
        }
        Ok(())
    }

    /// Notes how many entities were left out because they are not exposed.
    pub(super) fn hidden(&mut self, number: usize, of: &str) {
        if number > 0 {
            let told = count(number, "entity is", "entities are");
            self.also.push(format!("{told} of {of} not exposed to assistants, so not checked"));
        }
    }
}

/// Whether the entity normally has no state, such as a scene, or a button that was never pressed.
fn is_stateless(state: &EntityState) -> bool {
    let domain = state.entity_id.domain();
    state.state == EntityState::UNKNOWN
        && matches!(domain, "scene" | "button" | "input_button" | "event" | "tts" | "stt" | "notify")
}

/// Words by which a log may refer to entities, in lower case.
fn names(of: &[&EntitySnapshot]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for snapshot in of {
        names.push(snapshot.entity.id.as_str().to_owned());
        let device = snapshot.device.as_ref().map(|device| device.name.to_lowercase());
        let called = std::iter::once(snapshot.entity.name.to_lowercase()).chain(device);
        names.extend(called.filter(|name| name.chars().count() >= NAME_CHARS_MIN));
        if matches!(snapshot.entity.id.domain(), "automation" | "script") {
            names.push(format!("{}.{}", snapshot.entity.id.domain(), snapshot.entity.id.object()));
        }
    }
    names.sort();
    names.dedup();
    names
}
