//! The program with its licences in a compressed archive: what `install.sh` downloads.

use std::path::PathBuf;

use anyhow::Result;

use super::entry::{ArchiveEntry, gzip, tar, with_folders};
use super::manual;
use super::release::{ProgramFile, Release};
use super::third_party;

pub fn write(release: &Release, program: &ProgramFile) -> Result<Vec<PathBuf>> {
    let name = format!("dwell-{}-linux-{}", release.version, release.arch.name());
    let mut entries = vec![ArchiveEntry::program(format!("{name}/dwell"), program.bytes.clone())];
    for (file, bytes) in third_party::licence_files(release)? {
        entries.push(ArchiveEntry::file(format!("{name}/{file}"), bytes));
    }
    entries.extend(manual::files(release, program, &format!("{name}/"))?);
    entries.push(ArchiveEntry::file(format!("{name}/README.md"), release.read("README.md")?));
    let packed = tar(&with_folders(entries), release.time)?;
    // install.sh leaves it to tar to find out whether it is compressed.
    let packed = if release.is_stored { packed } else { gzip(&packed)? };
    Ok(vec![release.write(&format!("{name}.tar.gz"), &packed)?])
}
