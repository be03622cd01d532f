//! The settings of TLS.

use std::path::Path;

use anyhow::bail;
use serde::{Deserialize, Serialize};
use server::TlsCertificate;

use super::Config;

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TlsConfig {
    certificate: String,
    key: String,
}

impl TlsConfig {
    /// Whether the server speaks TLS.
    pub(crate) fn is_on(&self) -> bool {
        !self.certificate.is_empty()
    }
}

impl Config {
    /// The certificate of the server, if it speaks TLS itself.
    pub(crate) fn certificate(&self) -> anyhow::Result<Option<TlsCertificate>> {
        let TlsConfig { certificate, key } = &self.tls;
        match (certificate.is_empty(), key.is_empty()) {
            (true, true) => Ok(None),
            (false, false) => Ok(Some(TlsCertificate::load(Path::new(certificate), Path::new(key))?)),
            (true, false) => bail!("`tls.key` is set, and `tls.certificate` is not: name the file of the certificate"),
            (false, true) => bail!("`tls.certificate` is set, and `tls.key` is not: name the file of its key"),
        }
    }
}
