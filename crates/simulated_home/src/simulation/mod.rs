//! The simulation: computes every state at any moment from an entity's own behaviour, its actions
//! and its faults. Nothing has to run for the past to exist, and the same query always has the same
//! result.

mod routine;
mod values;

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use home::{EntityState, Period, StateSample};
use jiff::{civil::Date, tz::TimeZone};
use protocol::Timestamp;

use super::{
    actions::ActionLog,
    calendar::Calendar,
    layout::{Behaviour, HomeLayout, InjectedFault, SimulatedEntity, SimulatedState},
    random::SeededRandom,
};

/// How long an action overrides an entity's own behaviour.
const HOLD_MILLIS: i64 = 2 * 3_600_000;
/// How far back the last change of a state is searched.
const MEMORY_MILLIS: i64 = 11 * 86_400_000;
/// The steps of that search.
const LOOKS_BACK: &[i64] = &[2 * 3_600_000, 30 * 3_600_000, 4 * 86_400_000, MEMORY_MILLIS];

/// The scheduled states that begin on a day, by entity and day, each with its number.
type ScheduleCache = HashMap<(&'static str, Date), Rc<[(usize, Period)]>>;

/// The simulated home over time, as seen at a moment.
pub(super) struct Simulation<'a> {
    pub(super) layout: &'static HomeLayout,
    pub(super) calendar: Calendar,
    pub(super) random: SeededRandom,
    pub(super) actions: &'a ActionLog,
    /// The faults of the problems, by entity.
    faults: HashMap<&'static str, Vec<InjectedFault>>,
    pub(super) now: Timestamp,
    /// Computed on first use.
    schedule: RefCell<ScheduleCache>,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(
        layout: &'static HomeLayout,
        zone: TimeZone,
        seed: u64,
        actions: &'a ActionLog,
        now: Timestamp,
    ) -> Self {
        let calendar = Calendar::new(zone);
        let anchor = calendar.anchor(now);
        let mut faults: HashMap<&'static str, Vec<InjectedFault>> = HashMap::new();
        for (id, fault) in layout.problems.iter().flat_map(|problem| problem.faults(&calendar, anchor)) {
            faults.entry(id).or_default().push(fault);
        }
        let (chance, schedule) = (SeededRandom::of(seed), RefCell::default());
        Self { layout, calendar, random: chance, actions, faults, now, schedule }
    }

    /// The state of an entity at a moment.
    pub(super) fn sim_state(&self, id: &str, at: Timestamp) -> SimulatedState {
        let Some(entity) = self.layout.get(id) else { return SimulatedState::word(EntityState::UNKNOWN) };
        if let Some(planted) = self.injected(id, at) {
            return planted.clone();
        }
        let sim_state = self.told(entity, at).unwrap_or_else(|| self.own(entity, at));
        self.with_attributes(entity, sim_state, at)
    }

    /// The fault of an entity. Of two faults the later one counts.
    fn injected(&self, id: &str, at: Timestamp) -> Option<&SimulatedState> {
        let here = self.faults.get(id)?.iter().filter(|fault| fault.from <= at && at < fault.until);
        here.max_by_key(|fault| fault.from).map(|fault| fault.sim_state)
    }

    /// The state from its last action, while that holds.
    pub(super) fn told(&self, entity: &'static SimulatedEntity, at: Timestamp) -> Option<SimulatedState> {
        let action = self.actions.before(entity.id.as_str(), at)?;
        let free_from = Timestamp::from_millis(action.at.as_millis() + HOLD_MILLIS);
        if free_from <= at {
            let until = Timestamp::from_millis(at.as_millis().min(free_from.as_millis() + MEMORY_MILLIS));
            let mut changes = Vec::new();
            self.routine_edges(entity, Period { from: free_from, until }, &mut changes);
            if changes.iter().any(|edge| free_from <= *edge && *edge <= at) {
                return None;
            }
        }
        Some(action.sim_state(at))
    }

    /// Moments at which an entity may change, unsorted; a superset of the actual changes.
    pub(super) fn edges(&self, id: &str, period: Period, edges: &mut Vec<Timestamp>) {
        let Some(entity) = self.layout.get(id) else { return };
        self.outer_edges(id, edges);
        self.own_edges(entity, period, edges);
    }

    /// Moments at which actions or faults change an entity.
    fn outer_edges(&self, id: &str, edges: &mut Vec<Timestamp>) {
        for fault in self.faults.get(id).into_iter().flatten() {
            edges.extend([fault.from, fault.until]);
        }
        edges.extend(self.actions.moments(id));
    }

    fn sorted_edges(&self, id: &str, period: Period) -> Vec<Timestamp> {
        let mut edges = Vec::new();
        self.edges(id, period, &mut edges);
        Self::sorted(edges, period)
    }

    /// The same without moments at which only attributes change.
    fn word_edges(&self, entity: &'static SimulatedEntity, period: Period) -> Vec<Timestamp> {
        if !matches!(entity.behaviour, Behaviour::Climate(_) | Behaviour::Sun | Behaviour::Rule(_)) {
            return self.sorted_edges(entity.id.as_str(), period);
        }
        let mut edges = Vec::new();
        self.outer_edges(entity.id.as_str(), &mut edges);
        self.routine_edges(entity, period, &mut edges);
        if matches!(entity.behaviour, Behaviour::Sun) {
            self.sun_edges(period, &mut edges);
        }
        Self::sorted(edges, period)
    }

    fn sorted(mut edges: Vec<Timestamp>, period: Period) -> Vec<Timestamp> {
        edges.retain(|edge| period.from < *edge && *edge <= period.until);
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The next moment at which an entity may change, if that is soon.
    pub(super) fn next_edge(&self, id: &str, within_millis: i64) -> Timestamp {
        let until = Timestamp::from_millis(self.now.as_millis() + within_millis);
        let edges = self.sorted_edges(id, Period { from: self.now, until });
        edges.first().copied().unwrap_or(until)
    }

    /// The states of an entity over time, without the future.
    pub(super) fn series(&self, id: &str, period: Period) -> Vec<StateSample> {
        let until = Timestamp::from_millis(period.until.as_millis() - 1).min(self.now);
        if until < period.from {
            return Vec::new();
        }
        let first = self.sim_state(id, period.from);
        let mut samples = vec![StateSample { at: period.from, state: first.state, attributes: first.attributes }];
        for edge in self.sorted_edges(id, Period { from: period.from, until }) {
            let sim_state = self.sim_state(id, edge);
            if samples
                .last()
                .is_none_or(|last| last.state != sim_state.state || last.attributes != sim_state.attributes)
            {
                samples.push(StateSample { at: edge, state: sim_state.state, attributes: sim_state.attributes });
            }
        }
        samples
    }

    /// The current state of an entity, and since when.
    pub(super) fn state(&self, id: &str) -> Option<EntityState> {
        let entity = self.layout.get(id)?;
        let sim_state = self.sim_state(id, self.now);
        let before = |edge: &Timestamp| self.sim_state(id, Timestamp::from_millis(edge.as_millis() - 1));
        let mut changed_at = None;
        for millis in LOOKS_BACK {
            let from = Timestamp::from_millis(self.now.as_millis() - millis);
            let mut edges = self.word_edges(entity, Period { from, until: self.now }).into_iter().rev();
            changed_at = edges.find(|edge| before(edge).state != sim_state.state);
            if changed_at.is_some() {
                break;
            }
        }
        let lately = Timestamp::from_millis(self.now.as_millis() - LOOKS_BACK[0]);
        let mut edges = self.sorted_edges(id, Period { from: lately, until: self.now }).into_iter().rev();
        let updated_at = edges.find(|edge| before(edge) != sim_state);
        let anchor = self.calendar.anchor(self.now);
        let changed_at = changed_at.unwrap_or_else(|| self.calendar.at(Calendar::before(anchor, 12), 0));
        let mut attributes = entity.attributes.clone();
        attributes.insert("friendly_name".to_owned(), entity.name.clone().into());
        if let Some(class) = &entity.class {
            attributes.insert("device_class".to_owned(), class.clone().into());
        }
        if sim_state.state != EntityState::UNAVAILABLE {
            attributes.extend(sim_state.attributes);
        }
        let entity_id = entity.id.clone();
        let updated_at = updated_at.unwrap_or(changed_at).max(changed_at);
        Some(EntityState { entity_id, state: sim_state.state, attributes, changed_at, updated_at })
    }

    /// Adds the attributes of a state.
    fn with_attributes(
        &self,
        entity: &'static SimulatedEntity,
        mut sim_state: SimulatedState,
        at: Timestamp,
    ) -> SimulatedState {
        match &entity.behaviour {
            Behaviour::Climate(room) => self.dress_climate(room, &mut sim_state, at),
            Behaviour::Rule(runs) => {
                if let Some(run) = self.last_run(entity, runs, at) {
                    sim_state.attributes.insert("last_triggered".to_owned(), run.to_string().into());
                }
            }
            _ => {}
        }
        sim_state
    }
}
