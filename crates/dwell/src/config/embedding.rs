//! Which embedding model is used, and where its files are.

use std::path::{Path, PathBuf};

use anyhow::Context;
use memory::embedding::{CATALOG, EmbeddingModelCard};

use super::Config;

/// The file among the models of a data folder that names the one that was chosen last.
const SELECTED: &str = "selected";

impl Config {
    /// The embedding model: the one that is set, else the one in the folder that is set, else the
    /// one that `dwell setup` chose last, else the default.
    pub(crate) fn embedding_model(&self) -> anyhow::Result<&'static EmbeddingModelCard> {
        let (name, dir) = (self.memory.embedding.as_str(), self.memory.embedding_dir.as_str());
        if !name.is_empty() {
            return find_model(name).context("`memory.embedding` is wrong");
        }
        if !dir.is_empty() {
            return Ok(EmbeddingModelCard::in_folder(Path::new(dir)).unwrap_or(&CATALOG[0]));
        }
        let selected = self.models_dir().join(SELECTED);
        match std::fs::read_to_string(&selected) {
            Ok(name) => find_model(name.trim())
                .with_context(|| format!("{} is wrong; `dwell setup --model NAME` writes it anew", selected.display())),
            Err(_) => Ok(&CATALOG[0]),
        }
    }

    /// The folder of an embedding model, which may not exist yet.
    pub(crate) fn embedding_dir(&self, model: &EmbeddingModelCard) -> PathBuf {
        match self.memory.embedding_dir.as_str() {
            "" => self.models_dir().join(model.name),
            dir => PathBuf::from(dir),
        }
    }

    /// Makes a model the one that is used where none is set.
    pub(crate) fn select_embedding(&self, model: &EmbeddingModelCard) -> anyhow::Result<()> {
        let path = self.models_dir().join(SELECTED);
        let write = || {
            std::fs::write(&path, format!("{}\n", model.name))?;
            // Readable by its user only, like everything in the data folder.
            #[cfg(unix)]
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
            std::io::Result::Ok(())
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Whether the settings name the model, so that choosing another has no effect.
    pub(crate) fn is_embedding_set(&self) -> bool {
        !self.memory.embedding.is_empty() || !self.memory.embedding_dir.is_empty()
    }

    fn models_dir(&self) -> PathBuf {
        self.data_dir().join("models")
    }
}

/// The model of this name, or which ones there are.
pub(crate) fn find_model(name: &str) -> anyhow::Result<&'static EmbeddingModelCard> {
    EmbeddingModelCard::find(name).with_context(|| {
        let names = CATALOG.map(|card| card.name).join(", ");
        format!("there is no embedding model `{name}`; choose one of {names}")
    })
}
