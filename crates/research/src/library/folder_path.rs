//! Which folders may be in the library, and the names that the sources of their documents start
//! with.

use std::path::{Path, PathBuf};

use super::store::LibraryFolder;

/// The canonical path of a folder, if it may be in a library. `data` is the data folder. Reads the
/// disk.
pub(super) fn settle(path: &str, data: &Path) -> Result<PathBuf, String> {
    let asked = Path::new(path.trim());
    if !asked.is_absolute() {
        return Err(format!("`{path}` is not an absolute path: give the full path of the folder"));
    }
    let folder = asked.canonicalize().map_err(|error| format!("`{path}` cannot be found: {error}"))?;
    if !folder.is_dir() {
        return Err(format!("`{path}` is not a folder: give the folder that it is in"));
    }
    if folder.parent().is_none() {
        return Err("the root folder cannot be added: choose a folder with documents".to_owned());
    }
    if folder.to_str().is_none() {
        return Err(format!("the name of `{path}` is not valid UTF-8: rename it"));
    }
    let data = data.canonicalize().map_err(|error| format!("the data folder cannot be found: {error}"))?;
    if data.starts_with(&folder) {
        return Err(format!(
            "`{}` contains Dwell's own data and secrets: choose a folder with documents only",
            folder.display()
        ));
    }
    Ok(folder)
}

/// Why a folder conflicts with an existing one.
pub(super) fn clash<'a>(folder: &Path, mut there: impl Iterator<Item = &'a LibraryFolder>) -> Option<String> {
    let other = there.find(|other| folder.starts_with(&other.path) || Path::new(&other.path).starts_with(folder))?;
    Some(if folder.starts_with(&other.path) {
        format!("it is inside `{}`, which is already in the library", other.path)
    } else {
        format!("it contains `{}`, which is already in the library: remove that one first", other.path)
    })
}

/// The name of a folder: its own, with a number if that is taken.
pub(super) fn name(folder: &Path, is_taken: impl Fn(&str) -> bool) -> String {
    let own = folder.file_name().map_or_else(|| "folder".to_owned(), |name| name.to_string_lossy().into_owned());
    let numbered = (2_u64..).map(|number| format!("{own}-{number}"));
    std::iter::once(own.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(own)
}

/// The source of a document.
pub(super) fn source(name: &str, path: &str) -> String {
    format!("library:{name}/{path}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_are_never_given_twice(folders in proptest::collection::vec("/[ab]{0,2}/[ab]{1,2}(-[23])?", 1..20)) {
            let mut taken: Vec<String> = Vec::new();
            for folder in folders {
                let name = name(Path::new(&folder), |name| taken.iter().any(|it| it == name));
                prop_assert!(!taken.contains(&name));
                taken.push(name);
            }
        }
    }

    #[test]
    fn the_first_has_its_own_name() {
        assert_eq!(name(Path::new("/home/ada/docs"), |_| false), "docs");
        assert_eq!(name(Path::new("/srv/docs"), |name| name == "docs"), "docs-2");
        assert_eq!(source("docs", "garden/roses.md"), "library:docs/garden/roses.md");
    }
}
