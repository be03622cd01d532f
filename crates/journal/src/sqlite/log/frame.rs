//! Frames of the log: one batch each, with a checksum that detects a torn frame.

use rusqlite::Connection;

use super::logged_write::LoggedWrite;
use crate::{Checksum, Error, checksum::SUM_BYTES};

/// Bytes before the jobs: their length, the checksum, the generation, the number.
const HEADER: usize = 4 + SUM + 8 + 8;
const SUM: usize = SUM_BYTES;

/// Identifies the frames that belong to a state of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Generation(pub(in super::super) i64);

impl Generation {
    /// The generation of a database that has no log.
    pub(in super::super) const NONE: Self = Self(0);

    /// Draws a random generation, which no other copy of the database has.
    pub(in super::super) fn draw(connection: &Connection) -> rusqlite::Result<Self> {
        let drawn: i64 = connection.prepare_cached("SELECT random()")?.query_row([], |row| row.get(0))?;
        Ok(Self(if drawn == Self::NONE.0 { 1 } else { drawn }))
    }
}

/// A batch to write.
pub(super) struct LogFrame<'a> {
    pub(super) generation: Generation,
    pub(super) number: u64,
    pub(super) jobs: &'a [LoggedWrite],
}

impl LogFrame<'_> {
    pub(super) fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = vec![0; HEADER];
        serde_json::to_writer(&mut bytes, self.jobs)?;
        let length = u32::try_from(bytes.len() - HEADER).map_err(<serde_json::Error as serde::ser::Error>::custom)?;
        let (header, jobs) = bytes.split_at_mut(HEADER);
        let stamp = stamp(self.generation, self.number);
        header[..4].copy_from_slice(&length.to_le_bytes());
        header[4..4 + SUM].copy_from_slice(&sum(&stamp, jobs));
        header[4 + SUM..].copy_from_slice(&stamp);
        Ok(bytes)
    }
}

/// The frames of a generation from the beginning of the bytes, up to the first invalid one.
pub(super) fn decode_all(mut bytes: &[u8], generation: Generation) -> Result<Vec<(u64, Vec<LoggedWrite>)>, Error> {
    let mut frames = Vec::new();
    while let Some((number, jobs, rest)) = split(bytes, generation) {
        // The checksum matches, so a frame that cannot be parsed is from a newer program.
        let jobs = serde_json::from_slice(jobs)
            .map_err(|error| Error::Storage { action: "read the journal's log", cause: error.to_string() })?;
        frames.push((number, jobs));
        bytes = rest;
    }
    Ok(frames)
}

/// The first frame, and the bytes after it.
fn split(bytes: &[u8], generation: Generation) -> Option<(u64, &[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (found, rest) = rest.split_first_chunk::<SUM>()?;
    let (stamped, rest) = rest.split_first_chunk::<16>()?;
    let (jobs, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let number = u64::from_le_bytes(*stamped.last_chunk()?);
    let is_whole = *stamped == stamp(generation, number) && *found == sum(stamped, jobs);
    is_whole.then_some((number, jobs, rest))
}

fn stamp(generation: Generation, number: u64) -> [u8; 16] {
    let mut stamp = [0; 16];
    stamp[..8].copy_from_slice(&generation.0.to_le_bytes());
    stamp[8..].copy_from_slice(&number.to_le_bytes());
    stamp
}

fn sum(stamp: &[u8], jobs: &[u8]) -> [u8; SUM] {
    let mut sum = [0; SUM];
    sum.copy_from_slice(Checksum::of(&[stamp, jobs]).as_bytes());
    sum
}
