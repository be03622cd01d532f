//! The Debian package: the program, a systemd unit, and the configuration that the administrator
//! may change. Its scripts are files in `deploy/debian`.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::ar::ar;
use super::entry::{ArchiveEntry, gzip, tar, with_folders};
use super::manual;
use super::release::{ProgramFile, Release};
use super::third_party;

const UNIT: &str = "deploy/systemd/dwell.service";
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];
/// Files that an upgrade does not overwrite once they were changed: where they go, and whence.
const SETTINGS: [(&str, &str); 2] =
    [("etc/dwell/config.toml", "deploy/debian/config.toml"), ("etc/default/dwell", "deploy/debian/default")];

pub fn write(release: &Release, program: &ProgramFile) -> Result<Vec<PathBuf>> {
    let files = with_folders(files(release, program)?);
    let bytes: usize = files.iter().map(|file| file.bytes().len()).sum();
    let control = with_folders(control_files(release, program.is_static, bytes)?);
    let (ending, data) = packed(release, &tar(&files, release.time)?)?;
    let (_, control) = packed(release, &tar(&control, release.time)?)?;
    let names = (format!("control.tar{ending}"), format!("data.tar{ending}"));
    let members: [(&str, &[u8]); 3] = [("debian-binary", b"2.0\n"), (&names.0, &control), (&names.1, &data)];
    let name = format!("dwell_{}_{}.deb", release.version, release.arch.debian());
    Ok(vec![release.write(&name, &ar(&members, release.time)?)?])
}

fn packed(release: &Release, archive: &[u8]) -> Result<(&'static str, Vec<u8>)> {
    Ok(if release.is_stored { ("", archive.to_vec()) } else { (".gz", gzip(archive)?) })
}

fn files(release: &Release, program: &ProgramFile) -> Result<Vec<ArchiveEntry>> {
    let mut files = vec![
        ArchiveEntry::program("usr/bin/dwell", program.bytes.clone()),
        ArchiveEntry::file("usr/lib/systemd/system/dwell.service", release.read(UNIT)?),
        ArchiveEntry::file("usr/share/doc/dwell/changelog.gz", gzip(&release.read("CHANGELOG.md")?)?),
        ArchiveEntry::file("usr/share/doc/dwell/copyright", copyright(release)?),
    ];
    for (file, bytes) in third_party::licence_files(release)? {
        files.push(ArchiveEntry::file(format!("usr/share/doc/dwell/{file}.gz"), gzip(&bytes)?));
    }
    files.extend(manual::files(release, program, "usr/")?);
    for (path, source) in SETTINGS {
        files.push(ArchiveEntry::file(path, release.read(source)?));
    }
    Ok(files)
}

fn control_files(release: &Release, is_static: bool, bytes: usize) -> Result<Vec<ArchiveEntry>> {
    let mut files = vec![
        ArchiveEntry::file("control", control(release, is_static, bytes)),
        ArchiveEntry::file("conffiles", SETTINGS.map(|(path, _)| format!("/{path}\n")).concat()),
    ];
    for script in SCRIPTS {
        files.push(ArchiveEntry::program(script, release.read(&format!("deploy/debian/{script}"))?));
    }
    Ok(files)
}

fn control(release: &Release, is_static: bool, bytes: usize) -> String {
    // A program that is not static runs where it was built, or on something newer.
    let libraries = if is_static { "" } else { ", libc6, libgcc-s1" };
    format!(
        "Package: dwell\nVersion: {}\nArchitecture: {}\nMaintainer: The Dwell developers <dwell@localhost>\n\
         Installed-Size: {}\nDepends: ca-certificates, passwd{libraries}\nSection: net\n\
         Priority: optional\nDescription: server that keeps conversations with AI agents alive\n \
         Dwell stands between a front end and a language model and writes every\n \
         conversation to a journal on disk: sessions outlive crashes and restarts,\n \
         turns stream, cancel and resume, tools run under a policy.\n",
        release.version,
        release.arch.debian(),
        bytes.div_ceil(1024),
    )
}

fn copyright(release: &Release) -> Result<String> {
    let mit = release.read_text("LICENSE-MIT").context("the licence is missing")?;
    Ok(format!(
        "Dwell is licensed under MIT or Apache-2.0, at your option.\n\
         Apache-2.0 is in /usr/share/common-licenses/Apache-2.0. The licences of what is\n\
         linked into the program are in THIRD-PARTY.txt.gz beside this file.\n\n{mit}"
    ))
}
