//! The home, for those who look at it.

use std::sync::Arc;

use protocol::HomeView;
use tools::{HomeNews, Outlook};

use super::Hub;
use crate::Error;

impl Hub {
    /// The home as it stands, as far as agents may see it.
    pub fn home(&self) -> Result<HomeView, Error> {
        self.outlook().map(|outlook| outlook.view())
    }

    /// The home as it stands, and what changes from there on.
    pub fn follow_home(&self) -> Result<(HomeView, Box<dyn HomeNews>), Error> {
        self.outlook().map(|outlook| outlook.follow())
    }

    fn outlook(&self) -> Result<&Arc<dyn Outlook>, Error> {
        self.house().outlook.as_ref().ok_or(Error::NoHome)
    }
}
