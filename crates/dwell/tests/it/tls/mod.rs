//! TLS of the server itself: the certificate, its renewal, and the commands that know it. The keys
//! in this folder are made for these tests and secret to no one. An authority has issued the third.

use std::{fs, io::ErrorKind, os::unix::fs::PermissionsExt, path::Path, sync::Arc, time::Duration};

use futures::{SinkExt, StreamExt};
use reqwest::header;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject},
};
use serde_json::{Value, json};
use testkit::{McpWire, Program, RunningServer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest},
};

use crate::{program, start};

const FIRST: (&str, &str) = (include_str!("first.pem"), include_str!("first.key.pem"));
const SECOND: (&str, &str) = (include_str!("second.pem"), include_str!("second.key.pem"));
const ISSUED: (&str, &str) = (include_str!("issued.pem"), include_str!("issued.key.pem"));
const AUTHORITY: &str = include_str!("authority.pem");
const BEARER: &str = "Bearer test-token-0123456789";
/// How long a test waits for the server to notice new files.
const TRIES: usize = 300;

/// Writes a certificate and its key into the data folder.
fn put(program: &Program, (certificate, key): (&str, &str)) {
    fs::write(program.folder().join("server.pem"), certificate).unwrap();
    let file = program.folder().join("server.key");
    fs::write(&file, key).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
}

fn with_tls(files: (&str, &str)) -> Program {
    let program = program().with_log();
    put(&program, files);
    let path = |name: &str| program.folder().join(name).to_str().unwrap().to_owned();
    let (certificate, key) = (path("server.pem"), path("server.key"));
    program.with("DWELL_TLS_CERTIFICATE", &certificate).with("DWELL_TLS_KEY", &key)
}

/// A client that trusts one certificate.
fn trusting(certificate: &str) -> reqwest::Client {
    let root = reqwest::Certificate::from_pem(certificate.as_bytes()).unwrap();
    reqwest::Client::builder().no_proxy().tls_certs_only([root]).build().unwrap()
}

fn address(server: &RunningServer) -> &str {
    server.url().strip_prefix("https://").unwrap()
}

/// A TLS connection that trusts one certificate.
async fn connect(server: &RunningServer, certificate: &str) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let stream = TcpStream::connect(address(server)).await?;
    TlsConnector::from(Arc::new(config)).connect("127.0.0.1".try_into().unwrap(), stream).await
}

/// A WebSocket over TLS.
async fn socket(server: &RunningServer, certificate: &str) -> WebSocketStream<TlsStream<TcpStream>> {
    let stream = connect(server, certificate).await.unwrap();
    let mut request = format!("wss://{}/ws", address(server)).into_client_request().unwrap();
    request.headers_mut().insert("authorization", BEARER.parse().unwrap());
    client_async(request, stream).await.unwrap().0
}

/// Sends a message and waits for its answer.
async fn ask(socket: &mut WebSocketStream<TlsStream<TcpStream>>, id: u32, kind: &str) -> Value {
    let message = json!({ "type": kind, "id": id, "data": {} }).to_string();
    socket.send(Message::text(message)).await.unwrap();
    loop {
        let Message::Text(text) = socket.next().await.unwrap().unwrap() else { continue };
        let answer: Value = serde_json::from_str(&text).unwrap();
        if answer["re"] == id {
            return answer;
        }
    }
}

/// Waits until the log has a text.
async fn logged(program: &Program, text: &str) {
    for _ in 0..TRIES {
        if fs::read_to_string(program.folder().join("log")).unwrap_or_default().contains(text) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the log does not say: {text}");
}

#[tokio::test]
async fn the_server_speaks_tls_and_the_commands_of_its_machine_know_it() {
    let program = with_tls(FIRST);
    let server = program.start().await;
    assert!(server.url().starts_with("https://127.0.0.1:"), "{}", server.url());
    let client = trusting(FIRST.0);
    let sessions = client.get(format!("{}/api/v1/sessions", server.url())).header("authorization", BEARER);
    assert_eq!(sessions.send().await.unwrap().status(), 200);
    let stream = connect(&server, FIRST.0).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]), "the one protocol that it speaks");
    assert!(connect(&server, SECOND.0).await.is_err(), "another certificate is not trusted");

    let entry = client.post(format!("{}/api/v1/entry", server.url())).header("origin", server.url());
    let entry = entry.json(&json!({ "token": "test-token-0123456789" })).send().await.unwrap();
    assert_eq!(entry.status(), 200);
    let cookie = entry.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("; Secure"), "{cookie}");

    let asked = program.run(&["ask", "What is 6 times 7?"]).await;
    assert!(asked.code() == 0 && asked.stdout.contains("42"), "over the WebSocket: {asked:?}");
    let listed = program.run(&["sessions", "list"]).await;
    assert_eq!(listed.code(), 0, "over REST: {listed:?}");
    let link = program.run(&["open", "--print"]).await;
    assert!(link.stdout.starts_with("https://"), "{link:?}");
    assert!(program.run(&["doors"]).await.stdout.contains("https://"));
    let mcp = program.mcp(McpWire::Session, json!({})).await;
    assert!(mcp.call("list_sessions", json!({})).await.is_ok());
    // An address that is given is not the data folder's, whose certificate is known.
    let foreign = program.run(&["health", "--url", server.url()]).await;
    assert_ne!(foreign.code(), 0, "{foreign:?}");
    server.stop().await;
    assert!(!program.folder().join("address-certificate.der").exists());
}

