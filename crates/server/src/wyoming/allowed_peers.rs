//! The peers that may connect, since the protocol has no authentication.

use std::{fmt, net::IpAddr, str::FromStr};

use ipnet::IpNet;

/// The addresses that may connect; an empty list means all.
#[derive(Debug, Clone, Default)]
pub struct AllowedPeers {
    allowed: Vec<IpNet>,
}

/// A text that is neither an address nor a network.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither an address like 192.168.1.7 nor a network like 192.168.1.0/24")]
pub struct BadPeer(String);

impl AllowedPeers {
    /// Parses addresses and networks.
    pub fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Self, BadPeer> {
        let allowed = texts.into_iter().map(|text| read(text.as_ref())).collect::<Result<_, _>>()?;
        Ok(Self { allowed })
    }

    /// Whether this address may connect.
    pub(super) fn allow(&self, address: IpAddr) -> bool {
        self.allowed.is_empty() || self.list(address)
    }

    /// Whether this address is listed.
    pub(crate) fn list(&self, address: IpAddr) -> bool {
        self.allowed.iter().any(|network| network.contains(&address.to_canonical()))
    }
}

impl fmt::Display for AllowedPeers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.allowed.is_empty() {
            return f.write_str("all peers");
        }
        let all: Vec<String> = self.allowed.iter().map(IpNet::to_string).collect();
        f.write_str(&all.join(", "))
    }
}

/// Parses an address or a network.
pub(super) fn read(text: &str) -> Result<IpNet, BadPeer> {
    let text = text.trim();
    let address = IpAddr::from_str(text).map(|address| IpNet::from(address.to_canonical()));
    address.or_else(|_| IpNet::from_str(text)).map_err(|_| BadPeer(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(peers: &[&str], address: &str) -> bool {
        AllowedPeers::new(peers).unwrap().allow(address.parse().unwrap())
    }

    #[test]
    fn addresses_and_networks_are_let_in_and_others_not() {
        assert!(allows(&[], "203.0.113.9"));
        assert!(allows(&["192.168.1.7"], "192.168.1.7"));
        assert!(allows(&["192.168.1.7"], "::ffff:192.168.1.7"), "as a dual-stack socket sees it");
        assert!(!allows(&["192.168.1.7"], "192.168.1.8"));
        assert!(allows(&["10.0.0.0/8", "fd00::/8"], "fd12::1"));
        assert!(!allows(&["10.0.0.0/8", "fd00::/8"], "11.0.0.1"));
    }

    #[test]
    fn anything_else_is_named() {
        for wrong in ["", "homeassistant.local", "10.0.0.0/33", "10.0.0.1:80"] {
            assert_eq!(AllowedPeers::new([wrong]).unwrap_err(), BadPeer(wrong.to_owned()));
        }
    }
}
