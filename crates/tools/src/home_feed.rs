//! The port by which clients watch a home, as the APIs use it.

use async_trait::async_trait;
use protocol::{HomeChanged, HomeView};

/// A home whose state can be shown to clients.
pub trait HomeFeed: Send + Sync + 'static {
    /// The current state of the home.
    fn view(&self) -> HomeView;

    /// The current state, and a stream of the changes from there on. Changes that a slow reader has
    /// not asked for yet are merged into one.
    fn follow(&self) -> (HomeView, Box<dyn HomeChanges>);
}

/// The changes of a home.
#[async_trait]
pub trait HomeChanges: Send {
    /// The next change. Waits for one, and for the pause since the previous one.
    async fn next(&mut self) -> HomeChanged;
}
