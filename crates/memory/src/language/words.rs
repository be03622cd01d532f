//! Tokenizes a message. A word is a run of letters and digits; an apostrophe or a hyphen inside
//! belongs to it, so do the signs inside `3.5`, `17:30` and `2026-05-03`, and an address is one
//! word. Contractions count as the two words they stand for ("I'm" is "i", "am"), so that a phrase
//! needs to be written down only once.

use super::rule_words::ENGLISH;
use std::ops::Range;

/// What ends a sentence, in the scripts that have such a sign.
const SENTENCE_ENDS: &[char] = &['.', '!', '?', ';', '\n', '…', '。', '！', '？', '؟', '।', '¡', '¿'];

/// Signs in front of a number that belong to it.
pub const SIGNS: &[char] = &['-', '−', '£', '$', '€'];

/// What ends a clause: a sentence's end, or a lighter break.
const CLAUSE_BREAKS: &[char] = &[',', ':', '、', '，', '：', '–', '—', '(', ')'];

/// The signs of a question.
pub const QUESTION_MARKS: &[char] = &['?', '？', '؟', '¿', '\u{37e}'];

/// A word of the message.
#[derive(Debug, Clone)]
pub struct Word<'m> {
    /// The word in lower case; half of the contraction if it comes from one.
    pub lower: String,
    /// The word as written; the whole contraction if it comes from one.
    pub text: &'m str,
    /// Where `text` starts, in bytes.
    pub at: usize,
    /// Where `text` starts, in characters.
    pub start: usize,
    /// The text between this word and the next.
    pub after: &'m str,
    /// Whether it is between quotation marks.
    pub quoted: bool,
}

impl Word<'_> {
    /// Whether a sentence ends after the word.
    pub fn ends_sentence(&self) -> bool {
        self.after.contains(SENTENCE_ENDS)
            && !(self.after == ". " && ENGLISH.tokenizer.titles.contains(&self.lower.as_str()))
    }

    /// Whether a clause or a sentence ends after the word.
    pub fn ends_clause(&self) -> bool {
        self.after.contains(CLAUSE_BREAKS) || self.after.contains(" - ") || self.ends_sentence()
    }

    /// Whether it starts with a digit.
    pub fn is_figure(&self) -> bool {
        self.lower.trim_start_matches(SIGNS).starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether the user wrote it with a capital.
    pub fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Whether it is half of a contraction.
    pub fn is_half(&self) -> bool {
        halves(&plain(self.text)).is_some()
    }

    /// Whether it is a web address.
    pub fn is_url(&self) -> bool {
        is_url(&self.lower)
    }

    /// Whether it is a mail address.
    pub fn is_email(&self) -> bool {
        is_email(&self.lower)
    }
}

/// A tokenized message.
#[derive(Debug)]
pub struct TokenizedText<'m> {
    /// The part of the message that was tokenized.
    pub source: &'m str,
    /// Whether the message goes on after that.
    pub cut: bool,
    /// Whether the message as a whole ends with a question mark.
    pub asks: bool,
    /// Its words.
    pub words: Vec<Word<'m>>,
    /// The quoted spans, in characters.
    pub quotes: Vec<Range<usize>>,
}

impl<'m> TokenizedText<'m> {
    /// Tokenizes the first `max` bytes of a message.
    pub fn read(message: &'m str, max: usize) -> Self {
        let source = &message[..message.floor_char_boundary(max)];
        let chars: Vec<(usize, char)> = source.char_indices().collect();
        let quotes = quotes(&chars);
        let mut words = Vec::new();
        let mut spans = spans(source, &chars).into_iter().peekable();
        while let Some(span) = spans.next() {
            let (from, to) = (byte(source, &chars, span.start), byte(source, &chars, span.end));
            let next = spans.peek().map_or(source.len(), |next| byte(source, &chars, next.start));
            let quoted = quotes.iter().any(|quote| quote.contains(&span.start));
            let word = Word {
                lower: plain(&source[from..to]),
                text: &source[from..to],
                at: from,
                start: span.start,
                after: &source[to..next],
                quoted,
            };
            match halves(&word.lower) {
                Some((left, right)) => {
                    words.push(Word { lower: left, after: "", ..word.clone() });
                    words.push(Word { lower: right, ..word });
                }
                None => words.push(word),
            }
        }
        expand_verbs(&mut words);
        let asks = message.trim_end().ends_with(QUESTION_MARKS);
        Self { source, cut: source.len() < message.len(), asks, words, quotes }
    }

    /// The sentences, each with at least one word.
    pub fn sentences(&self) -> impl Iterator<Item = &[Word<'m>]> {
        self.words.split_inclusive(Word::ends_sentence)
    }

