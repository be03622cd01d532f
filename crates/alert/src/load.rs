//! Checks the declared channels and makes them.

use std::{collections::BTreeSet, sync::Arc};

use lettre::{
    message::Mailbox,
    transport::smtp::client::{Certificate, TlsParameters},
};
use ports::AlertChannel;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use secret::ConfigSecret;

use crate::{
    channel::{Channel, ChannelRules},
    declaration::{
        ChannelDeclaration, ChannelKind, EmailDeclaration, HomeDeclaration, NtfyDeclaration, SmtpSecurity,
        WebPushDeclaration, WebhookDeclaration,
    },
    delivery::ClockFn,
    email::EmailDelivery,
    http,
    ntfy::NtfyDelivery,
    web_push::{PushSubscriptions, WebPushDelivery},
    webhook::{self, WebhookDelivery},
};

/// How many channels there may be.
const CHANNELS_MAX: usize = 32;
/// How many characters a name may have.
const NAME_CHARS_MAX: usize = 32;
/// What stands before the name of an environment variable.
const VARIABLE: &str = "env:";

/// What is wrong with a channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the channel `{channel}` of `alerts.channels`: `{field}` {problem}")]
pub struct SettingError {
    /// The name of the channel, or its kind.
    pub channel: String,
    /// The field.
    pub field: String,
    /// What is wrong, as in "must be …".
    pub problem: String,
}

/// A service of the home, as it is declared: `notify.mobile_app_phone`, with its entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeChannel {
    /// The service, if one is named.
    pub service: Option<String>,
    /// The entities that it is called with.
    pub entities: Vec<String>,
}

/// Makes a channel of a service of the home, or says what is wrong, as in "must be …".
pub type HomeFn<'a> = &'a dyn Fn(HomeChannel) -> Result<Arc<dyn AlertChannel>, (&'static str, String)>;

/// What channels need of the rest of the program.
pub struct LoadParts<'a> {
    /// The clock.
    pub clock: ClockFn,
    /// Resolves a variable of the environment by name.
    pub variable: &'a dyn Fn(&str) -> Option<SecretString>,
    /// Makes a channel of a service of the home.
    pub home: HomeFn<'a>,
    /// The browsers that owners have subscribed.
    pub subscriptions: Arc<dyn PushSubscriptions>,
}

/// The channels, with the secrets to redact.
pub struct LoadedChannels {
    /// The channels, in the order of the file.
    pub channels: Vec<Arc<dyn AlertChannel>>,
    /// What a page needs to subscribe its browser, if there is a channel for that.
    pub web_push: Option<WebPushAccess>,
    /// Passwords, tokens and keys.
    pub secrets: Vec<SecretString>,
}

/// What a page needs to subscribe its browser.
#[derive(Clone)]
pub struct WebPushAccess {
    /// The public key in Base64url, which is the page's `applicationServerKey`.
    pub public_key: String,
    /// Where its subscription is kept.
    pub subscriptions: Arc<dyn PushSubscriptions>,
}

