//! Commands that talk to a server over TLS. A relay with a certificate of a test authority stands
//! in front of the server, as a reverse proxy would.

use std::{path::Path, sync::Arc};

use rustls::{
    ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::started;

/// A file beside this one.
fn beside(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/https").join(name);
    path.to_str().unwrap().to_owned()
}

/// Relays TLS to a server, and returns its own address.
async fn relay(server: &str) -> String {
    let certificate = CertificateDer::from_pem_file(beside("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(beside("server-key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate], key).unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let target = server.trim_start_matches("http://").to_owned();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, target) = (acceptor.clone(), target.clone());
            tokio::spawn(async move {
                let Ok(mut outer) = acceptor.accept(stream).await else { return };
                let mut inner = TcpStream::connect(target).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outer, &mut inner).await;
            });
        }
    });
    url
}

#[tokio::test]
async fn commands_reach_a_server_behind_tls_by_its_authority() {
    let (_model, program, server) = started().await;
    let url = relay(server.url()).await;
    let ca = beside("authority.pem");
    let listed = program.run(&["sessions", "list", "--url", &url, "--ca", &ca]).await;
    assert_eq!((listed.code(), listed.stdout.as_str()), (0, "no sessions yet\n"), "{}", listed.stderr);
    let asked = program.run(&["ask", "hello", "--url", &url, "--ca", &ca]).await;
    assert_eq!((asked.code(), asked.stdout.as_str()), (0, "You said: hello\n"), "the WebSocket too: {}", asked.stderr);

    for arguments in [&["sessions", "list"][..], &["ask", "hello"]] {
        let unknown = program.run(&[arguments, &["--url", &url]].concat()).await;
        assert_eq!(unknown.code(), 3, "{}", unknown.stderr);
        assert!(unknown.stderr.contains("is not accepted") && unknown.stderr.contains("--ca"), "{}", unknown.stderr);
    }
    let wrong = program.run(&["sessions", "list", "--url", &url, "--ca", "/nowhere/ca.pem"]).await;
    assert!(wrong.code() == 2 && wrong.stderr.contains("/nowhere/ca.pem"), "{}", wrong.stderr);
}
