//! Notes: the findings in at most 150 tokens, each sentence with the mark of its passage.

use std::sync::Arc;

use memory::embedding::Embedder;
use model::count;
use protocol::{Passage, Timestamp};

use super::{
    rank::{self, Candidate},
    sentences,
    similarity::Shingles,
};

/// Maximum length of notes in tokens.
pub const TOKENS_MAX: u64 = 150;
/// Maximum number of sentences.
const SENTENCES_MAX: usize = 5;

/// Maximum length in characters of a passage that is quoted by its beginning.
const BEGINNING_CHARS_MAX: usize = 300;

/// The sources' own sentences that match the questions best.
pub(super) async fn extract(
    questions: &[String],
    passages: &[Passage],
    embedder: Option<Arc<dyn Embedder>>,
    now: Timestamp,
) -> String {
    let own = passages.iter().enumerate().flat_map(|(source, passage)| {
        sentences::of(&passage.text).into_iter().map(move |text| Candidate { source, text: text.to_owned() })
    });
    let own: Vec<Candidate> = own.collect();
    let mut ranked = rank::best(own.clone(), questions.to_vec(), embedder, now).await;
    if ranked.is_empty() {
        // The passages match only as a whole, so their first sentences are used.
        ranked = own;
    }
    let mut notes = String::new();
    let mut said: Vec<Shingles> = Vec::new();
    for Candidate { source, text } in ranked {
        let runs = Shingles::of(&text);
        if said.len() == SENTENCES_MAX || said.iter().any(|other| other.is_same(&runs)) {
            continue;
        }
        let space = if notes.is_empty() { "" } else { " " };
        let more = format!("{notes}{space}{} [{}]", plain(&text), passages[source].mark);
        if count(&more) <= TOKENS_MAX {
            notes = more;
            said.push(runs);
        }
    }
    match passages.first() {
        Some(best) if notes.is_empty() => beginning(best),
        _ => notes,
    }
}

/// The first words of a passage that has no sentences, for example a list of numbers or a text in
/// lowercase letters.
fn beginning(passage: &Passage) -> String {
    let words = plain(&passage.text);
    let mut chars: usize = words.chars().count().min(BEGINNING_CHARS_MAX);
    loop {
        let shown: String = words.chars().take(chars).collect();
        let notes = format!("{shown}… [{}]", passage.mark);
        if count(&notes) <= TOKENS_MAX {
            return notes;
        }
        chars /= 2;
    }
}

/// A sentence or a row on one line, without marks of its own: a source's `[2]` is not one of ours.
fn plain(sentence: &str) -> String {
    let line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    without_marks(line.trim_start_matches(['-', '*', '>', '|', ' ']).trim_end_matches(['|', ' ']), |_| false)
}

/// Notes from a model, with only valid marks and within the maximum length. `None` if they cite
/// nothing.
pub(super) fn checked(written: &str, passages: &[Passage]) -> Option<String> {
    let is_known = |mark: &str| passages.iter().any(|passage| passage.mark == mark);
    let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let notes = within(&without_marks(&apart(&line, is_known), is_known));
    let rests = passages.iter().any(|passage| notes.contains(&format!("[{}]", passage.mark)));
    rests.then_some(notes)
}

/// `[1, 2]` as `[1][2]`.
fn apart(text: &str, is_known: impl Fn(&str) -> bool) -> String {
    brackets(text, |inner| {
        let marks: Vec<&str> = inner.split([',', ';']).map(str::trim).collect();
        let is_list = marks.len() > 1 && marks.iter().all(|mark| is_known(mark));
        is_list.then(|| marks.iter().map(|mark| format!("[{mark}]")).collect())
    })
}

/// The text without invalid marks.
fn without_marks(text: &str, is_known: impl Fn(&str) -> bool) -> String {
    let looks_like_one = |inner: &str| {
        let digits = inner.trim_start_matches(|char: char| char.is_ascii_lowercase());
        inner.len() <= 6 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let cleaned = brackets(text, |inner| (looks_like_one(inner) && !is_known(inner)).then(String::new));
    cleaned.replace(" .", ".").split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Replaces what is in square brackets.
fn brackets(text: &str, change: impl Fn(&str) -> Option<String>) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        changed.push_str(before);
        match after.split_once(']') {
            Some((inner, behind)) if !inner.contains('[') => {
                changed.push_str(&change(inner).unwrap_or_else(|| format!("[{inner}]")));
                rest = behind;
            }
            _ => {
                changed.push('[');
                rest = after;
            }
        }
    }
    changed.push_str(rest);
    changed
}

