//! One client of the load test: a session with several lanes of traffic on one socket.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{RunningServer, Socket};
use tokio::time::Instant;

use super::marks::{mark, marks};

/// The beginning of the message that asks for the windows.
pub(super) const OPEN: &str = "Open the windows";
/// The windows of every session.
pub(super) const WINDOWS: [&str; 2] = ["left", "right"];

/// The lanes of a session. Each lane sends its next message when its last turn has ended.
const LANES: [Lane; 5] = [Lane::Main, Lane::Beside, Lane::Beside, Lane::Window(WINDOWS[0]), Lane::Window(WINDOWS[1])];

/// A kind of traffic.
#[derive(Debug, Clone, Copy)]
enum Lane {
    /// Messages to the main agent, which wait in its queue.
    Main,
    /// Messages with `on_busy: fork`: a second agent takes them while the main agent is busy.
    Beside,
    /// Messages to the agent of a window.
    Window(&'static str),
}

/// The totals of one session or of several.
#[derive(Default)]
pub(super) struct CrowdTotals {
    /// The sessions by their number.
    pub(super) sessions: BTreeMap<u64, String>,
    /// How many turns each session had.
    pub(super) turns_each: Vec<usize>,
    /// The time from acceptance to the first word of each turn.
    pub(super) turns: Vec<Duration>,
}

impl CrowdTotals {
    /// Adds the totals of another session.
    pub(super) fn add(&mut self, other: Self) {
        self.sessions.extend(other.sessions);
        self.turns_each.push(other.turns.len());
        self.turns.extend(other.turns);
    }
}

/// A turn that has not ended.
struct CrowdTurn {
    lane: usize,
    mark: (u64, u64),
    accepted: Instant,
    first_word: Option<Duration>,
}

/// A session with its socket.
pub(super) struct Client {
    number: u64,
    session: String,
    socket: Socket,
    /// Lanes without an open message or turn.
    idle: VecDeque<usize>,
    /// Messages that are not acknowledged yet, with the lane of each.
    sent: BTreeMap<u64, usize>,
    open: BTreeMap<String, CrowdTurn>,
    messages: u64,
    last_seq: u64,
    tally: CrowdTotals,
}

impl Client {
    pub(super) async fn new(server: &RunningServer, number: u64) -> Self {
        let mut socket = server.socket().await;
        let started = socket.ask("session.start", json!({})).await.unwrap();
        let session = started["session_id"].as_str().unwrap().to_owned();
        let tally = CrowdTotals { sessions: [(number, session.clone())].into(), ..CrowdTotals::default() };
        let (idle, sent, open) = ((0..LANES.len()).collect(), BTreeMap::new(), BTreeMap::new());
        let mut client = Self { number, session, socket, idle, sent, open, messages: 0, last_seq: 0, tally };
        client.open_windows().await;
        client
    }

    async fn open_windows(&mut self) {
        self.idle.retain(|lane| *lane != 0);
        let words = format!("{OPEN} of {}.", mark(self.number, self.messages + 1));
        self.post("chat.send", json!({ "session_id": self.session, "message": words }), 0).await;
        while !self.sent.is_empty() || !self.open.is_empty() {
            let message = self.socket.next().await;
            self.hear(&message);
        }
    }

    /// Keeps all lanes busy until that time, then waits until every accepted turn has ended.
    pub(super) async fn talk(mut self, until: Instant) -> CrowdTotals {
        loop {
            if Instant::now() < until {
                while let Some(lane) = self.idle.pop_front() {
                    self.send(lane).await;
                }
            }
            if self.sent.is_empty() && self.open.is_empty() {
                return self.tally;
            }
            let message = self.socket.next().await;
            self.hear(&message);
        }
    }

    async fn send(&mut self, lane: usize) {
        let words = format!("Tell me about {}.", mark(self.number, self.messages + 1));
        let session = &self.session;
        let (kind, data) = match LANES[lane] {
            Lane::Main => ("chat.send", json!({ "session_id": session, "message": words })),
            Lane::Beside => ("chat.send", json!({ "session_id": session, "message": words, "on_busy": "fork" })),
            Lane::Window(window) => {
                ("window.message", json!({ "session_id": session, "window_id": window, "content": words }))
            }
        };
        self.post(kind, data, lane).await;
    }

    async fn post(&mut self, kind: &str, data: Value, lane: usize) {
        self.messages += 1;
        self.sent.insert(self.messages, lane);
        let message = json!({ "type": kind, "id": 1_000 + self.messages, "data": data });
        self.socket.send_text(&message.to_string()).await;
    }

    fn hear(&mut self, message: &Value) {
        assert_ne!(message["type"], "error", "{message}");
        let heard = marks(&message.to_string());
        assert!(heard.iter().all(|(session, _)| *session == self.number), "in session {}: {message}", self.number);
        let Some(of) = message["session_id"].as_str() else { return };
        assert_eq!(of, self.session, "{message}");
        if let Some(seq) = message["seq"].as_u64() {
            assert_eq!(seq, self.last_seq + 1, "a number is missing or came twice: {message}");
            self.last_seq = seq;
        }
        let Some(turn_id) = message["turn_id"].as_str() else { return };
        if message["type"] == "message.accepted" {
            let mark = heard[0];
            // The server only accepts messages that were sent.
            let lane = self.sent.remove(&mark.1).unwrap();
            let turn = CrowdTurn { lane, mark, accepted: Instant::now(), first_word: None };
            assert!(self.open.insert(turn_id.to_owned(), turn).is_none(), "{message}");
            return;
        }
        // Events of a turn come only between its acceptance and its end.
        let turn = self.open.get_mut(turn_id).unwrap();
        match message["type"].as_str().unwrap() {
            "chat.token" => {
                turn.first_word.get_or_insert_with(|| turn.accepted.elapsed());
                assert!(heard.iter().all(|mark| *mark == turn.mark), "words of another turn: {message}");
            }
            "chat.final" => assert!(!heard.is_empty() && heard.iter().all(|mark| *mark == turn.mark), "{message}"),
            "turn.status" => self.end(turn_id, message),
            _ => {}
        }
    }

    fn end(&mut self, turn_id: &str, message: &Value) {
        assert_eq!(message["data"]["status"], "completed", "{message}");
        let turn = self.open.remove(turn_id).unwrap();
        self.tally.turns.push(turn.first_word.unwrap());
        self.idle.push_back(turn.lane);
    }
}
