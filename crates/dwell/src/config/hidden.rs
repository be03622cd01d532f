//! Redaction of secrets in shown settings. The typed tree serialises a secret as [`HIDDEN`] and an
//! address without its credentials. Comparing that with the settings as given finds every secret.

use std::collections::BTreeMap;

use secrecy::SecretString;
use secret::HIDDEN;
use toml::Value;

use super::{layers::ValueSource, tree::Config};

/// The settings whose secrets may be names of environment variables, which the crates `external`
/// and `alert` resolve.
const RESOLVED_LATER: [&str; 2] = ["mcp.servers", "alerts.channels"];

/// Replaces all secrets, and returns them.
pub(super) fn hide(
    values: &mut BTreeMap<String, (Value, ValueSource)>,
    config: &Config,
) -> Result<Vec<SecretString>, String> {
    let written = Value::try_from(config).map_err(|error| format!("the settings cannot be shown: {error}"))?;
    let mut secrets = Vec::new();
    for (key, (value, _)) in values {
        let shown = key.split_once('.').and_then(|(section, name)| written.get(section)?.get(name));
        let mut found = Vec::new();
        replace(value, shown, &mut found);
        if !RESOLVED_LATER.contains(&key.as_str()) {
            secrets.append(&mut found);
        }
    }
    Ok(secrets)
}

