//! The pack of tools by which agents use a home.
//!
//! [`House`] is what a home can be asked and told, whichever it is: Home Assistant, or the simulated one that a newcomer
//! finds. Every home keeps an [`Index`] of what there is and how it stands, current by the home's own events, so that
//! most questions need nobody to be asked. The tools stand on these two alone; none of them knows which home it is.

mod acting;
mod assistant;
mod context;
mod house;
mod index;
mod outlook;
mod pack;
mod reflexes;
mod sentences;
mod simulated;

pub use acting::{
    BadRule, CALL_SERVICE, CallService, Called, Outcome, Permission, Rule, Touched, add_acting, is_sensitive,
};
pub use assistant::{Assistant, Now, Patience, Settings, SettingsError};
pub use context::HomeSenses;
pub use house::{
    About, Area, AreaId, Connection, Device, DeviceId, Entity, EntityId, Floor, FloorId, Happening, House, HouseError,
    LogEntry, LogLevel, NotAnId, Period, Related, Sample, Series, Service, ServiceCall, State, Target, Trace, User,
    UserKind,
};
pub use index::{Hit, Index, Query, Registry, Standing, Unlisted, plain};
pub use outlook::HomeOutlook;
pub use pack::add_observing;
pub use reflexes::{HomeReflexes, Meaning};
pub use sentences::{grammars, load_grammar};
pub use simulated::{Clock, Simulated, SimulatedError};
