//! The port by which clients watch a home, as the APIs use it.

use std::collections::BTreeSet;

use async_trait::async_trait;
use protocol::{HomeChanged, HomeView, Timestamp};
use serde_json::{Map, Value};

/// A home whose state can be shown to clients.
pub trait HomeFeed: Send + Sync + 'static {
    /// The current state of the home.
    fn view(&self) -> HomeView;

    /// The current state, and a stream of the changes from there on. Changes that a slow reader has
    /// not asked for yet are merged into one.
    fn follow(&self) -> (HomeView, Box<dyn HomeChanges>);

    /// All that happens from now on, one after the other: nothing is merged.
    fn happenings(&self) -> Box<dyn HomeHappenings>;

    /// Events of these types are told of from now on, and of no others.
    fn want_events(&self, types: BTreeSet<String>);
}

/// Something that happens at home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HomeHappening {
    /// The state of an entity has changed.
    Changed(StateChange),
    /// The home has reported an event.
    Event(HomeEvent),
}

/// A change of the state of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    /// The entity.
    pub entity_id: String,
    /// Its name.
    pub name: String,
    /// The state before.
    pub from: String,
    /// The state now.
    pub to: String,
    /// When.
    pub at: Timestamp,
}

/// An event that is no state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeEvent {
    /// Names it among all events of its type.
    pub id: String,
    /// Its type, as `zha_event`.
    pub event_type: String,
    /// What belongs to it.
    pub data: Map<String, Value>,
}

/// All that happens at home.
#[async_trait]
pub trait HomeHappenings: Send {
    /// What happens next.
    async fn next(&mut self) -> HomeHappening;
}

/// The changes of a home.
#[async_trait]
pub trait HomeChanges: Send {
    /// The next change. Waits for one, and for the pause since the previous one.
    async fn next(&mut self) -> HomeChanged;
}
