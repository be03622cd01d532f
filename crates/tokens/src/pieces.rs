//! Splitting a text into pieces before it is encoded. The published encoding defines this with a
//! regular expression of seven alternatives, tried in order. Here each is a function from the
//! remaining text to the length of its match.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The pieces of a text. Together they are the whole text.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        // Each character is a letter, a digit, a blank or a sign, and each of those has a match.
        let length = length(rest).unwrap_or(first.len_utf8());
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(piece)
    })
}

fn length(text: &str) -> Option<usize> {
    word(text)
        .or_else(|| digits(text))
        .or_else(|| signs(text))
        .or_else(|| line_breaks(text))
        .or_else(|| blanks_before_a_word(text))
}

/// Class of a character for the splitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharKind {
    /// An uppercase or titlecase letter.
    Upper,
    Lower,
    /// A letter of a script without cases, or a modifier.
    Caseless,
    /// A combining mark: part of words, but a sign if it stands alone.
    Mark,
    Digit,
    LineBreak,
    Blank,
    Sign,
}

impl CharKind {
    fn of(character: char) -> Self {
        match character {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '\r' | '\n' => Self::LineBreak,
            _ if character.is_whitespace() => Self::Blank,
            _ if character.is_ascii() => Self::Sign,
            _ => match character.general_category() {
                GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter => Self::Upper,
                GeneralCategory::LowercaseLetter => Self::Lower,
                GeneralCategory::ModifierLetter | GeneralCategory::OtherLetter => Self::Caseless,
                GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark => {
                    Self::Mark
                }
                GeneralCategory::DecimalNumber | GeneralCategory::LetterNumber | GeneralCategory::OtherNumber => {
                    Self::Digit
                }
                _ => Self::Sign,
            },
        }
    }

    /// Whether it can be among the uppercase letters at the start of a word.
    const fn is_head(self) -> bool {
        matches!(self, Self::Upper | Self::Caseless | Self::Mark)
    }

    /// Whether it can be among the lowercase letters that follow.
    const fn is_tail(self) -> bool {
        matches!(self, Self::Lower | Self::Caseless | Self::Mark)
    }

    /// Whether it can precede a word and belong to it, like the blank between words.
    const fn is_prefix(self) -> bool {
        matches!(self, Self::Mark | Self::Blank | Self::Sign)
    }

    const fn is_blank(self) -> bool {
        matches!(self, Self::Blank | Self::LineBreak)
    }

    const fn is_sign(self) -> bool {
        matches!(self, Self::Sign | Self::Mark)
    }
}

/// Length of the longest prefix with characters of the right class.
fn run(text: &str, is_part: impl Fn(CharKind) -> bool) -> usize {
    text.char_indices().find(|(_, character)| !is_part(CharKind::of(*character))).map_or(text.len(), |(at, _)| at)
}

/// A word with its prefix and its English ending: `[prefix]Head*tail+['s]`, else
/// `[prefix]HEAD+['s]`.
fn word(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let prefixed = CharKind::of(first).is_prefix().then_some(first.len_utf8());
    let starts = [prefixed, Some(0)];
    let end = |body: fn(&str) -> Option<usize>| {
        starts.into_iter().flatten().find_map(|start| body(&text[start..]).map(|length| start + length))
    };
    let end = end(head_and_tail).or_else(|| end(head))?;
    Some(end + ending(&text[end..]))
}

fn head_and_tail(text: &str) -> Option<usize> {
    let head = run(text, CharKind::is_head);
    let tail = run(&text[head..], CharKind::is_tail);
    if tail > 0 {
        return Some(head + tail);
    }
    // The head backtracks to the last letter that can also be a tail.
    let mut given_back = text[..head].char_indices().rev();
    let (at, character) = given_back.find(|(_, character)| CharKind::of(*character).is_tail())?;
    Some(at + character.len_utf8())
}

fn head(text: &str) -> Option<usize> {
    Some(run(text, CharKind::is_head)).filter(|length| *length > 0)
}

/// The length of 's, 't, 're, 've, 'm, 'll or 'd in either case, or 0.
fn ending(text: &str) -> usize {
    let Some(after) = text.strip_prefix('\'') else { return 0 };
    let mut letters = after.chars().map(|letter| if letter == 'ſ' { 's' } else { letter.to_ascii_lowercase() });
    match (letters.next(), letters.next()) {
        (Some('s'), _) => 1 + after.chars().next().map_or(0, char::len_utf8),
        (Some('t' | 'm' | 'd'), _) => 2,
        (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => 3,
        _ => 0,
    }
}

/// Up to three digits.
fn digits(text: &str) -> Option<usize> {
    let taken = text.chars().take(3).take_while(|character| CharKind::of(*character) == CharKind::Digit);
    Some(taken.map(char::len_utf8).sum()).filter(|length| *length > 0)
}

/// Signs with the blank before them and the line breaks and slashes after them.
fn signs(text: &str) -> Option<usize> {
    let start = usize::from(text.starts_with(' '));
    let signs = run(&text[start..], CharKind::is_sign);
    if signs == 0 {
        return None;
    }
    let after = &text[start + signs..];
    let breaks = after.find(|character| !matches!(character, '\r' | '\n' | '/')).unwrap_or(after.len());
    Some(start + signs + breaks)
}

/// Blanks up to and with the last line break among them.
fn line_breaks(text: &str) -> Option<usize> {
    let blanks = &text[..run(text, CharKind::is_blank)];
    blanks.rfind(['\r', '\n']).map(|at| at + 1)
}

/// Blanks, but for the last one when a word follows: that one belongs to the word.
fn blanks_before_a_word(text: &str) -> Option<usize> {
    let blanks = run(text, CharKind::is_blank);
    let last = text[..blanks].chars().next_back()?.len_utf8();
    Some(if blanks == text.len() || blanks == last { blanks } else { blanks - last })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        pieces(text).collect()
    }

    #[test]
    fn words_take_the_blank_before_them_and_their_ending() {
        assert_eq!(cut("I'll say it's John's, THEY'RE"), ["I'll", " say", " it's", " John's", ",", " THEY'RE"]);
        assert_eq!(cut("HTMLParser parseHTML"), ["HTMLParser", " parse", "HTML"]);
    }

    #[test]
    fn digits_come_by_threes() {
        assert_eq!(cut("in 12345 days"), ["in", " ", "123", "45", " days"]);
    }

    #[test]
    fn the_last_of_several_blanks_belongs_to_the_word() {
        assert_eq!(cut("a   b\n\n  c  "), ["a", "  ", " b", "\n\n", " ", " c", "  "]);
    }

    #[test]
    fn signs_take_line_breaks_and_slashes() {
        assert_eq!(cut("x == {\n}//\n"), ["x", " ==", " {\n", "}//\n"]);
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_text(text in "\\PC*|[ \\r\\n\\ta-cA-C0-9'/.\u{300}\u{17f}中ʰ]*") {
            prop_assert_eq!(pieces(&text).collect::<String>(), text);
        }
    }
}
