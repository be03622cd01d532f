//! Text similarity of two requests.

use super::request::ReplayRequest;

/// Requests below this similarity are not suggested.
pub(super) const SIMILARITY_MIN: f64 = 0.5;
/// The highest score of a request that is not identical.
pub(super) const NEAR_MAX: f64 = 0.99;
/// Up to this many words a request is short. Two words of which one differs have a similarity of
/// one half, and a script without spaces has a single word, so short requests are also compared by
/// their letters.
const SHORT_MAX: usize = 3;
/// Longer texts never count as short, however few words they have.
const LETTERS_MAX: usize = 400;

/// The words of a request, in lower case and sorted, and its letters.
pub(super) struct RequestText {
    words: Vec<String>,
    letters: Vec<char>,
}

impl RequestText {
    pub(super) fn of(asked: &ReplayRequest) -> Self {
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

    /// The trigrams of the text, with its beginning and end counted as letters.
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

/// The similarity, from 0 to 1.
pub(super) fn similarity(one: &RequestText, other: &RequestText) -> f64 {
    let by_word = dice(&one.words, &other.words);
    if one.is_short() && other.is_short() { by_word.max(dice(&one.triples(), &other.triples())) } else { by_word }
}

/// The Dice coefficient of two sorted lists.
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
    use super::super::RequestPlace;
    use super::*;

    fn text(message: &str) -> RequestText {
        let place = RequestPlace::Main(protocol::MonitorId::primary());
        RequestText::of(&ReplayRequest {
            place,
            message: message.into(),
            act: None,
            windows: String::new(),
            known: None,
        })
    }

    fn between(one: &str, other: &str) -> f64 {
        similarity(&text(one), &text(other))
    }

    #[test]
    fn likeness_is_one_for_the_same_words_and_small_for_others() {
        assert!(between("Open the Timer!", "open the timer") > 0.99);
        assert!(between("show a chart of my sleep", "show a chart of my weight") >= SIMILARITY_MIN);
        assert!(between("show a chart of my sleep", "write a letter to the landlord") < SIMILARITY_MIN);
        assert!(between("タイマーを開いて", "タイマーを開いてください") >= SIMILARITY_MIN);
        assert!(between("timer", "letters") < SIMILARITY_MIN);
        assert!(between("", "") < SIMILARITY_MIN);
    }

    #[test]
    fn likeness_does_not_depend_on_the_order_of_the_two() {
        for (one, other) in [("delete A", "delete B"), ("a a b", "a b"), ("", "x"), ("🙂", "🙂")] {
            assert!((between(one, other) - between(other, one)).abs() < 1e-9);
        }
        assert!(between("🙂", "🙂") > 0.99);
    }
}
