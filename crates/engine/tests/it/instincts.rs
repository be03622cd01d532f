//! Reflexes and senses for tests: they hear only what begins with `!`, and see one lantern.

use std::sync::Mutex;

use protocol::{CallStatus, EntityBase};
use serde_json::{Map, json};
use tools::{Reflex, ReflexCall, Reflexes, Said, Senses, Settled, Surroundings};

use crate::test_tools::note;

/// `!lamp on` calls the tool `lamp`; `!again` does what the turn before did; `!hello` is answered.
#[derive(Default)]
pub(crate) struct Instincts;

impl Reflexes for Instincts {
    fn read(&self, said: &Said<'_>) -> Option<Reflex> {
        let words = said.message.strip_prefix('!')?;
        let (calls, answer) = match words.split_once(' ') {
            None if words == "again" => (said.before.iter().map(|settled| settled.call.clone()).collect(), None),
            None => (Vec::new(), Some(format!("{words} to you"))),
            Some((tool, text)) => (vec![ReflexCall { tool: tool.to_owned(), arguments: note(text) }], None),
        };
        Some(Reflex {
            intent: words.split(' ').next()?.to_owned(),
            slots: Map::from_iter([("words".to_owned(), json!(words))]),
            language: "en".to_owned(),
            confidence: 1.0,
            is_question: answer.is_some(),
            calls,
            asks_back: words == "which",
            answer,
        })
    }

    fn answer(&self, _said: &Said<'_>, _reflex: Option<&Reflex>, settled: &[Settled]) -> String {
        let told = settled.iter().map(|settled| match settled.status {
            CallStatus::Ok => format!("did {}", settled.content),
            status => format!("{status:?}: {}", settled.content),
        });
        told.collect::<Vec<_>>().join("; ")
    }
}

/// Sees a lantern, in whatever state a test puts it, for messages that speak of one.
#[derive(Default)]
pub(crate) struct Eyes {
    pub(crate) lamp: Mutex<String>,
}

impl Senses for Eyes {
    fn sense(&self, message: &str, told: Option<&EntityBase>) -> Option<Surroundings> {
        let now = self.lamp.lock().unwrap().clone();
        if told.is_none() && !message.contains("lantern") {
            return None;
        }
        let states = [("lantern".to_owned(), now.clone())].into();
        let fresh = EntityBase { text: format!("There is a lantern. It was {now}."), states };
        let base = told.cloned().unwrap_or(fresh);
        let is_new = base.states.get("lantern") != Some(&now);
        Some(Surroundings { news: if is_new { format!("The lantern is {now}.") } else { String::new() }, base })
    }
}
