//! What can be set when a model is asked, one setting at a time, and what of it a model cannot do.

use protocol::ModelSettings;

use crate::{Error, Model};

/// One of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// `temperature`.
    Temperature,
    /// `top_p`.
    TopP,
    /// `stop`.
    Stop,
    /// `seed`.
    Seed,
    /// `reasoning_effort`.
    ReasoningEffort,
}

impl Setting {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::TopP => "top_p",
            Self::Stop => "stop",
            Self::Seed => "seed",
            Self::ReasoningEffort => "reasoning_effort",
        }
    }

    fn clear(self, settings: &mut ModelSettings) {
        match self {
            Self::Temperature => settings.temperature = None,
            Self::TopP => settings.top_p = None,
            Self::Stop => settings.stop = None,
            Self::Seed => settings.seed = None,
            Self::ReasoningEffort => settings.reasoning_effort = None,
        }
    }
}

/// A setting that a model cannot do as it is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// Which.
    pub setting: Setting,
    /// Why not, and what to do, as the end of a sentence that begins with the setting's name.
    pub why: String,
}

impl Unsupported {
    pub(crate) fn new(setting: Setting, why: impl Into<String>) -> Self {
        Self { setting, why: why.into() }
    }

    /// The same as an error of that model.
    pub fn into_error(self, model: &str) -> Error {
        Error::Unsupported { model: model.to_owned(), setting: self.setting.as_str(), why: self.why }
    }
}

/// The settings as far as a model can do them, and what was left out.
pub fn supported(model: &dyn Model, settings: &ModelSettings) -> (ModelSettings, Vec<Unsupported>) {
    let left_out = model.unsupported(settings);
    let mut rest = settings.clone();
    for unsupported in &left_out {
        unsupported.setting.clear(&mut rest);
    }
    (rest, left_out)
}
