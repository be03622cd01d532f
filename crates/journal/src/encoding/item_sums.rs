//! Checksums of single items: snapshots, artifacts, values, records of memory.

use protocol::SessionId;

use crate::{Checksum, Snapshot};

/// The checksum of a snapshot.
pub(crate) fn of_snapshot(session_id: SessionId, snapshot: &Snapshot) -> Checksum {
    Checksum::of(&[
        &session_id.to_bytes(),
        &snapshot.seq.to_be_bytes(),
        &snapshot.format.to_be_bytes(),
        snapshot.state.as_bytes(),
    ])
}

/// The checksum of an artifact's bytes.
pub(crate) fn of_artifact(id: &[u8], bytes: &[u8]) -> Checksum {
    Checksum::of(&[id, bytes])
}

/// The checksum of a value.
pub(crate) fn of_value(owner: &str, key: &[u8], bytes: &[u8]) -> Checksum {
    Checksum::of(&[owner.as_bytes(), key, bytes])
}

/// The checksum of a record of memory.
pub(crate) fn of_record(id: &[u8], owner: &str, body: &str) -> Checksum {
    Checksum::of(&[id, owner.as_bytes(), body.as_bytes()])
}
