//! TLS to a server. The server of the data folder is known by its certificate, which it puts there;
//! other servers by the authorities of a file or of this machine.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use rustls_platform_verifier::BuilderVerifierExt;

use super::authorities::Authorities;
use crate::{config::Config, serve::AddressFile};

/// How TLS connections to the configured server are made.
pub(super) fn client_config(config: &Config) -> anyhow::Result<ClientConfig> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone());
    let builder = builder.with_safe_default_protocol_versions().context("failed to prepare TLS")?;
    let authorities = Authorities::load(&config.client.ca)?;
    if let Authorities::Named(certificates) = authorities {
        return Ok(builder.with_root_certificates(roots(certificates)?).with_no_client_auth());
    }
    if config.client.url.is_empty() {
        let verifier = Arc::new(LocalServer { folder: config.data_dir().to_owned(), provider });
        return Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth());
    }
    let builder = builder.with_platform_verifier().context("failed to read this machine's certificate authorities")?;
    Ok(builder.with_no_client_auth())
}

fn roots(certificates: Vec<CertificateDer<'static>>) -> anyhow::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add(certificate).context("`client.ca` (--ca) has a certificate of no authority")?;
    }
    Ok(roots)
}

/// Accepts the certificate that the server has put into the data folder, and no other. Its names
/// and its issuer do not matter: the address is that of this machine. The file is read for every
/// connection, since the certificate is replaced while the server runs.
#[derive(Debug)]
struct LocalServer {
    folder: PathBuf,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for LocalServer {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let known = AddressFile::certificate(&self.folder);
        if known.is_some_and(|known| known == end_entity.as_ref()) {
            return Ok(ServerCertVerified::assertion());
        }
        Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
