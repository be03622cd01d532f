//! The journal: one contract for every store, and what is SQLite's own.

mod contract;
mod files;
mod sample;
mod sqlite;
