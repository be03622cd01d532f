//! Compares the final state with what the clients were told, and checks the journal for
//! consistency.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::AddAssign,
};

use serde_json::Value;
use testkit::{ModelServer, RestClient};

use super::{
    clients::{Clients, SessionMonitor},
    marks::{MessageMark, marks},
    replayed_desktop::ReplayedDesktop,
};
use crate::desktop::asked;

/// What happened during the test; printed at its end.
#[derive(Debug, Default)]
#[allow(dead_code, reason = "it is printed")]
pub(super) struct KillTotals {
    pub(super) turns: usize,
    cancelled: usize,
    interrupted: usize,
    events: usize,
    actions: usize,
    questions: usize,
    dismissed: usize,
    told: usize,
    untold: usize,
}

impl AddAssign for KillTotals {
    fn add_assign(&mut self, other: Self) {
        self.turns += other.turns;
        self.cancelled += other.cancelled;
        self.interrupted += other.interrupted;
        self.events += other.events;
        self.actions += other.actions;
        self.questions += other.questions;
        self.dismissed += other.dismissed;
        self.told += other.told;
        self.untold += other.untold;
    }
}

/// A turn as it is in the journal.
#[derive(Debug)]
struct JournalTurn {
    id: String,
    agent: String,
    status: String,
    reason: String,
}

impl JournalTurn {
    /// Whether the main agent of a monitor worked on it.
    fn is_main(&self) -> bool {
        self.agent.split('@').next() == Some("main")
    }
}

