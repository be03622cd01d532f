//! Words that say what a name stands for: people, animals, places, things.

use protocol::NodeKind;

use crate::language::lexicon::Lexicon;

/// The longest name, in words; a longer value is no name.
const NAME_WORDS_MAX: usize = 5;

/// People of whom one has few, beside those of the lexicon.
const PEOPLE: &[&str] = &[
    "manager",
    "supervisor",
    "teacher",
    "doctor",
    "gp",
    "dentist",
    "therapist",
    "landlord",
    "landlady",
    "trainer",
    "coach",
    "lawyer",
    "nanny",
    "babysitter",
    "vet",
    "tutor",
    "assistant",
];

/// Attributes whose value is a person, without being a name for them.
const TO_PERSON: &[&str] = &[
    "report to",
    "reports to",
    "live with",
    "lives with",
    "married to",
    "engaged to",
    "works with",
    "work with",
    "dating",
];

/// Animals, among the relations of the lexicon.
const ANIMALS: &[&str] =
    &["dog", "cat", "rabbit", "hamster", "horse", "parrot", "tortoise", "hens", "pet", "guinea pig", "fish", "bird"];

/// Attributes whose value is a place.
const TO_PLACE: &[&str] = &[
    "home",
    "lives in",
    "live in",
    "hometown",
    "origin",
    "born in",
    "comes from",
    "from",
    "town",
    "city",
    "village",
    "country",
    "work in",
    "works in",
    "birthplace",
    "moved to",
    "lives at",
    "address",
    "home address",
    "location",
    "holiday in",
    "stays in",
];

/// Attributes whose value is a company, a school, a club.
const TO_THING: &[&str] = &[
    "employer",
    "company",
    "works at",
    "works for",
    "work at",
    "work for",
    "school",
    "university",
    "college",
    "studies at",
    "study at",
    "goes to",
    "go to",
    "bank",
    "bank at",
    "bank with",
    "shop at",
    "gym",
    "team",
    "club",
    "band",
    "plays for",
    "member of",
];

/// Things that people have, of which each is one thing.
const OWN_THINGS: &[&str] = &[
    "car",
    "bike",
    "boat",
    "van",
    "motorbike",
    "scooter",
    "laptop",
    "phone",
    "camera",
    "guitar",
    "piano",
    "violin",
    "flat",
    "garden",
];

/// Words inside of names that are written small.
const SMALL: &[&str] =
    &["de", "da", "del", "der", "den", "di", "du", "la", "le", "van", "von", "of", "the", "am", "an", "in", "upon"];

/// The words for a user.
const USER: &[&str] = &["me", "i", "user", "the user", "myself", "you", "ich", "yo", "moi"];

/// Whether these words stand for the user.
pub(super) fn is_user(plain: &str) -> bool {
    USER.contains(&plain)
}

/// A name in small letters, without "my" and "the" in front.
pub(super) fn plain_name(name: &str) -> String {
    let lower = name.trim().to_lowercase().replace('’', "'");
    let rest = lower.split_once(' ').filter(|(first, rest)| {
        let is_own = *first == "the" || Lexicon::all().any(|lexicon| lexicon.own.contains(*first));
        is_own && !rest.trim().is_empty()
    });
    rest.map_or_else(|| lower.clone(), |(_, rest)| rest.trim().to_owned())
}

/// What a person or an animal is to another one, in one word for all of its forms: `mother` for
/// "mum" and "Mutter".
pub(super) fn relation(plain: &str) -> Option<String> {
    let known = |word: &str| Lexicon::all().find_map(|lexicon| lexicon.relations.get(word).cloned());
    let listed = |word: &str| (PEOPLE.contains(&word) || ANIMALS.contains(&word)).then(|| word.to_owned());
    if let Some(relation) = known(plain).or_else(|| listed(plain)) {
        return Some(relation);
    }
    // "older sister", "best friend": another one than the plain word names.
    let (adjectives, noun) = plain.rsplit_once(' ')?;
    let is_short = adjectives.split(' ').count() <= 2 && !adjectives.contains('\'');
    let noun = known(noun).or_else(|| listed(noun)).filter(|_| is_short)?;
    Some(format!("{adjectives} {noun}"))
}

/// The last word of a relation: `sister` of `older sister`.
fn noun(relation: &str) -> &str {
    relation.rsplit(' ').next().unwrap_or(relation)
}

/// Whether the one it stands for stays the same: a sister does, a boss does not.
pub(super) fn is_lasting(relation: &str) -> bool {
    let noun = noun(relation);
    noun != "friend" && noun != "wife" && noun != "husband" && Lexicon::all().any(|lexicon| lexicon.kin.contains(noun))
}

/// The kind of the one that a relation stands for.
pub(super) fn kind_of_relation(relation: &str) -> NodeKind {
    if ANIMALS.contains(&noun(relation)) { NodeKind::Animal } else { NodeKind::Person }
}

/// Relations that one person cannot have both of: a daughter is no sister. None if it goes with
/// any.
pub(super) fn role(relation: &str) -> Option<&str> {
    match noun(relation) {
        "wife" | "husband" | "partner" | "girlfriend" | "boyfriend" | "fiance" => Some("partner"),
        "child" | "baby" | "son" | "daughter" => Some("child"),
        noun if is_lasting(relation) => Some(noun),
        _ => None,
    }
}

/// The kind of thing that the value of an attribute names.
pub(super) fn kind_of_value(attribute: &str) -> Option<NodeKind> {
    let is_in = |list: &[&str]| list.contains(&attribute);
    match () {
        () if is_in(TO_PERSON) => Some(NodeKind::Person),
        () if is_in(TO_PLACE) => Some(NodeKind::Place),
        () if is_in(TO_THING) => Some(NodeKind::Thing),
        () => None,
    }
}

/// Whether an attribute names a thing that the user has.
pub(super) fn is_own_thing(attribute: &str) -> bool {
    OWN_THINGS.contains(&attribute)
}

/// The names in a value: "Mia and Leo" are two. Empty if it does not begin with a name.
pub(super) fn names(value: &str) -> Vec<String> {
    let parts = value.split([',', ';', '&']).flat_map(|part| part.split(" and "));
    let mut parts = parts.map(str::trim).filter(|part| !part.is_empty());
    let mut names: Vec<String> = Vec::new();
    match parts.next() {
        Some(first) if is_name(first) => names.push(first.to_owned()),
        _ => return names,
    }
    names.extend(parts.filter(|part| is_name(part)).map(str::to_owned));
    names
}

/// Whether a text is a name: few words, each with a capital.
pub(super) fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_capital = |word: &&str| word.starts_with(char::is_uppercase);
    let fits = |word: &&str| is_capital(word) || SMALL.contains(word);
    !words.is_empty()
        && words.len() <= NAME_WORDS_MAX
        && words.iter().all(fits)
        && words.first().is_some_and(is_capital)
}