/// Replaces a value by what the typed tree shows of it. Values that the tree does not know are
/// hidden.
fn replace(value: &mut Value, shown: Option<&Value>, secrets: &mut Vec<SecretString>) {
    match (value, shown) {
        (Value::Table(fields), Some(Value::Table(shown))) => {
            fields.iter_mut().for_each(|(name, value)| replace(value, shown.get(name), secrets));
        }
        (Value::Array(items), Some(Value::Array(shown))) => {
            items.iter_mut().enumerate().for_each(|(at, value)| replace(value, shown.get(at), secrets));
        }
        // An empty value shows that the setting is not set.
        (Value::String(text), _) if text.is_empty() => {}
        (Value::String(text), Some(Value::String(shown))) => {
            let given = std::mem::replace(text, shown.clone());
            if shown == HIDDEN && given != HIDDEN {
                secrets.push(given.into());
            }
        }
        (_, Some(Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_))) => {}
        (value, _) => *value = Value::String(HIDDEN.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use secrecy::ExposeSecret;

    use super::{
        super::{DEFAULTS, layers::ConfigLayers},
        *,
    };

    /// The keys of all settings whose type is that of a secret.
    fn confidential() -> Vec<String> {
        let config: Config = ConfigLayers::new(DEFAULTS).unwrap().read().unwrap();
        let written = Value::try_from(&config).unwrap();
        let sections = written.as_table().unwrap().iter();
        let fields = sections.flat_map(|(section, fields)| {
            fields.as_table().unwrap().iter().map(move |(name, value)| (format!("{section}.{name}"), value))
        });
        fields.filter(|(_, value)| value.as_str() == Some(HIDDEN)).map(|(key, _)| key).collect()
    }

    fn loaded(mut layers: ConfigLayers) -> (String, BTreeSet<String>) {
        // As the program does by default.
        layers.set_text("data.dir", "/data", ValueSource::Default).unwrap();
        let config: Config = layers.read().unwrap();
        let mut values = layers.values();
        let secrets = hide(&mut values, &config).unwrap();
        let secrets = secrets.iter().map(|secret| secret.expose_secret().to_owned()).collect();
        (format!("{values:?}"), secrets)
    }

    #[test]
    fn every_field_of_a_secrets_type_is_hidden_and_redacted() {
        let keys = confidential();
        let known = ["server.token", "openai.api_key", "home.token", "research.brave_api_key"];
        assert!(keys.len() >= 8 && known.iter().all(|key| keys.iter().any(|found| found == key)), "{keys:?}");
        let mut layers = ConfigLayers::new(DEFAULTS).unwrap();
        let mut given = BTreeSet::new();
        for key in &keys {
            let secret = format!("value-of-{}", key.replace('.', "-"));
            layers.set_text(key, &secret, ValueSource::Flag("--test")).unwrap();
            given.insert(secret);
        }
        let (shown, secrets) = loaded(layers);
        assert!(!shown.contains("value-of-"), "{shown}");
        assert_eq!(secrets, given);
    }

    #[test]
    fn a_setting_that_is_called_like_a_secret_has_a_secrets_type() {
        let keys = ConfigLayers::new(DEFAULTS).unwrap().keys();
        let called = |key: &String| {
            let name = key.rsplit('.').next().unwrap_or(key);
            // A file's name.
            key != "tls.key"
                && ["token", "key", "secret", "password", "passphrase", "credential"]
                    .iter()
                    .any(|end| name.ends_with(end))
        };
        let hidden = confidential();
        for key in keys.iter().filter(|key| called(key)) {
            assert!(hidden.contains(key), "`{key}` has to be `Confidential`");
        }
    }

    #[test]
    fn what_external_servers_are_told_and_what_stands_in_addresses_is_hidden() {
        let file = r#"
            [mcp.servers.files]
            command = "mcp-files"
            args = ["--root", "/srv"]
            env = { FILES_TOKEN = "secret-a", LOG = "secret-b" }
            [mcp.servers.shop]
            url = "https://shop.example/mcp?key=secret-c"
            headers = { Authorization = "Bearer secret-d" }
            [mcp.servers.shop.tools.search]
            effect = "pure"
            timeout_ms = 5
            [openai]
            base_url = "https://ada:secret-e@models.example/v1"
            [research]
            searxng_url = "http://ada:secret-f@search.example/?token=secret-g"
        "#;
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, file).unwrap();
        let mut layers = ConfigLayers::new(DEFAULTS).unwrap();
        layers.add_file(&path, true).unwrap();
        let (shown, secrets) = loaded(layers);
        assert!(!shown.contains("secret-"), "{shown}");
        for visible in ["mcp-files", "/srv", "FILES_TOKEN", "shop.example/mcp", "@models.example/v1", "pure"] {
            assert!(shown.contains(visible), "{visible}: {shown}");
        }
        assert!(secrets.is_empty(), "{secrets:?}");
    }

    #[test]
    fn what_channels_of_alerts_are_told_is_hidden() {
        let file = r#"
            [[alerts.channels]]
            kind = "webhook"
            name = "ops"
            url = "https://hooks.example/dwell?key=secret-a"
            secret = "secret-b"
            headers = { Authorization = "secret-c" }
            kinds = ["reminder", "turn_ended"]
            quiet = { from = "22:00", to = "07:00", zone = "Europe/Berlin" }
            [[alerts.channels]]
            kind = "ntfy"
            server = "https://ntfy.example"
            topic = "secret-d"
            token = "secret-e"
            [[alerts.channels]]
            kind = "email"
            host = "mail.example"
            port = 2525
            security = "starttls"
            user = "secret-f"
            password = "secret-g"
            from = "dwell@example.org"
            to = ["ada@example.org"]
            [[alerts.channels]]
            kind = "web_push"
            key = "secret-h"
            contact = "mailto:ops@example.org"
            [[alerts.channels]]
            kind = "home"
            service = "notify.mobile_app_phone"
        "#;
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, file).unwrap();
        let mut layers = ConfigLayers::new(DEFAULTS).unwrap();
        layers.add_file(&path, true).unwrap();
        let (shown, secrets) = loaded(layers);
        assert!(!shown.contains("secret-"), "{shown}");
        for visible in [
            "ops",
            "https://hooks.example/dwell",
            "Authorization",
            "turn_ended",
            "Europe/Berlin",
            "https://ntfy.example",
            "mail.example",
            "2525",
            "starttls",
            "ada@example.org",
            "mailto:ops@example.org",
            "notify.mobile_app_phone",
        ] {
            assert!(shown.contains(visible), "{visible}: {shown}");
        }
        assert!(secrets.is_empty(), "{secrets:?}");
    }

    #[test]
    fn everything_else_is_shown_as_it_was_given() {
        let (shown, _) = loaded(ConfigLayers::new(DEFAULTS).unwrap());
        let mut layers = ConfigLayers::new(DEFAULTS).unwrap();
        layers.set_text("data.dir", "/data", ValueSource::Default).unwrap();
        assert_eq!(shown, format!("{:?}", layers.values()));
    }
}