/// Checks the final state of a session.
pub(super) async fn session(
    rest: &RestClient,
    number: usize,
    place: &SessionMonitor,
    clients: &Clients,
    model: &ModelServer,
) -> KillTotals {
    let log = rest.log(&place.session).await;
    for (event, seq) in log.iter().zip(1u64..) {
        assert_eq!(event["seq"], seq, "numbers without gaps");
    }
    let turns = turns(&log);
    let acknowledged = clients.told.acknowledged.lock().unwrap().clone();
    for (mark, turn) in acknowledged.iter().filter(|(mark, _)| mark.session == number) {
        assert_eq!(turns.get(mark).map(|turn| &turn.id), Some(turn), "{mark} was lost");
    }
    let mut sums = KillTotals { turns: turns.len(), events: log.len(), ..KillTotals::default() };
    for (mark, turn) in &turns {
        let is_closed = turn.status == "cancelled" && turn.reason == "its window was closed" && mark.window().is_some();
        assert!(turn.status == "completed" || is_closed, "{mark} has not ended as it should: {turn:?}");
        sums.cancelled += usize::from(is_closed);
    }
    one_at_a_time(&log, &mut sums);
    done_once(&log, &mut sums);
    let desktop = rest.get(&format!("/api/v1/sessions/{}/desktop", place.session)).await.ok();
    assert_eq!(
        ReplayedDesktop::parts_of(&desktop),
        ReplayedDesktop::of(&log).parts(),
        "the desktop is what the journal says"
    );
    timeline(&turns, number, model, &desktop, &mut sums);
    sums
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The turns by their marks: each message became exactly one.
fn turns(log: &[Value]) -> BTreeMap<MessageMark, JournalTurn> {
    let mut turns: BTreeMap<MessageMark, JournalTurn> = BTreeMap::new();
    let mut by_id: BTreeMap<String, MessageMark> = BTreeMap::new();
    for event in log {
        let (id, data) = (text(&event["turn_id"]).to_owned(), &event["data"]);
        match text(&event["type"]) {
            "message.accepted" => {
                let mark = marks(text(&data["message"])).next().unwrap_or_else(|| panic!("no client sent {data}"));
                let turn = JournalTurn {
                    id: id.clone(),
                    agent: text(&data["agent_id"]).to_owned(),
                    status: "open".to_owned(),
                    reason: String::new(),
                };
                assert!(turns.insert(mark, turn).is_none(), "{mark} was taken twice");
                by_id.insert(id, mark);
            }
            "turn.status" => {
                let turn = turns.get_mut(&by_id[&id]).unwrap();
                let is_end = |status: &str| ["completed", "cancelled", "failed", "expired"].contains(&status);
                assert!(!is_end(&turn.status), "after its end: {event}");
                (turn.status, turn.reason) = (text(&data["status"]).to_owned(), text(&data["reason"]).to_owned());
            }
            _ => {}
        }
    }
    turns
}

/// Checks that an agent works on one turn at a time. A turn that waits for an answer still occupies
/// its agent.
fn one_at_a_time(log: &[Value], sums: &mut KillTotals) {
    let mut at_work: BTreeMap<&str, &str> = BTreeMap::new();
    for event in log {
        let (agent, turn, data) = (text(&event["agent_id"]), text(&event["turn_id"]), &event["data"]);
        match (text(&event["type"]), text(&data["stage"]), text(&data["status"])) {
            ("turn.stage", "receive", _) | ("turn.status", _, "resumed") => {
                let before = at_work.insert(agent, turn);
                assert!(before.is_none_or(|before| before == turn), "{agent} is still at {before:?}: {event}");
            }
            ("turn.status", _, "waiting") => {
                assert_eq!(at_work.get(agent), Some(&turn), "it waits without an agent: {event}");
            }
            ("turn.status", _, status) => {
                sums.interrupted += usize::from(status == "interrupted");
                // A turn that ends in the queue did not occupy its agent.
                if at_work.get(agent) == Some(&turn) {
                    at_work.remove(agent);
                }
            }
            _ => {}
        }
    }
    assert_eq!(at_work, BTreeMap::new());
}

/// Checks that each call changes the desktop once and that each question has one answer.
fn done_once(log: &[Value], sums: &mut KillTotals) {
    let mut keys = BTreeSet::new();
    let mut opened: BTreeMap<&str, usize> = BTreeMap::new();
    let mut called: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let mut results: BTreeMap<&str, bool> = BTreeMap::new();
    let (mut shown, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for event in log {
        let (turn, data) = (text(&event["turn_id"]), &event["data"]);
        match text(&event["type"]) {
            "actions" => {
                if let Some(key) = data.get("key") {
                    assert!(keys.insert(text(key)), "done twice: {event}");
                }
                for action in data["actions"].as_array().unwrap() {
                    sums.actions += 1;
                    match text(&action["type"]) {
                        "window.create" => *opened.entry(turn).or_default() += 1,
                        "dialog.show" => assert!(shown.insert(text(&action["dialog_id"])), "asked twice: {event}"),
                        _ => {}
                    }
                }
            }
            "toast.action" => sums.dismissed += 1,
            "dialog.answered" => assert!(answered.insert(text(&data["dialog_id"])), "answered twice: {event}"),
            "step" => {
                let (detail, call) = (&data["detail"], text(&data["detail"]["call_id"]));
                match text(&data["type"]) {
                    "tool_call" => drop(called.insert((turn, call), text(&detail["tool"]))),
                    "tool_result" if called.get(&(turn, call)) == Some(&"window_open") => {
                        assert!(results.insert(turn, detail["status"] == "ok").is_none(), "two results: {event}");
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    assert_eq!(shown, answered, "every question has its answer");
    sums.questions += shown.len();
    for (turn, times) in &opened {
        assert_eq!(*times, 1, "{turn} has opened {times} windows by one call");
    }
    for (turn, is_ok) in &results {
        assert_eq!(opened.contains_key(turn), *is_ok, "{turn} was told something else than what happened");
    }
    assert!(results.len() >= opened.len(), "{results:?} {opened:?}");
}

/// Checks that the main agent was told about each action of another agent in exactly one turn, or
/// will be told.
fn timeline(
    turns: &BTreeMap<MessageMark, JournalTurn>,
    number: usize,
    model: &ModelServer,
    desktop: &Value,
    sums: &mut KillTotals,
) {
    let mut told: BTreeMap<MessageMark, BTreeSet<MessageMark>> = BTreeMap::new();
    for request in model.requests() {
        let Some(own) = marks(request.last_user()).next().filter(|mark| mark.session == number) else { continue };
        let words = asked(&request);
        let Some((_, rest)) = words.split_once("<timeline>") else { continue };
        let words = rest.split_once("</timeline>").unwrap().0;
        assert!(turns[&own].is_main(), "{own} is told what only the main agent is told");
        assert!(!words.contains("left out"), "too much for the prompt: {words}");
        let mut once = BTreeSet::new();
        for mark in words.lines().flat_map(|line| marks(line).next()) {
            assert!(once.insert(mark), "{mark} is told twice at once: {words}");
            assert!(!turns[&mark].is_main(), "{mark} was the main agent's own");
            told.entry(mark).or_default().insert(own);
        }
    }
    let mut untold: BTreeMap<MessageMark, usize> = BTreeMap::new();
    for line in desktop["timeline"].as_array().unwrap() {
        assert!(!text(line).contains("left out"), "{line}");
        if let Some(mark) = marks(text(line)).next() {
            *untold.entry(mark).or_default() += 1;
        }
    }
    for (mark, turn) in turns.iter().filter(|(_, turn)| !turn.is_main()) {
        let by: Vec<&MessageMark> = told.get(mark).into_iter().flatten().collect();
        let left = untold.get(mark).copied().unwrap_or(0);
        assert!(by.iter().all(|by| turns[by].status == "completed"));
        assert_eq!(by.len() + left, 1, "{mark} ({turn:?}) was told to {by:?} and is told {left} times more");
    }
    sums.told += told.len();
    sums.untold += untold.len();
}
