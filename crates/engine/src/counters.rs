//! What the server has done since it started.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::{
    AgentLimits, Body, CallStatus, ConnectionStats, Deleted, Event, JournalStats, ModelStats, Percentiles,
    RetentionStats, ServerStats, Stage, Stats, Step, Timestamp, ToolStats, Transition, Usage,
};
use session::{OpenTurn, State};

use crate::pool::Limiter;

/// What a turn asks models for: its answer, and research on the way. Memory names its own purposes.
pub(crate) const TURN: &str = "turn";
pub(crate) const RESEARCH: &str = "research";

/// The newest measurements of each kind that are kept.
const SAMPLES_MAX: usize = 1024;

/// Counts from the start of the server on. Asked seldom and told often, so everything is counted as it happens.
pub(crate) struct Counters {
    since: Timestamp,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
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

impl Counters {
    pub(crate) fn new(since: Timestamp) -> Self {
        Self { since, counts: Mutex::default() }
    }

    /// Counts an event; the state is the one before it.
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
                // An end without an answer tells what the turn took all the same.
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
    }

    /// Counts a failure of a model, and what it took all the same.
    pub(crate) fn model_failed(&self, purpose: &str, model: &str, usage: Usage) {
        self.lock().count_model(purpose, model, usage, true);
    }

    /// Counts what a model took for memory, which belongs to no turn.
    pub(crate) fn beside_turns(&self, purpose: &str, model: &str, usage: Option<Usage>) {
        let mut counts = self.lock();
        counts.count_model(purpose, model, usage.unwrap_or_default(), usage.is_none());
        counts.count_usage(usage.unwrap_or_default());
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

    /// Counts that all sessions were gone through.
    pub(crate) fn pass_ended(&self) {
        self.lock().journal.passes += 1;
    }

    /// Counts a session that has expired.
    pub(crate) fn session_expired(&self) {
        self.lock().retention.expired += 1;
    }

    /// Counts a session that is gone with all that was said in it.
    pub(crate) fn session_removed(&self, is_archived: bool, deleted: &Deleted, at: Timestamp) {
        let mut counts = self.lock();
        let stats = &mut counts.retention;
        *(if is_archived { &mut stats.archived } else { &mut stats.deleted }) += 1;
        stats.events += deleted.events;
        stats.artifacts += deleted.artifacts;
        stats.memories += deleted.memories;
        stats.last_at = Some(at);
    }

    /// What was counted so far.
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
            // The server counts them itself: no transport is known here.
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
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
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

/// The newest measurements.
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