    /// The words from first to last as the user wrote them.
    pub fn slice(&self, words: &[Word<'m>]) -> &'m str {
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return "" };
        self.source.get(first.at..last.at + last.text.len()).unwrap_or_default()
    }
}

/// The byte at which a character starts, or the end of the text.
fn byte(source: &str, chars: &[(usize, char)], index: usize) -> usize {
    chars.get(index).map_or(source.len(), |&(at, _)| at)
}

/// Lower case, with the straight apostrophe.
fn plain(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// Where the words are, in characters.
fn spans(source: &str, chars: &[(usize, char)]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let (mut at, mut chunk_end) = (0, 0);
    while at < chars.len() {
        if !chars[at].1.is_alphanumeric() {
            at += 1;
            continue;
        }
        let mut end = word_end(chars, at);
        let start = at - usize::from(has_sign(chars, at));
        // Each chunk between spaces is tested as an address once, so that the whole stays linear.
        if at >= chunk_end {
            chunk_end = at + chars[at..].iter().take_while(|(_, c)| !c.is_whitespace()).count();
            let last = chars[at..chunk_end].iter().rposition(|(_, c)| c.is_alphanumeric() || *c == '/');
            let address_end = at + last.map_or(0, |last| last + 1);
            let chunk = source[chars[at].0..byte(source, chars, address_end)].to_lowercase();
            if is_url(&chunk) || is_email(&chunk) || is_code(&chunk) {
                end = address_end;
            }
        }
        spans.push(start..end);
        at = end;
    }
    spans
}

/// Whether a number that starts here has a sign in front: "-2.5", "£30", but not "8-31".
fn has_sign(chars: &[(usize, char)], at: usize) -> bool {
    let sign = at.checked_sub(1).map(|before| chars[before].1);
    let free = at < 2 || !chars[at - 2].1.is_alphanumeric();
    chars[at].1.is_ascii_digit() && free && sign.is_some_and(|sign| SIGNS.contains(&sign))
}

/// Where the word that starts here ends.
fn word_end(chars: &[(usize, char)], start: usize) -> usize {
    let mut end = start + 1;
    while let Some(&(_, c)) = chars.get(end) {
        let (before, next) = (chars[end - 1].1, chars.get(end + 1).map_or(' ', |&(_, next)| next));
        let joins = match c {
            '\'' | '’' | '-' => before.is_alphanumeric() && next.is_alphanumeric(),
            '.' | ',' | ':' | '/' => before.is_ascii_digit() && next.is_ascii_digit(),
            _ => c.is_alphanumeric(),
        };
        if !joins {
            break;
        }
        end += 1;
    }
    end
}

/// Whether letters, digits and signs make one word: a password, the number of an office.
fn is_code(chunk: &str) -> bool {
    const JOINTS: &[char] = &['!', '#', '$', '%', '&', '*', '+', '=', '_', '~', '^', '/', '.', '-', '@'];
    let has = |fits: fn(char) -> bool| chunk.chars().any(fits);
    let joined = chunk.split(|c: char| c.is_alphanumeric()).filter(|signs| !signs.is_empty());
    has(|c| c.is_ascii_digit())
        && has(char::is_alphabetic)
        && joined.clone().next().is_some()
        && joined.into_iter().all(|signs| signs.chars().count() == 1 && signs.chars().all(|c| JOINTS.contains(&c)))
}

fn is_url(chunk: &str) -> bool {
    ["http://", "https://", "www."].iter().any(|start| chunk.strip_prefix(start).is_some_and(|rest| rest.len() > 2))
}

fn is_email(chunk: &str) -> bool {
    chunk.split_once('@').is_some_and(|(local, domain)| {
        let named = domain.rsplit_once('.').is_some_and(|(host, top)| !host.is_empty() && top.len() > 1);
        !local.is_empty() && named && !domain.contains(['@', '/', ','])
    })
}

/// The spans between quotation marks; an unpaired mark is ignored.
fn quotes(chars: &[(usize, char)]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open: Option<usize> = None;
    for (at, &(_, c)) in chars.iter().enumerate() {
        let (opens, closes) = match c {
            // After a figure it means inches.
            '"' => (at == 0 || !chars[at - 1].1.is_ascii_digit(), true),
            '“' => (true, true),
            '„' | '«' | '「' => (true, false),
            '”' | '»' | '」' => (false, true),
            '\'' | '‘' | '’' => (opens_quote(chars, at), closes_quote(chars, at)),
            _ => continue,
        };
        match open {
            Some(from) if closes => {
                spans.push(from..at);
                open = None;
            }
            _ if opens => open = Some(at + 1),
            _ => {}
        }
    }
    spans.retain(|span| !span.is_empty());
    spans
}

/// Whether an apostrophe here can open a quotation: before a word, and closed behind another one.
fn opens_quote(chars: &[(usize, char)], at: usize) -> bool {
    let free = at == 0 || chars[at - 1].1.is_whitespace() || chars[at - 1].1 == '(';
    let word = chars.get(at + 1).is_some_and(|(_, c)| c.is_alphanumeric());
    let words = || chars[at + 1..].iter().position(|(_, c)| c.is_whitespace()).map(|space| at + 1 + space);
    free && word
        && words().is_some_and(|space| {
            (space..chars.len()).any(|end| is_apostrophe(chars[end].1) && closes_quote(chars, end))
        })
}

/// Whether an apostrophe here can close a quotation: behind a word or a sentence.
fn closes_quote(chars: &[(usize, char)], at: usize) -> bool {
    let before = at.checked_sub(1).is_some_and(|before| !chars[before].1.is_whitespace());
    let after = chars.get(at + 1).is_none_or(|(_, c)| !c.is_alphanumeric());
    // "The kids' recital" has a genitive.
    let genitive = at > 0 && chars[at - 1].1 == 's' && chars.get(at + 1).is_some_and(|(_, c)| *c == ' ');
    is_apostrophe(chars[at].1) && before && after && !genitive
}

fn is_apostrophe(c: char) -> bool {
    ['\'', '’', '‘'].contains(&c)
}

/// The two words that a contraction stands for.
fn halves(word: &str) -> Option<(String, String)> {
    let short = &ENGLISH.tokenizer;
    if let Some((_, long)) = short.contractions.iter().find(|(form, _)| *form == word) {
        return long.split_once(' ').map(|(left, right)| (left.to_owned(), right.to_owned()));
    }
    if let Some(verb) =
        short.denied_endings.iter().find_map(|ending| word.strip_suffix(ending)).filter(|verb| !verb.is_empty())
    {
        return Some((verb.to_owned(), (*short.denial.first()?).to_owned()));
    }
    let (left, right) = word.rsplit_once('\'')?;
    // Elsewhere 's is a genitive: "my wife's name".
    let is_verb = |ending: &str| ending != "s" || short.is_before.contains(&left);
    let (_, verb) = short.endings.iter().find(|(ending, _)| *ending == right && is_verb(right))?;
    Some((left.to_owned(), (*verb).to_owned()))
}

/// Splits "Anja's just relocated", "the building's been sold" and "my GP's Dr Okonkwo" into a noun
/// and a verb: only what follows tells them from a genitive.
fn expand_verbs(words: &mut Vec<Word<'_>>) {
    let mut at = 0;
    while at < words.len() {
        if let Some(verb) = verb_at(words, at) {
            let word = words[at].clone();
            let end = word.text.rfind(['\'', '’']).unwrap_or(word.text.len());
            let (noun, short) = word.text.split_at(end);
            let start = word.start + noun.chars().count();
            words[at] = Word { lower: plain(noun), text: noun, after: "", ..word.clone() };
            words.insert(at + 1, Word { lower: verb.to_owned(), text: short, at: word.at + end, start, ..word });
            at += 1;
        }
        at += 1;
    }
}

/// The verb that 's at the end of this word stands for; none if it is a genitive.
fn verb_at(words: &[Word<'_>], at: usize) -> Option<&'static str> {
    let word = &words[at];
    let noun = word.lower.strip_suffix("'s").filter(|noun| noun.chars().count() > 1)?;
    let next = words.get(at + 1).filter(|_| !word.ends_clause() && !word.quoted)?;
    let is_in = |word: Option<&Word<'_>>, list: &[&str]| word.is_some_and(|word| list.contains(&word.lower.as_str()));
    let is_place =
        (1..=2).any(|back| is_in(at.checked_sub(back).and_then(|at| words.get(at)), &ENGLISH.tokenizer.at_place));
    let is_participle = |at: usize| {
        let ends = words.get(at).is_some_and(|word| word.lower.len() > 4 && word.lower.ends_with("ed"));
        ends && (is_in(words.get(at + 1), &ENGLISH.tokenizer.after_participle)
            || words.get(at).is_some_and(Word::ends_clause))
    };
    let past = if is_in(Some(next), &ENGLISH.tokenizer.before_participle) { at + 2 } else { at + 1 };
    if is_place || noun.ends_with('s') && noun.len() < 4 {
        return None;
    }
    if is_participle(past) || is_in(words.get(past), &ENGLISH.tokenizer.after_has) {
        return Some("has");
    }
    is_in(Some(next), &ENGLISH.tokenizer.after_verb).then_some("is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_verb_is_told_from_a_genitive_by_what_follows() {
        for (text, words) in [
            ("Anja's just relocated to Utrecht", "anja has just relocated to utrecht"),
            ("the building's been sold", "the building has been sold"),
            ("my GP’s Dr Okonkwo now", "my gp is dr okonkwo now"),
            ("my wife's name is Ada", "my wife's name is ada"),
            ("we stayed at my sister's in Graz", "we stayed at my sister's in graz"),
        ] {
            let read = TokenizedText::read(text, text.len());
            let lower: Vec<&str> = read.words.iter().map(|word| word.lower.as_str()).collect();
            assert_eq!(lower.join(" "), words);
        }
    }
}
