//! What there is in a home and how it stands, kept current by the home's own events.
//!
//! One lock, never held across an await: writers are the home's events, one entity at a time; readers copy out what they
//! need. Names change seldom and have a revision of their own, so that what is built from them (the vocabulary of
//! reflexes) is built anew only then.

mod contents;
mod lexicon;
mod search;
mod words;

use std::{
    sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};

use tokio::sync::watch;

use contents::Contents;
pub use contents::{Registry, Unlisted};
use lexicon::Lexicon;
pub use search::{Hit, Query};
pub use words::plain;

use crate::house::{Area, AreaId, Device, DeviceId, Entity, EntityId, Floor, State};

/// An entity with its surroundings and how it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The entity.
    pub entity: Arc<Entity>,
    /// Where it is.
    pub area: Option<Arc<Area>>,
    /// On which floor.
    pub floor: Option<Arc<Floor>>,
    /// The device it belongs to.
    pub device: Option<Arc<Device>>,
    /// How it stands; none if the home has said nothing of it.
    pub state: Option<Arc<State>>,
}

impl Standing {
    /// The state in one word; `unknown` if nothing was said of it.
    pub fn word(&self) -> &str {
        self.state.as_ref().map_or(State::UNKNOWN, |state| &state.state)
    }
}

/// What there is and how it stands.
pub struct Index {
    contents: RwLock<Contents>,
    /// The words of all entities, of one revision.
    lexicon: Mutex<Option<(u64, Arc<Lexicon>)>>,
    changes: watch::Sender<u64>,
}

impl Default for Index {
    fn default() -> Self {
        Self { contents: RwLock::default(), lexicon: Mutex::default(), changes: watch::Sender::new(0) }
    }
}

impl Index {
    fn read(&self) -> RwLockReadGuard<'_, Contents> {
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Contents> {
        self.contents.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Tells of every change from now on. Who falls behind has missed nothing but the count.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Whoever waits for changes looks again, though nothing in here is new.
    pub(crate) fn nudge(&self) {
        self.has_changed();
    }

    /// Takes over what there is.
    pub fn furnish(&self, registry: Registry) {
        self.write().furnish(registry);
        self.has_changed();
    }

    /// Takes over how everything stands; what is not named is gone.
    pub fn set_states(&self, states: impl IntoIterator<Item = State>) {
        self.write().set_states(states);
        self.has_changed();
    }

    /// Takes over how some entities stand.
    pub fn update(&self, states: impl IntoIterator<Item = State>) {
        {
            let mut contents = self.write();
            for state in states {
                contents.update(state);
            }
        }
        self.has_changed();
    }

    /// Forgets how entities stand that are no more.
    pub fn remove<'a>(&self, entities: impl IntoIterator<Item = &'a EntityId>) {
        {
            let mut contents = self.write();
            for id in entities {
                contents.remove(id);
            }
        }
        self.has_changed();
    }

    /// Another number whenever what there is, or what it is called, has changed.
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

    /// An entity as it stands.
    pub fn get(&self, id: &EntityId) -> Option<Standing> {
        self.read().standing(id)
    }

    /// How an entity stands.
    pub fn state(&self, id: &EntityId) -> Option<Arc<State>> {
        self.read().states.get(id).cloned()
    }

    /// Every entity as it stands, by id.
    pub fn all(&self) -> Vec<Standing> {
        self.matching(|_| true)
    }

    /// Those entities as they stand, by id.
    pub fn matching(&self, mut is_wanted: impl FnMut(&Entity) -> bool) -> Vec<Standing> {
        let contents = self.read();
        let wanted = contents.entities.values().filter(|entity| is_wanted(entity));
        wanted.filter_map(|entity| contents.standing(&entity.id)).collect()
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

    /// All that belongs to a device.
    pub fn of_device(&self, id: &DeviceId) -> Vec<Standing> {
        self.matching(|entity| entity.device.as_ref() == Some(id))
    }

    /// All that is in an area, by itself or with its device.
    pub fn in_area(&self, id: &AreaId) -> Vec<Standing> {
        let mut all = self.all();
        all.retain(|standing| standing.area.as_ref().is_some_and(|area| area.id == *id));
        all
    }

    /// Looks for entities; the best first.
    pub fn search(&self, query: &Query) -> Vec<Hit> {
        self.search_counted(query, &mut search::Effort::default())
    }

    fn search_counted(&self, query: &Query, effort: &mut search::Effort) -> Vec<Hit> {
        let contents = self.read();
        let lexicon = self.lexicon(&contents);
        search::search(&contents, &lexicon, query, effort)
    }

    /// The words of all entities, made anew when names have changed.
    fn lexicon(&self, contents: &Contents) -> Arc<Lexicon> {
        let mut kept = self.lexicon.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref() {
            Some((of, lexicon)) if *of == contents.revision => lexicon.clone(),
            _ => {
                let lexicon = Arc::new(Lexicon::of(contents.words.iter()));
                *kept = Some((contents.revision, lexicon.clone()));
                lexicon
            }
        }
    }

    /// Waits until something is so, for as long as it may take at most. Whether it is.
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
