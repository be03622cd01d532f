//! A home that people look at, as the doors know it.

use async_trait::async_trait;
use protocol::{HomeChanged, HomeView};

/// Whoever can show a home.
pub trait Outlook: Send + Sync + 'static {
    /// How it stands.
    fn view(&self) -> HomeView;

    /// How it stands, and what changes from there on. Who is slow to ask for the next change holds nobody up: whatever
    /// happened meanwhile is one change.
    fn follow(&self) -> (HomeView, Box<dyn HomeNews>);
}

/// What changes in a home.
#[async_trait]
pub trait HomeNews: Send {
    /// The next change, once there is one and some time has passed since the one before.
    async fn next(&mut self) -> HomeChanged;
}
