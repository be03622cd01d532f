//! What words mean with no language model, for doors that only want to know.

use tools::{Reflex, Said};

use super::Hub;

impl Hub {
    /// Whether anything is understood with no language model.
    pub fn understands(&self) -> bool {
        self.directory.house.reflexes.is_some()
    }

    /// What a message means and what would be done about it; none if only a turn can tell. Nothing is done.
    pub fn understand(&self, message: &str, language: Option<&str>, area: Option<&str>) -> Option<Reflex> {
        let reflexes = self.directory.house.reflexes.as_ref()?;
        reflexes.read(&Said { message, language, area, before: &[], unclear: None })
    }
}
