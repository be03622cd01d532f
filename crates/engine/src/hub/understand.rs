//! Understanding of messages without a language model, for transports that only need the result.

use ports::{Reflex, ReflexInput};

use super::Hub;

impl Hub {
    /// Whether anything can be understood without a language model.
    pub fn understands(&self) -> bool {
        self.directory.services.reflexes.is_some()
    }

    /// The meaning of a message and the actions it would cause; `None` if only a turn can tell.
    /// Nothing is carried out.
    pub fn understand(&self, message: &str, language: Option<&str>, area: Option<&str>) -> Option<Reflex> {
        let reflexes = self.directory.services.reflexes.as_ref()?;
        reflexes.read(&ReflexInput { message, language, area, before: &[], previous: None, unclear: None })
    }
}
