//! Statistics of the server since its start.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use observe::{Measurement, Observers};
use protocol::{
    AgentLimits, Body, CallStatus, ConnectionStats, DeletedSession, Event, JournalStats, MemoryModelStats, ModelStats,
    Percentiles, RetentionStats, ServerStats, Stage, Stats, Step, Timestamp, ToolStats, Transition, Usage,
};
use session::{OpenTurn, State};

use crate::{observation, pool::Limiter};

/// The purpose of model calls of a turn: its answer and its research. Memory names its own
/// purposes.
pub(crate) const TURN: &str = "turn";
pub(crate) const RESEARCH: &str = "research";

/// The newest samples of each kind that are kept.
const SAMPLES_MAX: usize = 1024;

/// Counts from the start of the server on. They are read rarely and updated often, so everything is
/// counted as it happens.
pub(crate) struct ServerCounters {
    since: Timestamp,
    counts: Mutex<CounterValues>,
    observers: Observers,
}

#[derive(Default)]
struct CounterValues {
    totals: Stats,
    first_word: Samples,
    duration: Samples,
    ways: BTreeMap<String, u64>,
    models: BTreeMap<String, ModelStats>,
    purposes: BTreeMap<String, BTreeMap<String, ModelStats>>,
    tools: BTreeMap<String, (ToolStats, Samples)>,
    errors: BTreeMap<String, u64>,
    journal: JournalStats,
    retention: RetentionStats,
}

impl ServerCounters {
    pub(crate) fn new(since: Timestamp, observers: Observers) -> Self {
        Self { since, counts: Mutex::default(), observers }
    }

    /// Counts an event; `state` is the state before it.
    pub(crate) fn count(&self, state: &State, event: &Event) {
        let turn = event.turn_id.and_then(|id| state.open_turn(id));
        match &event.body {
            Body::MessageAccepted(_) => self.lock().totals.turns += 1,
            Body::TurnStage(entered) if entered.stage == Stage::Plan => {
                let way = entered.detail.as_ref().and_then(|detail| detail.get("way")?.as_str());
                if let Some(way) = way {
                    *self.lock().ways.entry(way.to_owned()).or_default() += 1;
                }
            }
            Body::Step(step) => self.lock().count_step(step),
            Body::Text(_) => {
                if let Some(turn) = turn.filter(|turn| turn.first_word_at.is_none()) {
                    self.lock().first_word.add(event.at.since(turn.accepted_at));
                }
            }
            Body::Final(response) => self.lock().count_usage(response.usage.unwrap_or_default()),
            Body::TurnStatus(change) if change.status.status().is_final() => {
                let code = change.error.as_ref().map(|error| error.code.clone());
                // An end without an answer still carries the turn's usage.
                self.lock().count_usage(change.usage.unwrap_or_default());
                if let Some(turn) = turn {
                    self.lock().count_end(turn, change.status, code, event.at);
                }
            }
            _ => {}
        }
    }

    /// Counts an answer of a model, for one of the purposes above.
    pub(crate) fn model_answered(&self, purpose: &str, model: &str, usage: Usage) {
        self.lock().count_model(purpose, model, usage, false);
        self.measure_model(purpose, model, usage, None);
    }

    /// Counts a failure of a model, with the code of its error and its usage.
    pub(crate) fn model_failed(&self, purpose: &str, model: &str, code: &str, usage: Usage) {
        self.lock().count_model(purpose, model, usage, true);
        self.measure_model(purpose, model, usage, Some(code));
    }

    fn measure_model(&self, purpose: &str, model: &str, usage: Usage, error: Option<&str>) {
        self.observers.measure(|| {
            let (provider, usage) = (observation::provider(model), observation::tokens(usage));
            Measurement::ModelCall { provider, purpose, error, usage }
        });
    }

    /// Counts a model call of memory, which belongs to no turn.
    pub(crate) fn side_call(&self, purpose: &str, model: &str, usage: Option<Usage>) {
        let mut counts = self.lock();
        counts.count_model(purpose, model, usage.unwrap_or_default(), usage.is_none());
        counts.count_usage(usage.unwrap_or_default());
        drop(counts);
        let error = usage.is_none().then_some("failed");
        self.measure_model(purpose, model, usage.unwrap_or_default(), error);
    }

    pub(crate) fn tool_ended(&self, tool: &str, took: Duration, is_ok: bool) {
        let mut counts = self.lock();
        let (stats, samples) = counts.tools.entry(tool.to_owned()).or_default();
        stats.calls += 1;
        stats.errors += u64::from(!is_ok);
        samples.add(took);
    }

    /// Counts a session that was checked in the background.
    pub(crate) fn session_verified(&self, events: u64) {
        let mut counts = self.lock();
        counts.journal.verified_sessions += 1;
        counts.journal.verified_events += events;
    }

