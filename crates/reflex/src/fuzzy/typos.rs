//! Typos: the cost of correcting one word to another.

/// The kind of a typo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typo {
    /// Two neighbouring letters are swapped.
    Swapped,
    /// A letter is doubled, or a double letter is single.
    Doubled,
    /// A letter is missing.
    Missing,
    /// There is an additional letter.
    Extra,
    /// One letter is replaced by another.
    Wrong,
}

/// Shorter words are too similar to other words, unless letters are just swapped.
const SHORTEST: usize = 4;
/// The same for a replaced letter.
const SHORTEST_WRONG: usize = 5;
/// The additional cost for the first letter, which is seldom wrong.
const FIRST_LETTER: u32 = 3;

impl Typo {
    const fn cost(self) -> u32 {
        match self {
            Self::Swapped => 10,
            Self::Doubled => 11,
            Self::Missing | Self::Extra => 13,
            Self::Wrong => 15,
        }
    }

    const fn shortest(self) -> usize {
        match self {
            Self::Swapped => 2,
            Self::Doubled | Self::Missing | Self::Extra => SHORTEST,
            Self::Wrong => SHORTEST_WRONG,
        }
    }
}

/// The cost of correcting `said` to `meant`; `None` if they differ by more than one typo.
pub(crate) fn cost(said: &[char], meant: &[char]) -> Option<u32> {
    let (slip, at) = slip(said, meant)?;
    let is_long_enough = said.len().max(meant.len()) >= slip.shortest();
    let first = if at == 0 && slip != Typo::Swapped { FIRST_LETTER } else { 0 };
    is_long_enough.then(|| slip.cost() + first)
}

/// The one typo between two words, and its position.
fn slip(said: &[char], meant: &[char]) -> Option<(Typo, usize)> {
    let same = said.iter().zip(meant).take_while(|(one, other)| one == other).count();
    let (left, wanted) = (said.get(same..)?, meant.get(same..)?);
    match (left, wanted) {
        ([], []) => None,
        ([one, other, rest @ ..], [first, second, tail @ ..])
            if one == second && other == first && one != other && rest == tail =>
        {
            Some((Typo::Swapped, same))
        }
        ([_, rest @ ..], tail) if rest == tail => Some((extra(said, same), same)),
        (rest, [_, tail @ ..]) if rest == tail => {
            Some((if extra(meant, same) == Typo::Doubled { Typo::Doubled } else { Typo::Missing }, same))
        }
        ([_, rest @ ..], [_, tail @ ..]) if rest == tail => Some((Typo::Wrong, same)),
        _ => None,
    }
}

/// The typo for a letter that the other word does not have.
fn extra(word: &[char], at: usize) -> Typo {
    let is_double = at.checked_sub(1).and_then(|before| word.get(before)) == word.get(at);
    if is_double { Typo::Doubled } else { Typo::Extra }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(said: &str, meant: &str) -> Option<Typo> {
        let chars = |word: &str| word.chars().collect::<Vec<_>>();
        slip(&chars(said), &chars(meant)).map(|(slip, _)| slip)
    }

    fn costs(said: &str, meant: &str) -> Option<u32> {
        cost(&said.chars().collect::<Vec<_>>(), &meant.chars().collect::<Vec<_>>())
    }

    #[test]
    fn each_slip_is_told_from_the_others() {
        assert_eq!(of("lihgt", "light"), Some(Typo::Swapped));
        assert_eq!(of("lightt", "light"), Some(Typo::Doubled));
        assert_eq!(of("alarm", "allarm"), Some(Typo::Doubled));
        assert_eq!(of("ligt", "light"), Some(Typo::Missing));
        assert_eq!(of("lixght", "light"), Some(Typo::Extra));
        assert_eq!(of("lixht", "light"), Some(Typo::Wrong));
        assert_eq!(of("light", "light"), None);
        assert_eq!(of("lihtg", "light"), None);
        assert_eq!(of("", "light"), None);
    }

    #[test]
    fn short_words_only_change_places() {
        assert!(costs("ot", "to").is_some());
        assert!(costs("of", "on").is_none() && costs("of", "off").is_none() && costs("fan", "van").is_none());
        assert!(costs("lamb", "lamp").is_none());
    }

    #[test]
    fn the_first_letter_is_dearer() {
        assert!(costs("xitchen", "kitchen") > costs("kitxhen", "kitchen"));
    }

    proptest! {
        #[test]
        fn a_swap_is_always_seen(word in "[a-z]{2,12}", at in 0usize..11) {
            let mut letters: Vec<char> = word.chars().collect();
            prop_assume!(at + 1 < letters.len() && letters[at] != letters[at + 1]);
            letters.swap(at, at + 1);
            let said: String = letters.iter().collect();
            prop_assert_eq!(of(&said, &word), Some(Typo::Swapped));
        }

        #[test]
        fn no_words_break_it(said in "\\PC{0,8}", meant in "\\PC{0,8}") {
            let _ = costs(&said, &meant);
        }
    }
}
