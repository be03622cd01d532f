//! Keys of values as bytes that sort like the keys, part by part.
//!
//! A part is its UTF-8, in which a zero byte becomes `00 FF`, and ends with `00 01`. So no part is
//! the beginning of another one, and all keys below some parts lie between these parts and the same
//! with `FF`, which UTF-8 does not have.

use protocol::ValueKey;

use crate::Error;

const ESCAPED_ZERO: u8 = 0xff;
const END: u8 = 0x01;

pub(crate) fn encode(parts: &[String]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 2).sum());
    for part in parts {
        for byte in part.bytes() {
            bytes.push(byte);
            if byte == 0 {
                bytes.push(ESCAPED_ZERO);
            }
        }
        bytes.extend([0, END]);
    }
    bytes
}

/// The first bytes beyond all keys that begin with these.
pub(crate) fn end_of(mut beginning: Vec<u8>) -> Vec<u8> {
    beginning.push(0xff);
    beginning
}

pub(crate) fn decode(bytes: &[u8]) -> Result<ValueKey, Error> {
    let damaged = || Error::Storage { action: "read a value", cause: "its key cannot be read".to_owned() };
    let (mut parts, mut part) = (Vec::new(), Vec::new());
    let mut rest = bytes.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != 0 {
            part.push(byte);
            continue;
        }
        match rest.next() {
            Some(ESCAPED_ZERO) => part.push(0),
            Some(END) => parts.push(String::from_utf8(std::mem::take(&mut part)).map_err(|_| damaged())?),
            _ => return Err(damaged()),
        }
    }
    if part.is_empty() { Ok(ValueKey(parts)) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn a_key_comes_back_whatever_is_in_it() {
        for key in [&["a"][..], &["", ""], &["a\0b", "\0"], &["/", "..", "é漢😀", "\u{1}"], &["a\0\u{1}b"]] {
            assert_eq!(decode(&encode(&parts(key))), Ok(ValueKey(parts(key))));
        }
        assert!(decode(b"a").is_err() && decode(b"a\0").is_err() && decode(b"\xfe\0\x01").is_err());
    }

    #[test]
    fn bytes_sort_like_parts() {
        let keys = [&[""][..], &["", "z"], &["\0"], &["\u{1}"], &["a"], &["a", ""], &["a", "b"], &["a\0"], &["ab"]];
        let encoded: Vec<_> = keys.iter().map(|key| encode(&parts(key))).collect();
        assert!(encoded.is_sorted(), "{encoded:?}");
        let (below, end) = (encode(&parts(&["a"])), end_of(encode(&parts(&["a"]))));
        let inside: Vec<_> = keys.iter().zip(&encoded).filter(|(_, key)| **key > below && **key < end).collect();
        assert_eq!(inside.len(), 2, "{inside:?}");
    }
}
