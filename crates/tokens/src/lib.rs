//! Counts the tokens of a text in `o200k_base`, the encoding of OpenAI's newer models. The text is
//! split into pieces (words with the blank before them, up to three digits, runs of signs, blanks),
//! and each piece is encoded by byte pairs. The vocabulary is a hash table made at build time:
//! nothing is loaded, parsed or kept on the heap, so counting has no start-up cost.
//!
//! `data/o200k_base.merges` has the published vocabulary in the order of ranks: first the 256
//! bytes, then for each token the ranks of the two tokens that it consists of, in 20 bits each.

mod layout;
mod merging;
mod pieces;
mod vocabulary;

/// Tokens in a text.
pub fn count(text: &str) -> usize {
    pieces::pieces(text).map(|piece| merging::count(piece.as_bytes())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted by the encoding's other implementations.
    const COUNTED: &[(&str, usize)] = &[
        ("", 0),
        (" ", 1),
        ("Hello, world!", 4),
        ("Turn on the bed light, please.", 8),
        ("I'll say it's John's and they've gone: WE'RE LATE'S", 14),
        ("It costs 1234567.89 €, not £99.", 13),
        ("Schalte das Schlafzimmerlicht in fünf Minuten aus.", 10),
        ("Où est la clé de l'armoire ? Ça m'étonne…", 17),
        ("今天天气怎么样？", 5),
        ("東京タワーまで何分かかりますか。", 12),
        ("서울에서 부산까지 얼마나 걸려요?", 9),
        ("Привет, как дела?", 6),
        ("مرحبا، كيف حالك؟", 7),
        ("नमस\u{94d}त\u{947}, आप क\u{948}स\u{947} ह\u{948}\u{902}?", 9),
        ("สว\u{e31}สด\u{e35}คร\u{e31}บ ว\u{e31}นน\u{e35}\u{e49}อากาศเป\u{e47}นอย\u{e48}างไร", 12),
        ("👩\u{200d}👩\u{200d}👧\u{200d}👦 👍🏽 🇩🇪", 18),
        ("fn main() {\n    println!(\"{}\", 1 << 20);\n}\n", 14),
        ("{\"type\":\"object\",\"properties\":{\"area\":{\"type\":[\"string\",\"null\"]}}}", 17),
        ("https://example.org/a/b?c=d&e=f#g", 12),
        ("\t\tmixed   blanks \u{a0}\u{3000} and\r\n\r\n  breaks  \n ", 13),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 5),
        ("antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis", 19),
        ("e\u{301}te\u{301} \u{301}A", 7),
        ("HTMLParserFactoryBEAN parseXMLHttpRequest snake_case_name", 12),
        ("2026-11-17T01:30:00.123Z", 15),
        ("01KABCDEFGHJKMNPQRSTVWXYZ0", 11),
        ("½ cup, x² + y³, Ⅷ. ٣٤٥٦", 18),
        ("'ſ it'ſ", 5),
    ];

    #[test]
    fn texts_of_many_scripts_have_the_published_count() {
        for (text, expected) in COUNTED {
            assert_eq!(count(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_word_without_end_is_counted_in_bearable_time() {
        assert_eq!(count(&"QUJDREVGR0hJSktM".repeat(4_000)), 36_000);
        assert_eq!(count(&"a".repeat(100_000)), 12_500);
    }
}
