//! The settings of a model call, and which of them a model does not support.

use protocol::ModelSettings;

use crate::{Error, Model};

/// One of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelSetting {
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

impl ModelSetting {
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

/// A setting that a model does not support with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedSetting {
    /// The setting.
    pub setting: ModelSetting,
    /// Why not, and what to do, as the end of a sentence that begins with the setting's name.
    pub why: String,
}

impl UnsupportedSetting {
    pub(crate) fn new(setting: ModelSetting, why: impl Into<String>) -> Self {
        Self { setting, why: why.into() }
    }

    /// The same as an error of that model.
    pub fn into_error(self, model: &str) -> Error {
        Error::Unsupported { model: model.to_owned(), setting: self.setting.as_str(), why: self.why }
    }
}

/// The settings that a model supports, and those that were left out.
pub fn supported(model: &dyn Model, settings: &ModelSettings) -> (ModelSettings, Vec<UnsupportedSetting>) {
    let left_out = model.unsupported(settings);
    let mut rest = settings.clone();
    for unsupported in &left_out {
        unsupported.setting.clear(&mut rest);
    }
    (rest, left_out)
}
