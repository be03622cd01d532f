//! How much alike two requests sound.

use super::request::Asked;

/// What is less alike is not offered.
pub(super) const LIKENESS_MIN: f64 = 0.5;
/// The most that a request gets which is not the same in every respect.
pub(super) const NEAR_MAX: f64 = 0.99;
/// Up to so many words a request is short: two words of which one differs are half the same, and a script without
/// spaces has one word in all, so short ones are also compared letter by letter.
const SHORT_MAX: usize = 3;
/// Past so many letters nothing is short, however few its words.
const LETTERS_MAX: usize = 400;

/// The words of a request, small and sorted, and its letters.
pub(super) struct Text {
    words: Vec<String>,
    letters: Vec<char>,
}

impl Text {
    pub(super) fn of(asked: &Asked) -> Self {
        let mut all = asked.message.trim().to_lowercase();
        for part in asked.act.iter().flat_map(|act| [&act.action].into_iter().chain(act.form_data.values())) {
            all.push(' ');
            all.push_str(&part.to_lowercase());
        }
        let split = all.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut words: Vec<_> = split.map(str::to_owned).collect();
        words.sort_unstable();
        Self { words, letters: all.trim().chars().collect() }
    }

    fn is_short(&self) -> bool {
        self.words.len() <= SHORT_MAX && self.letters.len() <= LETTERS_MAX
    }

    /// Each three letters that follow each other; the beginning and the end count as letters.
    fn triples(&self) -> Vec<[char; 3]> {
        if self.letters.is_empty() {
            return Vec::new();
        }
        let padded: Vec<char> = [' ', ' '].into_iter().chain(self.letters.iter().copied()).chain([' ']).collect();
        let mut triples: Vec<_> = padded.windows(3).filter_map(|three| three.try_into().ok()).collect();
        triples.sort_unstable();
        triples
    }
}

/// How much alike, from 0 to 1.
pub(super) fn likeness(one: &Text, other: &Text) -> f64 {
    let by_word = dice(&one.words, &other.words);
    if one.is_short() && other.is_short() { by_word.max(dice(&one.triples(), &other.triples())) } else { by_word }
}

/// Twice what both have, of what each has; both are sorted.
fn dice<T: Ord>(one: &[T], other: &[T]) -> f64 {
    let all = one.len() + other.len();
    if all == 0 {
        return 0.0;
    }
    let (mut left, mut right, mut common) = (one.iter().peekable(), other.iter().peekable(), 0_usize);
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => _ = left.next(),
            std::cmp::Ordering::Greater => _ = right.next(),
            std::cmp::Ordering::Equal => {
                common += 1;
                left.next();
                right.next();
            }
        }
    }
    2.0 * common as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;

    fn text(message: &str) -> Text {
        let place = Place::Main(protocol::MonitorId::primary());
        Text::of(&Asked { place, message: message.into(), act: None, windows: String::new(), known: None })
    }

    fn between(one: &str, other: &str) -> f64 {
        likeness(&text(one), &text(other))
    }

    #[test]
    fn likeness_is_one_for_the_same_words_and_small_for_others() {
        assert!(between("Open the Timer!", "open the timer") > 0.99);
        assert!(between("show a chart of my sleep", "show a chart of my weight") >= LIKENESS_MIN);
        assert!(between("show a chart of my sleep", "write a letter to the landlord") < LIKENESS_MIN);
        assert!(between("タイマーを開いて", "タイマーを開いてください") >= LIKENESS_MIN);
        assert!(between("timer", "letters") < LIKENESS_MIN);
        assert!(between("", "") < LIKENESS_MIN);
    }

    #[test]
    fn likeness_does_not_depend_on_the_order_of_the_two() {
        for (one, other) in [("delete A", "delete B"), ("a a b", "a b"), ("", "x"), ("🙂", "🙂")] {
            assert!((between(one, other) - between(other, one)).abs() < 1e-9);
        }
        assert!(between("🙂", "🙂") > 0.99);
    }
}
