//! The words of a document as bytes for the store, so that a restart need not read every text
//! again.
//!
//! They are derived from the text and never trusted over it: a digest covers the text and the
//! bytes, and whatever does not fit is derived again. The bytes contain hashes of stems, no text.

use jiff::civil::Date;
use protocol::ItemId;
use sha2::{Digest, Sha256};

use super::{
    answer_kind::DocumentDetails,
    document::Document,
    index::DocumentIndex,
    prepared::DocumentWords,
    temporal::{self, DateSpan},
    term_key::TermKey,
};

/// The name under which they are stored. The number is that of the rules by which a text becomes
/// words: a test fails when these change.
pub const STORED_WORDS: &str = "words 1";

const DIGEST_BYTES: usize = 8;

impl DocumentIndex {
    /// The document's words as bytes for the store; none if there is no such document.
    pub fn words(&self, id: ItemId) -> Option<Vec<u8>> {
        let slot = *self.places.get(&id)?;
        let kept = self.slots[slot].as_ref()?;
        let words = DocumentWords {
            counts: self.lexicon.counts(slot, &kept.words),
            length: kept.words.length,
            about: kept.about.clone(),
            asks: self.profiles[slot].asks,
            details: self.profiles[slot].details,
            pieces: kept.pieces(),
        };
        Some(write(&kept.document, kept.day, &words))
    }
}

fn write(document: &Document, day: Date, words: &DocumentWords) -> Vec<u8> {
    let mut bytes = vec![0; DIGEST_BYTES];
    bytes.extend(words.length.to_le_bytes());
    bytes.extend(words.asks.to_le_bytes());
    bytes.extend([words.details.to_bits(), words.pieces]);
    push_number(&mut bytes, words.about.len());
    for DateSpan { first, last } in &words.about {
        bytes.extend(date_bytes(*first));
        bytes.extend(date_bytes(*last));
    }
    push_number(&mut bytes, words.counts.len());
    words.counts.iter().for_each(|(term, _)| bytes.extend(term.to_bytes()));
    words.counts.iter().for_each(|(_, count)| push_number(&mut bytes, *count as usize));
    let digest = digest(document, day, &bytes[DIGEST_BYTES..]);
    bytes[..DIGEST_BYTES].copy_from_slice(&digest);
    bytes
}

/// The words of a document; none if the bytes are damaged, or those of another text.
pub(super) fn read(document: &Document, day: Date, bytes: &[u8]) -> Option<DocumentWords> {
    let (known, rest) = bytes.split_first_chunk::<DIGEST_BYTES>()?;
    if *known != digest(document, day, rest) {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (asks, rest) = rest.split_first_chunk::<4>()?;
    let ([details, pieces], mut rest) = rest.split_first_chunk::<2>()?;
    let about = (0..take_number(&mut rest)?).map(|_| take_span(&mut rest)).collect::<Option<Vec<_>>>()?;
    let terms = take_number(&mut rest)?;
    let (keys, mut rest) = rest.split_at_checked(terms.checked_mul(8)?)?;
    let count = |key: &[u8; 8]| Some((TermKey::from_bytes(*key), u32::try_from(take_number(&mut rest)?).ok()?));
    let counts = keys.as_chunks::<8>().0.iter().map(count).collect::<Option<Vec<_>>>()?;
    Some(DocumentWords {
        counts,
        length: u32::from_le_bytes(*length),
        about,
        asks: f32::from_le_bytes(*asks),
        details: DocumentDetails::from_bits(*details),
        pieces: *pieces,
    })
}

/// A digest of everything that the words are derived from, and of the words.
fn digest(document: &Document, day: Date, words: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut digest = Sha256::new();
    for text in [Some(&document.text), document.key.as_ref()] {
        digest.update(text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        digest.update(text.map_or("", String::as_str));
    }
    digest.update(date_bytes(day));
    digest.update([u8::from(document.by_words_only)]);
    digest.update(words);
    let mut short = [0; DIGEST_BYTES];
    short.copy_from_slice(&digest.finalize()[..DIGEST_BYTES]);
    short
}

fn date_bytes(date: Date) -> [u8; 4] {
    let [low, high] = date.year().to_le_bytes();
    [low, high, date.month().cast_unsigned(), date.day().cast_unsigned()]
}

fn take_date(bytes: &mut &[u8]) -> Option<Date> {
    let ([low, high, month, day], rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Date::new(i16::from_le_bytes([*low, *high]), month.cast_signed(), day.cast_signed()).ok()
}

fn take_span(bytes: &mut &[u8]) -> Option<DateSpan> {
    Some(temporal::DateSpan { first: take_date(bytes)?, last: take_date(bytes)? })
}

/// Numbers are mostly small: seven bits a byte, the lowest first.
fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7F).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use protocol::{Level, Timestamp};

    use super::{super::prepared::PreparedDocument, *};

    fn document(text: &str) -> Document {
        let at = Timestamp::from_millis(1_700_000_000_000);
        Document::new(ItemId::from_bytes([1; 16]), Level::Entry, text, at)
    }

    fn stored(document: &Document) -> (DocumentWords, Date, Vec<u8>) {
        let prepared = PreparedDocument::of(document.clone());
        let bytes = write(document, prepared.day, &prepared.words);
        (prepared.words, prepared.day, bytes)
    }

    proptest! {
        #[test]
        fn bytes_give_the_words_back(text in "[a-zA-Z0-9 .?äß東京-]{0,200}( last week)?( in May 2021)?") {
            let document = document(&text);
            let (words, day, bytes) = stored(&document);
            prop_assert_eq!(read(&document, day, &bytes), Some(words));
        }

        #[test]
        fn damaged_bytes_are_refused(place in 0..60_usize, bit in 0..8_u8, cut in 0..60_usize) {
            let document = document("We moved to Graz in May 2021. Did we?");
            let (_, day, bytes) = stored(&document);
            let mut damaged = bytes.clone();
            let length = damaged.len();
            damaged[place % length] ^= 1 << bit;
            prop_assert_eq!(read(&document, day, &damaged), None);
            prop_assert_eq!(read(&document, day, &bytes[..cut.min(length - 1)]), None);
        }
    }

    #[test]
    fn the_words_of_another_text_are_refused() {
        let (_, day, bytes) = stored(&document("We moved to Graz."));
        assert_eq!(read(&document("We moved to Linz."), day, &bytes), None);
        assert_eq!(read(&document("We moved to Graz."), day.tomorrow().unwrap(), &bytes), None);
    }

    /// If this fails, texts become other words than before: raise the number in [`STORED_WORDS`],
    /// and write the new digest here.
    #[test]
    fn the_rules_are_those_of_this_version() {
        const SAMPLES: [&str; 6] = [
            "She didn't like Caroline's paintings! We went to the mother-in-law’s again, 2 weeks ago.",
            "Flight AB-123 took 25:50. A NASA photo; v1.2 costs 3,50 because of \"taxes\".",
            "東京タワー 猫 ภาษาไทย",
            "Where did you go last Friday? I was home on 8 May 2023, and in June, yesterday, in 2021.",
            "Hey Maria! Two of them were children, geese and feet; they bought, sang and were driven.",
            "Ich wäre gern früher gekommen, große Straße. ¿Qué tal? L’été, c’est fini.",
        ];
        let mut all = Sha256::new();
        for text in SAMPLES.into_iter().chain(include_str!("../../data/related_words.txt").lines()) {
            all.update(stored(&document(text)).2);
        }
        let hex: String = all.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "2be30604aa8fd4fd", "{STORED_WORDS}");
    }
}
