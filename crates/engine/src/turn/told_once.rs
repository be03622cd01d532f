//! Each thing once: what a prompt tells already is not told again as a recalled memory.

use std::hash::BuildHasher;

use protocol::{Fact, MemoryHit, MemoryItem};
use rustc_hash::FxBuildHasher;

/// A sentence of a profile line with more other words than this says more than the line.
const BARE_WORDS_MAX: usize = 4;
/// A text of fewer words is the same as another only if it is equal: "yes" is in many texts.
const CONTAINED_WORDS_MIN: usize = 3;

/// Texts that stand in a prompt.
#[derive(Debug, Clone, Default)]
pub(super) struct ToldTexts {
    texts: Vec<Words>,
}

/// A text as its words.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Words {
    /// In lower case, with a space around each.
    spaced: String,
    count: usize,
    /// A bit for each word: a text whose bits are not among these is not in it. Every text is
    /// looked for in every other one.
    bits: u128,
}

impl Words {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let mut it = Self { spaced: String::with_capacity(lower.len() + 2), count: 0, bits: 0 };
        it.spaced.push(' ');
        for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            it.spaced.push_str(word);
            it.spaced.push(' ');
            it.count += 1;
            it.bits |= 1 << (FxBuildHasher.hash_one(word) % u64::from(u128::BITS));
        }
        it
    }

    fn list(&self) -> impl Iterator<Item = &str> {
        self.spaced.split_whitespace()
    }

    /// Whether these words contain all of the others, in their order.
    fn contain(&self, part: &Self) -> bool {
        match part.count {
            0 => false,
            count if count < CONTAINED_WORDS_MIN => self == part,
            _ => part.bits & !self.bits == 0 && self.spaced.contains(&part.spaced),
        }
    }
}

impl ToldTexts {
    pub(super) fn add(&mut self, text: &str) {
        self.texts.push(Words::of(text));
    }

    /// Whether a text stands in the prompt, alone or as a part of another.
    pub(super) fn has(&self, text: &str) -> bool {
        self.contain(&Words::of(text))
    }

    fn contain(&self, part: &Words) -> bool {
        self.texts.iter().any(|told| told.contain(part))
    }
}

/// Those of the recalled items that the prompt does not tell already, best first: neither in the
/// conversation nor in a line of the profile, and each only once.
pub(super) fn told_once<'a>(
    items: impl Iterator<Item = &'a MemoryHit>,
    told: &ToldTexts,
    profile: &[&Fact],
) -> Vec<&'a MemoryHit> {
    let lines: Vec<ProfileLine<'_>> = profile.iter().map(|fact| ProfileLine::of(fact)).collect();
    let mut new: Vec<(&MemoryHit, Words)> = Vec::new();
    for found in items {
        let item = &found.item;
        let words = Words::of(&item.text);
        // That something no longer holds, or may not, is told beside what was said.
        let is_plain = is_plain(item);
        if is_plain && (told.contain(&words) || lines.iter().any(|line| line.says(item, &words))) {
            continue;
        }
        let is_same_kind = |other: &MemoryHit| {
            other.item.valid_until.is_some() == item.valid_until.is_some() && other.item.doubt == item.doubt
        };
        if new.iter().any(|(other, known)| is_same_kind(other) && known.contain(&words)) {
            continue;
        }
        // A longer text that holds a shorter one takes its place.
        match new.iter().position(|(other, known)| is_same_kind(other) && words.contain(known)) {
            Some(place) => new[place] = (found, words),
            None => new.push((found, words)),
        }
    }
    new.into_iter().map(|(found, _)| found).collect()
}

const fn is_plain(item: &MemoryItem) -> bool {
    item.valid_until.is_none() && item.doubt.is_none()
}

/// A line of the profile, as the words of its sentence and of its fact.
struct ProfileLine<'a> {
    fact: &'a Fact,
    sentence: Words,
    known: Words,
}

impl<'a> ProfileLine<'a> {
    fn of(fact: &'a Fact) -> Self {
        Self { fact, sentence: Words::of(&fact.text), known: Words::of(&format!("{} {}", fact.key, fact.value)) }
    }

    /// Whether an item says no more than the line: it is the sentence that stated it, without much
    /// besides, or the same under another id.
    fn says(&self, item: &MemoryItem, words: &Words) -> bool {
        let fact = self.fact;
        if item.key.as_deref() == Some(&fact.key) && item.value.as_deref() == Some(&fact.value) {
            return true;
        }
        if *words != self.sentence && fact.source.item_id != Some(item.id) {
            return false;
        }
        let is_new = |word: &&str| !self.known.spaced.contains(&format!(" {word} "));
        words.list().filter(is_new).count() <= BARE_WORDS_MAX
    }
}

