//! The question before a service is called: "Shall I unlock the front door?", in the user's
//! language and, where the message names the entity, with the user's own words for it.

use super::call::CallInput;
use crate::index::{EntitySnapshot, plain};

/// The number of names in a question; a call that affects more is described in full instead.
const NAMES_MAX: usize = 4;

/// What a service does, so that each language has one verb for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Lock,
    Unlock,
    Open,
    Close,
    Stop,
    On,
    Off,
    Arm,
    Disarm,
    Start,
}

/// A language of questions.
struct Language {
    code: &'static str,
    /// Before the verb or the names.
    opening: &'static str,
    ending: &'static str,
    /// Whether the verb comes last.
    verb_last: bool,
    and: &'static str,
    /// Articles that the user may have put before a name, in the case that the question needs.
    articles: &'static [&'static str],
    /// The article of a name that the user has not said.
    article: &'static str,
    verb: fn(Verb) -> &'static str,
}

const LANGUAGES: [Language; 6] = [
    Language {
        code: "en",
        opening: "Shall I",
        ending: "?",
        verb_last: false,
        and: "and",
        articles: &["the", "my", "our"],
        article: "the",
        verb: english,
    },
    Language {
        code: "de",
        opening: "Soll ich",
        ending: "?",
        verb_last: true,
        and: "und",
        articles: &["die", "das", "den", "meine", "meinen", "mein", "unsere", "unseren", "unser"],
        article: "",
        verb: german,
    },
    Language {
        code: "es",
        opening: "¿Debo",
        ending: "?",
        verb_last: false,
        and: "y",
        articles: &["la", "el", "los", "las", "mi", "nuestra", "nuestro"],
        article: "",
        verb: spanish,
    },
    Language {
        code: "fr",
        opening: "Dois-je",
        ending: " ?",
        verb_last: false,
        and: "et",
        articles: &["la", "le", "les", "l", "ma", "mon", "mes", "notre", "nos"],
        article: "",
        verb: french,
    },
    Language {
        code: "it",
        opening: "Devo",
        ending: "?",
        verb_last: false,
        and: "e",
        articles: &["la", "il", "lo", "l", "le", "i", "gli"],
        article: "",
        verb: italian,
    },
    Language {
        code: "nl",
        opening: "Zal ik",
        ending: "?",
        verb_last: true,
        and: "en",
        articles: &["de", "het", "mijn", "onze", "ons"],
        article: "",
        verb: dutch,
    },
];

const fn english(verb: Verb) -> &'static str {
    match verb {
        Verb::Lock => "lock",
        Verb::Unlock => "unlock",
        Verb::Open => "open",
        Verb::Close => "close",
        Verb::Stop => "stop",
        Verb::On => "turn on",
        Verb::Off => "turn off",
        Verb::Arm => "arm",
        Verb::Disarm => "disarm",
        Verb::Start => "start",
    }
}

const fn german(verb: Verb) -> &'static str {
    match verb {
        Verb::Lock => "abschließen",
        Verb::Unlock => "aufschließen",
        Verb::Open => "öffnen",
        Verb::Close => "schließen",
        Verb::Stop => "anhalten",
        Verb::On => "einschalten",
        Verb::Off => "ausschalten",
        Verb::Arm => "scharf schalten",
        Verb::Disarm => "unscharf schalten",
        Verb::Start => "starten",
    }
}

const fn spanish(verb: Verb) -> &'static str {
    match verb {
        Verb::Lock => "cerrar con llave",
        Verb::Unlock => "desbloquear",
        Verb::Open => "abrir",
        Verb::Close => "cerrar",
        Verb::Stop => "parar",
        Verb::On => "encender",
        Verb::Off => "apagar",
        Verb::Arm => "activar",
        Verb::Disarm => "desactivar",
        Verb::Start => "iniciar",
    }
}

const fn french(verb: Verb) -> &'static str {
    match verb {
        Verb::Lock => "verrouiller",
        Verb::Unlock => "déverrouiller",
        Verb::Open => "ouvrir",
        Verb::Close => "fermer",
        Verb::Stop => "arrêter",
        Verb::On => "allumer",
        Verb::Off => "éteindre",
        Verb::Arm => "activer",
        Verb::Disarm => "désactiver",
        Verb::Start => "lancer",
    }
}

const fn italian(verb: Verb) -> &'static str {
    match verb {
        Verb::Lock => "chiudere a chiave",
        Verb::Unlock => "sbloccare",
        Verb::Open => "aprire",
        Verb::Close => "chiudere",
        Verb::Stop => "fermare",
        Verb::On => "accendere",
        Verb::Off => "spegnere",
        Verb::Arm => "attivare",
        Verb::Disarm => "disattivare",
        Verb::Start => "avviare",
    }
}