/// A field and what is wrong with it.
type Problem = (&'static str, String);

/// Checks the declarations and makes the channels.
pub fn load(declared: &[ChannelDeclaration], parts: &LoadParts<'_>) -> Result<LoadedChannels, SettingError> {
    let mut loaded = LoadedChannels { channels: Vec::new(), web_push: None, secrets: Vec::new() };
    let mut names = BTreeSet::new();
    for channel in declared {
        let name = channel.commons.name.as_deref().unwrap_or(channel.kind.word());
        let wrong =
            |(field, problem): Problem| SettingError { channel: name.to_owned(), field: field.to_owned(), problem };
        check_name(name).map_err(wrong)?;
        if !names.insert(name.to_owned()) {
            return Err(wrong(("name", "is taken by another channel; give each a `name` of its own".to_owned())));
        }
        if names.len() > CHANNELS_MAX {
            return Err(wrong(("name", format!("is one too many: there may be {CHANNELS_MAX} channels"))));
        }
        let rules = ChannelRules::new(&channel.commons).map_err(wrong)?;
        let mut resolver = SecretResolver { variable: parts.variable, secrets: &mut loaded.secrets };
        let made = match &channel.kind {
            ChannelKind::Webhook(declared) => {
                webhook(declared, parts, &mut resolver).map(|delivery| Channel::new(name, rules, delivery))
            }
            ChannelKind::Ntfy(declared) => {
                ntfy(declared, parts, &mut resolver).map(|delivery| Channel::new(name, rules, delivery))
            }
            ChannelKind::Email(declared) => {
                email(declared, &mut resolver).map(|delivery| Channel::new(name, rules, delivery))
            }
            ChannelKind::WebPush(_) if loaded.web_push.is_some() => {
                // A browser's subscription belongs to one key.
                Err(("kind", "is used by another channel; there may be one channel of Web Push".to_owned()))
            }
            ChannelKind::WebPush(declared) => web_push(declared, parts, &mut resolver).map(|delivery| {
                let (public_key, subscriptions) = (delivery.key.public().to_owned(), parts.subscriptions.clone());
                loaded.web_push = Some(WebPushAccess { public_key, subscriptions });
                Channel::new(name, rules, delivery)
            }),
            ChannelKind::Home(declared) => home(declared, parts).map(|inner| Channel::around(name, rules, inner)),
        };
        loaded.channels.push(Arc::new(made.map_err(wrong)?));
    }
    Ok(loaded)
}

fn check_name(name: &str) -> Result<(), Problem> {
    let mut chars = name.chars();
    let is_name = chars.next().is_some_and(|first| first.is_ascii_lowercase())
        && chars.all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
        && name.len() <= NAME_CHARS_MAX;
    let problem = "must be a lower-case letter, then up to 31 lower-case letters, digits and `_`";
    is_name.then_some(()).ok_or_else(|| ("name", problem.to_owned()))
}

/// Resolves secrets and remembers them.
struct SecretResolver<'a> {
    variable: &'a dyn Fn(&str) -> Option<SecretString>,
    secrets: &'a mut Vec<SecretString>,
}

impl SecretResolver<'_> {
    /// A secret, which is redacted from now on.
    fn resolve(&mut self, field: &'static str, written: &ConfigSecret) -> Result<SecretString, Problem> {
        let secret = self.read(field, written)?;
        self.secrets.push(secret.clone());
        Ok(secret)
    }

    /// The text as it is written, or that of the variable which `env:NAME` names.
    fn read(&self, field: &'static str, written: &ConfigSecret) -> Result<SecretString, Problem> {
        let secret = match written.expose_secret().strip_prefix(VARIABLE) {
            Some(name) => (self.variable)(name)
                .ok_or_else(|| (field, format!("names the environment variable `{name}`, which is not set")))?,
            None => written.secret(),
        };
        if secret.expose_secret().trim().is_empty() {
            return Err((field, "must not be empty".to_owned()));
        }
        Ok(secret)
    }
}

fn webhook(
    declared: &WebhookDeclaration,
    parts: &LoadParts<'_>,
    resolver: &mut SecretResolver<'_>,
) -> Result<WebhookDelivery, Problem> {
    let secret = resolver.resolve("secret", &declared.secret)?;
    let secret = secret.expose_secret().parse();
    let headers = declared.headers.iter().map(|(name, value)| Ok((name.as_str(), resolver.resolve("headers", value)?)));
    let headers: Vec<_> = headers.collect::<Result<_, Problem>>()?;
    Ok(WebhookDelivery {
        url: http::address("url", &declared.url)?,
        secret: secret.map_err(|error: secret::BadWebhookSecret| ("secret", error.to_string()))?,
        headers: webhook::headers(headers.into_iter())?,
        client: http::client(http::timeout(declared.timeout_ms)?)?,
        clock: parts.clock.clone(),
    })
}

fn ntfy(
    declared: &NtfyDeclaration,
    parts: &LoadParts<'_>,
    resolver: &mut SecretResolver<'_>,
) -> Result<NtfyDelivery, Problem> {
    let mut url = http::address("server", &declared.server)?;
    let topic = resolver.resolve("topic", &declared.topic)?;
    let topic = topic.expose_secret();
    let is_topic = (1..=64).contains(&topic.len())
        && topic.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if !is_topic {
        return Err(("topic", "must be 1 to 64 letters, digits, `-` and `_`".to_owned()));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(("server", "must be the address of the server alone, without `?` and `#`".to_owned()));
    }
    url.set_path(&format!("{}/{topic}", url.path().trim_end_matches('/')));
    let authorization = declared.token.as_ref().map(|token| {
        let token = resolver.resolve("token", token)?;
        let mut header = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret().trim()))
            .map_err(|_| ("token", "is not valid in a header".to_owned()))?;
        header.set_sensitive(true);
        Ok(header)
    });
    Ok(NtfyDelivery {
        url,
        authorization: authorization.transpose()?,
        click: declared.click.as_ref().map(|click| http::address("click", click)).transpose()?,
        client: http::client(http::timeout(declared.timeout_ms)?)?,
        clock: parts.clock.clone(),
        knows_sequences: false.into(),
    })
}

