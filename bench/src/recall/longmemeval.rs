//! LongMemEval: chats of a user and an assistant, all pooled into one owner's memory.

use std::{collections::HashMap, time::Duration};

use anyhow::{Context, Result};
use jiff::{civil::DateTime, tz::TimeZone};
use memory::search::Document;
use protocol::{Grouping, Level, Timestamp};
use serde::Deserialize;

use super::sets::{self, IdGenerator, OwnerMemory, Question, QuestionSet};

const FILE: &str = "longmemeval/dev-oracle.json";

#[derive(Deserialize)]
struct LongMemEvalQuestion {
    question_id: String,
    question_type: String,
    question: String,
    question_date: String,
    haystack_dates: Vec<String>,
    haystack_session_ids: Vec<String>,
    haystack_sessions: Vec<Vec<LongMemEvalTurn>>,
    answer_session_ids: Vec<String>,
}

#[derive(Deserialize)]
struct LongMemEvalTurn {
    role: String,
    content: String,
}

/// Documents are turns, results are sessions; the expected results are the sessions that contain
/// the answer.
pub(crate) fn load() -> Result<QuestionSet> {
    let asked: Vec<LongMemEvalQuestion> = sets::read(FILE)?;
    let mut ids = IdGenerator::default();
    let mut documents = Vec::new();
    let mut sessions = HashMap::new();
    for question in &asked {
        let dated = question.haystack_session_ids.iter().zip(&question.haystack_dates);
        for ((name, date), turns) in dated.zip(&question.haystack_sessions) {
            if sessions.contains_key(name) {
                continue;
            }
            let memory_id = ids.memory();
            sessions.insert(name.clone(), memory_id.to_bytes());
            let mut at = moment(date)?;
            for turn in turns.iter().filter(|turn| !turn.content.trim().is_empty()) {
                let document = Document::new(ids.item(), Level::Entry, turn.content.clone(), at);
                documents.push(Document { role: Some(turn.role.clone()), memory_id: Some(memory_id), ..document });
                at = at.plus(Duration::from_secs(1));
            }
        }
    }
    let question = |(number, asked): (usize, &LongMemEvalQuestion)| {
        Ok(Question {
            text: asked.question.clone(),
            now: moment(&asked.question_date)?,
            category: asked.question_type.clone(),
            conversation: number,
            gold: asked.answer_session_ids.iter().filter_map(|name| sessions.get(name).copied()).collect(),
            is_unanswerable: asked.question_id.ends_with("_abs"),
        })
    };
    let questions = asked.iter().enumerate().map(question).collect::<Result<_>>()?;
    Ok(QuestionSet {
        name: "LongMemEval, pooled sessions",
        group: Grouping::Memory,
        stores: vec![OwnerMemory { documents, questions }],
    })
}

/// `2023/03/10 (Fri) 23:15`
fn moment(text: &str) -> Result<Timestamp> {
    let moment = DateTime::strptime("%Y/%m/%d (%a) %H:%M", text).with_context(|| format!("`{text}` is not a date"))?;
    Ok(Timestamp::from_millis(moment.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read() {
        assert_eq!(moment("2023/03/10 (Fri) 23:15").unwrap().to_string(), "2023-03-10T23:15:00.000Z");
    }
}
