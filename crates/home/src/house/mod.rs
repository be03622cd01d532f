//! A home, whichever it is: the words for what is in it, and what it can be asked and told.

mod happening;
mod ids;
mod place;
mod port;
mod service;
mod state;

pub use happening::{Happening, LogEntry, LogLevel, Period, Related, Sample, Series, Trace, User, UserKind};
pub use ids::{AreaId, DeviceId, EntityId, FloorId, NotAnId};
pub use place::{Area, Device, Entity, Floor};
pub use port::{About, Connection, House, HouseError};
pub use service::{Service, ServiceCall, Target};
pub use state::State;
