//! The address of a database: a URL with the parameters of libpq.
//!
//! The driver reads most of it. What it does not know (how certificates are checked) is taken out
//! before.

use std::{net::IpAddr, path::PathBuf, str::FromStr, time::Duration};

use tokio_postgres::{
    Config, Socket,
    config::{Host, SslMode, TargetSessionAttrs},
    tls::MakeTlsConnect,
};

use super::{
    failure::{words, wrong_address as wrong},
    tls::{CertificateCheck, TlsConnector},
};
use crate::Error;

/// How long one attempt to connect may take, unless the URL says otherwise.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// A database that is away for no longer than this is waited for, unless the URL says otherwise.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// How long a statement may take before its connection counts as lost, unless the URL says
/// otherwise.
const STATEMENT_MAX: Duration = Duration::from_secs(30);

/// The part of a connection that reads and writes its socket.
pub(super) type Driver = tokio_postgres::Connection<Socket, <TlsConnector as MakeTlsConnect<Socket>>::Stream>;

/// Where the database is, and how its certificate is checked.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) tls: TlsConnector,
    /// The hosts and the name of the database, without a password.
    pub(super) shown: String,
    /// How long a database that is away is waited for.
    pub(super) wait_max: Duration,
    /// How long a statement may take before its connection counts as lost.
    pub(super) statement_max: Duration,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Address({})", self.shown)
    }
}

impl Address {
    /// Reads a URL. Errors never contain it, since it may have a password.
    pub(super) fn parse(url: &str) -> Result<Self, Error> {
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(wrong("it does not begin with `postgres://` or `postgresql://`"));
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut root, mut identity) = (None, None, (None, None));
        let (mut wait_max, mut statement_max) = (WAIT_MAX, STATEMENT_MAX);
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "sslmode" => mode = Some(value.to_owned()),
                "sslrootcert" => root = Some(decoded(value)?),
                "sslcert" => identity.0 = Some(PathBuf::from(decoded(value)?)),
                "sslkey" => identity.1 = Some(PathBuf::from(decoded(value)?)),
                "dwell_wait" => wait_max = seconds(name, value)?,
                "dwell_statement" => statement_max = seconds(name, value)?,
                _ => rest.push(pair),
            }
        }
        let text = if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) };
        let mut config = Config::from_str(&text).map_err(|error| wrong(&words(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(wrong("it names no host"));
        }
        let (mode, check) = certificate_check(mode.as_deref(), &config)?;
        config.ssl_mode(mode);
        // Writes go to the primary only, also when several hosts are named.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_MAX);
        }
        if config.get_application_name().is_none() {
            config.application_name("dwell");
        }
        let tls = if mode == SslMode::Disable {
            TlsConnector::none()
        } else {
            let root = root.filter(|root| root != "system").map(PathBuf::from);
            let identity = match identity {
                (None, None) => None,
                (Some(certificate), Some(key)) => Some((certificate, key)),
                _ => return Err(wrong("`sslcert` and `sslkey` belong together")),
            };
            TlsConnector::new(check, root, identity)?
        };
        let shown = shown(&config);
        Ok(Self { config, tls, shown, wait_max, statement_max })
    }
}

/// What is encrypted and checked. Without a setting, a host that is not this machine is checked in
/// full: a password must not go to a server that only claims to be the database.
fn certificate_check(mode: Option<&str>, config: &Config) -> Result<(SslMode, CertificateCheck), Error> {
    let is_local = config.get_hosts().iter().all(is_local);
    Ok(match mode {
        None if is_local => (SslMode::Disable, CertificateCheck::None),
        Some("disable") => (SslMode::Disable, CertificateCheck::None),
        Some("prefer" | "allow") => (SslMode::Prefer, CertificateCheck::None),
        Some("require") => (SslMode::Require, CertificateCheck::None),
        Some("verify-ca") => (SslMode::Require, CertificateCheck::Authority),
        None | Some("verify-full") => (SslMode::Require, CertificateCheck::Full),
        Some(other) => {
            return Err(wrong(&format!(
                "`sslmode={other}` is not known; use `verify-full`, `verify-ca`, `require`, `prefer` or `disable`"
            )));
        }
    })
}

fn is_local(host: &Host) -> bool {
    match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
    }
}

fn shown(config: &Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
            Host::Tcp(name) => name.clone(),
        })
        .collect();
    format!("{} at {}", config.get_dbname().unwrap_or("the user's database"), hosts.join(", "))
}

/// A time in whole seconds, as libpq writes its times.
fn seconds(name: &str, value: &str) -> Result<Duration, Error> {
    let parsed = value.parse().ok().filter(|seconds| *seconds > 0);
    parsed.map(Duration::from_secs).ok_or_else(|| wrong(&format!("`{name}` is not a number of seconds")))
}

/// Percent-decoding of a parameter.
fn decoded(value: &str) -> Result<String, Error> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next().unwrap_or_default(), rest.next().unwrap_or_default()];
        let text = std::str::from_utf8(&digits).ok();
        let decoded = text.and_then(|text| u8::from_str_radix(text, 16).ok());
        bytes.push(decoded.ok_or_else(|| wrong("a `%` in it is not followed by two hexadecimal digits"))?);
    }
    String::from_utf8(bytes).map_err(|_| wrong("a parameter of it is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(url: &str) -> SslMode {
        Address::parse(url).unwrap().config.get_ssl_mode()
    }

    #[test]
    fn other_machines_are_checked_unless_the_url_says_otherwise() {
        assert_eq!(mode("postgres://u@localhost/d"), SslMode::Disable);
        assert_eq!(mode("postgres://u@127.0.0.1/d"), SslMode::Disable);
        assert_eq!(mode("postgres://u@[::1]/d"), SslMode::Disable);
        assert_eq!(mode("postgresql:///d?host=/run/postgresql"), SslMode::Disable);
        assert_eq!(mode("postgres://u@db.example/d"), SslMode::Require);
        assert_eq!(mode("postgres://u@localhost,db.example/d"), SslMode::Require, "one of them is another machine");
        assert_eq!(mode("postgres://u@db.example/d?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgres://u@db.example/d?connect_timeout=3&sslmode=prefer"), SslMode::Prefer);
    }

    #[test]
    fn a_wrong_address_is_named_without_its_password() {
        for (url, why) in [
            ("mysql://u:geheim@h/d", "postgres://"),
            ("postgres://u:geheim@h/d?sslmode=perhaps", "verify-full"),
            ("postgres://u:geheim@h/d?colour=red", "colour"),
            ("postgres://u:geheim@h/d?sslrootcert=/no/such/file.pem", "/no/such/file.pem"),
            ("postgres://u:geheim@h/d?sslcert=/a", "sslkey"),
            ("postgres://u:geheim@h/d?dwell_wait=soon", "dwell_wait"),
            ("postgres://u:geheim@h/d?dwell_statement=0", "dwell_statement"),
            ("postgres:///d", "no host"),
        ] {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains("geheim"), "{error}");
        }
        let shown = format!("{:?}", Address::parse("postgres://u:geheim@localhost/d").unwrap());
        assert_eq!(shown, "Address(d at localhost)");
    }
}