fn email(declared: &EmailDeclaration, resolver: &mut SecretResolver<'_>) -> Result<EmailDelivery, Problem> {
    let host = declared.host.trim();
    if host.is_empty() || host.contains(['/', ':', '@', ' ']) {
        return Err(("host", "must be the name of the mail server alone, as `smtp.example.org`".to_owned()));
    }
    let security = declared.security;
    let login = match (&declared.user, &declared.password) {
        (Some(user), Some(password)) => {
            // A name such as `ada` occurs in many texts that are not secret.
            Some((resolver.read("user", user)?, resolver.resolve("password", password)?))
        }
        (None, None) => None,
        (Some(_), None) => return Err(("password", "is needed beside `user`".to_owned())),
        (None, Some(_)) => return Err(("user", "is needed beside `password`".to_owned())),
    };
    if login.is_some() && security == SmtpSecurity::None && !is_this_machine(host) {
        let problem = "must be `tls` or `starttls`: a password is not sent in the clear";
        return Err(("security", problem.to_owned()));
    }
    let mailbox = |field: &'static str, text: &str| {
        let problem = |_| (field, format!("must be an address as `Ada <ada@example.org>`, not `{text}`"));
        text.parse::<Mailbox>().map_err(problem)
    };
    let to: Vec<Mailbox> = declared.to.iter().map(|text| mailbox("to", text)).collect::<Result<_, _>>()?;
    if to.is_empty() {
        return Err(("to", "must name a receiver".to_owned()));
    }
    Ok(EmailDelivery {
        host: host.to_owned(),
        port: declared.port.unwrap_or(match security {
            SmtpSecurity::Tls => 465,
            SmtpSecurity::Starttls => 587,
            SmtpSecurity::None => 25,
        }),
        security,
        tls: (security != SmtpSecurity::None).then(|| tls(host, declared.ca_file.as_deref())).transpose()?,
        login,
        from: mailbox("from", &declared.from)?,
        to,
        timeout: http::timeout(declared.timeout_ms)?,
    })
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

fn tls(host: &str, ca_file: Option<&str>) -> Result<TlsParameters, Problem> {
    let mut tls = TlsParameters::builder(host.to_owned());
    if let Some(path) = ca_file {
        let bad = |problem: String| ("ca_file", format!("`{path}` cannot be used: {problem}"));
        let pem = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
        let certificate = Certificate::from_pem(&pem).map_err(|error| bad(error.to_string()))?;
        tls = tls.add_root_certificate(certificate);
    }
    tls.build().map_err(|error| ("security", format!("cannot be set up: {error}")))
}

fn web_push(
    declared: &WebPushDeclaration,
    parts: &LoadParts<'_>,
    resolver: &mut SecretResolver<'_>,
) -> Result<WebPushDelivery, Problem> {
    let key = resolver.resolve("key", &declared.key)?;
    let contact = declared.contact.trim();
    if !["mailto:", "https://"].iter().any(|scheme| contact.starts_with(scheme) && contact.len() > scheme.len()) {
        return Err(("contact", "must be `mailto:` with an address, or an address with `https://`".to_owned()));
    }
    Ok(WebPushDelivery {
        key: key.expose_secret().parse().map_err(|error: crate::web_push::BadVapidKey| ("key", error.to_string()))?,
        contact: contact.to_owned(),
        subscriptions: parts.subscriptions.clone(),
        allow_private: declared.allow_private,
        timeout: http::timeout(declared.timeout_ms)?,
        clock: parts.clock.clone(),
    })
}

fn home(declared: &HomeDeclaration, parts: &LoadParts<'_>) -> Result<Arc<dyn AlertChannel>, Problem> {
    (parts.home)(HomeChannel { service: declared.service.clone(), entities: declared.entities.clone() })
}
