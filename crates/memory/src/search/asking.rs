//! How much of a text asks. A turn that only asks answers nothing, and the turn after it often
//! answers without repeating a word of the question.

use crate::search::terms;

/// The signs that end a sentence.
const ENDS: &[char] = &['.', '!', '?', '\n', '…', '。', '！', '？', '؟'];
/// The signs that end a question.
const QUESTION_ENDS: &[char] = &['?', '？', '؟'];

/// The share of a text's words that stand in questions: 0 to 1.
pub(super) fn asking_share(text: &str) -> f32 {
    let (mut asking, mut all) = (0_usize, 0_usize);
    for sentence in text.split_inclusive(ENDS) {
        let words = terms::words(sentence).count();
        all += words;
        if sentence.ends_with(QUESTION_ENDS) {
            asking += words;
        }
    }
    asking as f32 / all.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_questions_is_counted_in_words() {
        assert_eq!(asking_share("Where did you go?"), 1.0);
        assert_eq!(asking_share("I went home. Where did you go then?"), 5.0 / 8.0);
        assert_eq!(asking_share("I went home."), 0.0);
        assert_eq!(asking_share("?!"), 0.0);
    }
}
