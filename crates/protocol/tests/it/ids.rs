//! Ids and names, written and read.

use protocol::{SessionId, SessionName, TurnId};
use ulid::Ulid;

#[test]
fn ids_read_what_they_write() {
    let id = TurnId::new(Ulid::from_parts(1_700_000_000_000, 42));
    assert_eq!(id.to_string().parse(), Ok(id));
    assert_eq!(TurnId::from_bytes(id.to_bytes()), id);
}

#[test]
fn what_is_no_id_is_refused_by_name() {
    let error = "nonsense".parse::<SessionId>().unwrap_err();
    assert!(error.to_string().contains("`nonsense` is not a ULID"));
    assert!("".parse::<SessionName>().is_err());
    assert!("a\nb".parse::<SessionName>().is_err());
    assert!("x".repeat(201).parse::<SessionName>().is_err());
}
