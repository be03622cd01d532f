//! The address of a Wyoming service, as `tcp://host:port`.

use std::{fmt, str::FromStr};

/// Where a service listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddress {
    /// `host:port`, with brackets around an IPv6 address.
    authority: String,
}

/// A text that is not the address of a service.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not like `tcp://127.0.0.1:10300` or `tcp://whisper.local:10300`")]
pub struct BadServiceAddress(String);

impl ServiceAddress {
    /// The address in the form that a socket connects to.
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }
}

impl FromStr for ServiceAddress {
    type Err = BadServiceAddress;

    fn from_str(text: &str) -> Result<Self, BadServiceAddress> {
        let bad = || BadServiceAddress(text.to_owned());
        let authority = text.trim().strip_prefix("tcp://").ok_or_else(bad)?.trim_end_matches('/');
        let (host, port) = authority.rsplit_once(':').ok_or_else(bad)?;
        let is_bracketed = host.starts_with('[') && host.ends_with(']') && host.len() > 2;
        let is_plain = !host.is_empty() && !host.contains([':', '/', '@', '[', ']', ' ']);
        let has_port = port.parse::<u16>().is_ok_and(|port| port > 0);
        if !has_port || !(is_plain || is_bracketed) {
            return Err(bad());
        }
        Ok(Self { authority: authority.to_owned() })
    }
}

impl fmt::Display for ServiceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tcp://{}", self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_scheme_a_host_and_a_port() {
        for (text, authority) in [
            ("tcp://127.0.0.1:10300", "127.0.0.1:10300"),
            (" tcp://core-whisper:10300/ ", "core-whisper:10300"),
            ("tcp://[::1]:10200", "[::1]:10200"),
        ] {
            assert_eq!(text.parse::<ServiceAddress>().unwrap().authority(), authority);
        }
        for wrong in [
            "",
            "127.0.0.1:10300",
            "tcp://127.0.0.1",
            "tcp://:10300",
            "tcp://a:0",
            "tcp://a:99999",
            "tcp://::1:5",
            "unix:///a",
        ] {
            assert_eq!(wrong.parse::<ServiceAddress>().unwrap_err(), BadServiceAddress(wrong.to_owned()));
        }
    }
}
