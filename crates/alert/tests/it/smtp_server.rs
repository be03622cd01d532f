//! A small mail server: it speaks SMTP over TCP, with STARTTLS or TLS, and records what it takes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

/// Where its certificate is, which is valid for `localhost`.
pub(crate) const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/certificate.pem");
const CERTIFICATE_PEM: &[u8] = include_bytes!("tls/certificate.pem");
const KEY_PEM: &[u8] = include_bytes!("tls/key.pem");

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// When a connection is encrypted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encryption {
    Never,
    OnRequest,
    FromTheStart,
}

/// What the server does instead of its reply.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    /// It replies this.
    Reply(&'static str),
    /// It closes the connection.
    Close,
    /// It never replies.
    Silence,
}

#[derive(Default)]
struct Records {
    /// Every command, with whether it came encrypted. The text of a mail is one command.
    commands: Vec<(bool, String)>,
    /// By the beginning of a command; `.` is the end of a mail.
    faults: HashMap<&'static str, Fault>,
}

/// The server.
#[derive(Clone)]
pub(crate) struct SmtpServer {
    pub(crate) port: u16,
    encryption: Encryption,
    records: Arc<Mutex<Records>>,
}

impl SmtpServer {
    pub(crate) async fn start(encryption: Encryption) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Self { port, encryption, records: Arc::default() };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(Box::new(stream)));
            }
        });
        server
    }

    pub(crate) fn fault(&self, at: &'static str, fault: Fault) {
        self.records.lock().unwrap().faults.insert(at, fault);
    }

    pub(crate) fn heal(&self) {
        self.records.lock().unwrap().faults.clear();
    }

    /// All commands so far, with whether each came encrypted.
    pub(crate) fn commands(&self) -> Vec<(bool, String)> {
        self.records.lock().unwrap().commands.clone()
    }

    /// The mails that it has taken.
    pub(crate) fn mails(&self) -> Vec<String> {
        let is_mail = |command: &String| command.contains("\r\n");
        self.commands().into_iter().map(|(_, command)| command).filter(is_mail).collect()
    }

    async fn serve(self, stream: Box<dyn Stream>) {
        if self.encryption == Encryption::FromTheStart {
            if let Ok(stream) = acceptor().accept(stream).await {
                self.talk(Box::new(stream), true, true).await;
            }
            return;
        }
        let Some(stream) = self.talk(stream, false, true).await else { return };
        if let Ok(stream) = acceptor().accept(stream).await {
            self.talk(Box::new(stream), true, false).await;
        }
    }

    /// Talks until the client leaves, or until it asks for STARTTLS.
    async fn talk(&self, stream: Box<dyn Stream>, is_encrypted: bool, greets: bool) -> Option<Box<dyn Stream>> {
        let mut stream = BufReader::new(stream);
        if greets {
            stream.write_all(b"220 mail.test ESMTP\r\n").await.ok()?;
        }
        loop {
            let command = read_line(&mut stream).await?;
            let word = command.split_whitespace().next().unwrap_or_default().to_uppercase();
            let reply = match word.as_str() {
                "EHLO" if self.encryption == Encryption::OnRequest && !is_encrypted => {
                    "250-mail.test\r\n250-STARTTLS\r\n250 8BITMIME"
                }
                "EHLO" => "250-mail.test\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME",
                "AUTH" => "235 welcome",
                "STARTTLS" => "220 go ahead",
                "DATA" => "354 go ahead",
                "QUIT" => "221 bye",
                _ => "250 ok",
            };
            self.records.lock().unwrap().commands.push((is_encrypted, command.clone()));
            if !self.reply(&mut stream, &command, reply).await? {
                continue;
            }
            match word.as_str() {
                "STARTTLS" => return Some(stream.into_inner()),
                "DATA" => {
                    let mut mail = String::new();
                    loop {
                        let line = read_line(&mut stream).await?;
                        if line == "." {
                            break;
                        }
                        mail.push_str(line.strip_prefix('.').unwrap_or(&line));
                        mail.push_str("\r\n");
                    }
                    self.records.lock().unwrap().commands.push((is_encrypted, mail));
                    self.reply(&mut stream, ".", "250 taken").await?;
                }
                _ => {}
            }
        }
    }

    /// Replies, or does what a test wants instead; whether it replied that all is well.
    async fn reply(&self, stream: &mut BufReader<Box<dyn Stream>>, command: &str, reply: &str) -> Option<bool> {
        let fault = {
            let records = self.records.lock().unwrap();
            records.faults.iter().find(|(at, _)| command.starts_with(**at)).map(|(_, fault)| *fault)
        };
        match fault {
            None => stream.write_all(format!("{reply}\r\n").as_bytes()).await.ok().map(|()| true),
            Some(Fault::Reply(text)) => stream.write_all(format!("{text}\r\n").as_bytes()).await.ok().map(|()| false),
            Some(Fault::Close) => None,
            Some(Fault::Silence) => {
                // Until the client gives up.
                let _ = stream.fill_buf().await;
                None
            }
        }
    }
}

async fn read_line(stream: &mut BufReader<Box<dyn Stream>>) -> Option<String> {
    let mut line = String::new();
    match stream.read_line(&mut line).await {
        Ok(read) if read > 0 => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
        _ => None,
    }
}

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE_PEM).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY_PEM).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}
