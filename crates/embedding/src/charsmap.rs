//! The character rules of a SentencePiece model: compatibility forms become ordinary characters,
//! all kinds of white space become one space.
//!
//! The rules are a trie in two parts: an array of 32-bit units that is walked byte by byte, and the
//! replacements, each ended by a zero.

/// The rules of a model.
#[derive(Debug, Default)]
pub(super) struct Charsmap {
    units: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    /// Reads the rules; none if they are not complete. No bytes are no rules.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let Some((length, rest)) = bytes.split_first_chunk() else {
            return bytes.is_empty().then(Self::default);
        };
        let (units, replacements) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let units = units.as_chunks::<4>().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        Some(Self { units, replacements: replacements.to_vec() })
    }

    /// The text by the rules, without space at its ends and with single spaces, at most about
    /// `chars_max` characters of it.
    pub(super) fn normalize(&self, text: &str, chars_max: usize) -> String {
        let mut normal = String::with_capacity(text.len().min(chars_max));
        let (mut rest, mut chars) = (text, 0);
        while let Some(first) = rest.chars().next() {
            if chars >= chars_max {
                break;
            }
            let (length, replacement) = match self.longest(rest) {
                Some((length, replacement)) => (length, replacement),
                None => (first.len_utf8(), &rest[..first.len_utf8()]),
            };
            for char in replacement.chars() {
                if char != ' ' || !(normal.is_empty() || normal.ends_with(' ')) {
                    normal.push(char);
                    chars += 1;
                }
            }
            rest = &rest[length..];
        }
        normal.truncate(normal.trim_end_matches(' ').len());
        normal
    }

    /// The longest start of a text that has a rule: its length, and its replacement.
    fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let mut at = offset(*self.units.first()?);
        let mut found = None;
        for (byte, length) in text.bytes().zip(1..) {
            at ^= usize::from(byte);
            let unit = *self.units.get(at)?;
            // The highest bit marks a value, which has no label.
            if unit & 0x8000_00ff != u32::from(byte) {
                break;
            }
            at ^= offset(unit);
            if unit & 0x100 != 0 {
                found = self.units.get(at).map(|value| (length, (value & 0x7fff_ffff) as usize)).or(found);
            }
        }
        let (length, start) = found.filter(|(length, _)| text.is_char_boundary(*length))?;
        let replacement = self.replacements.get(start..)?.split(|byte| *byte == 0).next()?;
        Some((length, std::str::from_utf8(replacement).ok()?))
    }
}

/// The distance from a unit to its children.
const fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn without_rules_only_spaces_change() {
        let rules = Charsmap::read(&[]).unwrap();
        assert_eq!(rules.normalize("  a   bä ", 100), "a bä");
        assert_eq!(rules.normalize("   ", 100), "");
        assert_eq!(rules.normalize("abc", 2), "ab");
        assert!(Charsmap::read(&[9, 0, 0, 0, 1]).is_none(), "half the rules are none");
    }

    proptest! {
        #[test]
        fn any_rules_end(rules: Vec<u8>, text: String) {
            let length = u32::try_from(rules.len() / 2).unwrap().to_le_bytes();
            if let Some(rules) = Charsmap::read(&[length.as_slice(), &rules].concat()) {
                let _ = rules.normalize(&text, 64);
            }
        }
    }
}
