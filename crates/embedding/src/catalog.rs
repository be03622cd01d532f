//! The embedding models that can be chosen, with their files.

use std::{io, path::Path, sync::Arc};

use super::{
    Embedder, EmbeddingError, MiniLm, Multilingual,
    folder::{ExpectedFile, FILES, NAME, VOCABULARY, WEIGHTS},
    multilingual,
};

/// The name of the model with weights in 8 bits.
pub(super) const INT8: &str = "all-minilm-l6-v2-int8";
/// The file of its weights.
pub(super) const INT8_WEIGHTS: &str = "model.onnx";
/// The name of the larger English model.
pub(super) const MPNET: &str = "all-mpnet-base-v2";
/// The name of the model for several languages.
pub(super) const MULTILINGUAL: &str = "use-multilingual-v3";

/// A model that can be chosen. Its vectors are never compared with those of another.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddingModelCard {
    /// Its name, and the name of its folder among the models of a data folder.
    pub name: &'static str,
    /// The languages that it was trained on.
    pub languages: &'static str,
    /// Its licence.
    pub licence: &'static str,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Its files.
    pub files: &'static [ExpectedFile<'static>],
}

/// The models that can be chosen; the first is the default.
pub const CATALOG: [EmbeddingModelCard; 4] = [
    EmbeddingModelCard { name: NAME, languages: "English", licence: "Apache-2.0", dimensions: 384, files: &FILES },
    EmbeddingModelCard {
        name: INT8,
        languages: "English",
        licence: "Apache-2.0",
        dimensions: 384,
        files: &[
            FILES[0],
            ExpectedFile {
                name: INT8_WEIGHTS,
                sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            },
        ],
    },
    EmbeddingModelCard {
        name: MPNET,
        languages: "English",
        licence: "Apache-2.0",
        dimensions: 768,
        files: &[
            ExpectedFile {
                name: VOCABULARY,
                sha256: "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
            },
            ExpectedFile { name: WEIGHTS, sha256: "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658" },
        ],
    },
    EmbeddingModelCard {
        name: MULTILINGUAL,
        languages: "Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, \
                    Russian, Spanish, Thai, Turkish",
        licence: "Apache-2.0",
        dimensions: 512,
        files: &[
            ExpectedFile {
                name: multilingual::VOCABULARY,
                sha256: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
            },
            ExpectedFile {
                name: multilingual::WEIGHTS,
                sha256: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
            },
        ],
    },
];

impl EmbeddingModelCard {
    /// The model of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        CATALOG.iter().find(|card| card.name == name)
    }

    /// The model whose files a folder has, if it has all of one. Some models have files of the same
    /// names: then the folder's name tells which it is.
    pub fn in_folder(folder: &Path) -> Option<&'static Self> {
        let is_named = |card: &&Self| folder.file_name().is_some_and(|name| name == card.name);
        let has_files = |card: &&Self| card.files.iter().all(|file| folder.join(file.name).is_file());
        CATALOG.iter().filter(has_files).find(is_named).or_else(|| CATALOG.iter().find(has_files))
    }

    /// Loads the model from a folder with its files.
    pub fn load(&self, from: &Path) -> Result<Arc<dyn Embedder>, EmbeddingError> {
        match self.name {
            MULTILINGUAL => Ok(Arc::new(Multilingual::load(from)?)),
            MPNET => Ok(Arc::new(MiniLm::load_mpnet(from)?)),
            INT8 => Ok(Arc::new(MiniLm::load_int8(from)?)),
            _ => Ok(Arc::new(MiniLm::load(from)?)),
        }
    }
}

/// Reads a file of a model.
pub(super) fn read_file(folder: &Path, name: &str) -> Result<Vec<u8>, EmbeddingError> {
    std::fs::read(folder.join(name)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => EmbeddingError::Absent(folder.display().to_string()),
        _ => EmbeddingError::Unusable(format!("{} cannot be read: {error}", folder.join(name).display())),
    })
}

/// The vocabulary of the English models.
pub(super) fn read_vocabulary(folder: &Path) -> Result<String, EmbeddingError> {
    let text = String::from_utf8(read_file(folder, VOCABULARY)?);
    text.map_err(|_| EmbeddingError::Unusable(format!("{} is not text", folder.join(VOCABULARY).display())))
}
