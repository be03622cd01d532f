//! The home as clients see it.

use std::sync::Arc;

use ports::{HomeChanges, HomeFeed};
use protocol::HomeView;

use super::Hub;
use crate::Error;

impl Hub {
    /// The current home, as far as agents may see it.
    pub fn home(&self) -> Result<HomeView, Error> {
        self.home_feed().map(|home_feed| home_feed.view())
    }

    /// The current home, and its changes from then on.
    pub fn follow_home(&self) -> Result<(HomeView, Box<dyn HomeChanges>), Error> {
        self.home_feed().map(|home_feed| home_feed.follow())
    }

    fn home_feed(&self) -> Result<&Arc<dyn HomeFeed>, Error> {
        self.services().home_feed.as_ref().ok_or(Error::NoHome)
    }
}
