//! Secrets that a sentence tells: `my password is …`, `mein Passwort lautet …`, `I changed the password to …`.
//!
//! A sentence says many things of a password, most of which are no password. What looks made up (digits, symbols, capitals
//! within) is taken for one. A plain word is, if it ends its clause and is none of the words that say how a password is.

use super::{
    Secret, Verdict,
    cue::Cue,
    key::{self, Family, family},
    swallow::{Class, Quote, Swallow},
    value::{self, is_random, is_symbol},
    vocabulary::{ADVERBS, AFTER, KEYS, LINKS, MEASURES, OF, STOPS_ENGLISH, STOPS_GERMAN, SUFFIXES, TOWARDS, has},
};

/// Words between the name and what links it to its value, as in `password for the guest network is`.
const BETWEEN_MAX: usize = 5;

/// What a sentence is about to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// A password, which is one word.
    Password,
    /// Several words.
    Passphrase,
    /// A few digits.
    Pin,
    /// A key or a token, which nobody makes up.
    Other(Family),
}

impl Told {
    const fn kind(self) -> &'static str {
        match self {
            Self::Password | Self::Passphrase => Family::Password.kind(),
            Self::Pin => "code",
            Self::Other(family) => family.kind(),
        }
    }
}

/// What the words before a place are about to tell.
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
        return Some(Cue::Told { told, is_plain: true });
    }
    let is_plain = has(LINKS, link);
    if !is_plain && !has(TOWARDS, link) {
        // `the password "…"`, and nothing less sure: what follows a bare name may be any word.
        let told = named(link, words.next()).filter(|told| matches!(told, Told::Password | Told::Passphrase))?;
        return Some(Cue::Mentioned { told });
    }
    let mut between = None;
    for _ in 0..=BETWEEN_MAX {
        let word = words.next()?;
        if let Some(told) = named(word, words.peek().copied()) {
            let is_about = between.is_none_or(|first| has(OF, first) || has(ADVERBS, first));
            return is_about.then_some(Cue::Told { told, is_plain });
        }
        if word.ends_with(['.', ',', ';', '!', '?']) {
            return None;
        }
        between = Some(word);
    }
    None
}

/// What a word names, with the word before it: `key` alone names nothing.
pub fn named(word: &str, before: Option<&str>) -> Option<Told> {
    let word = word.trim_matches(|char: char| !char.is_alphanumeric());
    let plain = word.to_lowercase();
    if plain.ends_with("passphrase") {
        return Some(Told::Passphrase);
    }
    if matches!(plain.as_str(), "pin" | "pin-code" | "pincode" | "geheimzahl") || plain.ends_with("-pin") {
        return Some(Told::Pin);
    }
    match family(word) {
        Some(Family::Password) => return Some(Told::Password),
        Some(Family::Authorization) => return None,
        Some(family) => return Some(Told::Other(family)),
        None => {}
    }
    let is_key = plain == "key" || plain.ends_with("-key") || plain.ends_with("schlüssel");
    let of = before.map(str::to_lowercase).unwrap_or_default();
    let of = of.trim_matches(|char: char| !char.is_alphanumeric());
    let is_compound = plain.rsplit_once('-').is_some_and(|(kind, _)| has(KEYS, kind));
    (is_key && (is_compound || has(KEYS, of))).then_some(Told::Other(Family::Secret))
}

/// Judges what follows such words.
pub fn judge(told: Told, is_plain: bool, ahead: &str, whole: bool) -> Verdict {
    if ahead == "\\" && !whole {
        return Verdict::Wait;
    }
    if let Some(quote) = Quote::at(ahead) {
        return match told {
            Told::Password | Told::Passphrase => value::quoted(ahead, whole, quote, Family::Password),
            Told::Other(family) if is_plain => value::quoted(ahead, whole, quote, family),
            _ => Verdict::No,
        };
    }
    let (window, is_all) = value::window(ahead, whole);
    let length = Class::Value.run(window);
    if length == window.len() && !is_all {
        return Verdict::Wait;
    }
    let word = window[..length].trim_end_matches(['.', '!', '?', ':']);
    if told == Told::Passphrase && is_plain {
        return phrase(ahead, whole);
    }
    if key::is_placeholder(word) || is_said_of_passwords(word) {
        return Verdict::No;
    }
    let secret = Secret::swallowed(told.kind(), Swallow::Run(Class::Value));
    match told {
        Told::Pin => verdict(word.len() <= 8 && word.bytes().all(|byte| byte.is_ascii_digit()), secret),
        Told::Other(_) => verdict(is_random(word, 8), secret),
        Told::Password | Told::Passphrase if is_made_up(word) => secret,
        Told::Password if is_plain => {
            if word.len() < length {
                return secret;
            }
            match ends_clause(&ahead[length..], whole) {
                Some(ends) => verdict(ends, secret),
                None => Verdict::Wait,
            }
        }
        Told::Password | Told::Passphrase => Verdict::No,
    }
}

/// Judges several words. A phrase may begin like what is said of one, as in `correct horse battery staple`.
fn phrase(ahead: &str, whole: bool) -> Verdict {
    let (window, is_all) = value::window(ahead, whole);
    let length = Class::Phrase.run(window);
    if length == window.len() && !is_all {
        return Verdict::Wait;
    }
    let mut words = window[..length].split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_phrase = !is_said_of_passwords(first) || (words.clone().count() >= 3 && !words.any(is_said_of_passwords));
    let secret = Secret::swallowed(Told::Passphrase.kind(), Swallow::Run(Class::Phrase));
    verdict(is_phrase && !key::is_placeholder(&window[..length]), secret)
}

/// Judges what follows a bare mention: only what is in quotes is a value.
pub fn judge_mentioned(ahead: &str, whole: bool) -> Verdict {
    match Quote::at(ahead) {
        Some(quote) => value::quoted(ahead, whole, quote, Family::Password),
        None if ahead == "\\" && !whole => Verdict::Wait,
        None => Verdict::No,
    }
}

fn verdict(is_secret: bool, secret: Verdict) -> Verdict {
    if is_secret { secret } else { Verdict::No }
}

/// Whether a word looks like nothing that is said of a password.
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

/// Whether a word says how a password is.
fn is_said_of_passwords(word: &str) -> bool {
    let plain = word.to_lowercase();
    let plain = plain.trim_matches(|char: char| !char.is_alphanumeric());
    let is_word = plain.chars().all(|char| char.is_alphabetic() || char == '-');
    // Adjectives and participles have no capital, in German neither.
    let is_prose = !word.chars().any(char::is_uppercase);
    has(STOPS_ENGLISH, plain)
        || has(STOPS_GERMAN, plain)
        || (is_word
            && plain.len() > 4
            && is_prose
            && (SUFFIXES.split(' ').any(|end| plain.ends_with(end))
                || (plain.starts_with("ge") && plain.ends_with(['t', 'n']))))
}

/// Whether the clause ends after a word. None: that is not known yet.
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
