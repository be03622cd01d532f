//! Channels as the configuration file declares them. Unknown fields are refused; `load` checks the
//! values.

use std::collections::BTreeMap;

use protocol::{AlertKind, OwnerId};
use secret::{ConfigSecret, ServiceUrl};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// A channel: what all channels have, and what its kind has.
#[derive(Debug, Clone, Serialize)]
pub struct ChannelDeclaration {
    /// What all channels have.
    #[serde(flatten)]
    pub commons: Commons,
    /// What its kind has.
    #[serde(flatten)]
    pub kind: ChannelKind,
}

/// The settings that all channels have.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Commons {
    /// Its name, in the journal and in messages; its kind if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kinds of alerts that it takes; all but `schedule_fired` and `turn_ended` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<AlertKind>>,
    /// The owners whose alerts it takes; all if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owners: Option<Vec<OwnerId>>,
    /// When it is used.
    pub when: UsedWhen,
    /// The hours in which it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietDeclaration>,
}

/// When a channel is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsedWhen {
    /// While no page or terminal of the owner shows the alert.
    #[default]
    Away,
    /// For every alert.
    Always,
}

/// The hours in which a channel waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuietDeclaration {
    /// When they begin, as `22:00`.
    pub from: String,
    /// When they end, as `07:00`.
    pub to: String,
    /// The time zone, as `Europe/Berlin`.
    pub zone: String,
    /// Whether reminders and timers wait, too. They ring at the time that their owner chose, so
    /// that they are let through otherwise.
    #[serde(default)]
    pub all: bool,
}

/// What a channel is, with the settings of that kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChannelKind {
    /// A signed request to an address.
    Webhook(WebhookDeclaration),
    /// A message to a topic of ntfy.
    Ntfy(NtfyDeclaration),
    /// An e-mail by SMTP.
    Email(EmailDeclaration),
    /// A notification of a browser.
    WebPush(WebPushDeclaration),
    /// A service of the home.
    Home(HomeDeclaration),
}

impl ChannelKind {
    /// As the configuration writes it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Webhook(_) => "webhook",
            Self::Ntfy(_) => "ntfy",
            Self::Email(_) => "email",
            Self::WebPush(_) => "web_push",
            Self::Home(_) => "home",
        }
    }
}

/// A webhook.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookDeclaration {
    /// The address.
    pub url: ServiceUrl,
    /// `whsec_…`, which the receiver knows, too.
    pub secret: ConfigSecret,
    /// Further headers.
    #[serde(default)]
    pub headers: BTreeMap<String, ConfigSecret>,
    /// How long a request may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// A topic of ntfy.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NtfyDeclaration {
    /// The server, as `https://ntfy.sh`.
    pub server: ServiceUrl,
    /// The topic. Those who know it can read it, so it is hidden like a password.
    pub topic: ConfigSecret,
    /// The access token, for a topic that is protected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<ConfigSecret>,
    /// The address that a tap on the notification opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub click: Option<ServiceUrl>,
    /// How long a request may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// E-mail.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmailDeclaration {
    /// The server that accepts mail.
    pub host: String,
    /// Its port; by default that of `security`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// How the connection is encrypted.
    #[serde(default)]
    pub security: SmtpSecurity,
    /// The user at the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<ConfigSecret>,
    /// The user's password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<ConfigSecret>,
    /// The sender, as `Dwell <dwell@example.org>`.
    pub from: String,
    /// The receivers.
    pub to: Vec<String>,
    /// A file with certificates (PEM) that are trusted beside the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// How long each of connecting, announcing and sending may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// How the connection to the mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmtpSecurity {
    /// From the start; port 465.
    #[default]
    Tls,
    /// After the command STARTTLS, without which nothing is sent; port 587.
    Starttls,
    /// Not at all; port 25.
    None,
}

/// Web Push.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebPushDeclaration {
    /// The private VAPID key: 32 bytes in Base64url.
    pub key: ConfigSecret,
    /// How the push service reaches the operator: `mailto:…` or `https://…`.
    pub contact: String,
    /// Whether push services at private addresses are allowed. Browsers name the address of their
    /// push service, so the operator does not choose it.
    #[serde(default)]
    pub allow_private: bool,
    /// How long a request may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// A service of the home.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomeDeclaration {
    /// As `notify.mobile_app_phone`; `persistent_notification.create` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The entities, for `notify.send_message`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
}

/// The fields of [`Commons`].
const COMMONS: [&str; 5] = ["name", "kinds", "owners", "when", "quiet"];

impl<'de> Deserialize<'de> for ChannelDeclaration {
    /// The fields are sorted into their two structs, since serde cannot refuse unknown fields of a
    /// flattened one.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = toml::Table::deserialize(deserializer)?;
        let named = ["name", "kind"].iter().find_map(|key| fields.get(*key)?.as_str()).unwrap_or("without a name");
        let named = named.to_owned();
        let wrong = |error: toml::de::Error| {
            let problem = error.message().trim().to_owned();
            D::Error::custom(format!("the channel `{named}` of `alerts.channels`: {problem}"))
        };
        let (commons, kind): (toml::Table, toml::Table) =
            fields.into_iter().partition(|(key, _)| COMMONS.contains(&key.as_str()));
        Ok(Self { commons: commons.try_into().map_err(wrong)?, kind: kind.try_into().map_err(wrong)? })
    }
}
