//! The request state that a client keeps between two rounds of a request: which turn it concerns.
//! It is sealed, so that it cannot be forged, nor used by another owner, for another call, or after
//! it expires.

use std::time::Duration;

use protocol::{OwnerId, TurnId};
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::SealKey;

/// How long a client may take for the next round. Approvals expire earlier.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// Seals and opens request states.
pub(super) struct Seal {
    codec: RequestStateCodec,
}

impl Seal {
    pub(super) fn new(key: &SealKey) -> Self {
        Self { codec: key.codec("mcp") }
    }

    /// Seals a turn for an owner and the call that waits for it.
    pub(super) fn close(&self, turn_id: TurnId, owner: &OwnerId, call: &str) -> String {
        let options = SealOptions::new().associated_data(call.as_bytes()).ttl(LIFETIME);
        let bound = format!("{owner}\n{turn_id}");
        self.codec.seal_with(bound.as_bytes(), &options)
    }

    /// The turn, if the seal is intact, not expired, and made for this owner and call.
    pub(super) fn open(&self, sealed: &str, owner: &OwnerId, call: &str) -> Result<TurnId, &'static str> {
        let bound = self.codec.open_with(sealed, call.as_bytes()).map_err(|error| match error {
            RequestStateError::Expired => "the request state has expired: make the call again",
            _ => "the request state does not belong to this call",
        })?;
        let bound = String::from_utf8(bound).unwrap_or_default();
        let foreign = "the request state does not belong to this call";
        let (whose, turn_id) = bound.split_once('\n').ok_or(foreign)?;
        if whose != owner.as_str() {
            return Err(foreign);
        }
        turn_id.parse().map_err(|_| foreign)
    }
}

/// Identifies a call by its tool and arguments.
pub(super) fn call_of(tool: &str, arguments: &Value) -> String {
    let written = format!("{tool}\n{arguments}");
    Sha256::digest(written.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seal(key: &str) -> Seal {
        Seal::new(&SealKey::new(key.into()))
    }

    fn turn() -> TurnId {
        "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap()
    }

    #[test]
    fn a_seal_opens_for_whom_and_what_it_was_made_for() {
        let (ada, ben): (OwnerId, OwnerId) = ("ada".parse().unwrap(), "ben".parse().unwrap());
        let call = call_of("call_service", &json!({ "service": "unlock" }));
        let sealed = seal("one").close(turn(), &ada, &call);
        assert_eq!(seal("one").open(&sealed, &ada, &call), Ok(turn()));
        assert!(seal("one").open(&sealed, &ben, &call).is_err(), "another owner");
        assert!(seal("two").open(&sealed, &ada, &call).is_err(), "another key");
        let other = call_of("call_service", &json!({ "service": "lock" }));
        assert!(seal("one").open(&sealed, &ada, &other).is_err(), "other arguments");
        assert!(seal("one").open(&format!("{sealed}x"), &ada, &call).is_err(), "tampered with");
        assert!(seal("one").open("", &ada, &call).is_err());
    }

    #[test]
    fn a_seal_is_good_for_a_while() {
        let ada: OwnerId = "ada".parse().unwrap();
        let late = seal("one");
        let options = SealOptions::new().associated_data(b"call").ttl(Duration::ZERO);
        let sealed = late.codec.seal_with(format!("ada\n{}", turn()).as_bytes(), &options);
        std::thread::sleep(Duration::from_millis(5));
        let error = late.open(&sealed, &ada, "call").unwrap_err();
        assert!(error.contains("expired"), "{error}");
    }
}
