//! Secrets that the server generates.

use std::fmt::{self, Write as _};

use secrecy::{ExposeSecret, SecretString, zeroize::Zeroize};

use crate::SecretDigest;

/// Random bytes of a secret.
const BYTES: usize = 32;

/// A secret of 32 bytes from the operating system's random number generator, as 64 hexadecimal
/// digits.
///
/// There is no other way to make one: no text and no id can be converted to a `Secret`. It is shown
/// to the client that requested it and then dropped. The server stores its [`SecretDigest`].
pub struct Secret(SecretString);

/// The operating system provides no random numbers.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the operating system provides no random numbers: {0}")]
pub struct NoEntropy(getrandom::Error);

impl Secret {
    /// Generates a new secret.
    #[allow(clippy::disallowed_methods, reason = "this is the one place that draws secrets")]
    pub fn generate() -> Result<Self, NoEntropy> {
        let mut bytes = [0u8; BYTES];
        getrandom::fill(&mut bytes).map_err(NoEntropy)?;
        let mut text = String::with_capacity(2 * BYTES);
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        bytes.zeroize();
        Ok(Self(text.into()))
    }

    /// The text for the client that the secret is meant for.
    pub fn text(&self) -> SecretString {
        self.0.clone()
    }

    /// The digest that the server stores.
    pub fn digest(&self) -> SecretDigest {
        SecretDigest::of(self.0.expose_secret())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(secret: &Secret) -> [u8; BYTES] {
        let text = secret.text();
        let text = text.expose_secret();
        assert_eq!(text.len(), 2 * BYTES);
        std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
    }

    /// The distance of two secrets, as the numbers in their first 16 bytes.
    fn distance(one: &[u8; BYTES], other: &[u8; BYTES]) -> u128 {
        let number = |bytes: &[u8; BYTES]| bytes[..16].iter().fold(0, |sum, byte| sum << 8 | u128::from(*byte));
        number(one).abs_diff(number(other))
    }

    #[test]
    fn ten_thousand_secrets_and_none_is_near_another() {
        let drawn: Vec<[u8; BYTES]> = (0..10_000).map(|_| bytes(&Secret::generate().unwrap())).collect();
        // After sorting, the two nearest numbers are neighbours. Of 10,000 uniform numbers of 128
        // bits, the nearest two are about 2^101 apart; a distance of 2^64 occurs by chance once in
        // 2^37 runs.
        let mut sorted = drawn.clone();
        sorted.sort_unstable();
        for pair in sorted.windows(2) {
            assert!(distance(&pair[0], &pair[1]) > 1 << 64, "{pair:02x?}");
        }
        // Consecutive ones, and each against a sample of all: about half of the 256 bits differ.
        let differing = |one: &[u8; BYTES], other: &[u8; BYTES]| -> u32 {
            one.iter().zip(other).map(|(one, other)| (one ^ other).count_ones()).sum()
        };
        for (at, one) in drawn.iter().enumerate() {
            for other in drawn.iter().skip(at + 1).take(1).chain(drawn[..at].iter().step_by(499)) {
                let differing = differing(one, other);
                assert!((64..=192).contains(&differing), "{differing} bits differ");
            }
        }
    }

    #[test]
    fn every_bit_is_as_often_set_as_not() {
        let drawn: Vec<[u8; BYTES]> = (0..4_000).map(|_| bytes(&Secret::generate().unwrap())).collect();
        for bit in 0..8 * BYTES {
            let set = drawn.iter().filter(|bytes| bytes[bit / 8] >> (bit % 8) & 1 == 1).count();
            assert!((1_700..=2_300).contains(&set), "bit {bit} is set in {set} of 4000");
        }
    }

    #[test]
    fn nothing_prints_it() {
        let secret = Secret::generate().unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
        assert_eq!(secret.digest().to_string(), SecretDigest::of(secret.text().expose_secret()).to_string());
    }

    /// Compiles only while `Secret` has none of these conversions: with one, `_` would be
    /// ambiguous.
    #[test]
    fn no_id_and_no_text_becomes_a_secret() {
        trait Unlike<Source, Mark> {
            fn holds() {}
        }
        impl<T, Source> Unlike<Source, ()> for T {}
        struct Converts;
        impl<T: From<Source>, Source> Unlike<Source, Converts> for T {}
        <Secret as Unlike<ulid::Ulid, _>>::holds();
        <Secret as Unlike<u128, _>>::holds();
        <Secret as Unlike<[u8; BYTES], _>>::holds();
        <Secret as Unlike<String, _>>::holds();
        <Secret as Unlike<&str, _>>::holds();
        <Secret as Unlike<SecretString, _>>::holds();
    }
}
