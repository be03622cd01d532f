//! How everything stands at any moment, computed: what a thing does by itself, what it was told, and what is wrong with
//! it. Nothing has to have run for its past to be there, and the same question always has the same answer.

mod routine;
mod values;

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use jiff::{civil::Date, tz::TimeZone};
use protocol::Timestamp;

use super::{
    calendar::Calendar,
    chance::Chance,
    deeds::Deeds,
    furniture::{Face, Furniture, Kind, Piece},
    trouble::Troubles,
};
use crate::{Period, Sample, State};

/// How long what was told holds against what a thing would do by itself.
const HOLD_MILLIS: i64 = 2 * 3_600_000;
/// How far back it is looked for when something came to stand as it stands.
const MEMORY_MILLIS: i64 = 11 * 86_400_000;
/// In which steps.
const LOOKS_BACK: &[i64] = &[2 * 3_600_000, 30 * 3_600_000, 4 * 86_400_000, MEMORY_MILLIS];

/// The spells that begin on a day, by piece and day, each by its number.
type Spells = HashMap<(&'static str, Date), Rc<[(usize, Period)]>>;

/// The home over time, as it looks from a moment.
pub(super) struct World<'a> {
    pub(super) furniture: &'a Furniture,
    pub(super) calendar: Calendar,
    pub(super) chance: Chance,
    pub(super) deeds: &'a Deeds,
    pub(super) troubles: Troubles,
    pub(super) now: Timestamp,
    /// Made when they are first asked for.
    spells: RefCell<Spells>,
}

impl<'a> World<'a> {
    pub(super) fn new(furniture: &'a Furniture, zone: TimeZone, seed: u64, deeds: &'a Deeds, now: Timestamp) -> Self {
        let calendar = Calendar::new(zone);
        let troubles = Troubles::of(&calendar, calendar.anchor(now));
        let (chance, spells) = (Chance::of(seed), RefCell::default());
        Self { furniture, calendar, chance, deeds, troubles, now, spells }
    }

    /// How something stands at a moment.
    pub(super) fn face(&self, id: &str, at: Timestamp) -> Face {
        let Some(piece) = self.furniture.get(id) else { return Face::word(State::UNKNOWN) };
        if let Some(planted) = self.planted(id, at) {
            return planted.clone();
        }
        let face = self.told(piece, at).unwrap_or_else(|| self.own(piece, at));
        self.dressed(piece, face, at)
    }

    /// What is wrong with it. Of two troubles the later one shows.
    fn planted(&self, id: &str, at: Timestamp) -> Option<&Face> {
        let plants = self.troubles.plants.get(id)?.iter();
        let here = plants.filter(|plant| plant.from <= at && at < plant.until);
        here.max_by_key(|plant| plant.from).map(|plant| &plant.face)
    }

    /// What it was told, as long as that holds.
    pub(super) fn told(&self, piece: &Piece, at: Timestamp) -> Option<Face> {
        let deed = self.deeds.before(piece.id, at)?;
        let free_from = Timestamp::from_millis(deed.at.as_millis() + HOLD_MILLIS);
        if free_from <= at {
            let until = Timestamp::from_millis(at.as_millis().min(free_from.as_millis() + MEMORY_MILLIS));
            let mut changes = Vec::new();
            self.routine_edges(piece, Period { from: free_from, until }, &mut changes);
            if changes.iter().any(|edge| free_from <= *edge && *edge <= at) {
                return None;
            }
        }
        Some(deed.face(at))
    }

    /// Moments at which something may change, in no order; more than do, and none that does is missing.
    pub(super) fn edges(&self, id: &str, period: Period, edges: &mut Vec<Timestamp>) {
        let Some(piece) = self.furniture.get(id) else { return };
        self.outer_edges(id, edges);
        self.own_edges(piece, period, edges);
    }

    /// Moments at which something changes for what it was told, or for what is wrong with it.
    fn outer_edges(&self, id: &str, edges: &mut Vec<Timestamp>) {
        for plant in self.troubles.plants.get(id).into_iter().flatten() {
            edges.extend([plant.from, plant.until]);
        }
        edges.extend(self.deeds.moments(id));
    }