/// A summary without the lines that stand elsewhere in the prompt: those of the profile, and what
/// is said in the conversation. Text in other forms stays as it is.
pub(super) fn without_told(summary: &str, told: &ToldTexts, profile: &[&Fact]) -> String {
    let is_known = |line: &str| {
        profile.iter().filter(|fact| fact.doubt.is_none()).any(|fact| {
            let stated = format!("{}: {} (since ", fact.key, fact.value);
            // With what held before, the line says more.
            line.strip_prefix(&stated).is_some_and(|rest| !rest.contains("until then"))
        })
    };
    // "2026-03-03 user: I live in Leiden."
    let said = |line: &str| line.split_once(": ").map(|(_, said)| said.to_owned());
    let is_said = |line: &str| is_dated(line) && said(line).is_some_and(|said| told.has(&said));
    let is_told = |line: &&str| line.strip_prefix("- ").is_some_and(|line| is_known(line) || is_said(line));
    let lines: Vec<&str> = summary.lines().filter(|line| !is_told(line)).collect();
    // A title without lines says nothing.
    let is_title = |line: &str| line.ends_with(':') && !line.starts_with("- ");
    let mut kept: Vec<&str> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let is_empty_part = is_title(line) && lines.get(place + 1).is_none_or(|next| next.trim().is_empty());
        if !is_empty_part {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Whether a line begins with a date.
fn is_dated(line: &str) -> bool {
    let date = line.as_bytes().get(..10);
    date.is_some_and(|date| {
        date.iter().enumerate().all(|(place, c)| if matches!(place, 4 | 7) { *c == b'-' } else { c.is_ascii_digit() })
    })
}

#[cfg(test)]
mod tests {
    use protocol::Level;

    use super::{
        super::recalled_memory::tests::{at, fact, found},
        *,
    };

    fn texts<'a>(items: &[&'a MemoryHit]) -> Vec<&'a str> {
        items.iter().map(|found| found.item.text.as_str()).collect()
    }

    #[test]
    fn what_stands_elsewhere_is_not_told_again() {
        let mut told = ToldTexts::default();
        told.add("Hi! My locker code is 4711. And it rains.");
        let line = Fact { text: "I live in Leiden.".to_owned(), ..fact(1, "home", "Leiden", 50) };
        let because = Fact {
            text: "I became vegan because my doctor told me to in spring.".to_owned(),
            ..fact(2, "diet", "vegan", 50)
        };
        let mut ended = found(6, "My locker code is 4711");
        ended.item.valid_until = Some(at("2026-05-05"));
        let mut said = found(7, "Well, my bike is a blue Gazelle, you know.");
        said.item.level = Level::Entry;
        let items = [
            found(3, "My locker code is 4711."),
            found(4, "I live in Leiden."),
            found(5, "I became vegan because my doctor told me to in spring."),
            ended,
            found(8, "My bike is a blue Gazelle"),
            said,
            found(9, "my bike is a blue gazelle"),
            found(10, "It rains"),
        ];
        let new = told_once(items.iter(), &told, &[&line, &because]);
        let expected = [
            "I became vegan because my doctor told me to in spring.",
            "My locker code is 4711",
            "Well, my bike is a blue Gazelle, you know.",
            "It rains",
        ];
        assert_eq!(texts(&new), expected);
    }

    #[test]
    fn a_summary_does_not_repeat_the_profile_and_the_conversation() {
        let mut told = ToldTexts::default();
        told.add("I live in Leiden. It rains a lot.");
        let line = fact(1, "home", "Leiden", 50);
        let summary = "What holds:\n- home: Leiden (since 2026-03-03)\n- bike: Gazelle (since 2026-03-03)\n\nWhat was \
                       said:\n- 2026-03-03 user: I live in Leiden.\n- 2026-03-03 user: We met in Graz once.";
        let rest = "What holds:\n- bike: Gazelle (since 2026-03-03)\n\nWhat was said:\n- 2026-03-03 user: We met in \
                    Graz once.";
        assert_eq!(without_told(summary, &told, &[&line]), rest);
        let summary = "What holds:\n- home: Leiden (since 2026-03-03)";
        assert_eq!(without_told(summary, &told, &[&line]), "");
        let prose = "They spoke of ovens:\nand of bread.";
        assert_eq!(without_told(prose, &told, &[&line]), prose);
    }
}
