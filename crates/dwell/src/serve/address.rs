//! The address of the running server: a file in the data folder, by which the other commands find
//! it. Beside it is the certificate of a server that speaks TLS, by which they know it.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;
use tokio::{sync::watch, task::JoinHandle};

use crate::private_file::private;

const FILE: &str = "address";
/// The certificate of the server in DER, as it presents it now.
const CERTIFICATE: &str = "address-certificate.der";

/// The file that announces a running server; it is removed when the server stops.
pub(crate) struct AddressFile {
    path: PathBuf,
    /// The certificate's file, and the task that replaces it when the certificate is replaced.
    certificate: Option<(PathBuf, JoinHandle<()>)>,
}

impl AddressFile {
    pub(crate) fn announce(
        folder: &Path,
        url: &str,
        certificate: Option<watch::Receiver<Vec<u8>>>,
    ) -> anyhow::Result<Self> {
        // The certificate first: a client that finds the address needs it.
        let certificate = match certificate {
            Some(mut leaf) => {
                let path = folder.join(CERTIFICATE);
                write(&path, &leaf.borrow_and_update())?;
                Some((path.clone(), tokio::spawn(follow(path, leaf))))
            }
            None => None,
        };
        let path = folder.join(FILE);
        write(&path, url.as_bytes())?;
        Ok(Self { path, certificate })
    }

    /// The address of this data folder's server, if one has announced itself.
    pub(crate) fn find(folder: &Path) -> Option<String> {
        fs::read_to_string(folder.join(FILE)).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The certificate of this data folder's server, if it speaks TLS.
    pub(crate) fn certificate(folder: &Path) -> Option<Vec<u8>> {
        fs::read(folder.join(CERTIFICATE)).ok()
    }
}

/// Writes the certificate again whenever it is replaced.
async fn follow(path: PathBuf, mut leaf: watch::Receiver<Vec<u8>>) {
    while leaf.changed().await.is_ok() {
        let der = leaf.borrow_and_update().clone();
        if let Err(error) = write(&path, &der) {
            tracing::warn!(error = format!("{error:#}"), "commands on this machine do not know the new certificate");
        }
    }
}

/// Writes a new file: one that a crash left behind may be readable by others.
fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let unfinished = path.with_extension("new");
    let _ = fs::remove_file(&unfinished);
    let opened = private(fs::OpenOptions::new().write(true).create(true).truncate(true)).open(&unfinished);
    opened
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&unfinished, path))
        .with_context(|| format!("failed to write {}", path.display()))
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        if let Some((path, task)) = &self.certificate {
            task.abort();
            let _ = fs::remove_file(path);
        }
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the address file was gone already");
        }
    }
}
