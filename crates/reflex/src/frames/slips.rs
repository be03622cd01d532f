//! The cost of taking one text for another: by a slip of the finger, by sound, or by a space.

use std::sync::OnceLock;

use super::lexicon::Lexicon;
use crate::fuzzy::typo_cost;

/// The cost of a space too many or too few.
pub(super) const SPACE: u32 = 5;
/// The cost of another spelling with the same sound.
const SOUND: u32 = 12;
/// The cost of two slips in a long name.
const TWICE: u32 = 22;
/// Names that are long enough for two slips.
const LONG: usize = 10;
/// Shorter words are not compared by sound.
const SHORTEST_SOUND: usize = 4;

/// A text in a language, as it is compared with many others.
#[derive(Debug, Clone)]
pub(super) struct Spelling {
    letters: Vec<char>,
    digits: String,
    /// Worked out when it is needed first.
    sound: OnceLock<String>,
}

impl Spelling {
    pub(super) fn of(text: &str) -> Self {
        Self { letters: text.chars().collect(), digits: digits(text), sound: OnceLock::new() }
    }

    /// The cost of correcting it to another one; `None` if they are too different. Digits are never
    /// corrected: lamp 2 is not lamp 1.
    pub(super) fn cost(&self, lexicon: &Lexicon, meant: &Self, is_name: bool) -> Option<u32> {
        let (one, other) = (&self.letters, &meant.letters);
        if one.len().abs_diff(other.len()) > 3 || self.digits != meant.digits {
            return None;
        }
        let by_sound = || {
            let is_long = one.len().min(other.len()) >= SHORTEST_SOUND;
            (is_long && self.sound(lexicon) == meant.sound(lexicon)).then_some(SOUND)
        };
        let twice = || {
            let is_long = is_name && one.len().min(other.len()) >= LONG && one.first() == other.first();
            (is_long && distance(one, other) <= 2).then_some(TWICE)
        };
        typo_cost(one, other).or_else(by_sound).or_else(twice)
    }

    fn sound(&self, lexicon: &Lexicon) -> &str {
        self.sound.get_or_init(|| lexicon.sound(&self.letters.iter().collect::<String>()))
    }
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The number of letters to change, add or drop.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut before = at;
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
        for (column, wanted) in other.iter().enumerate() {
            let above = row[column + 1];
            let changed = before + usize::from(letter != wanted);
            row[column + 1] = changed.min(above + 1).min(row[column] + 1);
            before = above;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(said: &str, meant: &str) -> Option<u32> {
        Spelling::of(said).cost(Lexicon::of("en").unwrap(), &Spelling::of(meant), true)
    }

    #[test]
    fn what_sounds_alike_is_alike() {
        assert!(costs("sealing", "ceiling").is_some());
        assert!(costs("ferry", "fairy").is_some());
        assert!(costs("paws", "pause").is_some());
        assert!(costs("lamp", "lump").is_none());
    }

    #[test]
    fn numbers_are_never_corrected() {
        assert!(costs("lamp3", "lamp1").is_none());
        assert!(costs("floorlamb", "floorlamp").is_some());
    }

    #[test]
    fn two_slips_need_a_long_name() {
        assert!(costs("lichtkette", "lichterkette").is_some());
        assert!(costs("poolpump", "pondpump").is_none());
    }
}
