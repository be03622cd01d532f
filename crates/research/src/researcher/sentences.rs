//! Splitting a passage into sentences, verbatim.

/// A shorter sentence says nothing alone.
const CHARS_MIN: usize = 20;
/// A longer text is not a sentence.
const CHARS_MAX: usize = 500;

/// The sentences of a passage. A row of a table counts as one; headings do not.
pub(super) fn of(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut paragraph_start = None;
    for line in lines(text) {
        let trimmed = line.trim();
        let is_own = trimmed.starts_with(['|', '#', '-', '*', '>']) || trimmed.is_empty();
        if is_own {
            if let Some(start) = paragraph_start.take() {
                split(&text[start..offset(text, line)], &mut sentences);
            }
            if !trimmed.is_empty() && !trimmed.starts_with('#') && !is_rule(trimmed) {
                split(line, &mut sentences);
            }
        } else {
            paragraph_start.get_or_insert_with(|| offset(text, line));
        }
    }
    if let Some(start) = paragraph_start {
        split(&text[start..], &mut sentences);
    }
    sentences.retain(|sentence| {
        let chars = sentence.chars().count();
        // A lowercase beginning is the rest of a sentence that starts elsewhere.
        let is_whole = !sentence.starts_with(char::is_lowercase);
        is_whole && (CHARS_MIN..=CHARS_MAX).contains(&chars) && sentence.chars().any(char::is_alphabetic)
    });
    sentences
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
}

/// Offset of a piece in its text.
fn offset(text: &str, piece: &str) -> usize {
    piece.as_ptr() as usize - text.as_ptr() as usize
}

/// The line under the header of a table.
fn is_rule(line: &str) -> bool {
    line.chars().all(|char| matches!(char, '|' | '-' | ':' | ' ' | '*' | '_'))
}

/// Splits after a sentence: punctuation, a space, and something that can start a sentence.
fn split<'a>(text: &'a str, sentences: &mut Vec<&'a str>) {
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut word = String::new();
    while let Some((at, char)) = chars.next() {
        if char.is_whitespace() {
            word.clear();
            continue;
        }
        let is_end = matches!(char, '.' | '!' | '?' | '…') && !is_short(&word);
        word.push(char);
        if !is_end {
            continue;
        }
        let mut end = at + char.len_utf8();
        while let Some((at, mark)) =
            chars.next_if(|(_, next)| matches!(next, '.' | '!' | '?' | '"' | '”' | '’' | ')' | ']'))
        {
            end = at + mark.len_utf8();
        }
        let rest = &text[end..];
        let next = rest.trim_start().chars().next();
        let begins = next.is_none_or(|next| next.is_uppercase() || next.is_numeric() || "\"“„'(¿¡|".contains(next));
        if rest.starts_with(char::is_whitespace) && begins || rest.is_empty() {
            sentences.push(text[start..end].trim());
            start = end;
            word.clear();
        }
    }
    sentences.push(text[start..].trim());
}

/// Whether a full stop after this word belongs to it: `Dr`, `e.g`, a single letter.
fn is_short(word: &str) -> bool {
    let plain = word.trim_start_matches(['(', '"', '“']).to_lowercase();
    plain.chars().count() == 1 && plain.chars().all(char::is_alphabetic)
        || plain.contains('.') && plain.chars().all(|char| char.is_alphabetic() || char == '.')
        || matches!(
            plain.as_str(),
            "dr" | "mr" | "mrs" | "ms" | "prof" | "st" | "no" | "vol" | "ca" | "approx" | "vs" | "fig"
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_stand_as_they_are() {
        let text = "# The kiln\nThe kiln reaches 1,280 degrees. Dr. Ada Byron built it in 1.5 years!\nIt is made of\nbrick and of clay.\n\n| Cone | Degrees |\n|---|---|\n| Cone 6 is the usual | 1222 |\n- Let it cool for a whole day.";
        assert_eq!(
            of(text),
            [
                "The kiln reaches 1,280 degrees.",
                "Dr. Ada Byron built it in 1.5 years!",
                "It is made of\nbrick and of clay.",
                "| Cone 6 is the usual | 1222 |",
                "- Let it cool for a whole day.",
            ]
        );
    }

    proptest! {
        #[test]
        fn every_sentence_is_part_of_the_text(text in "(\\PC|\n|[.!?] |[A-Z]){0,200}") {
            for sentence in of(&text) {
                prop_assert!(text.contains(sentence));
            }
        }
    }
}
