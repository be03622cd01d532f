//! Work that begins by itself, as pure logic: no async, no clock, no randomness and no I/O.
//!
//! `times` calculates when a schedule runs.

mod times;

pub use times::{COUNT_MAX, RULE_CHARS_MAX, TimeError, Timetable, time_zone};
