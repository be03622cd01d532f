//! Documents generated from plain words with a fixed seed, with known needles in them.

use std::{fs, path::Path};

use anyhow::Result;
use research::passages;

use crate::recall::PAIRS;

/// Needles whose question contains a unique word.
const NAMED: usize = 100;
/// Approximate number of paragraphs of a document.
const PARAGRAPHS: usize = 10;
/// Sentences of a paragraph, which is one passage.
const SENTENCES: usize = 9;

const THINGS: [&str; 40] = [
    "bridge",
    "garden",
    "engine",
    "ledger",
    "harbour",
    "market",
    "orchard",
    "school",
    "tunnel",
    "archive",
    "bakery",
    "canal",
    "castle",
    "clinic",
    "factory",
    "ferry",
    "forest",
    "gallery",
    "library",
    "meadow",
    "mill",
    "museum",
    "office",
    "palace",
    "quarry",
    "railway",
    "river",
    "station",
    "studio",
    "theatre",
    "tower",
    "valley",
    "village",
    "vineyard",
    "warehouse",
    "workshop",
    "glacier",
    "island",
    "laboratory",
    "observatory",
];
const KINDS: [&str; 32] = [
    "old", "quiet", "narrow", "famous", "empty", "busy", "wooden", "northern", "southern", "small", "large", "bright",
    "broken", "careful", "cheap", "clean", "cold", "common", "deep", "early", "fresh", "gentle", "heavy", "hidden",
    "modern", "public", "private", "rough", "silent", "steep", "strange", "warm",
];
const DOINGS: [&str; 32] = [
    "supplies",
    "replaces",
    "borders",
    "feeds",
    "crosses",
    "records",
    "repairs",
    "protects",
    "inspects",
    "measures",
    "surrounds",
    "rents",
    "paints",
    "follows",
    "divides",
    "employs",
    "finances",
    "heats",
    "imports",
    "insures",
    "manages",
    "observes",
    "opens",
    "pumps",
    "sells",
    "shelters",
    "stores",
    "studies",
    "trains",
    "visits",
    "waters",
    "warns",
];
const MATTERS: [&str; 32] = [
    "timber",
    "copper",
    "wheat",
    "insurance",
    "traffic",
    "electricity",
    "migration",
    "rainfall",
    "music",
    "glass",
    "salt",
    "cotton",
    "medicine",
    "law",
    "weather",
    "mathematics",
    "tourism",
    "fishing",
    "pottery",
    "steel",
    "wool",
    "honey",
    "printing",
    "geology",
    "astronomy",
    "taxation",
    "engineering",
    "farming",
    "shipping",
    "banking",
    "chemistry",
    "language",
];
const WHENS: [&str; 16] = [
    "every spring",
    "since the flood",
    "at night",
    "twice a year",
    "on Sundays",
    "during the war",
    "after the harvest",
    "before dawn",
    "in dry years",
    "without pause",
    "for a small fee",
    "by contract",
    "in winter",
    "as a rule",
    "against advice",
    "until further notice",
];
const SYLLABLES: [&str; 16] =
    ["bar", "del", "fin", "gor", "lun", "mar", "nev", "pil", "ros", "sul", "tam", "ver", "wol", "zun", "kel", "mor"];

/// A sentence to find, and the question for it.
pub(super) struct Needle {
    pub(super) text: String,
    pub(super) question: String,
    /// Whether the question shares hardly a word with the sentence.
    pub(super) is_paraphrase: bool,
}

/// A random generator with a fixed seed.
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[(self.next() % words.len() as u64) as usize]
    }

    /// A name: a few occur often and most rarely, as in natural text.
    fn name(&mut self) -> String {
        let share = (self.next() % 10_000) as f64 / 10_000.0;
        named((share.powi(3) * 30_000.0) as usize)
    }

    fn sentence(&mut self) -> String {
        let (one, other) = (self.of(&THINGS), self.of(&THINGS));
        let (kind, doing) = (self.of(&KINDS), self.of(&DOINGS));
        let (matter, when, name) = (self.of(&MATTERS), self.of(&WHENS), self.name());
        format!("The {kind} {one} of {name} {doing} the {other} with {matter} {when}.")
    }

    fn paragraph(&mut self) -> String {
        (0..SENTENCES).map(|_| self.sentence()).collect::<Vec<_>>().join(" ")
    }

    /// A random question.
    pub(super) fn question(&mut self) -> String {
        let (kind, thing, matter) = (self.of(&KINDS), self.of(&THINGS), self.of(&MATTERS));
        format!("Which {kind} {thing} of {} has to do with {matter}?", self.name())
    }
}

fn named(mut number: usize) -> String {
    number += SYLLABLES.len();
    let mut name = String::new();
    while number > 0 {
        name.push_str(SYLLABLES[number % SYLLABLES.len()]);
        number /= SYLLABLES.len();
    }
    let first = name.remove(0);
    format!("{}{name}", first.to_ascii_uppercase())
}

/// All needles.
pub(super) fn needles() -> Vec<Needle> {
    let of_name = |number: usize| {
        // Beyond the range of the random names.
        let name = named(200_000 + number * 37);
        let text = format!("The key to the cellar of {name} hangs behind the {} clock.", KINDS[number % KINDS.len()]);
        Needle { text, question: format!("Where is the key to the cellar of {name}?"), is_paraphrase: false }
    };
    let paraphrased = PAIRS.iter().map(|(said, asked)| Needle {
        text: (*said).to_owned(),
        question: (*asked).to_owned(),
        is_paraphrase: true,
    });
    (0..NAMED).map(of_name).chain(paraphrased).collect()
}

/// Writes documents with this many passages into a folder, including the needles.
pub(super) fn write(folder: &Path, passages_wanted: usize, needles: &[Needle]) -> Result<()> {
    let mut draw = SeededRandom::new(20_261_116);
    let every = (passages_wanted / PARAGRAPHS / needles.len().max(1)).max(1);
    let (mut passages, mut waiting) = (0, needles.iter());
    for number in 0.. {
        let left = waiting.len();
        if passages >= passages_wanted && left == 0 {
            break;
        }
        let mut paragraphs = vec![format!("# {} and {}", draw.name(), draw.name())];
        paragraphs.extend((0..PARAGRAPHS - 1).map(|_| draw.paragraph()));
        if (number % every == 0 || passages >= passages_wanted)
            && let Some(needle) = waiting.next()
        {
            paragraphs.insert(PARAGRAPHS / 2, needle.text.clone());
        }
        let text = paragraphs.join("\n\n");
        passages += passages::cut(&text).len();
        let subfolder = folder.join(format!("{:02}", number % 100));
        fs::create_dir_all(&subfolder)?;
        fs::write(subfolder.join(format!("{number}.md")), text)?;
    }
    Ok(())
}
