//! The container image, as an OCI layout in a tar archive, written without a container engine:
//! nothing but the program, the certificate authorities and a data folder. `podman load`, `skopeo`
//! and `docker load` read it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::elf;
use super::entry::{ArchiveEntry, gzip, tar, with_folders};
use super::release::{ProgramFile, Release, digest};
use super::third_party;

/// A user without a name on any host.
pub const USER: u32 = 65_532;
/// The name under which engines list it.
const NAME: &str = "dwell";
const CERTIFICATES: &str = "etc/ssl/certs/ca-certificates.crt";
const SECOND: u64 = 1_000_000_000;

pub fn write(release: &Release, program: &ProgramFile, certificates: &Path) -> Result<Vec<PathBuf>> {
    let layer = tar(&with_folders(files(release, program, certificates)?), release.time)?;
    // The configuration names the layer as it is unpacked, the manifest as it is stored.
    let unpacked = digest(&layer);
    let (media_type, layer) = if release.is_stored {
        ("application/vnd.oci.image.layer.v1.tar", layer)
    } else {
        ("application/vnd.oci.image.layer.v1.tar+gzip", gzip(&layer)?)
    };
    let mut blobs = Blobs::default();
    let layer = blobs.add(media_type, layer);
    let config = serde_json::to_vec(&config(release, &unpacked)?)?;
    let config = blobs.add("application/vnd.oci.image.config.v1+json", config);
    let manifest = json!({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config, "layers": [layer],
    });
    let mut listed = blobs.add("application/vnd.oci.image.manifest.v1+json", serde_json::to_vec(&manifest)?);
    listed["platform"] = json!({ "architecture": release.arch.debian(), "os": "linux" });
    listed["annotations"] = json!({
        "org.opencontainers.image.ref.name": release.version,
        "io.containerd.image.name": format!("{NAME}:{}", release.version),
    });
    let index = json!({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [listed],
    });
    // What older engines look for in an archive.
    let older = json!([{
        "Config": blob_path(&config), "RepoTags": [format!("{NAME}:{}", release.version)], "Layers": [blob_path(&layer)],
    }]);
    let mut entries = blobs.0;
    entries.push(ArchiveEntry::file("oci-layout", json!({ "imageLayoutVersion": "1.0.0" }).to_string()));
    entries.push(ArchiveEntry::file("index.json", index.to_string()));
    entries.push(ArchiveEntry::file("manifest.json", older.to_string()));
    let name = format!("dwell-{}-image-{}.tar", release.version, release.arch.name());
    Ok(vec![release.write(&name, &tar(&with_folders(entries), release.time)?)?])
}

/// Contents by their digests.
#[derive(Default)]
struct Blobs(Vec<ArchiveEntry>);

impl Blobs {
    /// Adds a content, and describes it.
    fn add(&mut self, media_type: &str, bytes: Vec<u8>) -> Value {
        let descriptor =
            json!({ "mediaType": media_type, "digest": format!("sha256:{}", digest(&bytes)), "size": bytes.len() });
        self.0.push(ArchiveEntry::file(blob_path(&descriptor), bytes));
        descriptor
    }
}

fn blob_path(descriptor: &Value) -> String {
    format!("blobs/{}", descriptor["digest"].as_str().unwrap_or_default().replace(':', "/"))
}

fn files(release: &Release, program: &ProgramFile, certificates: &Path) -> Result<Vec<ArchiveEntry>> {
    let trusted = std::fs::read(certificates).with_context(|| {
        format!(
            "failed to read {}: install the package ca-certificates, or name such a file with --certificates",
            certificates.display()
        )
    })?;
    let mut files = vec![
        ArchiveEntry::program("usr/bin/dwell", program.bytes.clone()),
        ArchiveEntry::file(CERTIFICATES, trusted),
        ArchiveEntry::file(
            "etc/passwd",
            format!("root:x:0:0:root:/:/sbin/nologin\ndwell:x:{USER}:{USER}::/data:/sbin/nologin\n"),
        ),
        ArchiveEntry::file("etc/group", format!("root:x:0:\ndwell:x:{USER}:\n")),
        ArchiveEntry::folder("data").with_mode(0o700).with_owner(USER),
        ArchiveEntry::folder("tmp").with_mode(0o1777),
    ];
    for (file, bytes) in third_party::licence_files(release)? {
        files.push(ArchiveEntry::file(format!("usr/share/doc/dwell/{file}"), bytes));
    }
    if !program.is_static {
        files.extend(elf::libraries(&program.path)?);
    }
    Ok(files)
}

/// What an engine runs, and as whom.
fn config(release: &Release, layer: &str) -> Result<Value> {
    let created = release.timestamp()?;
    Ok(json!({
        "created": created,
        "architecture": release.arch.debian(),
        "os": "linux",
        "config": {
            "User": format!("{USER}:{USER}"),
            "Env": [
                "PATH=/usr/bin", "HOME=/data", "DWELL_DATA=/data", "DWELL_LISTEN=0.0.0.0:7437",
                "DWELL_SERVER_OPEN=never", "TMPDIR=/tmp",
            ],
            "Entrypoint": ["/usr/bin/dwell"],
            "Cmd": ["serve"],
            "WorkingDir": "/data",
            "ExposedPorts": { "7437/tcp": {} },
            "Volumes": { "/data": {} },
            "StopSignal": "SIGTERM",
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/dwell", "health"],
                "Interval": 30 * SECOND, "Timeout": 10 * SECOND, "StartPeriod": 20 * SECOND, "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": "Dwell",
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{layer}")] },
        "history": [{ "created": created, "created_by": "cargo xtask dist image" }],
    }))
}
