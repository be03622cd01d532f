//! Reflexes and home context for tests: they react only to messages that start with `!`, and know
//! one lantern.

use std::sync::Mutex;

use ports::{HomeContext, HomeSection, Reflex, ReflexCall, ReflexCallResult, ReflexInput, Reflexes};
use protocol::{CallStatus, EntityBase};
use serde_json::{Map, json};

use crate::test_tools::note;

/// `!lamp on` calls the tool `lamp`; `!again` repeats the turn before; `!hello` is answered.
#[derive(Default)]
pub(crate) struct TestReflexes;

impl Reflexes for TestReflexes {
    fn read(&self, said: &ReflexInput<'_>) -> Option<Reflex> {
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

    fn answer(&self, _said: &ReflexInput<'_>, _reflex: Option<&Reflex>, settled: &[ReflexCallResult]) -> String {
        let told = settled.iter().map(|settled| match settled.status {
            CallStatus::Ok => format!("did {}", settled.content),
            status => format!("{status:?}: {}", settled.content),
        });
        told.collect::<Vec<_>>().join("; ")
    }
}

/// Reports a lantern, in any state a test sets, for messages that mention one.
#[derive(Default)]
pub(crate) struct TestHomeContext {
    pub(crate) lamp: Mutex<String>,
}

impl HomeContext for TestHomeContext {
    fn section(&self, message: &str, told: Option<&EntityBase>) -> Option<HomeSection> {
        let now = self.lamp.lock().unwrap().clone();
        if told.is_none() && !message.contains("lantern") {
            return None;
        }
        let states = [("lantern".to_owned(), now.clone())].into();
        let fresh = EntityBase { text: format!("There is a lantern. It was {now}."), states };
        let base = told.cloned().unwrap_or(fresh);
        let is_new = base.states.get("lantern") != Some(&now);
        Some(HomeSection { news: if is_new { format!("The lantern is {now}.") } else { String::new() }, base })
    }
}
