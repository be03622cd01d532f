//! Secrets in prose: `my password is …`, `mein Passwort lautet …`, `I changed the password to …`.
//!
//! Most sentences about a password do not contain one. A word with digits, symbols or inner
//! capitals counts as a password. A plain word counts if it ends its clause and is not one of the
//! words that describe passwords.

use super::{
    DetectedSecret, Detection,
    cue::Cue,
    key::{self, SecretFamily, family},
    tail::{CharClass, Quote, SecretTail},
    value::{self, is_random, is_symbol},
    vocabulary::{ADVERBS, AFTER, KEYS, LINKS, MEASURES, OF, STOPS_ENGLISH, STOPS_GERMAN, SUFFIXES, TOWARDS, has},
};

/// The number of words between the name and the verb, as in `password for the guest network is`.
const BETWEEN_MAX: usize = 5;

/// The kind of secret that a sentence reveals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProseSecret {
    /// A password of one word.
    Password,
    /// A passphrase of several words.
    Passphrase,
    /// A PIN of a few digits.
    Pin,
    /// A generated key or token.
    Other(SecretFamily),
}

impl ProseSecret {
    const fn kind(self) -> &'static str {
        match self {
            Self::Password | Self::Passphrase => SecretFamily::Password.kind(),
            Self::Pin => "code",
            Self::Other(family) => family.kind(),
        }
    }
}

/// The cue in the words before a position.
pub fn of(text: &str) -> Option<Cue> {
    let line = text.rsplit('\n').next().unwrap_or(text);
    let mut words = line.rsplit([' ', '\t']).filter(|word| !word.is_empty()).peekable();
    for _ in 0..2 {
        words.next_if(|word| has(ADVERBS, word));
    }
    let link = words.next()?;
    if let Some(name) = link.strip_suffix("'s").or_else(|| link.strip_suffix("’s"))
        && let Some(told) = named(name, words.peek().copied())
    {
        return Some(Cue::Prose { told, is_plain: true });
    }
    let is_plain = has(LINKS, link);
    if !is_plain && !has(TOWARDS, link) {
        // `the password "…"`, and nothing weaker: any word may follow a bare name.
        let told =
            named(link, words.next()).filter(|told| matches!(told, ProseSecret::Password | ProseSecret::Passphrase))?;
        return Some(Cue::Mentioned { told });
    }
    let mut between = None;
    for _ in 0..=BETWEEN_MAX {
        let word = words.next()?;
        if let Some(told) = named(word, words.peek().copied()) {
            let is_about = between.is_none_or(|first| has(OF, first) || has(ADVERBS, first));
            return is_about.then_some(Cue::Prose { told, is_plain });
        }
        if word.ends_with(['.', ',', ';', '!', '?']) {
            return None;
        }
        between = Some(word);
    }
    None
}

/// The secret that a word names, given the word before it: `key` alone names nothing.
pub fn named(word: &str, before: Option<&str>) -> Option<ProseSecret> {
    let word = word.trim_matches(|char: char| !char.is_alphanumeric());
    let plain = word.to_lowercase();
    if plain.ends_with("passphrase") {
        return Some(ProseSecret::Passphrase);
    }
    if matches!(plain.as_str(), "pin" | "pin-code" | "pincode" | "geheimzahl") || plain.ends_with("-pin") {
        return Some(ProseSecret::Pin);
    }
    match family(word) {
        Some(SecretFamily::Password) => return Some(ProseSecret::Password),
        Some(SecretFamily::Authorization) => return None,
        Some(family) => return Some(ProseSecret::Other(family)),
        None => {}
    }
    let is_key = plain == "key" || plain.ends_with("-key") || plain.ends_with("schlüssel");
    let of = before.map(str::to_lowercase).unwrap_or_default();
    let of = of.trim_matches(|char: char| !char.is_alphanumeric());
    let is_compound = plain.rsplit_once('-').is_some_and(|(kind, _)| has(KEYS, kind));
    (is_key && (is_compound || has(KEYS, of))).then_some(ProseSecret::Other(SecretFamily::Secret))
}

