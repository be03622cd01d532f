//! TLS of the listener: the certificate and its key come from files, and are loaded again when the
//! files change. Open connections keep the certificate that they were opened with.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, SystemTime},
};

use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// How often the files are checked.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The protocol inside of TLS, which is the only one that the server speaks.
const HTTP_1: &[u8] = b"http/1.1";

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("failed to read {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file has no certificate.
    #[error("{} has no certificate: it has to be PEM, with `-----BEGIN CERTIFICATE-----`", .0.display())]
    NoCertificate(PathBuf),
    /// A file has no private key.
    #[error("{} has no private key: it has to be PEM without a passphrase, with `-----BEGIN PRIVATE KEY-----`", .0.display())]
    NoKey(PathBuf),
    /// The key belongs to another certificate.
    #[error(
        "the key in {} does not fit the certificate in {}: the certificate of the server has to be the first in its file",
        .key.display(), .certificate.display()
    )]
    Mismatch {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
    },
    /// The pair cannot be used for another reason.
    #[error("the certificate in {} cannot be used: {reason}", .path.display())]
    Unusable {
        /// The file of the certificate.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// The certificate of a server and its key, with the files that they come from.
pub struct TlsCertificate {
    files: TlsFiles,
    seen: [FileStamp; 2],
    current: Arc<CurrentCertificate>,
    config: ServerConfig,
}

#[derive(Debug, Clone)]
struct TlsFiles {
    certificate: PathBuf,
    key: PathBuf,
}

/// The certificate for new connections. The sender notifies of a new one.
struct CurrentCertificate {
    key: RwLock<Arc<CertifiedKey>>,
    leaf: watch::Sender<Vec<u8>>,
}

impl fmt::Debug for CurrentCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CurrentCertificate")
    }
}

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.key.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl CurrentCertificate {
    fn replace(&self, key: CertifiedKey) {
        let leaf = leaf(&key);
        *self.key.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(key);
        self.leaf.send_replace(leaf);
    }
}

impl TlsCertificate {
    /// Loads a certificate, with those of its issuers after it, and its key, from PEM files.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let files = TlsFiles { certificate: certificate.to_owned(), key: key.to_owned() };
        let seen = files.stamps();
        let loaded = files.load()?;
        files.warn_of_open_key();
        let leaf = watch::Sender::new(leaf(&loaded));
        let current = Arc::new(CurrentCertificate { key: RwLock::new(Arc::new(loaded)), leaf });
        let unusable =
            |error: rustls::Error| TlsError::Unusable { path: certificate.to_owned(), reason: error.to_string() };
        let builder = ServerConfig::builder_with_provider(provider());
        let builder = builder.with_safe_default_protocol_versions().map_err(unusable)?;
        let mut config = builder.with_no_client_auth().with_cert_resolver(current.clone());
        config.alpn_protocols = vec![HTTP_1.to_vec()];
        Ok(Self { files, seen, current, config })
    }

    /// The certificate of the server in DER, now and whenever it is replaced.
    pub fn leaf(&self) -> watch::Receiver<Vec<u8>> {
        self.current.leaf.subscribe()
    }

    /// Starts to watch the files, until the server stops.
    pub(crate) fn watch(self, stopping: &CancellationToken) -> TlsAcceptor {
        let (acceptor, stopping) = (TlsAcceptor::from(Arc::new(self.config.clone())), stopping.clone());
        tokio::spawn(async move { stopping.run_until_cancelled(self.follow()).await });
        acceptor
    }

    /// Loads the files whenever they have changed and then stayed the same for one check: a program
    /// that renews them writes one after the other.
    async fn follow(mut self) {
        let mut before = self.files.stamps();
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = self.files.stamps();
            if now == self.seen || now != before {
                before = now;
                continue;
            }
            self.seen = now;
            let files = self.files.clone();
            match tokio::task::spawn_blocking(move || files.load()).await {
                Ok(Ok(loaded)) => {
                    self.current.replace(loaded);
                    self.files.warn_of_open_key();
                    tracing::info!(file = %self.files.certificate.display(), "the certificate was replaced");
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the new certificate is not used; the one before stays");
                }
                Err(error) => tracing::error!(%error, "loading the certificate panicked; the one before stays"),
            }
        }
    }
}

fn leaf(key: &CertifiedKey) -> Vec<u8> {
    key.cert.first().map(|leaf| leaf.to_vec()).unwrap_or_default()
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

impl TlsFiles {
    fn load(&self) -> Result<CertifiedKey, TlsError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&read(&self.certificate)?)
            .collect::<Result<_, _>>()
            .map_err(|_| TlsError::NoCertificate(self.certificate.clone()))?;
        if chain.is_empty() {
            return Err(TlsError::NoCertificate(self.certificate.clone()));
        }
        let key = PrivateKeyDer::from_pem_slice(&read(&self.key)?).map_err(|_| TlsError::NoKey(self.key.clone()))?;
        CertifiedKey::from_der(chain, key, &provider()).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                TlsError::Mismatch { certificate: self.certificate.clone(), key: self.key.clone() }
            }
            error => TlsError::Unusable { path: self.certificate.clone(), reason: error.to_string() },
        })
    }

    fn stamps(&self) -> [FileStamp; 2] {
        [FileStamp::of(&self.certificate), FileStamp::of(&self.key)]
    }

    /// Warns if every user of the machine can read the key.
    fn warn_of_open_key(&self) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let is_open = fs::metadata(&self.key).is_ok_and(|file| file.permissions().mode() & 0o004 != 0);
            if is_open {
                let file = self.key.display();
                tracing::warn!(%file, "every user of this machine can read the key; `chmod 600` it");
            }
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|error| TlsError::Read { path: path.to_owned(), error })
}

/// Identifies a version of a file; a link is followed, as renewal replaces links.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileStamp(Option<(Option<SystemTime>, u64, u64)>);

impl FileStamp {
    fn of(path: &Path) -> Self {
        Self(fs::metadata(path).ok().map(|file| {
            #[cfg(unix)]
            let number = std::os::unix::fs::MetadataExt::ino(&file);
            #[cfg(not(unix))]
            let number = 0;
            (file.modified().ok(), file.len(), number)
        }))
    }
}
