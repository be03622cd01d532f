//! Numbers in text: digits, and number words by a table for each language.

mod tables;
mod unspaced;
mod words;

use rustc_hash::FxHashSet;

use crate::lists::{NumberRange, Tenths};
use crate::trie::Trie;
use tables::NumberTable;

/// The number words of the ranges of a grammar.
#[derive(Debug, Default)]
pub(crate) struct NumberWords {
    language: String,
    words: Trie<Tenths>,
    known: FxHashSet<(String, i64)>,
}

/// The words for a whole number; none without a table for the language.
pub(crate) fn in_words(language: &str, number: u32) -> Vec<String> {
    NumberTable::of(language).map(|table| words::of(table, Tenths(i64::from(number) * 10))).unwrap_or_default()
}

/// The words for a whole number and a half.
pub(crate) fn half_in_words(language: &str, number: u32) -> Vec<String> {
    NumberTable::of(language).map(|table| words::of(table, Tenths(i64::from(number) * 10 + 5))).unwrap_or_default()
}

/// Digits at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digits {
    pub whole: (usize, Tenths),
    /// With the fraction, if there is one.
    pub fraction: Option<(usize, Option<Tenths>)>,
}

impl NumberWords {
    /// Sets the language of ranges that do not name one.
    pub(crate) fn speak(&mut self, language: &str) {
        language.clone_into(&mut self.language);
    }

    /// Adds the number words of a range. Without a table for the language, only digits match.
    pub(crate) fn learn(&mut self, range: &NumberRange) {
        let language = range.words_language.as_deref().unwrap_or(&self.language).to_owned();
        let Some(table) = NumberTable::of(&language).filter(|_| range.words) else { return };
        for number in range.numbers() {
            if !self.known.insert((language.clone(), number.0)) {
                continue;
            }
            for words in words::of(table, number) {
                let folded = crate::text::fold(&words).map(|next| if next == '-' { ' ' } else { next });
                self.words.insert(folded.collect::<Vec<_>>(), number);
            }
        }
    }

    /// Calls back for the single words of all numbers.
    pub(crate) fn words(&self, tell: impl FnMut(&[char])) {
        self.words.words(tell);
    }

    /// Calls back for all number words at the start of a text.
    pub(crate) fn prefixes(&self, text: &[char], mut tell: impl FnMut(usize, Tenths)) {
        self.words.prefixes(text, |length, numbers| numbers.iter().for_each(|&number| tell(length, number)));
    }
}

impl Digits {
    /// The same with positions shifted.
    pub(crate) fn moved(self, by: usize) -> Self {
        let (end, number) = self.whole;
        Self { whole: (end + by, number), fraction: self.fraction.map(|(end, number)| (end + by, number)) }
    }
}

/// The digits at the start of a text: all of them, since a part would be another number.
pub(crate) fn digits(text: &[char]) -> Option<Digits> {
    let is_negative = text.first() == Some(&'-');
    let start = usize::from(is_negative);
    let run =
        |from: usize| text.get(from..).unwrap_or_default().iter().take_while(|next| next.is_ascii_digit()).count();
    let length = run(start);
    let end = start + length;
    if length == 0 || length > 9 {
        return None;
    }
    let sign = if is_negative { -1 } else { 1 };
    let whole = text
        .get(start..end)?
        .iter()
        .filter_map(|next| next.to_digit(10))
        .fold(0i64, |all, digit| all * 10 + i64::from(digit));
    let places = match text.get(end) {
        Some('.' | ',') => run(end + 1),
        _ => 0,
    };
    let fraction = (places > 0).then(|| {
        let places = text.get(end + 1..end + 1 + places).unwrap_or_default();
        let tenth = places.first().and_then(|next| next.to_digit(10)).map(i64::from);
        let is_exact = places.iter().skip(1).all(|&next| next == '0');
        let value = tenth.filter(|_| is_exact).map(|tenth| Tenths(sign * (whole * 10 + tenth)));
        (end + 1 + places.len(), value)
    });
    Some(Digits { whole: (end, Tenths(sign * whole * 10)), fraction })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Digits> {
        digits(&text.chars().collect::<Vec<_>>())
    }

    #[test]
    fn digits_are_read_to_their_end() {
        let whole = |length, tenths, fraction| Some(Digits { whole: (length, Tenths(tenths)), fraction });
        assert_eq!(read("20%"), whole(2, 200, None));
        assert_eq!(read("-5 degrees"), whole(2, -50, None));
        assert_eq!(read("20,5"), whole(2, 200, Some((4, Some(Tenths(205))))));
        assert_eq!(read("20.25"), whole(2, 200, Some((5, None))));
        assert_eq!(read("20.50"), whole(2, 200, Some((5, Some(Tenths(205))))));
        assert_eq!(read("a"), None);
        assert_eq!(read("9999999999999999999999"), None);
    }
}
