//! What clients call things: names of sessions and idempotency keys. They are looked up by, so they cannot be redacted: two
//! names would become one. What would have to be redacted in one is refused instead.

use std::borrow::Cow;

use memory::room::Keyed;
use protocol::SessionName;
use serde::Serialize;

use super::Hub;
use crate::Error;

impl Hub {
    /// Refuses a name that holds what looks like a secret.
    pub(super) fn check_name(&self, name: Option<&SessionName>) -> Result<(), Error> {
        self.check_label("name", name.map(SessionName::as_str))
    }

    /// Refuses an idempotency key that holds what looks like a secret.
    pub(super) fn check_key(&self, key: Option<&str>) -> Result<(), Error> {
        self.check_label("idempotency key", key)
    }

    /// A write of memory that happens once under a key; `asked` is all that it depends on.
    pub(super) fn keyed(&self, key: Option<&str>, asked: &impl Serialize) -> Result<Keyed, Error> {
        self.check_key(key)?;
        Ok(Keyed::under(key, asked)?)
    }

    fn check_label(&self, what: &str, label: Option<&str>) -> Result<(), Error> {
        match label.map(|label| self.house().redactor.redact(label)) {
            Some(Cow::Owned(redacted)) => Err(Error::Invalid(format!(
                "the {what} holds what looks like a secret: without it, it reads `{redacted}`; choose a {what} that may be \
                 kept and shown"
            ))),
            _ => Ok(()),
        }
    }
}