const fn dutch(verb: Verb) -> &'static str {
    match verb {
        Verb::Lock => "op slot doen",
        Verb::Unlock => "van het slot halen",
        Verb::Open => "openen",
        Verb::Close => "sluiten",
        Verb::Stop => "stoppen",
        Verb::On => "inschakelen",
        Verb::Off => "uitschakelen",
        Verb::Arm => "op scherp zetten",
        Verb::Disarm => "van scherp halen",
        Verb::Start => "starten",
    }
}

/// The question whether a call may run; `None` if plain words would leave a part of it out, or the
/// language is not known.
pub(super) fn question(input: &CallInput, meant: &[EntitySnapshot], message: &str, language: &str) -> Option<String> {
    let base = language.split(['-', '_']).next().unwrap_or_default();
    let language = LANGUAGES.iter().find(|known| known.code.eq_ignore_ascii_case(base))?;
    if !input.data.is_empty() || meant.is_empty() || meant.len() > NAMES_MAX {
        return None;
    }
    let verb = (language.verb)(verb_of(&input.domain, &input.service)?);
    let names: Vec<String> = meant.iter().map(|snapshot| called(snapshot, message, language)).collect();
    let names = match names.as_slice() {
        [one] => one.clone(),
        [first @ .., last] => format!("{} {} {last}", first.join(", "), language.and),
        [] => return None,
    };
    let Language { opening, ending, .. } = language;
    Some(if language.verb_last {
        format!("{opening} {names} {verb}{ending}")
    } else {
        format!("{opening} {verb} {names}{ending}")
    })
}

fn verb_of(domain: &str, service: &str) -> Option<Verb> {
    Some(match (domain, service) {
        ("lock", "lock") => Verb::Lock,
        ("lock", "unlock") => Verb::Unlock,
        ("lock", "open") | ("cover", "open_cover") | ("valve", "open_valve") => Verb::Open,
        ("cover", "close_cover") | ("valve", "close_valve") => Verb::Close,
        ("cover", "stop_cover") | ("valve", "stop_valve") => Verb::Stop,
        ("alarm_control_panel", "alarm_disarm") => Verb::Disarm,
        ("alarm_control_panel", "alarm_arm_away") => Verb::Arm,
        ("script" | "scene", "turn_on") | ("button" | "input_button", "press") => Verb::Start,
        // What switching does to a lock or a cover is not plain.
        ("homeassistant", _) => return None,
        (_, "turn_on") => Verb::On,
        (_, "turn_off") => Verb::Off,
        _ => return None,
    })
}

/// The entity as the user called it, with the article; otherwise its name in the home.
fn called(snapshot: &EntitySnapshot, message: &str, language: &Language) -> String {
    let entity = &snapshot.entity;
    let words: Vec<(String, &str)> = message
        .split(|char: char| char.is_whitespace() || matches!(char, '\'' | '’' | '.' | ',' | '!' | '?'))
        .filter(|word| !word.is_empty())
        .map(|word| (plain(word), word))
        .collect();
    for name in std::iter::once(&entity.name).chain(&entity.aliases) {
        let own: Vec<String> = plain(name).split(' ').map(str::to_owned).collect();
        let found = words.windows(own.len()).position(|at| at.iter().zip(&own).all(|((word, _), own)| word == own));
        let Some(at) = found else { continue };
        let said: Vec<&str> = words[at..at + own.len()].iter().map(|(_, word)| *word).collect();
        let said = said.join(" ");
        let before = at.checked_sub(1).map(|before| words[before].0.as_str());
        return match before.filter(|word| language.articles.contains(word)) {
            Some("l") => format!("l’{said}"),
            Some(article) => format!("{article} {said}"),
            None => with_article(&said, language),
        };
    }
    with_article(&entity.name, language)
}

/// A name that the user has not said: English names are told in running text, others are quoted by
/// their name alone, since their gender is not known.
fn with_article(name: &str, language: &Language) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if language.article.is_empty() {
        return format!("“{name}”");
    }
    // "Front door" is a plain noun, "TV" and "Anna's Lamp" are names.
    let mut words = name.split(' ');
    let is_noun = words.next().is_some_and(|first| first.chars().skip(1).all(char::is_lowercase))
        && words.all(|word| word.chars().all(|char| !char.is_uppercase()));
    let mut chars = name.chars();
    let lowered = chars.next().map(char::to_lowercase).into_iter().flatten().chain(chars).collect::<String>();
    format!("{} {}", language.article, if is_noun { &lowered } else { &name })
}