    fn sorted_edges(&self, id: &str, period: Period) -> Vec<Timestamp> {
        let mut edges = Vec::new();
        self.edges(id, period, &mut edges);
        Self::sorted(edges, period)
    }

    /// The same without moments at which only attributes change.
    fn word_edges(&self, piece: &Piece, period: Period) -> Vec<Timestamp> {
        if !matches!(piece.kind, Kind::Climate { .. } | Kind::Sun | Kind::Rule { .. }) {
            return self.sorted_edges(piece.id, period);
        }
        let mut edges = Vec::new();
        self.outer_edges(piece.id, &mut edges);
        self.routine_edges(piece, period, &mut edges);
        if matches!(piece.kind, Kind::Sun) {
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

    /// When something may change next, if that is soon.
    pub(super) fn next_edge(&self, id: &str, within_millis: i64) -> Timestamp {
        let until = Timestamp::from_millis(self.now.as_millis() + within_millis);
        let edges = self.sorted_edges(id, Period { from: self.now, until });
        edges.first().copied().unwrap_or(until)
    }

    /// How something stood over time. What lies in the future is not told.
    pub(super) fn series(&self, id: &str, period: Period) -> Vec<Sample> {
        let until = Timestamp::from_millis(period.until.as_millis() - 1).min(self.now);
        if until < period.from {
            return Vec::new();
        }
        let first = self.face(id, period.from);
        let mut samples = vec![Sample { at: period.from, state: first.state, attributes: first.attributes }];
        for edge in self.sorted_edges(id, Period { from: period.from, until }) {
            let face = self.face(id, edge);
            if samples.last().is_none_or(|last| last.state != face.state || last.attributes != face.attributes) {
                samples.push(Sample { at: edge, state: face.state, attributes: face.attributes });
            }
        }
        samples
    }

    /// How something stands now, and since when.
    pub(super) fn state(&self, id: &str) -> Option<State> {
        let piece = self.furniture.get(id)?;
        let face = self.face(id, self.now);
        let before = |edge: &Timestamp| self.face(id, Timestamp::from_millis(edge.as_millis() - 1));
        let mut changed_at = None;
        for millis in LOOKS_BACK {
            let from = Timestamp::from_millis(self.now.as_millis() - millis);
            let mut edges = self.word_edges(piece, Period { from, until: self.now }).into_iter().rev();
            changed_at = edges.find(|edge| before(edge).state != face.state);
            if changed_at.is_some() {
                break;
            }
        }
        let lately = Timestamp::from_millis(self.now.as_millis() - LOOKS_BACK[0]);
        let mut edges = self.sorted_edges(id, Period { from: lately, until: self.now }).into_iter().rev();
        let updated_at = edges.find(|edge| before(edge) != face);
        let anchor = self.calendar.anchor(self.now);
        let changed_at = changed_at.unwrap_or_else(|| self.calendar.at(Calendar::before(anchor, 12), 0));
        let mut attributes = piece.statics.clone();
        attributes.insert("friendly_name".to_owned(), piece.name.into());
        if let Some(class) = piece.class.filter(|class| !class.is_empty()) {
            attributes.insert("device_class".to_owned(), class.into());
        }
        if face.state != State::UNAVAILABLE {
            attributes.extend(face.attributes);
        }
        let entity_id = self.furniture.id(id)?.clone();
        let updated_at = updated_at.unwrap_or(changed_at).max(changed_at);
        Some(State { entity_id, state: face.state, attributes, changed_at, updated_at })
    }

    /// Adds what goes with how it stands.
    fn dressed(&self, piece: &Piece, mut face: Face, at: Timestamp) -> Face {
        match &piece.kind {
            Kind::Climate { room, .. } => self.dress_climate(room, &mut face, at),
            Kind::Rule { runs } => {
                if let Some(run) = self.last_run(piece, runs, at) {
                    face.attributes.insert("last_triggered".to_owned(), run.to_string().into());
                }
            }
            _ => {}
        }
        face
    }
}
