//! The totals of the kills, printed with the result of the test.

use std::collections::BTreeMap;

use serde_json::Value;

use super::harness::{EffectsHarness, TOOLS};

/// The totals of the kills.
#[derive(Debug, Default)]
#[allow(dead_code, reason = "it is read as a whole, where it is printed")]
pub(super) struct KillTally {
    turns: usize,
    kills: usize,
    events: usize,
    /// The last event in the journal before each interruption.
    cut_after: BTreeMap<String, usize>,
    /// The answers to turns that asked.
    answers: BTreeMap<&'static str, usize>,
    look_ups: usize,
    /// Calls that ran again without harm.
    repeats: usize,
}

impl KillTally {
    pub(super) fn count(&mut self, harness: &EffectsHarness, log: &[Value], kills: usize, answers: &[&'static str]) {
        self.turns += 1;
        self.kills += kills;
        self.events += log.len();
        for pair in log.windows(2).filter(|pair| pair[1]["data"]["status"] == "interrupted") {
            let data = &pair[0]["data"];
            let parts = [&data["stage"], &data["type"], &data["detail"]["tool"], &data["status"]];
            let parts = [&pair[0]["type"]].into_iter().chain(parts).filter_map(Value::as_str);
            *self.cut_after.entry(parts.collect::<Vec<_>>().join(" ")).or_default() += 1;
        }
        for answer in answers {
            *self.answers.entry(answer).or_default() += 1;
        }
        self.look_ups += harness.tool_server.look_ups().len();
        self.repeats += harness.tool_server.ledger().len() - TOOLS.len();
    }

    #[allow(clippy::print_stderr, reason = "the proof's result")]
    pub(super) fn print(&self) {
        eprintln!("{self:#?}");
    }
}
