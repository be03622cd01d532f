//! Addresses that untrusted URLs must not reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why this address is refused, as in "it is …"; `None` for public addresses.
pub fn refusal(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => v4(ip),
        IpAddr::V6(ip) => v6(ip),
    }
}

fn v4(ip: Ipv4Addr) -> Option<&'static str> {
    Some(match ip.octets() {
        // Cloud metadata services hand out credentials; one of them has a public address.
        [169, 254, 169, 254] | [168, 63, 129, 16] => "a cloud's metadata service",
        [0, ..] => "an unspecified address",
        [127, ..] => "a loopback address",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private address",
        [100, 64..=127, ..] => "an address inside a provider's network",
        [169, 254, ..] => "a link-local address",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "an address for documentation",
        [224..=239, ..] => "a multicast address",
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] | [240..=255, ..] => "a reserved address",
        _ => return None,
    })
}

fn v6(ip: Ipv6Addr) -> Option<&'static str> {
    Some(match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => "an unspecified address",
        [0, 0, 0, 0, 0, 0, 0, 1] => "a loopback address",
        [0, 0, 0, 0, 0, 0xffff | 0, ..] => "an embedded IPv4 address",
        [0xfe80..=0xfebf, ..] => "a link-local address",
        [0xfec0..=0xfeff, ..] => "a site-local address",
        [0xfc00..=0xfdff, ..] => "a private address",
        [0xff00..=0xffff, ..] => "a multicast address",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "an address for documentation",
        // A NAT64 translator may reach private networks, so the embedded address proves nothing.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0x64, 0xff9b, 1, ..] => "an address that NAT64 turns into an IPv4 address",
        // A tunnel address is judged by the IPv4 address inside it.
        [0x2002, high, low, ..] => return embedded(high, low),
        // Teredo: the server's address, and the client's with its bits inverted.
        [0x2001, 0, high, low, _, _, client_high, client_low] => {
            return embedded(high, low).or_else(|| embedded(!client_high, !client_low));
        }
        [0x2001, 0..=0x1ff, ..] => "a reserved address",
        [.., 0x5efe, high, low] => return embedded(high, low),
        [0x2000..=0x3fff, ..] => return None,
        _ => "a reserved address",
    })
}

fn embedded(high: u16, low: u16) -> Option<&'static str> {
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    v4(Ipv4Addr::new(a, b, c, d)).map(|_| "an address that embeds a refused IPv4 address")
}
