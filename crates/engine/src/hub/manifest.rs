//! The manifest of an exported file: counts, a digest of each line and of the whole, and a
//! signature that only this server can make.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use protocol::OwnerId;
use sha2::{Digest, Sha256};

use crate::Error;

/// Hexadecimal digits of a line's digest.
const MARK_CHARS: usize = 8;

/// The key that signs exports. It is derived from a secret in the data folder, so a signature is
/// valid on one server only.
#[derive(Clone)]
pub struct ExportKey([u8; 32]);

impl ExportKey {
    /// A key of these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    fn signed(&self, kind: &str, owner: &OwnerId, digest: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(format!("dwell export 1\n{kind}\n{owner}\n{digest}").as_bytes());
        Some(mac)
    }

    /// The signature of an owner's file.
    pub(super) fn sign(&self, kind: &str, owner: &OwnerId, digest: &str) -> Option<String> {
        self.signed(kind, owner, digest).map(|mac| hex(&mac.finalize().into_bytes()))
    }

    /// Whether a signature is valid for this owner and this file.
    pub(super) fn verifies(&self, kind: &str, owner: &OwnerId, digest: &str, signature: &str) -> bool {
        let bytes: Option<Vec<u8>> = (0..signature.len())
            .step_by(2)
            .map(|at| signature.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
            .collect();
        let mac = self.signed(kind, owner, digest);
        bytes.zip(mac).is_some_and(|(bytes, mac)| mac.verify_slice(&bytes).is_ok())
    }
}

/// The key is not shown.
impl fmt::Debug for ExportKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExportKey(…)")
    }
}

/// Digests of lines: of each, and of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineDigests {
    pub(super) each: String,
    pub(super) digest: String,
}

impl LineDigests {
    pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut each, mut all) = (String::new(), Sha256::new());
        for line in lines {
            each.extend(hex(&Sha256::digest(line)).chars().take(MARK_CHARS));
            all.update(line);
            all.update("\n");
        }
        Self { each, digest: hex(&all.finalize()) }
    }
}

/// The first difference between the expected and the actual lines: one that is missing, changed,
/// added or out of order, by the name that `name` gives it. `None` if there is none.
pub(super) fn difference(told: &LineDigests, found: &LineDigests, name: impl Fn(usize) -> String) -> Option<String> {
    if told == found {
        return None;
    }
    let (expected, actual) = (split(&told.each), split(&found.each));
    let counts = format!("{} expected, {} found", expected.len(), actual.len());
    let Some(at) = (0..expected.len().max(actual.len())).find(|at| expected.get(*at) != actual.get(*at)) else {
        return Some(format!("the digest of the whole does not match ({counts})"));
    };
    let later = |list: &[&str], mark: &str| list.iter().skip(at + 1).position(|other| *other == mark).map(|by| by + 1);
    let what = match (expected.get(at), actual.get(at)) {
        (Some(_), None) => {
            let gone = expected.len() - at;
            format!("it ends before {}, and {gone} are missing", name(at))
        }
        (None, Some(mark)) if actual[..at].contains(mark) => format!("{} is there twice", name(at)),
        (None, _) => format!("{} was added", name(at)),
        (Some(told), Some(found)) => match (later(&expected, found), later(&actual, told)) {
            (Some(_), Some(_)) => format!("{} is out of order", name(at)),
            (Some(gone), None) => format!("before {}, {gone} are missing", name(at)),
            (None, Some(_)) if actual[..at].contains(found) => format!("{} is there twice", name(at)),
            (None, Some(_)) => format!("{} was added", name(at)),
            (None, None) => format!("{} was changed", name(at)),
        },
    };
    Some(format!("{what} ({counts})"))
}

fn split(marks: &str) -> Vec<&str> {
    (0..marks.len()).step_by(MARK_CHARS).map(|at| marks.get(at..at + MARK_CHARS).unwrap_or_default()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The error for a file that was changed after it was written.
pub(super) fn damaged(what: &str) -> Error {
    Error::Invalid(format!(
        "the file is damaged: {what}. Export it again, or set `accept_damage` to import what is intact"
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(told: &[&str], lines: &[&str]) -> Option<String> {
        let (told, lines) = (LineDigests::of(told.iter().copied()), LineDigests::of(lines.iter().copied()));
        difference(&told, &lines, |at| format!("line {}", at + 1))
    }

    #[test]
    fn what_is_wrong_is_named() {
        let told = ["a", "b", "c", "d"];
        assert_eq!(found(&told, &told), None);
        for (lines, words) in [
            (&["a", "b", "c"][..], "it ends before line 4, and 1 are missing (4 expected, 3 found)"),
            (&[], "it ends before line 1, and 4 are missing"),
            (&["a", "c", "d"], "before line 2, 1 are missing"),
            (&["a", "d"], "before line 2, 2 are missing"),
            (&["a", "x", "c", "d"], "line 2 was changed"),
            (&["a", "c", "b", "d"], "line 2 is out of order"),
            (&["a", "b", "b", "c", "d"], "line 3 is there twice"),
            (&["a", "b", "c", "d", "d"], "line 5 is there twice"),
            (&["a", "x", "b", "c", "d"], "line 2 was added"),
            (&["a", "b", "c", "d", "e"], "line 5 was added"),
        ] {
            let said = found(&told, lines).unwrap_or_default();
            assert!(said.starts_with(words), "{said} for {lines:?}");
        }
    }

    #[test]
    fn a_signature_is_for_one_owner_one_file_and_one_server() {
        let (ada, ben): (OwnerId, OwnerId) = ("ada".parse().expect("a name"), "ben".parse().expect("a name"));
        let key = ExportKey::new([7; 32]);
        let signature = key.sign("session", &ada, "d1").expect("a signature");
        assert!(key.verifies("session", &ada, "d1", &signature));
        assert!(!key.verifies("session", &ben, "d1", &signature), "another owner");
        assert!(!key.verifies("session", &ada, "d2", &signature), "another file");
        assert!(!key.verifies("memory", &ada, "d1", &signature), "another kind");
        assert!(!ExportKey::new([8; 32]).verifies("session", &ada, "d1", &signature), "another server");
        for other in ["", "zz", "é", &signature[..62], &format!("{signature}00")] {
            assert!(!key.verifies("session", &ada, "d1", other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_change_is_noticed(told in prop::collection::vec("[a-d]{0,3}", 0..8), lines in prop::collection::vec("[a-d]{0,3}", 0..8)) {
            let marks = |lines: &[String]| LineDigests::of(lines.iter().map(String::as_str));
            let said = difference(&marks(&told), &marks(&lines), |at| at.to_string());
            prop_assert_eq!(said.is_none(), told == lines);
        }
    }
}