/// As many whole sentences as fit.
fn within(notes: &str) -> String {
    if count(notes) <= TOKENS_MAX {
        return notes.to_owned();
    }
    let ends = notes.char_indices().filter(|(at, char)| {
        let after = &notes[at + char.len_utf8()..];
        matches!(char, '.' | '!' | '?' | ']')
            && (after.is_empty() || after.starts_with(' '))
            && !after.starts_with(" [")
    });
    let ends: Vec<usize> = ends.map(|(at, char)| at + char.len_utf8()).collect();
    let fitting = ends.iter().rev().find(|end| count(&notes[..**end]) <= TOKENS_MAX);
    fitting.map_or_else(String::new, |end| notes[..*end].to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use protocol::{PassageId, SourceKind};

    use super::*;

    fn passages(texts: &[&str]) -> Vec<Passage> {
        let numbered = texts.iter().zip(1..);
        let passage = |(text, number): (&&str, u8)| Passage {
            passage_id: PassageId::from_bytes([number; 16]),
            mark: number.to_string(),
            title: "T".to_owned(),
            source: format!("library:{number}.md"),
            kind: SourceKind::Library,
            text: (*text).to_owned(),
            published: None,
            read_at: Timestamp::from_millis(0),
        };
        numbered.map(passage).collect()
    }

    #[tokio::test]
    async fn extracts_are_the_sources_own_sentences_with_their_marks() {
        let passages = passages(&[
            "The kiln was built in 1911. It reaches 1,280 degrees when it is fired with gas [7].",
            "Potters come from all over. The kiln of the school reaches 1,300 degrees.",
        ]);
        let questions = ["How many degrees does the kiln reach?".to_owned()];
        let notes = extract(&questions, &passages, None, Timestamp::from_millis(0)).await;
        assert!(notes.contains("The kiln of the school reaches 1,300 degrees. [2]"), "{notes}");
        assert!(notes.contains("It reaches 1,280 degrees when it is fired with gas. [1]"), "{notes}");
        assert!(!notes.contains("[7]") && !notes.contains("Potters"), "{notes}");
    }

    #[tokio::test]
    async fn what_has_no_sentences_is_told_by_its_beginning() {
        let passages = passages(&["kiln: 1280 °C, 9 h"]);
        let notes = extract(&["kiln".to_owned()], &passages, None, Timestamp::from_millis(0)).await;
        assert_eq!(notes, "kiln: 1280 °C, 9 h… [1]");
    }

    #[test]
    fn marks_that_stand_for_nothing_are_taken_out() {
        let two = passages(&["a", "b"]);
        let checked = |text: &str| checked(text, &two);
        assert_eq!(checked("It is hot [1, 2].").as_deref(), Some("It is hot [1][2]."));
        assert_eq!(checked("It is hot [1] or so [9].").as_deref(), Some("It is hot [1] or so."));
        assert_eq!(checked("It is [sic] hot [b1] [2]").as_deref(), Some("It is [sic] hot [2]"));
        assert_eq!(checked("It is hot."), None);
        assert_eq!(checked("It is hot [3]."), None);
    }

    #[test]
    fn notes_end_with_a_whole_sentence() {
        let long = "The kiln reaches one thousand two hundred and eighty degrees [1]. ".repeat(30);
        let notes = checked(&long, &passages(&["a"])).unwrap();
        assert!(count(&notes) <= TOKENS_MAX && notes.ends_with("[1]."), "{notes}");
    }

    proptest! {
        #[test]
        fn no_words_make_notes_too_long(written in "(\\PC|\\[1\\]|[.] ){0,400}") {
            if let Some(notes) = checked(&written, &passages(&["a"])) {
                prop_assert!(count(&notes) <= TOKENS_MAX);
                prop_assert!(notes.contains("[1]"));
            }
        }
    }
}
