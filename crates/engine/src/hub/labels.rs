//! Names that clients choose: session names and idempotency keys. They are used for lookups, so
//! they cannot be redacted: two names would become one. A name with a secret is refused instead.

use std::borrow::Cow;

use memory::long_term::IdempotencyKey;
use protocol::SessionName;
use serde::Serialize;

use super::Hub;
use crate::Error;

impl Hub {
    /// Refuses a name that contains what looks like a secret.
    pub(super) fn check_name(&self, name: Option<&SessionName>) -> Result<(), Error> {
        self.check_label("name", name.map(SessionName::as_str))
    }

    /// Refuses an idempotency key that contains what looks like a secret.
    pub(super) fn check_key(&self, key: Option<&str>) -> Result<(), Error> {
        self.check_label("idempotency key", key)
    }

    /// The key of an idempotent write to memory; `asked` is everything the write depends on.
    pub(super) fn keyed(&self, key: Option<&str>, asked: &impl Serialize) -> Result<IdempotencyKey, Error> {
        self.check_key(key)?;
        Ok(IdempotencyKey::under(key, asked)?)
    }

    fn check_label(&self, what: &str, label: Option<&str>) -> Result<(), Error> {
        match label.map(|label| self.services().redactor.redact(label)) {
            Some(Cow::Owned(redacted)) => Err(Error::Invalid(format!(
                "the {what} contains what looks like a secret; redacted, it reads `{redacted}`; choose \
                 another {what}"
            ))),
            _ => Ok(()),
        }
    }
}
