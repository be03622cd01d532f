//! The message format of Home Assistant: parsing and serialization without I/O.
//!
//! Versions differ, so unknown fields are ignored, missing ones have a default, and an item that
//! cannot be parsed is skipped without losing its list.

mod command;
mod envelope;
mod fired_event;
mod lenient;
mod records;
mod registries;
mod states;

pub(super) use command::{HassCommand, OutgoingMessage};
pub(super) use envelope::{AuthMessage, Envelope, WireError, envelopes};
pub(super) use fired_event::FiredEvent;
pub(super) use lenient::{each, each_named, moment};
pub(super) use records::{
    ConfigEntry, HistoryRow, LogbookRow, Relations, RunRow, ServiceRow, SystemLogRow, UniqueIdEntry,
};
pub(super) use registries::{
    AreaEntry, CoreConfig, DeviceEntry, EntityDetails, EntityEntry, ExposedList, ExposesNew, FloorEntry,
};
pub(super) use states::{EntitiesEvent, EntityUpdate};

#[cfg(test)]
mod tests;
