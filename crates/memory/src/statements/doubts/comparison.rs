//! Compares a message with something known: whether it is about the same thing, and says that it is
//! otherwise now.

use std::collections::{HashMap, HashSet};

use super::{
    Touch, corrected,
    kinds::{KindValue, ValueKind, is_like},
    known::KnownFact,
    said::SpokenMessage,
};
use crate::language::{lexicon::Token, rule_words::ENGLISH};

/// The least similarity of two texts that are about the same thing.
const ALIKE_MIN: f32 = 0.5;
/// The same where one directly follows the other.
const FOLLOWS_MIN: f32 = 0.18;
/// The same where it has a value of the same kind, too.
const RELATED_MIN: f32 = 0.1;

/// The same where the message states something else.
const BESIDE_MIN: f32 = 0.35;

/// Names of at least this many characters are the same one, spelled otherwise, if at most so many
/// characters differ.
const SPELLED_MIN: usize = 4;
const SPELLED_MAX: usize = 2;

/// A message and something known.
pub struct Comparison<'c, 'm> {
    /// The message.
    pub said: &'c SpokenMessage<'m>,
    /// What is known.
    pub known: &'c KnownFact,
    /// The names of people by their relation.
    pub aliases: &'c HashMap<String, String>,
    /// Whether it was stated just before in the same conversation.
    pub is_recent: bool,
    /// Whether the rules understood the message, as something else.
    pub is_elsewhere: bool,
    /// How similar the two are by their embeddings.
    pub alike: Likeness,
    /// Whether the question is whether it still holds.
    pub is_asked: bool,
}

/// How similar two texts are by their embeddings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Likeness {
    /// This similar.
    Known(f32),
    /// It will be known soon: what only likeness can tell is left to it.
    Pending,
    /// There are no embeddings: words have to do.
    Absent,
}

impl Likeness {
    /// Whether the two are known to be at least this similar.
    fn is_at_least(self, least: f32) -> bool {
        matches!(self, Self::Known(alike) if alike >= least)
    }
}

/// How a message is about something known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Anchors {
    /// It names the value.
    value: bool,
    /// It names what the value is of.
    key: bool,
    /// It names all of that.
    whole_key: bool,
    /// It shares other words with the sentence.
    text: bool,
    /// It is about the same topic.
    topic: bool,
    /// Something happened in that topic.
    event: bool,
    /// It has another value of the same kind.
    new_value: bool,
    /// It has another name, where the value is a name.
    new_name: bool,
}

impl Comparison<'_, '_> {
    /// What the message does to what is known, with this value.
    pub fn touch(&self, value: &str) -> Option<Touch> {
        let signals = self.said.signals;
        let anchors = self.anchors();
        // "Its 22-4-16" says nothing but the value.
        let is_bare = self.said.is_short && self.said.specific.iter().all(|root| self.known.text.contains(root));
        let is_bare = is_bare && (self.said.tokens.len() <= 2 || self.said.opens_with_it);
        let takes_back = signals.corrects || signals.denies || is_bare || self.has_bare_value() || self.respells(value);
        if self.is_recent
            && takes_back
            && !self.is_elsewhere
            && let Some(new) = corrected::value(self.said, value, &self.known.values)
        {
            return Some(Touch::Corrected(new));
        }
        if signals.adds && !signals.corrects || !self.is_of_same_subject(anchors.value) {
            return None;
        }
        let is_touched = if self.is_elsewhere {
            self.is_changed_beside(anchors)
        } else if (self.is_of_other_thing() || self.is_in_other_setting()) && !signals.corrects && !self.is_asked {
            anchors.value && signals.any()
        } else if self.known.is_kin_name {
            self.is_of_name(anchors)
        } else {
            self.is_changed(anchors) || self.is_recent && self.is_followed(anchors)
        };
        is_touched.then_some(Touch::Doubt)
    }

    fn anchors(&self) -> Anchors {
        let (said, known) = (self.said, self.known);
        let shared = |roots: &HashSet<String>| {
            roots.iter().any(|root| said.specific.contains(root) && !self.is_of_another(root))
        };
        let topic = said.topics.iter().find(|topic| known.topics.contains(topic.name));
        // "My new laptop" is not "my work laptop".
        let is_whole = known.qualifiers.iter().all(|root| said.roots.contains(root));
        let whole_key = !known.key.is_empty() && known.key.iter().all(|root| said.roots.contains(root));
        Anchors {
            value: self.names_value(),
            key: whole_key || shared(&known.key),
            whole_key,
            text: shared(&known.text),
            topic: is_whole && topic.is_some(),
            event: is_whole && topic.is_some_and(|topic| topic.happened),
            new_value: self.has_other_value(),
            new_name: known.is_name && said.names.iter().any(|name| !known.text.contains(name)),
        }
    }