/// Judges the text after such a cue.
pub fn judge(told: ProseSecret, is_plain: bool, ahead: &str, whole: bool) -> Detection {
    if ahead == "\\" && !whole {
        return Detection::Wait;
    }
    if let Some(quote) = Quote::at(ahead) {
        return match told {
            ProseSecret::Password | ProseSecret::Passphrase => {
                value::quoted(ahead, whole, quote, SecretFamily::Password)
            }
            ProseSecret::Other(family) if is_plain => value::quoted(ahead, whole, quote, family),
            _ => Detection::No,
        };
    }
    let (window, is_all) = value::window(ahead, whole);
    let length = CharClass::Value.run(window);
    if length == window.len() && !is_all {
        return Detection::Wait;
    }
    let word = window[..length].trim_end_matches(['.', '!', '?', ':']);
    if told == ProseSecret::Passphrase && is_plain {
        return phrase(ahead, whole);
    }
    if key::is_placeholder(word) || is_said_of_passwords(word) {
        return Detection::No;
    }
    let secret = DetectedSecret::with_tail(told.kind(), SecretTail::Run(CharClass::Value));
    match told {
        ProseSecret::Pin => verdict(word.len() <= 8 && word.bytes().all(|byte| byte.is_ascii_digit()), secret),
        ProseSecret::Other(_) => verdict(is_random(word, 8), secret),
        ProseSecret::Password | ProseSecret::Passphrase if is_made_up(word) => secret,
        ProseSecret::Password if is_plain => {
            if word.len() < length {
                return secret;
            }
            match ends_clause(&ahead[length..], whole) {
                Some(ends) => verdict(ends, secret),
                None => Detection::Wait,
            }
        }
        ProseSecret::Password | ProseSecret::Passphrase => Detection::No,
    }
}

/// Judges a passphrase. Its first words may also describe one, as in `correct horse battery
/// staple`.
fn phrase(ahead: &str, whole: bool) -> Detection {
    let (window, is_all) = value::window(ahead, whole);
    let length = CharClass::Phrase.run(window);
    if length == window.len() && !is_all {
        return Detection::Wait;
    }
    let mut words = window[..length].split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_phrase = !is_said_of_passwords(first) || (words.clone().count() >= 3 && !words.any(is_said_of_passwords));
    let secret = DetectedSecret::with_tail(ProseSecret::Passphrase.kind(), SecretTail::Run(CharClass::Phrase));
    verdict(is_phrase && !key::is_placeholder(&window[..length]), secret)
}

/// Judges the text after a bare mention: only a quoted text is a value.
pub fn judge_mentioned(ahead: &str, whole: bool) -> Detection {
    match Quote::at(ahead) {
        Some(quote) => value::quoted(ahead, whole, quote, SecretFamily::Password),
        None if ahead == "\\" && !whole => Detection::Wait,
        None => Detection::No,
    }
}

fn verdict(is_secret: bool, secret: Detection) -> Detection {
    if is_secret { secret } else { Detection::No }
}

/// Whether a word cannot be a description of a password.
fn is_made_up(word: &str) -> bool {
    let any = |is: fn(&char) -> bool| word.chars().any(|char| is(&char));
    let (has_digit, has_letter) = (any(char::is_ascii_digit), any(|char| char.is_alphabetic()));
    let is_number = has_digit && word.bytes().all(|byte| byte.is_ascii_digit());
    let has_symbol = word.len() >= 6 && word.contains(is_symbol);
    let has_capital_within = any(|char| char.is_lowercase()) && word.chars().skip(1).any(char::is_uppercase);
    let is_chain = word.matches(['-', '_']).count() >= 2;
    is_number || (has_digit && has_letter && !is_measure(word)) || has_symbol || has_capital_within || is_chain
}

/// `12-character`, `100%`, `8th`.
fn is_measure(word: &str) -> bool {
    let rest = word.trim_start_matches(|char: char| char.is_ascii_digit());
    let rest = rest.trim_start_matches(['-', '+', '%', '.']).to_lowercase();
    rest.len() < word.len() && (rest.is_empty() || has(MEASURES, &rest))
}

/// Whether a word describes a password.
fn is_said_of_passwords(word: &str) -> bool {
    let plain = word.to_lowercase();
    let plain = plain.trim_matches(|char: char| !char.is_alphanumeric());
    let is_word = plain.chars().all(|char| char.is_alphabetic() || char == '-');
    // Adjectives and participles are lower case, in German too.
    let is_prose = !word.chars().any(char::is_uppercase);
    has(STOPS_ENGLISH, plain)
        || has(STOPS_GERMAN, plain)
        || (is_word
            && plain.len() > 4
            && is_prose
            && (SUFFIXES.split(' ').any(|end| plain.ends_with(end))
                || (plain.starts_with("ge") && plain.ends_with(['t', 'n']))))
}

/// Whether the clause ends after a word; `None` if that is not known yet.
fn ends_clause(rest: &str, whole: bool) -> Option<bool> {
    let next = rest.trim_start_matches([' ', '\t']);
    if next.is_empty() {
        return whole.then_some(true);
    }
    if next.len() == rest.len() || next.starts_with(|char: char| !char.is_alphanumeric()) {
        return Some(true);
    }
    let length = next.find(|char: char| !char.is_alphanumeric());
    match length {
        Some(length) => Some(has(AFTER, &next[..length])),
        None => whole.then(|| has(AFTER, next)),
    }
}
