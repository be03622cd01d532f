//! Vectors of texts, cached in a file by the digests of the texts, so that a second run need not
//! compute them again.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};
use memory::{
    embedding::{Embedder, EmbeddingError, EmbeddingModelCard},
    search::DocumentIndex,
};
use sha2::{Digest, Sha256};

use super::sets;

/// Texts per call of the model.
const BATCH: usize = 32;

/// An embedding model with a cache of its vectors.
pub(crate) struct CachedEmbedder {
    model: Arc<dyn Embedder>,
    known: HashMap<[u8; 32], Vec<f32>>,
    file: BufWriter<File>,
}

impl CachedEmbedder {
    /// The folder of the model: in `DWELL_MODELS` or `target/models`, the one that
    /// `DWELL_MEMORY_EMBEDDING` names, or the default.
    pub(crate) fn folder() -> PathBuf {
        let models = sets::from_environment("DWELL_MODELS").unwrap_or_else(|| sets::root().join("target/models"));
        let name = sets::from_environment("DWELL_MEMORY_EMBEDDING");
        models.join(name.unwrap_or_else(|| PathBuf::from("all-minilm-l6-v2")))
    }

    /// The model in the folder; `None` if its files are missing.
    pub(crate) fn load() -> Result<Option<Arc<dyn Embedder>>> {
        let Some(card) = EmbeddingModelCard::in_folder(&Self::folder()) else { return Ok(None) };
        match card.load(&Self::folder()) {
            Ok(model) => Ok(Some(model)),
            Err(EmbeddingError::Absent(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The model with its cache; `None` if its files are missing.
    pub(crate) fn open() -> Result<Option<Self>> {
        let Some(model) = Self::load()? else { return Ok(None) };
        // A digest and a vector.
        let record = 32 + 4 * model.embed(&["length"])?.first().map_or(0, Vec::len);
        let path =
            sets::root().join("target/recall").join(format!("{}.vectors", model.name().replace(['/', ' '], "-")));
        std::fs::create_dir_all(path.parent().context("a file without a folder")?)?;
        let known = read(&path, record)?;
        let file = File::options().create(true).append(true).open(&path)?;
        // An incomplete record at the end would shift all that follow.
        file.set_len(file.metadata()?.len() / record as u64 * record as u64)?;
        Ok(Some(Self { model, known, file: BufWriter::new(file) }))
    }

    /// The model itself.
    pub(crate) fn model(&self) -> &dyn Embedder {
        self.model.as_ref()
    }

    /// The vector of one text.
    pub(crate) fn of(&mut self, text: &str) -> Result<Vec<f32>> {
        self.learn(&[text])?;
        Ok(self.known.get(&digest(text)).cloned().unwrap_or_default())
    }

    /// Gives every text of the index its vector.
    pub(crate) fn fill(&mut self, index: &mut DocumentIndex) -> Result<()> {
        loop {
            let wanted = index.wanting(1_024);
            if wanted.is_empty() {
                return Ok(());
            }
            self.learn(&wanted.iter().map(|wanted| wanted.text.as_str()).collect::<Vec<_>>())?;
            for wanted in &wanted {
                index.set_vector(wanted, self.known.get(&digest(&wanted.text)).map_or(&[], Vec::as_slice));
            }
        }
    }

    fn learn(&mut self, texts: &[&str]) -> Result<()> {
        let mut unknown: Vec<&str> =
            texts.iter().copied().filter(|text| !self.known.contains_key(&digest(text))).collect();
        unknown.sort_unstable_by_key(|text| text.len());
        for batch in unknown.chunks(BATCH) {
            for (text, vector) in batch.iter().zip(self.model.embed(batch)?) {
                self.file.write_all(&digest(text))?;
                vector.iter().try_for_each(|number| self.file.write_all(&number.to_le_bytes()))?;
                self.known.insert(digest(text), vector);
            }
        }
        self.file.flush().context("the vectors cannot be saved")
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn read(path: &Path, length: usize) -> Result<HashMap<[u8; 32], Vec<f32>>> {
    let mut known = HashMap::new();
    let Ok(file) = File::open(path) else { return Ok(known) };
    let mut file = BufReader::new(file);
    let mut record = vec![0; length];
    while file.read_exact(&mut record).is_ok() {
        let (digest, numbers) = record.split_first_chunk::<32>().context("a record without a digest")?;
        let (numbers, _) = numbers.as_chunks::<4>();
        known.insert(*digest, numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect());
    }
    Ok(known)
}
