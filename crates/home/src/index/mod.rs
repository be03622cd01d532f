//! The index of a home's entities and states, kept up to date by the home's events.
//!
//! There is one lock, never held across an await. Writers are the home's events, one entity at a
//! time; readers copy what they need. Names change seldom and have their own revision, so that data
//! derived from them, such as the reflexes' vocabulary, is rebuilt only then.

mod contents;
mod lexicon;
mod search;
mod words;

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};

use ports::{HomeEvent, HomeHappening, StateChange};
use reflex::SensitiveTable;
use tokio::sync::{broadcast, watch};

use contents::IndexContents;
pub use contents::{HomeRegistry, UnlistedExposure};
use lexicon::EntityLexicon;
pub use search::{EntityHit, EntityQuery};
pub use words::plain;

use crate::port::{Area, AreaId, Device, DeviceId, Entity, EntityId, EntityState, Floor};

/// Happenings that a receiver may be behind.
const HAPPENINGS_MAX: usize = 1_024;

/// An entity with its area, floor, device and state.
#[derive(Debug, Clone, PartialEq)]
pub struct EntitySnapshot {
    /// The entity.
    pub entity: Arc<Entity>,
    /// Its area.
    pub area: Option<Arc<Area>>,
    /// Its floor.
    pub floor: Option<Arc<Floor>>,
    /// The device it belongs to.
    pub device: Option<Arc<Device>>,
    /// Its state; `None` if the home has reported none.
    pub state: Option<Arc<EntityState>>,
}

impl EntitySnapshot {
    /// The state in one word; `unknown` if none was reported.
    pub fn word(&self) -> &str {
        self.state.as_ref().map_or(EntityState::UNKNOWN, |state| &state.state)
    }
}

/// The entities of a home and their states.
pub struct HomeIndex {
    contents: RwLock<IndexContents>,
    /// The lexicon, with the revision of the names it was made from.
    lexicon: Mutex<Option<(u64, Arc<EntityLexicon>)>>,
    changes: watch::Sender<u64>,
    happenings: broadcast::Sender<HomeHappening>,
    /// What is sensitive, if it is not the built-in table.
    sensitive: OnceLock<Arc<SensitiveTable>>,
}

impl Default for HomeIndex {
    fn default() -> Self {
        Self {
            contents: RwLock::default(),
            lexicon: Mutex::default(),
            changes: watch::Sender::new(0),
            happenings: broadcast::channel(HAPPENINGS_MAX).0,
            sensitive: OnceLock::new(),
        }
    }
}

impl HomeIndex {
    fn read(&self) -> RwLockReadGuard<'_, IndexContents> {
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, IndexContents> {
        self.contents.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what is sensitive in this home, once and before it is used.
    pub fn set_sensitive(&self, table: SensitiveTable) {
        // A second table would be for another home.
        let _ = self.sensitive.set(Arc::new(table));
    }

    /// What is sensitive in this home.
    pub fn sensitive(&self) -> Arc<SensitiveTable> {
        self.sensitive.get().cloned().unwrap_or_else(SensitiveTable::built_in)
    }

    fn has_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Notifies of every change from now on. A slow receiver misses only the count.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Wakes the receivers of changes although the index is unchanged.
    pub(crate) fn nudge(&self) {
        self.has_changed();
    }

    /// Replaces the registry.
    pub fn furnish(&self, registry: HomeRegistry) {
        self.write().furnish(registry);
        self.has_changed();
    }

    /// Replaces all states; entities that are not named are removed.
    pub fn set_states(&self, states: impl IntoIterator<Item = EntityState>) {
        {
            let mut contents = self.write();
            let before = self.is_watched().then(|| contents.states.clone());
            contents.set_states(states);
            for (id, before) in before.into_iter().flatten() {
                if let Some(now) = contents.states.get(&id).cloned() {
                    self.tell_change(&contents, &before, &now);
                }
            }
        }
        self.has_changed();
    }

    /// Updates some states.
    pub fn update(&self, states: impl IntoIterator<Item = EntityState>) {
        {
            let mut contents = self.write();
            for state in states {
                let before = if self.is_watched() { contents.states.get(&state.entity_id).cloned() } else { None };
                let id = state.entity_id.clone();
                contents.update(state);
                if let Some((before, now)) = before.zip(contents.states.get(&id)) {
                    self.tell_change(&contents, &before, now);
                }
            }
        }
        self.has_changed();
    }

    /// All that happens from now on.
    pub(crate) fn happenings(&self) -> broadcast::Receiver<HomeHappening> {
        self.happenings.subscribe()
    }

    /// The home reports an event.
    pub fn happen(&self, event: HomeEvent) {
        // Without a receiver it is of no use.
        let _ = self.happenings.send(HomeHappening::Event(event));
    }

    fn is_watched(&self) -> bool {
        self.happenings.receiver_count() > 0
    }

    /// Tells of a change. An entity that was unknown has not changed, and one that is away says
    /// nothing.
    fn tell_change(&self, contents: &IndexContents, before: &EntityState, now: &EntityState) {
        let Some(entity) = contents.entities.get(&now.entity_id).filter(|entity| entity.exposed) else { return };
        if before.state != now.state && now.state != EntityState::UNAVAILABLE {
            let change = StateChange {
                entity_id: now.entity_id.to_string(),
                name: entity.name.clone(),
                from: before.state.clone(),
                to: now.state.clone(),
                at: now.changed_at,
            };
            // The receiver may have left meanwhile.
            let _ = self.happenings.send(HomeHappening::Changed(change));
        }
    }

    /// Removes the states of deleted entities.
    pub fn remove<'a>(&self, entities: impl IntoIterator<Item = &'a EntityId>) {
        {
            let mut contents = self.write();
            for id in entities {
                contents.remove(id);
            }
        }
        self.has_changed();
    }

