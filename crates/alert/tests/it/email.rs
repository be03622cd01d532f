//! E-mail, with a mail server that speaks the protocol.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ports::{AlertChannel, DeliveryFailure};
use protocol::AlertKind;

use crate::{
    alert, channel, owner,
    smtp_server::{CERTIFICATE, Encryption, Fault, SmtpServer},
};

fn mail(server: &SmtpServer, more: &str) -> Arc<dyn AlertChannel> {
    channel(&format!(
        "[[alerts.channels]]\nkind = \"email\"\nhost = \"localhost\"\nport = {}\nfrom = \"Dwell <dwell@example.org>\"\n\
         to = [\"Ada <ada@example.org>\", \"bob@example.org\"]\ntimeout_ms = 2000\n{more}",
        server.port
    ))
}

async fn deliver(channel: &Arc<dyn AlertChannel>) -> Result<(), DeliveryFailure> {
    channel.deliver(&owner(), &alert(AlertKind::Reminder)).await
}

fn header<'a>(mail: &'a str, name: &str) -> &'a str {
    let line = mail.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {name}: {mail}")).trim()
}

#[tokio::test]
async fn a_mail_arrives_with_an_id_that_is_the_alerts() {
    let server = SmtpServer::start(Encryption::Never).await;
    let mail = mail(&server, "security = \"none\"");
    assert!(!mail.is_idempotent());
    deliver(&mail).await.unwrap();
    deliver(&mail).await.unwrap();
    let [first, second]: [String; 2] = server.mails().try_into().unwrap();
    assert_eq!(first, second, "an attempt is like the one before");
    assert_eq!(header(&first, "Message-ID"), format!("<{}@example.org>", alert(AlertKind::Timer).alert_id));
    assert_eq!(header(&first, "Auto-Submitted"), "auto-generated");
    assert!(header(&first, "From").contains("dwell@example.org") && header(&first, "To").contains("ada@example.org"));
    assert!(header(&first, "Subject").contains("=?utf-8?") || header(&first, "Subject").contains("pizza"), "{first}");
    let body = first.split_once("\r\n\r\n").unwrap().1;
    let body = match header(&first, "Content-Transfer-Encoding") {
        "base64" => String::from_utf8(STANDARD.decode(body.replace("\r\n", "")).unwrap()).unwrap(),
        "quoted-printable" => body.replace("=\r\n", "").replace("=C3=A4", "ä"),
        _ => body.to_owned(),
    };
    // The line with a single dot would end a mail that is not escaped.
    assert_eq!(body.replace("\r\n", "\n").trim_end(), alert(AlertKind::Timer).text);
    let commands: Vec<String> = server.commands().into_iter().map(|(_, command)| command).collect();
    assert!(commands.contains(&"RCPT TO:<bob@example.org>".to_owned()), "{commands:?}");
    assert_eq!(commands.last().unwrap(), "QUIT");
}

#[tokio::test]
async fn a_password_is_sent_only_after_the_connection_is_encrypted() {
    let login = format!("user = \"ada\"\npassword = \"env:MAIL\"\nca_file = \"{CERTIFICATE}\"\n");
    for (encryption, security) in [(Encryption::OnRequest, "starttls"), (Encryption::FromTheStart, "tls")] {
        let server = SmtpServer::start(encryption).await;
        deliver(&mail(&server, &format!("{login}security = \"{security}\""))).await.unwrap();
        assert_eq!(server.mails().len(), 1, "{security}");
        let (is_encrypted, auth) =
            server.commands().into_iter().find(|(_, command)| command.starts_with("AUTH")).unwrap();
        let secret = STANDARD.decode(auth.strip_prefix("AUTH PLAIN ").unwrap()).unwrap();
        assert!(is_encrypted && secret == b"\0ada\0value-of-MAIL", "{security}: {auth}");
    }

    // A server, or one between, that does not offer STARTTLS gets nothing.
    let server = SmtpServer::start(Encryption::Never).await;
    let failure = deliver(&mail(&server, &format!("{login}security = \"starttls\""))).await.unwrap_err();
    assert!(matches!(failure, DeliveryFailure::Refused { .. }), "{failure:?}");
    assert!(server.commands().iter().all(|(_, command)| command.starts_with("EHLO") || command == "QUIT"));

    // Nor does one whose certificate is not trusted.
    let server = SmtpServer::start(Encryption::FromTheStart).await;
    let failure = deliver(&mail(&server, "user = \"ada\"\npassword = \"x\"")).await.unwrap_err();
    assert!(matches!(failure, DeliveryFailure::Later { .. }), "{failure:?}");
    assert!(server.commands().is_empty(), "{:?}", server.commands());
}

#[tokio::test]
async fn before_the_end_of_a_mail_nothing_has_arrived_and_after_it_that_is_unknown() {
    let server = SmtpServer::start(Encryption::Never).await;
    let mail = mail(&server, "security = \"none\"\nuser = \"ada\"\npassword = \"x\"");
    let check = async |at: &'static str, fault: Fault, expected: &str| {
        server.heal();
        server.fault(at, fault);
        let failure = deliver(&mail).await.unwrap_err();
        let found = match &failure {
            DeliveryFailure::Later { .. } => "later",
            DeliveryFailure::Unknown { .. } => "unknown",
            DeliveryFailure::Refused { .. } => "refused",
        };
        assert_eq!(found, expected, "{at}: {failure}");
        assert!(failure.to_string().contains("localhost"), "{failure}");
    };
    check("EHLO", Fault::Reply("421 closing"), "later").await;
    check("AUTH", Fault::Reply("535 wrong password"), "refused").await;
    check("AUTH", Fault::Reply("454 not now"), "later").await;
    check("MAIL", Fault::Reply("452 full"), "later").await;
    check("MAIL", Fault::Close, "later").await;
    check("RCPT", Fault::Reply("550 unknown"), "refused").await;
    check("RCPT", Fault::Reply("450 greylisted"), "later").await;
    check("DATA", Fault::Silence, "later").await;
    check("DATA", Fault::Close, "later").await;
    check(".", Fault::Reply("451 try again"), "later").await;
    check(".", Fault::Reply("554 spam"), "refused").await;
    check(".", Fault::Close, "unknown").await;
    check(".", Fault::Silence, "unknown").await;

    // One receiver of two is refused: the other gets the mail.
    server.heal();
    server.fault("RCPT TO:<ada@example.org>", Fault::Reply("550 unknown"));
    deliver(&mail).await.unwrap();
}
