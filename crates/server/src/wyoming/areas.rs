//! The area of the home for peers and satellites that do not send it themselves.

use std::{collections::BTreeMap, net::IpAddr};

use ipnet::IpNet;

use super::allowed_peers;

/// Areas by satellite, device or address.
#[derive(Debug, Clone, Default)]
pub struct Areas {
    by_name: BTreeMap<String, String>,
    by_peer: Vec<(IpNet, String)>,
}

/// An invalid area setting.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not like `192.168.1.40=kitchen` or `assist_satellite.lounge=Living room`")]
pub struct BadArea(String);

impl Areas {
    /// Parses pairs of a source and its area.
    pub fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Self, BadArea> {
        let mut areas = Self::default();
        for text in texts {
            let text = text.as_ref();
            let pair = text.split_once('=').map(|(who, area)| (who.trim(), area.trim()));
            let Some((who, area)) = pair.filter(|(who, area)| !who.is_empty() && !area.is_empty()) else {
                return Err(BadArea(text.to_owned()));
            };
            match allowed_peers::read(who) {
                Ok(network) => areas.by_peer.push((network, area.to_owned())),
                Err(_) => {
                    areas.by_name.insert(who.to_owned(), area.to_owned());
                }
            }
        }
        Ok(areas)
    }

    /// The area of a satellite or device by its name.
    pub(super) fn of_name(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }

    /// The area of an address: that of the narrowest network that contains it.
    pub(super) fn of_peer(&self, peer: IpAddr) -> Option<&str> {
        let peer = peer.to_canonical();
        let around = self.by_peer.iter().filter(|(network, _)| network.contains(&peer));
        around.max_by_key(|(network, _)| network.prefix_len()).map(|(_, area)| area.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn satellites_and_addresses_have_areas() {
        let areas =
            Areas::new(["192.168.1.40=kitchen", "assist_satellite.lounge = Living room", "192.168.1.0/24=hall"]);
        let areas = areas.unwrap();
        assert_eq!(areas.of_name("assist_satellite.lounge"), Some("Living room"));
        assert_eq!(areas.of_name("assist_satellite.attic"), None);
        let of_peer = |address: &str| areas.of_peer(address.parse().unwrap());
        assert_eq!(of_peer("192.168.1.40"), Some("kitchen"));
        assert_eq!(of_peer("::ffff:192.168.1.40"), Some("kitchen"), "as a dual-stack socket sees it");
        assert_eq!(of_peer("192.168.1.41"), Some("hall"));
        assert_eq!(of_peer("10.0.0.1"), None);
    }

    #[test]
    fn anything_else_is_named() {
        for wrong in ["", "kitchen", "=kitchen", "192.168.1.40= "] {
            assert_eq!(Areas::new([wrong]).unwrap_err(), BadArea(wrong.to_owned()));
        }
    }
}