    /// A number that changes whenever an entity or a name changes.
    pub fn revision(&self) -> u64 {
        self.read().revision
    }

    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.read().entities.len()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.read().entities.is_empty()
    }

    /// A snapshot of an entity.
    pub fn get(&self, id: &EntityId) -> Option<EntitySnapshot> {
        self.read().snapshot(id)
    }

    /// The state of an entity.
    pub fn state(&self, id: &EntityId) -> Option<Arc<EntityState>> {
        self.read().states.get(id).cloned()
    }

    /// Snapshots of all entities, by id.
    pub fn all(&self) -> Vec<EntitySnapshot> {
        self.matching(|_| true)
    }

    /// Snapshots of the matching entities, by id.
    pub fn matching(&self, mut is_wanted: impl FnMut(&Entity) -> bool) -> Vec<EntitySnapshot> {
        let contents = self.read();
        let wanted = contents.entities.values().filter(|entity| is_wanted(entity));
        wanted.filter_map(|entity| contents.snapshot(&entity.id)).collect()
    }

    /// The areas, by id.
    pub fn areas(&self) -> Vec<Arc<Area>> {
        self.read().areas.values().cloned().collect()
    }

    /// The floors, by id.
    pub fn floors(&self) -> Vec<Arc<Floor>> {
        self.read().floors.values().cloned().collect()
    }

    /// A device.
    pub fn device(&self, id: &DeviceId) -> Option<Arc<Device>> {
        self.read().devices.get(id).cloned()
    }

    /// All entities of a device.
    pub fn of_device(&self, id: &DeviceId) -> Vec<EntitySnapshot> {
        self.matching(|entity| entity.device.as_ref() == Some(id))
    }

    /// All entities in an area, by their own area or that of their device.
    pub fn in_area(&self, id: &AreaId) -> Vec<EntitySnapshot> {
        let mut all = self.all();
        all.retain(|snapshot| snapshot.area.as_ref().is_some_and(|area| area.id == *id));
        all
    }

    /// Searches entities; the best first.
    pub fn search(&self, query: &EntityQuery) -> Vec<EntityHit> {
        self.search_counted(query, &mut search::SearchEffort::default())
    }

    fn search_counted(&self, query: &EntityQuery, effort: &mut search::SearchEffort) -> Vec<EntityHit> {
        let contents = self.read();
        let lexicon = self.lexicon(&contents);
        search::search(&contents, &lexicon, query, effort)
    }

    /// The lexicon, rebuilt when names have changed.
    fn lexicon(&self, contents: &IndexContents) -> Arc<EntityLexicon> {
        let mut kept = self.lexicon.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref() {
            Some((of, lexicon)) if *of == contents.revision => lexicon.clone(),
            _ => {
                let lexicon = Arc::new(EntityLexicon::of(contents.words.iter()));
                *kept = Some((contents.revision, lexicon.clone()));
                lexicon
            }
        }
    }

    /// Waits until a condition holds, up to a timeout. Returns whether it does.
    pub async fn wait_until(&self, patience: Duration, mut is_so: impl FnMut(&Self) -> bool) -> bool {
        let mut changes = self.changes.subscribe();
        let waiting = async {
            while !is_so(self) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout(patience, waiting).await.is_ok()
    }
}
