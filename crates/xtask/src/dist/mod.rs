//! What is handed to others, made of one built program: an archive, a Debian package, a container
//! image, a Python wheel and an npm package, with checksums, a bill of materials, the licences of
//! dependencies and the release notes. Every writer takes the path of a program, so that tests can
//! try the artifacts of a debug build; only `binary` compiles.
//!
//! The artifacts of one commit are the same bytes each time: times are those of the commit, names
//! are sorted.

mod ar;
mod arch;
mod archive;
mod build;
mod debian;
mod elf;
mod entry;
mod image;
mod manual;
mod notes;
mod npm;
mod options;
mod release;
mod sbom;
mod sums;
mod third_party;
mod wheel;
mod zip;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use self::options::Artifact;
pub use self::options::DistOptions;
use self::release::Release;
use crate::tree;

pub fn run(options: &DistOptions) -> Result<()> {
    let root = tree::root()?;
    let release = Release::open(root, options)?;
    let mut options = options.clone();
    for artifact in options.artifacts.clone() {
        let written =
            write(artifact, &release, &mut options).with_context(|| format!("failed to make {artifact:?}"))?;
        for path in written {
            let bytes = std::fs::metadata(&path).with_context(|| format!("failed to read {}", path.display()))?.len();
            println!("{:>12} bytes  {}", bytes, path.display());
        }
    }
    Ok(())
}

/// Writes one artifact. A program that is built here is the one of which all others are made.
fn write(artifact: Artifact, release: &Release, options: &mut DistOptions) -> Result<Vec<PathBuf>> {
    let program = |options: &DistOptions| match &options.binary {
        Some(path) => release.program(path),
        None => bail!("which program? name it with --binary, as `cargo xtask dist binary` printed it"),
    };
    match artifact {
        Artifact::Binary => {
            if options.binary.is_none() {
                options.binary = Some(build::program(release)?);
            }
            Ok(options.binary.iter().cloned().collect())
        }
        Artifact::Archive => archive::write(release, &program(options)?),
        Artifact::Deb => debian::write(release, &program(options)?),
        Artifact::Image => image::write(release, &program(options)?, &options.certificates),
        Artifact::Wheel => wheel::write(release, &program(options)?),
        Artifact::Npm => npm::write(release, &program(options)?),
        Artifact::Sbom => sbom::write(release),
        Artifact::Licences => third_party::write(release),
        Artifact::Notes => notes::write(release),
        Artifact::Sums => sums::write(release),
    }
}