    /// Counts a complete pass over all sessions.
    pub(crate) fn pass_ended(&self) {
        self.lock().journal.passes += 1;
    }

    /// Counts a session that has expired.
    pub(crate) fn session_expired(&self) {
        self.lock().retention.expired += 1;
    }

    /// Counts a deleted session.
    pub(crate) fn session_removed(&self, is_archived: bool, deleted: &DeletedSession, at: Timestamp) {
        let mut counts = self.lock();
        let stats = &mut counts.retention;
        *(if is_archived { &mut stats.archived } else { &mut stats.deleted }) += 1;
        stats.events += deleted.events;
        stats.artifacts += deleted.artifacts;
        stats.memories += deleted.memories;
        stats.last_at = Some(at);
    }

    /// The current counts.
    pub(crate) fn read(&self, live_sessions: u64, agents: &Limiter, limits: AgentLimits) -> ServerStats {
        let counts = self.lock();
        let with_duration =
            |(stats, samples): &(ToolStats, Samples)| ToolStats { duration: samples.percentiles(), ..*stats };
        ServerStats {
            since: self.since,
            live_sessions,
            running_turns: agents.working() as u64,
            waiting_turns: agents.waiting() as u64,
            waits: agents.waits(),
            limits,
            // The server fills these in: the engine knows no transport.
            connections: ConnectionStats::default(),
            totals: counts.totals,
            first_word: counts.first_word.percentiles(),
            duration: counts.duration.percentiles(),
            ways: counts.ways.clone(),
            models: counts.models.clone(),
            purposes: counts.purposes.clone(),
            tools: counts.tools.iter().map(|(name, tool)| (name.clone(), with_duration(tool))).collect(),
            errors: counts.errors.clone(),
            usage: None,
            journal: counts.journal,
            clock: None,
            backup: None,
            retention: counts.retention,
            memory_model: MemoryModelStats::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, CounterValues> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CounterValues {
    fn count_model(&mut self, purpose: &str, model: &str, usage: Usage, is_failed: bool) {
        let of_purpose = self.purposes.entry(purpose.to_owned()).or_default().entry(model.to_owned()).or_default();
        for stats in [of_purpose, self.models.entry(model.to_owned()).or_default()] {
            stats.calls += 1;
            stats.errors += u64::from(is_failed);
            stats.usage = stats.usage.plus(usage);
        }
    }

    fn count_step(&mut self, step: &Step) {
        self.totals.steps += 1;
        match step {
            Step::ToolCall(_) => self.totals.tool_calls += 1,
            Step::ToolResult(result) => self.totals.errors += u64::from(result.status == CallStatus::Error),
            Step::Error(_) => self.totals.errors += 1,
            _ => {}
        }
    }

    fn count_usage(&mut self, usage: Usage) {
        self.totals.count(usage);
    }

    fn count_end(&mut self, turn: &OpenTurn, end: Transition, code: Option<String>, at: Timestamp) {
        self.duration.add(at.since(turn.accepted_at));
        match end {
            Transition::Completed => self.totals.completed += 1,
            Transition::Cancelled => self.totals.cancelled += 1,
            _ => {
                self.totals.failed += 1;
                self.totals.errors += 1;
            }
        }
        if let Some(code) = code {
            *self.errors.entry(code).or_default() += 1;
        }
    }
}

/// The newest samples.
#[derive(Default)]
pub(crate) struct Samples {
    count: u64,
    newest_ms: VecDeque<f64>,
}

impl Samples {
    pub(crate) fn add(&mut self, took: Duration) {
        self.count += 1;
        if self.newest_ms.len() == SAMPLES_MAX {
            self.newest_ms.pop_front();
        }
        self.newest_ms.push_back(took.as_secs_f64() * 1000.0);
    }

    pub(crate) fn percentiles(&self) -> Percentiles {
        let mut sorted: Vec<f64> = self.newest_ms.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: usize| sorted.get((sorted.len() * share / 100).min(sorted.len().saturating_sub(1))).copied();
        Percentiles {
            count: self.count,
            p50_ms: at(50).unwrap_or(0.0),
            p95_ms: at(95).unwrap_or(0.0),
            max_ms: sorted.last().copied().unwrap_or(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_newest_and_the_count_of_all() {
        let mut samples = Samples::default();
        assert_eq!(samples.percentiles(), Percentiles::default());
        for ms in 0..2_000 {
            samples.add(Duration::from_millis(ms));
        }
        let percentiles = samples.percentiles();
        assert_eq!((percentiles.count, percentiles.max_ms), (2_000, 1_999.0));
        assert!(percentiles.p50_ms > 1_400.0 && percentiles.p95_ms > percentiles.p50_ms);
    }
}
