//! What goes over the wire, as Home Assistant writes it. Pure: texts in, our words out.
//!
//! Versions differ in what they add, so unknown fields are passed over, missing ones have a meaning, and an item of a
//! list that cannot be read costs that item, not the list.

mod command;
mod envelope;
mod furniture;
mod lenient;
mod records;
mod states;

pub(super) use command::{Command, Outgoing};
pub(super) use envelope::{Envelope, Fault, Greeting, envelopes};
pub(super) use furniture::{
    AreaEntry, Config, DeviceEntry, EntityDetails, EntityEntry, ExposedList, ExposesNew, FloorEntry,
};
pub(super) use lenient::{each, each_named, moment};
pub(super) use records::{
    ConfigEntry, HistoryRow, LogbookRow, Registered, Relations, RunRow, ServiceRow, SystemLogRow,
};
pub(super) use states::{EntitiesEvent, News};

#[cfg(test)]
mod tests;
