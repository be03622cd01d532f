//! Calls of a language model: dividing a question, and summarizing passages. Every answer is
//! checked, and if it is unusable, the research continues without it.

use ports::CompletionRequest;
use protocol::{Contradiction, Passage};
use serde::{Deserialize, de::DeserializeOwned};

use super::{ResearchRequest, notes, subject};

const DIVIDE: &str = include_str!("../../prompts/divide.md");
const DISTIL: &str = include_str!("../../prompts/distil.md");

/// Maximum number of further questions.
const QUESTIONS_MAX: usize = 3;
/// Maximum length of a question in characters.
const QUESTION_CHARS_MAX: usize = 300;
/// Maximum number of contradictions.
const CONTRADICTIONS_MAX: usize = 5;
/// Maximum length of the answers in tokens.
const DIVIDE_TOKENS_MAX: u64 = 400;
const DISTIL_TOKENS_MAX: u64 = 900;

/// Summary of passages.
pub(super) struct PassageSummary {
    pub(super) notes: String,
    /// Questions that remain open.
    pub(super) open: Vec<String>,
    /// Questions for the next round.
    pub(super) next: Vec<String>,
    pub(super) contradictions: Vec<Contradiction>,
}

#[derive(Deserialize)]
struct QuestionParts {
    questions: Vec<String>,
}

#[derive(Deserialize)]
struct WrittenNotes {
    notes: String,
    #[serde(default)]
    open: Vec<String>,
    #[serde(default)]
    next: Vec<String>,
    #[serde(default)]
    contradictions: Vec<Contradiction>,
}

/// The questions to look up: the query first, then the parts that a model finds in it.
pub(super) async fn divide(request: &ResearchRequest<'_>) -> Vec<String> {
    let mut questions = vec![subject::of(request.query)];
    if request.study.has_model() {
        let text = format!("<question>\n{}\n</question>", harmless(request.query));
        let thought = CompletionRequest { instructions: DIVIDE.to_owned(), text, tokens_max: DIVIDE_TOKENS_MAX };
        if let Ok(answer) = request.study.complete(thought).await
            && let Some(QuestionParts { questions: parts }) = read(&answer)
        {
            add(&mut questions, parts);
        }
    }
    questions
}

/// A summary of the passages. `None` if there is no model, no passage, or no usable answer.
pub(super) async fn summarize(
    request: &ResearchRequest<'_>,
    questions: &[String],
    passages: &[Passage],
) -> Option<PassageSummary> {
    if !request.study.has_model() || passages.is_empty() {
        return None;
    }
    let mut text = String::from("<questions>\n");
    for question in questions {
        text.push_str(&format!("- {}\n", harmless(question)));
    }
    text.push_str("</questions>\n");
    for passage in passages {
        let Passage { mark, title, source, published, text: words, .. } = passage;
        let date = published.as_ref().map_or_else(String::new, |date| format!(" date=\"{}\"", harmless(date)));
        let (title, source, words) = (harmless(title), harmless(source), harmless(words));
        text.push_str(&format!(
            "<passage mark=\"{mark}\" title=\"{title}\" source=\"{source}\"{date}>\n{words}\n</passage>\n"
        ));
    }
    let thought = CompletionRequest { instructions: DISTIL.to_owned(), text, tokens_max: DISTIL_TOKENS_MAX };
    let answer = request.study.complete(thought).await.ok()?;
    let WrittenNotes { notes, open, next, contradictions } = read(&answer)?;
    let notes = notes::checked(&notes, passages)?;
    let (mut still_open, mut next_questions) = (Vec::new(), Vec::new());
    add(&mut still_open, open);
    add(&mut next_questions, next);
    // A repeated question would give the same results.
    next_questions.retain(|question| !questions.contains(question));
    let contradictions = contradictions.into_iter().filter_map(|found| known(found, passages)).take(CONTRADICTIONS_MAX);
    Some(PassageSummary { notes, open: still_open, next: next_questions, contradictions: contradictions.collect() })
}

/// A contradiction with only those marks that exist.
fn known(mut found: Contradiction, passages: &[Passage]) -> Option<Contradiction> {
    found.marks.retain(|mark| passages.iter().any(|passage| passage.mark == *mark));
    found.marks.dedup();
    found.about = short(&found.about);
    (found.marks.len() > 1 && !found.about.is_empty()).then_some(found)
}

/// Adds new questions.
fn add(questions: &mut Vec<String>, more: Vec<String>) {
    let before = questions.len();
    for question in more {
        let question = short(&question);
        if !question.is_empty() && questions.len() < before + QUESTIONS_MAX && !questions.contains(&question) {
            questions.push(question);
        }
    }
}

/// A text on one line and within the maximum length.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(QUESTION_CHARS_MAX).collect()
}

/// Replaces characters that could be taken for the tags around the text.
fn harmless(words: &str) -> String {
    words.replace('<', "‹").replace('>', "›").replace('"', "”")
}

/// The JSON in an answer, also if there is text around it.
fn read<T: DeserializeOwned>(answer: &str) -> Option<T> {
    let (start, end) = (answer.find('{')?, answer.rfind('}')?);
    serde_json::from_str(answer.get(start..=end)?).ok()
}
