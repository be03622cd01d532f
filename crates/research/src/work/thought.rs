//! What a language model is asked: to divide a question, and to say what passages come to. Whatever it answers is checked, and
//! where it cannot be used research goes on without.

use protocol::{Contradiction, Passage};
use serde::{Deserialize, de::DeserializeOwned};
use tools::Thought;

use super::{Brief, notes, subject};

const DIVIDE: &str = include_str!("../../prompts/divide.md");
const DISTIL: &str = include_str!("../../prompts/distil.md");

/// Questions beside the one that was asked.
const QUESTIONS_MAX: usize = 3;
/// Characters of a question.
const QUESTION_CHARS_MAX: usize = 300;
/// Contradictions that are told.
const CONTRADICTIONS_MAX: usize = 5;
/// Tokens that the answers may have.
const DIVIDE_TOKENS_MAX: u64 = 400;
const DISTIL_TOKENS_MAX: u64 = 900;

/// What passages come to.
pub(super) struct Distilled {
    pub(super) notes: String,
    /// What stays open.
    pub(super) open: Vec<String>,
    /// What could be looked for next.
    pub(super) next: Vec<String>,
    pub(super) contradictions: Vec<Contradiction>,
}

#[derive(Deserialize)]
struct Divided {
    questions: Vec<String>,
}

#[derive(Deserialize)]
struct Written {
    notes: String,
    #[serde(default)]
    open: Vec<String>,
    #[serde(default)]
    next: Vec<String>,
    #[serde(default)]
    contradictions: Vec<Contradiction>,
}

/// What has to be looked up: the question first, then the parts a model sees in it.
pub(super) async fn divide(brief: &Brief<'_>) -> Vec<String> {
    let mut questions = vec![subject::of(brief.query)];
    if brief.study.can_think() {
        let text = format!("<question>\n{}\n</question>", harmless(brief.query));
        let thought = Thought { instructions: DIVIDE.to_owned(), text, tokens_max: DIVIDE_TOKENS_MAX };
        if let Ok(answer) = brief.study.think(thought).await
            && let Some(Divided { questions: parts }) = read(&answer)
        {
            add(&mut questions, parts);
        }
    }
    questions
}

/// What the passages say. None where there is nobody to ask, nothing to ask about, or nothing of use was answered.
pub(super) async fn distil(brief: &Brief<'_>, questions: &[String], passages: &[Passage]) -> Option<Distilled> {
    if !brief.study.can_think() || passages.is_empty() {
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
    let thought = Thought { instructions: DISTIL.to_owned(), text, tokens_max: DISTIL_TOKENS_MAX };
    let answer = brief.study.think(thought).await.ok()?;
    let Written { notes, open, next, contradictions } = read(&answer)?;
    let notes = notes::checked(&notes, passages)?;
    let (mut still_open, mut next_questions) = (Vec::new(), Vec::new());
    add(&mut still_open, open);
    add(&mut next_questions, next);
    // What was asked already would be answered as before.
    next_questions.retain(|question| !questions.contains(question));
    let contradictions = contradictions.into_iter().filter_map(|found| known(found, passages)).take(CONTRADICTIONS_MAX);
    Some(Distilled { notes, open: still_open, next: next_questions, contradictions: contradictions.collect() })
}

/// A contradiction between passages that there are.
fn known(mut found: Contradiction, passages: &[Passage]) -> Option<Contradiction> {
    found.marks.retain(|mark| passages.iter().any(|passage| passage.mark == *mark));
    found.marks.dedup();
    found.about = short(&found.about);
    (found.marks.len() > 1 && !found.about.is_empty()).then_some(found)
}

/// Adds questions that are not there yet.
fn add(questions: &mut Vec<String>, more: Vec<String>) {
    let before = questions.len();
    for question in more {
        let question = short(&question);
        if !question.is_empty() && questions.len() < before + QUESTIONS_MAX && !questions.contains(&question) {
            questions.push(question);
        }
    }
}

/// On one line, and not too long.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(QUESTION_CHARS_MAX).collect()
}

/// Words that cannot be taken for the marks around them.
fn harmless(words: &str) -> String {
    words.replace('<', "‹").replace('>', "›").replace('"', "”")
}

/// The JSON in an answer, also where something is written around it.
fn read<T: DeserializeOwned>(answer: &str) -> Option<T> {
    let (start, end) = (answer.find('{')?, answer.rfind('}')?);
    serde_json::from_str(answer.get(start..=end)?).ok()
}
