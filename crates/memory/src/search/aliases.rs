//! Two names of one person or thing: a fact that says "my sister's name is Maria" makes `sister`
//! and `Maria` one, so that a question about one finds what was said about the other.

use std::collections::BTreeMap;

use protocol::{ItemId, Level, Timestamp};

use super::{document::Document, terms};

/// The longest name, in words; a longer value is no name.
const NAME_WORDS_MAX: usize = 3;

/// Words for people and animals of which a user has few, so that a name stands for them.
const RELATIONS: &[&str] = &[
    "sister",
    "brother",
    "mother",
    "father",
    "mom",
    "mum",
    "dad",
    "wife",
    "husband",
    "partner",
    "girlfriend",
    "boyfriend",
    "fiance",
    "fiancee",
    "son",
    "daughter",
    "child",
    "baby",
    "uncle",
    "aunt",
    "cousin",
    "nephew",
    "niece",
    "grandmother",
    "grandfather",
    "grandma",
    "grandpa",
    "friend",
    "boss",
    "manager",
    "colleague",
    "neighbour",
    "neighbor",
    "teacher",
    "doctor",
    "dentist",
    "therapist",
    "landlord",
    "roommate",
    "flatmate",
    "dog",
    "cat",
    "pet",
    "horse",
    "rabbit",
    "parrot",
    "hamster",
    "car",
    "boat",
    "company",
    "school",
    "team",
    "band",
];

/// The links that facts state, by fact.
#[derive(Debug, Default)]
pub(super) struct Aliases(BTreeMap<ItemId, AliasPair>);

/// A relation and a name, as terms.
#[derive(Debug, PartialEq, Eq)]
struct AliasPair {
    relation: Vec<String>,
    name: Vec<String>,
    valid_until: Option<Timestamp>,
    is_superseded: bool,
}

impl Aliases {
    /// Reads a document; most state no link.
    pub(super) fn insert(&mut self, document: &Document) {
        if let Some((relation, name)) = pair(document) {
            let (valid_until, is_superseded) = (document.valid_until, document.is_superseded);
            self.0.insert(document.id, AliasPair { relation, name, valid_until, is_superseded });
        }
    }

    pub(super) fn remove(&mut self, id: ItemId) {
        self.0.remove(&id);
    }

    pub(super) fn set_validity(&mut self, id: ItemId, valid_until: Option<Timestamp>, is_superseded: bool) {
        if let Some(pair) = self.0.get_mut(&id) {
            pair.valid_until = valid_until;
            pair.is_superseded = is_superseded;
        }
    }

    /// The terms that stand for the same people and things as the given ones, without these.
    pub(super) fn of(&self, terms: &[String], now: Timestamp) -> Vec<String> {
        let has_all = |wanted: &[String]| wanted.iter().all(|term| terms.contains(term));
        let mut found = Vec::new();
        let holds = |pair: &&AliasPair| !pair.is_superseded && pair.valid_until.is_none_or(|until| until > now);
        for pair in self.0.values().filter(holds) {
            let other = match (has_all(&pair.relation), has_all(&pair.name)) {
                (true, false) => &pair.name,
                (false, true) => &pair.relation,
                _ => continue,
            };
            found.extend(other.iter().filter(|term| !terms.contains(term)).cloned());
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The relation and the name that a fact links.
fn pair(document: &Document) -> Option<(Vec<String>, Vec<String>)> {
    if !matches!(document.level, Level::Fact | Level::Profile) {
        return None;
    }
    let (key, value) = (document.key.as_deref()?, document.value.as_deref()?);
    let is_name = value.split_whitespace().count() <= NAME_WORDS_MAX
        && value.split_whitespace().all(|word| word.starts_with(char::is_uppercase));
    let relation = relation(key, document.subject.as_deref()).filter(|_| is_name)?;
    let (relation, name) = (terms::terms(&relation), terms::terms(value));
    let name: Vec<String> = name.into_iter().filter(|term| !relation.contains(term)).collect();
    (!relation.is_empty() && !name.is_empty()).then_some((relation, name))
}

/// Whose name a fact states: `sister` for the keys `sister's name`, `name of my sister` and
/// `sister`, and for the key `name` of the subject `sister`.
fn relation(key: &str, subject: Option<&str>) -> Option<String> {
    let words: Vec<String> = terms::words(key).map(terms::plain).filter(|word| word != "my").collect();
    let rest: Vec<&str> = words.iter().map(String::as_str).filter(|word| !matches!(*word, "name" | "of")).collect();
    let is_naming = words.iter().any(|word| word == "name");
    match rest.as_slice() {
        [] if is_naming => subject.map(str::to_owned),
        [.., last] if RELATIONS.contains(last) => Some(rest.join(" ")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(number: u8, subject: Option<&str>, key: &str, value: &str) -> Document {
        Document {
            key: Some(key.to_owned()),
            value: Some(value.to_owned()),
            subject: subject.map(str::to_owned),
            ..Document::new(ItemId::from_bytes([number; 16]), Level::Fact, value, Timestamp::from_millis(0))
        }
    }

    #[test]
    fn a_relation_and_a_name_stand_for_each_other() {
        for (subject, key) in
            [(None, "sister's name"), (None, "name of my sister"), (None, "sister"), (Some("sister"), "name")]
        {
            let mut aliases = Aliases::default();
            aliases.insert(&fact(1, subject, key, "Maria"));
            let of = |text: &str| aliases.of(&terms::terms(text), Timestamp::from_millis(1));
            assert_eq!(of("Where does my sister live?"), ["maria"], "{key}");
            assert_eq!(of("Where does Maria live?"), ["sister"], "{key}");
            assert!(of("Does my sister Maria live there?").is_empty(), "{key}");
        }
    }

    #[test]
    fn what_is_no_name_links_nothing_and_what_ended_no_longer_does() {
        let mut aliases = Aliases::default();
        aliases.insert(&fact(1, None, "sister's job", "Nurse"));
        aliases.insert(&fact(2, None, "sister", "a nurse in Graz"));
        aliases.insert(&fact(3, None, "name", "Ada"));
        assert!(aliases.0.is_empty());
        let dog = fact(4, None, "dog's name", "Rex");
        aliases.insert(&dog);
        aliases.set_validity(dog.id, Some(Timestamp::from_millis(5)), true);
        assert!(aliases.of(&terms::terms("the dog"), Timestamp::from_millis(9)).is_empty());
        aliases.remove(dog.id);
        assert!(aliases.0.is_empty());
    }
}
