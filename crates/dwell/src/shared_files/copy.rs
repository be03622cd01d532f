//! Copying all shared files from one place to another.

use anyhow::Context;
use sha2::{Digest, Sha256};

use super::{NAMES, SharedFiles};

/// Refuses a place that has other files than the one they are to be copied from.
pub(crate) async fn check_unused(from: &dyn SharedFiles, to: &dyn SharedFiles) -> anyhow::Result<()> {
    for name in NAMES {
        let Some(theirs) = contents(to, name).await? else { continue };
        anyhow::ensure!(
            contents(from, name).await?.as_ref() == Some(&theirs),
            "nothing was copied: {} is there already, and is not that of {}",
            to.place(name),
            from.place(name)
        );
    }
    Ok(())
}

/// Copies all files. Those that are the same already stay; others are refused. Returns how many
/// were copied.
pub(crate) async fn copy_all(from: &dyn SharedFiles, to: &dyn SharedFiles) -> anyhow::Result<u64> {
    let mut copied = 0;
    for name in NAMES {
        let Some(ours) = contents(from, name).await? else { continue };
        let is_copied = to.write(name, None, &ours).await.with_context(|| format!("failed to copy `{name}`"))?;
        copied += u64::from(is_copied);
    }
    Ok(copied)
}

/// The number of files, and a digest of their names and contents.
pub(crate) async fn digest(files: &dyn SharedFiles) -> anyhow::Result<(u64, String)> {
    let (mut count, mut hash) = (0, Sha256::new());
    for name in NAMES {
        let Some(contents) = contents(files, name).await? else { continue };
        count += 1;
        for part in [name.as_bytes(), &contents] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    Ok((count, hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// A file without the line break at its end, which only files of a folder have.
async fn contents(files: &dyn SharedFiles, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let found = files.read(name).await.with_context(|| format!("failed to read {}", files.place(name)))?;
    Ok(found.map(|file| file.bytes.trim_ascii().to_vec()))
}
