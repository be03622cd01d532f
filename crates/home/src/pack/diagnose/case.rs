//! A case: what is looked at, in which order, and what is known of it so far.

use protocol::Timestamp;
use tools::{Context, Failure};

use super::finding::{Cause, Finding};
use crate::{
    EntityId, House, LogEntry, Period, Related, Series, Standing, State,
    pack::{
        answer::{Clockface, Sources, count, if_readable},
        errors,
    },
};

/// Lines of the system log from this long before the period on matter.
const LOG_BEFORE_MILLIS: i64 = 3_600_000;
/// How near a line has to be to what it may speak of.
const LOG_NEAR_MILLIS: i64 = 5_000;
/// Shorter names are found in lines that do not mean them.
const NAME_CHARS_MIN: usize = 5;
const LOG_LINES_MAX: usize = 3;

/// A case.
pub(super) struct Case<'a> {
    pub(super) home: &'a dyn House,
    pub(super) context: &'a Context,
    pub(super) clock: Clockface,
    pub(super) period: Period,
    pub(super) subject: Standing,
    pub(super) sources: Sources,
    pub(super) findings: Vec<Finding>,
    pub(super) also: Vec<String>,
}

/// What was found out so far about where the trouble sits.
pub(super) struct Focus {
    /// The entity in which it sits.
    pub(super) standing: Standing,
    /// The moments of the trouble.
    pub(super) moments: Vec<Timestamp>,
}

impl<'a> Case<'a> {
    pub(super) fn new(
        home: &'a dyn House,
        context: &'a Context,
        clock: Clockface,
        period: Period,
        subject: Standing,
    ) -> Self {
        let (sources, findings, also) = (Sources::default(), Vec::new(), Vec::new());
        Self { home, context, clock, period, subject, sources, findings, also }
    }

    /// Looks at everything.
    pub(super) async fn look(&mut self) -> Result<(), Failure> {
        let is_silent = self.subject.state.as_deref().is_some_and(|state| !state.is_known() && !is_stateless(state));
        let focus = if is_silent { self.silence().await? } else { self.oddness().await? };
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
        self.findings.push(Finding { cause, what, confidence, entity_id: entity_id.cloned(), evidence });
    }

    pub(super) async fn related(&mut self, id: &EntityId) -> Result<Related, Failure> {
        let related = self.home.related(id).await;
        Ok(if_readable(related, "what has to do with what", &mut self.also)?.unwrap_or_default())
    }

    /// How some entities stood over time.
    pub(super) async fn history(&mut self, of: &[Standing], period: Period) -> Result<Vec<Series>, Failure> {
        let ids: Vec<EntityId> = of.iter().map(|standing| standing.entity.id.clone()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let past = self.home.history(&ids, period).await;
        Ok(if_readable(past, "the history", &mut self.also)?.unwrap_or_default())
    }

    /// What the system log says of it.
    async fn logged(&mut self, focus: &Focus) -> Result<(), Failure> {
        self.context.say("Reading the system log");
        let read = self.home.errors().await;
        let Some(entries) = if_readable(read, "the system log", &mut self.also)? else { return Ok(()) };
        let names = names(&[&self.subject, &focus.standing]);
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

    /// Says how many were left out because assistants may not see them.
    pub(super) fn hidden(&mut self, number: usize, of: &str) {
        if number > 0 {
            let told = count(number, "entity is", "entities are");
            self.also.push(format!("{told} of {of} not exposed to assistants, so not looked at"));
        }
    }
}

/// Whether having no state is all there is to it, as with a scene or a button nobody pressed.
fn is_stateless(state: &State) -> bool {
    let domain = state.entity_id.domain();
    state.state == State::UNKNOWN
        && matches!(domain, "scene" | "button" | "input_button" | "event" | "tts" | "stt" | "notify")
}

/// Words by which a log may speak of entities, in small letters.
fn names(of: &[&Standing]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for standing in of {
        names.push(standing.entity.id.as_str().to_owned());
        let device = standing.device.as_ref().map(|device| device.name.to_lowercase());
        let called = std::iter::once(standing.entity.name.to_lowercase()).chain(device);
        names.extend(called.filter(|name| name.chars().count() >= NAME_CHARS_MIN));
        if matches!(standing.entity.id.domain(), "automation" | "script") {
            names.push(format!("{}.{}", standing.entity.id.domain(), standing.entity.id.object()));
        }
    }
    names.sort();
    names.dedup();
    names
}
