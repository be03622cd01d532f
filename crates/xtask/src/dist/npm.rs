//! The npm package: the client of `web/client`, and the program as its command.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::entry::{ArchiveEntry, gzip, tar};
use super::release::{ProgramFile, Release};
use super::third_party;

const CLIENT: &str = "web/client";
/// The client's own package, which this one stands in for.
const CLIENT_NAME: &str = "@dwell/client";
/// What of the client's manifest does not concern its users.
const OWN_FIELDS: [&str; 3] = ["scripts", "devDependencies", "files"];

pub fn write(release: &Release, program: &ProgramFile) -> Result<Vec<PathBuf>> {
    let manifest = release.read_text(&format!("{CLIENT}/package.json"))?;
    let manifest = manifest_of(release, &manifest)?;
    let built = release.root.join(CLIENT).join("dist/src");
    ensure!(built.join("index.js").is_file(), "the TypeScript client is not built: run `npm run build` in web/");
    let mut files = vec![
        ArchiveEntry::file("package/package.json", format!("{manifest:#}\n")),
        ArchiveEntry::program("package/bin/dwell", program.bytes.clone()),
        ArchiveEntry::file(
            "package/README.md",
            release.read_text(&format!("{CLIENT}/README.md"))?.replace(CLIENT_NAME, "dwell"),
        ),
    ];
    collect(&built, "package/dist/src", &mut files)?;
    for (file, bytes) in third_party::licence_files(release)? {
        files.push(ArchiveEntry::file(format!("package/{file}"), bytes));
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let packed = tar(&files, release.time)?;
    let packed = if release.is_stored { packed } else { gzip(&packed)? };
    let name = format!("dwell-{}-linux-{}.tgz", release.version, release.arch.node());
    Ok(vec![release.write(&name, &packed)?])
}

/// The client's manifest, with the program and the platform that it is for.
fn manifest_of(release: &Release, client: &str) -> Result<Value> {
    let mut manifest: Value = serde_json::from_str(client).context("failed to read the client's package.json")?;
    let fields = manifest.as_object_mut().context("the client's package.json is not an object")?;
    for field in OWN_FIELDS {
        fields.remove(field);
    }
    fields.insert("name".to_owned(), json!("dwell"));
    fields.insert("version".to_owned(), json!(release.version));
    fields.insert(
        "description".to_owned(),
        json!("Dwell with its client: a server that keeps AI agents' conversations alive"),
    );
    fields.insert("bin".to_owned(), json!({ "dwell": "bin/dwell" }));
    fields.insert("os".to_owned(), json!(["linux"]));
    fields.insert("cpu".to_owned(), json!([release.arch.node()]));
    Ok(manifest)
}

/// JavaScript and its types.
fn collect(folder: &Path, path: &str, files: &mut Vec<ArchiveEntry>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("failed to read {}", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("failed to read {}", folder.display()))?;
        let path = format!("{path}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &path, files)?;
        } else if path.ends_with(".js") || path.ends_with(".d.ts") {
            let bytes = fs::read(entry.path()).with_context(|| format!("failed to read {path}"))?;
            files.push(ArchiveEntry::file(path, bytes));
        }
    }
    Ok(())
}
