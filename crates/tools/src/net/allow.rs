//! Allow rules: private addresses that the operator opens to untrusted URLs.

use std::{net::IpAddr, str::FromStr};

use ipnet::IpNet;

/// An address or port that may be reached although it is not public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowRule {
    /// All addresses of a network, at any port: `192.168.1.0/24`.
    Net(IpNet),
    /// One port of a host, by its name or its address: `nas.local:8443`, `127.0.0.1:8080`.
    HostPort(String, u16),
}

/// The text is neither a network nor a host with a port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a network such as `192.168.1.0/24` nor a host with a port such as `nas.local:8443`")]
pub struct AllowRuleError(String);

impl AllowRule {
    /// Whether it allows this address, which the name resolved to, at this port.
    pub fn permits(&self, name: &str, ip: IpAddr, port: u16) -> bool {
        match self {
            Self::Net(net) => net.contains(&ip),
            Self::HostPort(host, at) => {
                *at == port && (host.eq_ignore_ascii_case(name) || host.parse::<IpAddr>().is_ok_and(|host| host == ip))
            }
        }
    }
}

impl FromStr for AllowRule {
    type Err = AllowRuleError;

    fn from_str(text: &str) -> Result<Self, AllowRuleError> {
        let bad = || AllowRuleError(text.to_owned());
        if let Ok(net) = text.parse() {
            return Ok(Self::Net(net));
        }
        if let Ok(ip) = text.parse::<IpAddr>() {
            return Ok(Self::Net(ip.into()));
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(bad)?;
        let host = host.trim_matches(['[', ']']).trim_end_matches('.');
        let is_host = !host.is_empty() && !host.contains(['/', '@', ' ']);
        match port.parse() {
            Ok(port) if is_host => Ok(Self::HostPort(host.to_owned(), port)),
            _ => Err(bad()),
        }
    }
}
