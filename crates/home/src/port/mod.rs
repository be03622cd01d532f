//! The interface to a home: its data types, and the port that every home implements.

mod history;
mod home_port;
mod ids;
mod place;
mod service;
mod state;

pub use history::{
    Dependent, DependentKind, EntityRelations, LogEntry, LogLevel, LogbookEntry, Period, StateSample, StateSeries,
    Trace,
};
pub use home_port::{ConnectionStatus, HomeError, HomeInfo, HomePort};
pub use ids::{AreaId, DeviceId, EntityId, FloorId, InvalidId};
pub use place::{Area, Device, Entity, Floor};
pub use service::{ServiceCall, ServiceDescription, ServiceTarget};
pub use state::EntityState;
