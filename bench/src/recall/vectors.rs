//! Vectors of texts, cached in a file by the digests of the texts, so that a second run need not
//! compute them again.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use memory::{
    embedding::{Embedder, EmbeddingError, MiniLm},
    search::DocumentIndex,
};
use sha2::{Digest, Sha256};

use super::sets;

const DIMENSIONS: usize = 384;
/// A digest and a vector.
const RECORD: usize = 32 + 4 * DIMENSIONS;
/// Texts per call of the model.
const BATCH: usize = 32;

/// An embedding model with a cache of its vectors.
pub(crate) struct CachedEmbedder {
    model: MiniLm,
    known: HashMap<[u8; 32], Vec<f32>>,
    file: BufWriter<File>,
}

impl CachedEmbedder {
    /// The folder of the model: `DWELL_MODELS`, or `target/models`.
    pub(crate) fn folder() -> PathBuf {
        let models = sets::from_environment("DWELL_MODELS").unwrap_or_else(|| sets::root().join("target/models"));
        models.join("all-minilm-l6-v2")
    }

    /// The model with its cache; `None` if its files are missing.
    pub(crate) fn open() -> Result<Option<Self>> {
        let model = match MiniLm::load(&Self::folder()) {
            Ok(model) => model,
            Err(EmbeddingError::Absent(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let path =
            sets::root().join("target/recall").join(format!("{}.vectors", model.name().replace(['/', ' '], "-")));
        std::fs::create_dir_all(path.parent().context("a file without a folder")?)?;
        let known = read(&path)?;
        let file = File::options().create(true).append(true).open(&path)?;
        // An incomplete record at the end would shift all that follow.
        file.set_len(file.metadata()?.len() / RECORD as u64 * RECORD as u64)?;
        Ok(Some(Self { model, known, file: BufWriter::new(file) }))
    }

    /// The model itself.
    pub(crate) const fn model(&self) -> &MiniLm {
        &self.model
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

fn read(path: &Path) -> Result<HashMap<[u8; 32], Vec<f32>>> {
    let mut known = HashMap::new();
    let Ok(file) = File::open(path) else { return Ok(known) };
    let mut file = BufReader::new(file);
    let mut record = [0; RECORD];
    while file.read_exact(&mut record).is_ok() {
        let (digest, numbers) = record.split_first_chunk::<32>().context("a record without a digest")?;
        let (numbers, _) = numbers.as_chunks::<4>();
        known.insert(*digest, numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect());
    }
    Ok(known)
}
