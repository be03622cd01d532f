//! The command `dwell setup`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    /// Make this provider the one that answers, without asking questions
    #[arg(long, value_enum, conflicts_with_all = ["sentences", "list", "to"])]
    pub(crate) provider: Option<ProviderArg>,
    /// The file with the provider's key; `-` reads standard input
    #[arg(long, value_name = "FILE", requires = "provider")]
    pub(crate) key_file: Option<PathBuf>,
    /// The provider's address, for a server that speaks its API
    #[arg(long, value_name = "URL", requires = "provider")]
    pub(crate) address: Option<String>,
    /// Do not try the provider before it is written down
    #[arg(long, requires = "provider")]
    pub(crate) untested: bool,
    /// With --provider: the model that answers (default: one that the provider has). Without: the
    /// embedding model to download and use from the next start on (default: the one in use)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["sentences", "list"])]
    pub(crate) model: Option<String>,
    /// List the embedding models that can be chosen
    #[arg(long, conflicts_with_all = ["sentences", "to"])]
    pub(crate) list: bool,
    /// The folder for the download (default: in the data folder)
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
    /// Download Home Assistant's sentences in all languages instead (1 MB)
    #[arg(long)]
    pub(crate) sentences: bool,
}

impl SetupArgs {
    /// Whether nothing is asked for, so that questions may be asked.
    pub(crate) fn is_empty(&self) -> bool {
        self.provider.is_none() && self.model.is_none() && self.to.is_none() && !self.list && !self.sentences
    }
}

/// Who provides the model that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProviderArg {
    /// Anthropic
    Anthropic,
    /// OpenAI, or with --address any server that speaks its API
    Openai,
    /// Google Gemini
    Gemini,
    /// OpenRouter
    Openrouter,
    /// Ollama
    Ollama,
    /// The offline model
    None,
}

impl ProviderArg {
    /// The name of the provider's section; the offline model has none.
    pub(crate) const fn section(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("anthropic"),
            Self::Openai => Some("openai"),
            Self::Gemini => Some("gemini"),
            Self::Openrouter => Some("openrouter"),
            Self::Ollama => Some("ollama"),
            Self::None => None,
        }
    }
}
