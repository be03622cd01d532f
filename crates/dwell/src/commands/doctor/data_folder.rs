//! The data folder: whether it can be written, and who else can read it.

use std::{fs, path::Path};

use super::Diagnosis;
use crate::config::Config;

const AREA: &str = "data folder";

/// Files that give access to the server.
const SECRETS: [&str; 5] = ["token", "owners.json", "seal-key", "ollama-key", crate::config::SETUP_FILE];

pub(super) fn check(config: &Config) -> Vec<Diagnosis> {
    let folder = config.data_dir();
    let shown = folder.display();
    if !folder.exists() {
        return vec![match nearest(folder) {
            Some(above) if is_writable(above) => {
                Diagnosis::ok(AREA, format!("{shown} does not exist yet; the first start creates it"))
            }
            _ => Diagnosis::problem(
                AREA,
                format!("{shown} does not exist and cannot be created"),
                "create it for the user who runs Dwell, or choose another with --data",
            ),
        }];
    }
    if !folder.is_dir() {
        return vec![Diagnosis::problem(AREA, format!("{shown} is not a folder"), "choose another with --data")];
    }
    if !is_writable(folder) {
        let advice = "give it to the user who runs Dwell, or run this command as that user";
        return vec![Diagnosis::problem(AREA, format!("{shown} cannot be written"), advice)];
    }
    let mut lines = vec![Diagnosis::ok(AREA, format!("{shown} can be written"))];
    lines.extend(readable_by_others(folder));
    lines
}

/// The closest folder above that exists.
fn nearest(folder: &Path) -> Option<&Path> {
    folder.ancestors().skip(1).find(|above| above.is_dir())
}

fn is_writable(folder: &Path) -> bool {
    tempfile::Builder::new().prefix(".doctor-").tempfile_in(folder).is_ok()
}

#[cfg(unix)]
fn readable_by_others(folder: &Path) -> Option<Diagnosis> {
    use std::os::unix::fs::PermissionsExt;
    let is_open = |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0);
    // A folder that others cannot enter protects what is in it.
    if !is_open(folder) {
        return None;
    }
    let open: Vec<&str> = SECRETS.into_iter().filter(|name| is_open(&folder.join(name))).collect();
    Some(match open.as_slice() {
        [] => Diagnosis::warning(
            AREA,
            "other users of this machine can look into it",
            format!("chmod 700 {}", folder.display()),
        ),
        open => Diagnosis::problem(
            AREA,
            format!("other users of this machine can read {}", open.join(", ")),
            format!("chmod 700 {0} && chmod 600 {0}/*", folder.display()),
        ),
    })
}

#[cfg(not(unix))]
fn readable_by_others(_: &Path) -> Option<Diagnosis> {
    None
}
