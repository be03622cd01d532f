//! A page of the documentation, and the faults in its code blocks.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    block::{CodeBlock, blocks},
    shell,
};
use crate::program;

/// Folders and files with pages, from the root of the repository.
const PLACES: [&str; 8] = [
    "docs",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "AGENTS.md",
    "examples",
    "clients/python/README.md",
    "web/client/README.md",
];
/// Languages that other tests check, or none.
const UNCHECKED: [&str; 7] = ["python", "js", "ts", "text", "html", "rust", "yaml"];

/// A page by its path from the root of the repository.
pub(super) struct DocPage {
    path: String,
    text: String,
}

/// All pages, by path.
pub(super) fn pages() -> Vec<DocPage> {
    let mut files = Vec::new();
    for place in PLACES {
        collect(&root().join(place), &mut files);
    }
    files.sort();
    files.iter().map(|file| DocPage::read(file)).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() && !path.ends_with("node_modules") {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), files);
        }
    } else if path.extension().is_some_and(|extension| extension == "md") && path.is_file() {
        files.push(path.to_owned());
    }
}

impl DocPage {
    fn read(file: &Path) -> Self {
        let path = file.strip_prefix(root()).unwrap().display().to_string();
        Self { path, text: fs::read_to_string(file).unwrap() }
    }

    pub(super) fn is_in(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// The faults in its code blocks, each with its line.
    pub(super) async fn faults(self) -> Vec<String> {
        let (blocks, mut faults) = blocks(&self.text);
        for block in &blocks {
            faults.extend(fault(block).await.map(|fault| format!("{}: {fault}", block.line)));
        }
        let commands: Vec<&CodeBlock> = blocks.iter().filter(|block| block.language == "sh" && block.runs).collect();
        // Blocks that cannot be read are not run.
        if faults.is_empty() && !commands.is_empty() {
            faults.extend(shell::run(&commands).await.err());
        }
        faults.into_iter().map(|fault| format!("{}:{fault}", self.path)).collect()
    }
}

/// The fault of a block that is found without running it.
async fn fault(block: &CodeBlock) -> Option<String> {
    match (block.language.as_str(), block.runs) {
        ("sh", _) => shell::syntax(&block.text).await.err(),
        ("toml", true) => configuration(&block.text).await.err(),
        ("toml", false) => block.text.parse::<toml::Table>().err().map(|error| error.to_string()),
        ("json", _) => json(&block.text).err(),
        (language, _) if UNCHECKED.contains(&language) => None,
        (language, _) => Some(format!("`{language}` is not a language of the documentation's code blocks")),
    }
}

/// Whether Dwell accepts a part of a configuration file.
async fn configuration(text: &str) -> Result<(), String> {
    let program = program();
    let file = program.folder().join("part.toml");
    fs::write(&file, text).unwrap();
    let shown = program.run(&["config", "--config", file.to_str().unwrap()]).await;
    if shown.status.success() { Ok(()) } else { Err(shown.stderr) }
}

/// Whether a text is JSON: one value, or several.
fn json(text: &str) -> Result<(), String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.try_for_each(|value| value.map(drop).map_err(|error| error.to_string()))
}
