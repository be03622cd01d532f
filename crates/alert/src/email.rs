//! E-mail by SMTP. Mail servers do not recognise repetitions, so the steps of a delivery are kept
//! apart: until the last one, nothing has arrived; after it, that is unknown until the server
//! answers.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use lettre::{
    Address, Message,
    address::Envelope,
    message::{
        Mailbox,
        header::{ContentType, Header, HeaderName, HeaderValue},
    },
    transport::smtp::{
        Error as SmtpError,
        authentication::{Credentials, Mechanism},
        client::{AsyncSmtpConnection, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
    },
};
use ports::DeliveryFailure;
use protocol::{Alert, OwnerId};
use secrecy::{ExposeSecret, SecretString};

use crate::{
    declaration::SmtpSecurity,
    delivery::{Delivery, later, refused},
    text::title,
};

/// How long the farewell may take, of which nothing depends.
const QUIT_MAX: Duration = Duration::from_secs(2);
/// Enough for every server; mechanisms that send more than that are not needed over TLS.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// Sends alerts as e-mails.
pub(crate) struct EmailDelivery {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) security: SmtpSecurity,
    /// Set unless `security` is none.
    pub(crate) tls: Option<TlsParameters>,
    pub(crate) login: Option<(SecretString, SecretString)>,
    pub(crate) from: Mailbox,
    pub(crate) to: Vec<Mailbox>,
    pub(crate) timeout: Duration,
}

/// `Auto-Submitted` (RFC 3834), so that no absence note answers.
#[derive(Debug, Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[async_trait]
impl Delivery for EmailDelivery {
    fn is_idempotent(&self) -> bool {
        false
    }

    async fn deliver(&self, _: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        let message = self.message(alert).map_err(|error| refused(format!("the mail cannot be written: {error}")))?;
        let (envelope, bytes) = (message.envelope().clone(), message.formatted());
        let mut connection = self.within("connect", self.open()).await?;
        self.within("announce the mail", self.announce(&mut connection, &envelope, &bytes)).await?;
        // From here on the server may have taken the mail, whatever is heard of it.
        let unknown =
            |why: &str| DeliveryFailure::Unknown { message: format!("{} did not confirm the mail: {why}", self.host) };
        match tokio::time::timeout(self.timeout, connection.message(&bytes)).await {
            Ok(Ok(_)) => {
                let _ = tokio::time::timeout(QUIT_MAX, connection.quit()).await;
                Ok(())
            }
            Ok(Err(error)) if error.status().is_some() => Err(self.failure("send the mail", &error)),
            Ok(Err(error)) => Err(unknown(&error.to_string())),
            Err(_) => Err(unknown("it did not answer in time")),
        }
    }
}

impl EmailDelivery {
    /// The mail. It is the same at each attempt: its id and its date are the alert's.
    fn message(&self, alert: &Alert) -> Result<Message, lettre::error::Error> {
        let millis = u64::try_from(alert.at.as_millis()).unwrap_or(0);
        let id = format!("<{}@{}>", alert.alert_id, self.from.email.domain());
        let mut message = Message::builder()
            .from(self.from.clone())
            .subject(title(alert))
            .date(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
            .message_id(Some(id))
            .header(AutoSubmitted)
            .header(ContentType::TEXT_PLAIN);
        for to in &self.to {
            message = message.to(to.clone());
        }
        let text = if alert.text.trim().is_empty() { title(alert) } else { alert.text.clone() };
        message.body(text)
    }

    /// Connects, encrypts and signs in.
    async fn open(&self) -> Result<AsyncSmtpConnection, SmtpError> {
        let hello = ClientId::Domain(self.from.email.domain().to_owned());
        let implicit = self.tls.clone().filter(|_| self.security == SmtpSecurity::Tls);
        let server = (self.host.as_str(), self.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, Some(self.timeout), &hello, implicit, None).await?;
        if let (SmtpSecurity::Starttls, Some(tls)) = (self.security, self.tls.clone()) {
            // It fails if the server does not offer it: nothing is sent in the clear.
            connection.starttls(tls, &hello).await?;
        }
        if let Some((user, password)) = &self.login {
            let login = Credentials::new(user.expose_secret().to_owned(), password.expose_secret().to_owned());
            connection.auth(&MECHANISMS, &login).await?;
        }
        Ok(connection)
    }

    /// Names sender and receivers. Receivers that the server does not know are left out, unless it
    /// knows none.
    async fn announce(
        &self,
        connection: &mut AsyncSmtpConnection,
        envelope: &Envelope,
        bytes: &[u8],
    ) -> Result<(), SmtpError> {
        let mut parameters = Vec::new();
        let has = |connection: &AsyncSmtpConnection, what| connection.server_info().supports_feature(what);
        if !bytes.is_ascii() && has(connection, Extension::EightBitMime) {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
        if !envelope.from().into_iter().chain(envelope.to()).all(is_ascii) && has(connection, Extension::SmtpUtfEight) {
            parameters.push(MailParameter::SmtpUtfEight);
        }
        connection.command(Mail::new(envelope.from().cloned(), parameters)).await?;
        let (mut taken, mut problem) = (0, None);
        for address in envelope.to() {
            match connection.command(Rcpt::new(Address::clone(address), Vec::new())).await {
                Ok(_) => taken += 1,
                Err(error) if error.status().is_some() => problem = Some(error),
                Err(error) => return Err(error),
            }
        }
        match problem {
            Some(error) if taken == 0 => return Err(error),
            Some(error) => {
                tracing::warn!(host = self.host, %error, taken, of = envelope.to().len(), "a receiver of e-mail is refused");
            }
            None => {}
        }
        connection.command(Data).await.map(drop)
    }

    /// Runs a step after whose failure nothing has arrived.
    async fn within<T>(
        &self,
        step: &str,
        work: impl Future<Output = Result<T, SmtpError>>,
    ) -> Result<T, DeliveryFailure> {
        match tokio::time::timeout(self.timeout, work).await {
            Ok(done) => done.map_err(|error| self.failure(step, &error)),
            Err(_) => Err(later(format!("failed to {step}: {} did not answer in time", self.host), None)),
        }
    }

    fn failure(&self, step: &str, error: &SmtpError) -> DeliveryFailure {
        let message = format!("failed to {step}: {}: {error}", self.host);
        // A client's error is one of the settings: no STARTTLS, no way to sign in.
        if error.is_permanent() || error.is_client() { refused(message) } else { later(message, None) }
    }
}
