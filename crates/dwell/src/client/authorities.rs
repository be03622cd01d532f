//! The authorities that a server's certificate is checked against: those of the system, or those of
//! a file.

use std::{error::Error as StdError, fs, io, path::Path};

use anyhow::Context;
use rustls::pki_types::{CertificateDer, pem::PemObject};

/// Which authorities are trusted.
#[derive(Debug)]
pub(super) enum Authorities {
    OfSystem,
    /// Only these.
    Named(Vec<CertificateDer<'static>>),
}

impl Authorities {
    /// Those of a file with certificates (PEM), or those of the system if it is not named.
    pub(super) fn load(file: &str) -> anyhow::Result<Self> {
        if file.is_empty() {
            return Ok(Self::OfSystem);
        }
        let failed = || format!("`client.ca` (--ca): {file}");
        let bytes = fs::read(Path::new(file)).with_context(failed)?;
        let certificates = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
        let certificates = certificates.map_err(|error| anyhow::anyhow!("{error}")).with_context(failed)?;
        anyhow::ensure!(
            !certificates.is_empty(),
            "{} has no certificate; name a file with `-----BEGIN CERTIFICATE-----`",
            failed()
        );
        Ok(Self::Named(certificates))
    }
}

/// What is wrong with the server's certificate, if that is why a request failed.
pub(super) fn certificate_fault(error: &(dyn StdError + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // An I/O error does not count what it wraps among its causes.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let wrapped = wrapped.map(|wrapped| wrapped as &(dyn StdError + 'static));
        let fault = wrapped.unwrap_or(error).downcast_ref::<rustls::Error>();
        if let Some(rustls::Error::InvalidCertificate(fault)) = fault {
            return Some(fault.to_string());
        }
        cause = wrapped.or_else(|| error.source());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("ca.pem");
        fs::write(&file, "nothing").unwrap();
        let refused = Authorities::load(file.to_str().unwrap()).unwrap_err();
        assert!(format!("{refused:#}").contains("has no certificate"), "{refused:#}");
        assert!(Authorities::load("/nowhere/ca.pem").is_err());
        assert!(matches!(Authorities::load(""), Ok(Authorities::OfSystem)));
    }

    #[test]
    fn a_wrong_certificate_is_found_among_the_causes() {
        let fault = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        assert!(certificate_fault(&io::Error::other(fault)).is_some());
        assert!(certificate_fault(&io::Error::other("gone")).is_none());
    }
}
