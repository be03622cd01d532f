//! LoCoMo: long conversations of two people, and the turns that answer questions about them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use anyhow::{Context, Result};
use jiff::{civil::DateTime, tz::TimeZone};
use memory::search::Document;
use protocol::{Grouping, Level, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::sets::{self, IdGenerator, OwnerMemory, Question, QuestionSet, ResultId};

const FILE: &str = "locomo/dev.json";

#[derive(Deserialize)]
struct LocomoSample {
    conversation: BTreeMap<String, Value>,
    qa: Vec<LocomoQuestion>,
}

#[derive(Deserialize)]
struct LocomoTurn {
    speaker: String,
    dia_id: String,
    text: String,
    blip_caption: Option<String>,
}

#[derive(Deserialize)]
struct LocomoQuestion {
    question: String,
    #[serde(default)]
    evidence: Vec<String>,
    category: u8,
}

/// Documents are turns; the questions are those of the categories 1 to 4 with evidence.
pub(crate) fn load() -> Result<QuestionSet> {
    let samples: Vec<LocomoSample> = sets::read(FILE)?;
    let stores = samples.iter().enumerate().map(|(number, sample)| store(number, sample)).collect::<Result<_>>()?;
    Ok(QuestionSet { name: "LoCoMo, turns", group: Grouping::Item, stores })
}

fn store(number: usize, sample: &LocomoSample) -> Result<OwnerMemory> {
    let mut ids = IdGenerator::default();
    let mut documents = Vec::new();
    let mut turns = HashMap::new();
    for session in 1.. {
        let name = format!("session_{session}");
        let Some(said) = sample.conversation.get(&name) else {
            // Some sessions in the middle have a date but no turns.
            if sample.conversation.contains_key(&format!("{name}_date_time")) {
                continue;
            }
            break;
        };
        let date = sample.conversation.get(&format!("{name}_date_time")).and_then(Value::as_str);
        let mut at = moment(date.with_context(|| format!("{name} has no date"))?)?;
        let memory_id = ids.memory();
        for turn in Vec::<LocomoTurn>::deserialize(said)? {
            let id = ids.item();
            let text = match turn.blip_caption {
                Some(caption) => format!("{} [shares a photo: {caption}]", turn.text),
                None => turn.text,
            };
            let document = Document::new(id, Level::Entry, text, at);
            documents.push(Document { speaker: Some(turn.speaker), memory_id: Some(memory_id), ..document });
            turns.extend(dialogue_ids(&turn.dia_id).map(|place| (place, id.to_bytes())));
            at = at.plus(Duration::from_secs(1));
        }
    }
    let last = documents.iter().map(|document| document.at).max().context("a conversation without turns")?;
    let now = last.plus(Duration::from_secs(3_600));
    let question = |asked: &LocomoQuestion| {
        let evidence = asked.evidence.iter().flat_map(|text| dialogue_ids(text));
        let gold: BTreeSet<ResultId> = evidence.filter_map(|place| turns.get(&place).copied()).collect();
        let category = match asked.category {
            1 => "multi-hop",
            2 => "temporal",
            3 => "open",
            4 => "single-hop",
            _ => return None,
        };
        (!gold.is_empty()).then(|| Question {
            text: asked.question.clone(),
            now,
            category: category.to_owned(),
            conversation: number,
            gold,
            is_unanswerable: false,
        })
    };
    let questions = sample.qa.iter().filter_map(question).collect();
    Ok(OwnerMemory { documents, questions })
}

/// Parses `D8:6`, also several ids in one text or with an extra colon: `D8:6; D9:17`, `D:11:26`.
fn dialogue_ids(text: &str) -> impl Iterator<Item = (u32, u32)> {
    text.split('D').filter_map(|part| {
        let part = part.strip_prefix(':').unwrap_or(part);
        let (session, rest) = part.split_once(':')?;
        let turn: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some((session.parse().ok()?, turn.parse().ok()?))
    })
}

/// `1:56 pm on 8 May, 2023`
fn moment(text: &str) -> Result<Timestamp> {
    let moment =
        DateTime::strptime("%I:%M %p on %d %B, %Y", text).with_context(|| format!("`{text}` is not a date"))?;
    Ok(Timestamp::from_millis(moment.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_evidence_is_read() {
        let read = |text| dialogue_ids(text).collect::<Vec<_>>();
        assert_eq!(read("D8:6; D9:17"), [(8, 6), (9, 17)]);
        assert_eq!(read("D:11:26"), [(11, 26)]);
        assert_eq!(read("D"), []);
    }

    #[test]
    fn dates_are_read() {
        assert_eq!(moment("1:56 pm on 8 May, 2023").unwrap().to_string(), "2023-05-08T13:56:00.000Z");
    }
}