    /// Whether the words alone say that what is known has changed.
    fn is_changed(&self, anchors: Anchors) -> bool {
        let signals = self.said.signals;
        let clear = signals.is_clear();
        anchors.value && signals.any()
            || anchors.key && (clear || anchors.new_value)
            || anchors.whole_key && signals.weak
            || anchors.text && (clear || signals.weak && anchors.new_value)
            || anchors.event
            || anchors.topic && (signals.strong || signals.weak && anchors.new_value)
            || self.alike.is_at_least(ALIKE_MIN) && (clear || signals.weak && anchors.new_value)
    }

    /// Whether a message that states something else says that what is known has changed, too.
    fn is_changed_beside(&self, anchors: Anchors) -> bool {
        let signals = self.said.signals;
        let is_named = anchors.key && (signals.is_clear() || signals.weak && anchors.new_value);
        let is_new = anchors.new_value || anchors.new_name;
        let is_alike = self.alike.is_at_least(BESIDE_MIN) && !self.is_of_new_thing();
        let is_same = is_alike && (anchors.new_value || signals.strong);
        anchors.value && signals.any()
            || is_named
            || self.is_recent && (signals.corrects || is_new && (anchors.event || is_same))
    }

    /// Whether a message that directly follows goes on about it and says something of change.
    fn is_followed(&self, anchors: Anchors) -> bool {
        let signals = self.said.signals;
        let is_new = anchors.new_value || anchors.new_name;
        let says_more = signals.any() || self.said.is_past || is_new;
        let is_named = anchors.value || anchors.key || anchors.text || anchors.topic || self.is_of_named_subject();
        let takes_back = signals.corrects && (is_new || self.said.has_pronoun);
        let is_other_kind = self.known.is_name && !is_new;
        let is_free = self.is_of_no_other_topic();
        let points_back = self.said.points_back && (signals.strong || signals.weak && !is_other_kind);
        let is_replaced = signals.strong && !is_other_kind && is_free;
        // "Got a new optician" says nothing of the dentist.
        let is_apart = !signals.is_clear() && !anchors.new_value && self.is_of_new_thing();
        let is_alike = match self.alike {
            Likeness::Known(alike) => {
                let is_related = alike >= RELATED_MIN && (is_new || signals.is_clear());
                alike >= FOLLOWS_MIN || is_related || points_back && is_free || is_replaced
            }
            Likeness::Pending => false,
            Likeness::Absent => anchors.new_value || points_back || is_replaced,
        };
        let is_alike = is_alike && !is_apart;
        // A name or a birthday does not change by what happens next.
        let is_open = !self.known.is_stable || signals.corrects || anchors.new_value && self.said.has_pronoun;
        takes_back || is_open && (says_more && (is_named || is_alike) || self.is_asked)
    }

    /// Whether a message is about the name of a person who keeps it: they are called otherwise, or
    /// are gone.
    fn is_of_name(&self, anchors: Anchors) -> bool {
        let renamed = self.said.topics.iter().any(|topic| topic.name == "name" && topic.happened);
        let signals = self.said.signals;
        renamed || signals.gone && anchors.value || signals.corrects && (anchors.value || self.is_recent)
    }

    /// Whether the message can be about the fact's subject.
    fn is_of_same_subject(&self, is_named: bool) -> bool {
        match &self.known.subject {
            Some(subject) => {
                let by_name =
                    self.aliases.iter().any(|(name, relation)| relation == subject && self.said.speaks_of(name));
                let pointed = self.is_recent && self.said.has_pronoun && !self.said.is_of_other;
                self.said.speaks_of(subject) || by_name || is_named || pointed
            }
            None => !self.said.is_of_other || is_named,
        }
    }

    /// Whether the message names the person that the fact is about.
    fn is_of_named_subject(&self) -> bool {
        self.known.subject.as_ref().is_some_and(|subject| self.said.speaks_of(subject))
    }