#[tokio::test]
async fn commands_of_another_machine_reach_it_by_its_authority() {
    let program = with_tls(ISSUED);
    let (_model, program, server) = start(program).await;
    let (url, authority) = (server.url(), program.folder().join("authority.pem"));
    fs::write(&authority, AUTHORITY).unwrap();
    let known = ["--url", url, "--ca", authority.to_str().unwrap()];
    let listed = program.run(&[&["sessions", "list"][..], &known].concat()).await;
    assert_eq!((listed.code(), listed.stdout.as_str()), (0, "no sessions yet\n"), "{}", listed.stderr);
    let asked = program.run(&[&["ask", "hello"][..], &known].concat()).await;
    assert_eq!((asked.code(), asked.stdout.as_str()), (0, "You said: hello\n"), "the WebSocket too: {}", asked.stderr);

    for arguments in [&["sessions", "list"][..], &["ask", "hello"]] {
        let unknown = program.run(&[arguments, &["--url", url]].concat()).await;
        assert_eq!(unknown.code(), 3, "{}", unknown.stderr);
        assert!(unknown.stderr.contains("is not accepted") && unknown.stderr.contains("--ca"), "{}", unknown.stderr);
    }
    let wrong = program.run(&["sessions", "list", "--url", url, "--ca", "/nowhere/ca.pem"]).await;
    assert!(wrong.code() == 2 && wrong.stderr.contains("/nowhere/ca.pem"), "{}", wrong.stderr);
}

#[tokio::test]
async fn a_client_without_tls_is_told_and_a_silent_one_is_let_go() {
    // Long enough for a handshake on a busy machine: the last request needs one too.
    let program = with_tls(FIRST).with("DWELL_LIMITS_HEADER_MS", "2000");
    let server = program.start().await;
    let plain = reqwest::get(format!("http://{}/healthz", address(&server))).await.unwrap();
    assert_eq!(plain.status(), 400);
    let problem: Value = plain.json().await.unwrap();
    assert!(problem["hint"].as_str().unwrap().contains("https://"), "{problem}");

    let (mut silent, mut half) =
        (TcpStream::connect(address(&server)).await.unwrap(), TcpStream::connect(address(&server)).await.unwrap());
    half.write_all(&[0x16, 3, 1]).await.unwrap();
    for stream in [&mut silent, &mut half] {
        let mut rest = Vec::new();
        match stream.read_to_end(&mut rest).await {
            Ok(_) => assert!(rest.is_empty(), "it is closed without an answer"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
    let stats = trusting(FIRST.0).get(format!("{}/api/v1/stats", server.url())).header("authorization", BEARER);
    let stats: Value = stats.send().await.unwrap().json().await.unwrap();
    assert!(stats["connections"]["timed_out"].as_u64().unwrap() >= 2, "{}", stats["connections"]);
}

#[tokio::test]
async fn a_renewed_certificate_is_used_while_open_connections_stay() {
    let program = with_tls(FIRST);
    let server = program.start().await;
    let mut open = socket(&server, FIRST.0).await;
    assert_eq!(ask(&mut open, 1, "ping").await["type"], "ok");

    // A pair that does not fit is not used.
    fs::write(program.folder().join("server.key"), SECOND.1).unwrap();
    logged(&program, "the one before stays").await;
    assert!(connect(&server, FIRST.0).await.is_ok());

    put(&program, SECOND);
    fs::set_permissions(program.folder().join("server.key"), fs::Permissions::from_mode(0o644)).unwrap();
    logged(&program, "the certificate was replaced").await;
    assert!(connect(&server, SECOND.0).await.is_ok());
    assert!(connect(&server, FIRST.0).await.is_err());
    logged(&program, "every user of this machine can read the key").await;
    assert_eq!(ask(&mut open, 2, "session.list").await["type"], "ok", "it was opened with the certificate before");
    let health = program.run(&["health"]).await;
    assert_eq!(health.code(), 0, "commands know the new certificate: {health:?}");
}

#[tokio::test]
async fn what_is_wrong_with_a_certificate_is_said_at_the_start() {
    let program = program();
    put(&program, (FIRST.0, SECOND.1));
    fs::write(program.folder().join("empty.pem"), "nothing").unwrap();
    let path = |name: &str| program.folder().join(name).to_str().unwrap().to_owned();
    for (certificate, key, said) in [
        ("server.pem", "server.key", "does not fit the certificate"),
        ("missing.pem", "server.key", "missing.pem"),
        ("server.pem", "missing.key", "missing.key"),
        ("empty.pem", "server.key", "has no certificate"),
        ("server.pem", "empty.pem", "has no private key"),
        ("server.pem", "", "`tls.key` is not"),
        ("", "server.key", "`tls.certificate` is not"),
    ] {
        let file = |name: &str| if name.is_empty() { String::new() } else { path(name) };
        let mut command = program.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("DWELL_TLS_CERTIFICATE", file(certificate)).env("DWELL_TLS_KEY", file(key));
        let ended = command.output().await.unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code() == Some(1) && stderr.contains(said), "{certificate} {key}: {stderr}");
        assert!(!Path::new(&path("address")).exists());
    }
}