    /// Whether the message names the value, or a word of it; of figures it takes all, since
    /// "555 0197" is not "555 0142".
    fn names_value(&self) -> bool {
        let is_said = |root: &&String| self.said.specific.contains(*root);
        let (figures, words): (Vec<&String>, Vec<&String>) =
            self.known.value.iter().partition(|root| root.contains(|c: char| c.is_ascii_digit()));
        words.iter().any(is_said) || !figures.is_empty() && figures.iter().all(is_said)
    }

    /// Whether the message is about another thing of the same name: "the Leipzig office" where "the
    /// Munich office" is known.
    fn is_of_other_thing(&self) -> bool {
        let is_said = |root: &&String| self.said.specific.contains(*root);
        let is_qualified = !self.known.qualifiers.is_empty();
        is_qualified && self.known.key.iter().filter(is_said).any(|root| self.is_of_another(root))
    }

    /// Whether the message opens with a setting that is not the fact's: "for my skin", where a
    /// doctor for the knee is known.
    fn is_in_other_setting(&self) -> bool {
        let is_known = |root: &String| self.known.key.contains(root) || self.known.text.contains(root);
        !self.said.settings.is_empty() && !self.said.settings.iter().any(is_known)
    }

    /// Whether the message tells of a new thing that is not the fact's.
    fn is_of_new_thing(&self) -> bool {
        let is_known = |root: &String| self.known.key.contains(root) || self.known.text.contains(root);
        !self.said.fresh.is_empty() && !self.said.fresh.iter().any(is_known)
    }

    /// Whether nothing says that the message is about another topic than the fact.
    fn is_of_no_other_topic(&self) -> bool {
        let (said, known) = (&self.said.topics, &self.known.topics);
        let is_shared = said.iter().any(|topic| known.contains(topic.name));
        let is_elsewhere = said.iter().any(|topic| topic.happened || !known.is_empty());
        is_shared || !is_elsewhere
    }

    /// Whether a sentence of the message is another value of the fact's kind and nothing else.
    fn has_bare_value(&self) -> bool {
        let is_of_subject = match &self.known.subject {
            Some(subject) => self.said.people.is_empty() || self.said.speaks_of(subject),
            None => true,
        };
        let is_other = |value: &KindValue<'_>| {
            self.said.bare.contains(&value.at)
                && value.kind != ValueKind::Number
                && self.known.values.iter().any(|(kind, _)| *kind == value.kind)
                && !self.known.values.iter().any(|(_, normal)| *normal == value.normal)
        };
        is_of_subject && self.said.values.iter().any(is_other)
    }

    /// Whether the message says that the value is spelled otherwise: "it's Louis" for "Lewis".
    fn respells(&self, value: &str) -> bool {
        let is_name = value.starts_with(char::is_uppercase) && value.chars().count() >= SPELLED_MIN;
        let value = value.to_lowercase();
        let is_near = |three: &[Token<'_>]| {
            let is_said = three[0].lower == "it" && three[1].lower == "is" && three[2].is_capital();
            is_said && three[2].lower != value && strsim::osa_distance(&three[2].lower, &value) <= SPELLED_MAX
        };
        is_name && self.said.tokens.windows(3).any(is_near)
    }

    /// Whether the message puts another word in front of a shared word: "the history essay" where
    /// "the biology essay" is known.
    fn is_of_another(&self, root: &str) -> bool {
        let is_noun = |word: &str| !ENGLISH.things.verbs.contains(&word);
        let is_meant = |pair: &&[Token<'_>]| pair[1].root == root && is_noun(&pair[1].lower);
        let mut pairs = self.said.tokens.windows(2).filter(is_meant).peekable();
        let is_other = |pair: &[Token<'_>]| {
            let front = &pair[0];
            let lexicon = self.said.lexicon;
            // "They shifted pottery" is about the pottery.
            let is_deed = front.lower.ends_with("ed")
                || lexicon.is_past(front)
                || lexicon.strong.length_at(std::slice::from_ref(front)) > 0;
            // "After the holidays Mia got ill" is about Mia.
            let is_named = pair[1].is_capital() && !front.is_capital();
            lexicon.is_specific(front)
                && !is_deed
                && !is_named
                && front.after.trim().is_empty()
                && !self.known.key.contains(&front.root)
                && !self.known.text.contains(&front.root)
        };
        pairs.peek().is_some() && pairs.all(is_other)
    }

    /// Whether the message has a value of the fact's kind that is another one.
    fn has_other_value(&self) -> bool {
        self.known.values.iter().any(|(kind, normal)| {
            self.said.values.iter().any(|value| is_like(value.kind, *kind) && value.normal != *normal)
        })
    }
}
