//! The clients: they send messages, press, move, close and answer until the server is killed, and
//! continue when it is back.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{RestClient, RunningServer, Socket};
use tokio::task::JoinHandle;

use super::marks::{LINES, MessageMark, TrafficLine};
use crate::kill::SeededRandom;

/// The most actions that the main agent has not been told about yet. Of more it would get only the
/// number.
const UNTOLD_MAX: usize = 10;
/// The most open turns of the main agent.
const MAIN_MAX: usize = 3;

/// A session and the monitor it uses.
pub(super) struct SessionMonitor {
    pub(super) session: String,
    pub(super) monitor: &'static str,
}

/// What the clients know, across all restarts of the server.
#[derive(Default)]
pub(super) struct ClientRecord {
    /// The turns of acknowledged messages.
    pub(super) acknowledged: Mutex<BTreeMap<MessageMark, String>>,
    pub(super) is_over: AtomicBool,
}

#[derive(Clone)]
pub(super) struct Clients {
    pub(super) places: Arc<[SessionMonitor]>,
    pub(super) told: Arc<ClientRecord>,
}

/// The open turns of a session and its untold actions.
struct SessionLoad {
    main: usize,
    others: usize,
    timeline: usize,
}

impl SessionLoad {
    fn of(desktop: &Value) -> Self {
        let mut traffic = Self { main: 0, others: 0, timeline: desktop["timeline"].as_array().unwrap().len() };
        for agent in desktop["agents"].as_array().unwrap() {
            let open = agent["queue"].as_array().map_or(0, Vec::len) + usize::from(!agent["turn_id"].is_null());
            *(if agent["kind"] == "main" { &mut traffic.main } else { &mut traffic.others }) += open;
        }
        traffic
    }

    const fn has_room(&self, line: Option<TrafficLine>) -> bool {
        match line {
            Some(TrafficLine::Main) => self.main < MAIN_MAX,
            _ => self.timeline + self.others < UNTOLD_MAX,
        }
    }
}

impl Clients {
    /// How many messages of each line were acknowledged.
    pub(super) fn acknowledged(&self) -> Vec<u64> {
        let lines = (0..self.places.len()).flat_map(|session| LINES.map(|line| self.next(session, line).n));
        lines.collect()
    }

    /// The next message of a line: the first that is not acknowledged.
    fn next(&self, session: usize, line: TrafficLine) -> MessageMark {
        let mark = |n| MessageMark { session, line, n };
        let acknowledged = self.told.acknowledged.lock().unwrap();
        let last = acknowledged.range(mark(0)..=mark(u64::MAX)).next_back();
        mark(last.map_or(0, |(last, _)| last.n + 1))
    }

    fn is_over(&self) -> bool {
        self.told.is_over.load(Ordering::Relaxed)
    }

    /// Sends the next message, and sometimes also the previous one again, like a client that
    /// retries; returns whether the server still answers.
    async fn say(&self, rest: &RestClient, session: usize, line: TrafficLine) -> bool {
        let next = self.next(session, line);
        let again = (next.n % 2 == 1).then(|| MessageMark { n: next.n - 1, ..next });
        for mark in again.into_iter().chain([next]) {
            if !self.send(rest, mark).await {
                return false;
            }
        }
        true
    }

    async fn send(&self, rest: &RestClient, mark: MessageMark) -> bool {
        let (line, place) = (mark.line, &self.places[mark.session]);
        let key = mark.to_string();
        let words = format!("Please take care of item {mark} for me.");
        let path = format!("/api/v1/sessions/{}", place.session);
        let (path, body, headers) = match (line, mark.window()) {
            (TrafficLine::Pressed, Some(window)) => {
                let body = json!({ "action": "save", "parallel": true, "form_data": { "item": key } });
                (format!("{path}/windows/{window}/actions"), body, vec![("idempotency-key", key.as_str())])
            }
            (_, Some(window)) => {
                let body = json!({ "content": words, "idempotency_key": key });
                (format!("{path}/windows/{window}/messages"), body, vec![])
            }
            (_, None) => {
                let on_busy = if line == TrafficLine::Beside { "fork" } else { "queue" };
                let body = json!({
                    "message": words, "idempotency_key": key, "on_busy": on_busy, "monitor_id": place.monitor,
                });
                (format!("{path}/turns"), body, vec![])
            }
        };
        match rest.try_call(Method::POST, &path, Some(body), &headers).await {
            Err(_) => return false,
            Ok(answer) if answer.status == 202 => {
                let turn = answer.body["turn_id"].as_str().unwrap().to_owned();
                let before = self.told.acknowledged.lock().unwrap().insert(mark, turn.clone());
                assert!(before.is_none_or(|before| before == turn), "{mark} became two turns");
            }
            // A full queue and a closed window lose nothing: the client gets an error. Acknowledged
            // messages stay acknowledged.
            Ok(answer) => {
                let code = answer.body["code"].as_str().unwrap_or_default();
                let is_known = self.told.acknowledged.lock().unwrap().contains_key(&mark);
                assert!(["queue_full", "not_found"].contains(&code) && !is_known, "{mark}: {}", answer.body);
            }
        }
        true
    }

    /// The current desktop; none if the server is gone.
    async fn desktop(&self, rest: &RestClient, place: &SessionMonitor) -> Option<Value> {
        let path = format!("/api/v1/sessions/{}/desktop", place.session);
        rest.try_call(Method::GET, &path, None, &[]).await.ok().map(testkit::RestResponse::ok)
    }

    /// Answers all open questions except the newest few; returns whether the server still answers.
    pub(super) async fn answer_all(&self, rest: &RestClient, place: &SessionMonitor, but: usize) -> bool {
        let Some(desktop) = self.desktop(rest, place).await else { return false };
        let dialogs = desktop["dialogs"].as_array().unwrap();
        for dialog in &dialogs[..dialogs.len().saturating_sub(but)] {
            let id = dialog["dialog_id"].as_str().unwrap();
            let path = format!("/api/v1/sessions/{}/dialogs/{id}", place.session);
            match rest.try_call(Method::POST, &path, Some(json!({ "choice": "blue" })), &[]).await {
                Err(_) => return false,
                // The turn and its question may have ended meanwhile.
                Ok(answer) => assert!(answer.status == 200 || answer.status == 409, "{}", answer.body),
            }
        }
        true
    }

    /// Does something a user would do; returns whether the server still answers.
    async fn interact(
        &self,
        rest: &RestClient,
        url: &str,
        place: &SessionMonitor,
        desktop: &Value,
        random: &mut SeededRandom,
    ) -> bool {
        let window = ["a", "b", "a", "b", "c0", "c1", "c3"][random.below(7) as usize];
        let (x, y) = (random.below(6_000), random.below(3_000));
        let interaction = match random.below(16) {
            0 | 15 => json!({ "type": "window.close", "window_id": window }),
            1 | 2 => json!({ "type": "window.focus", "window_id": window }),
            3 => json!({ "type": "window.minimize", "window_id": window }),
            4 => json!({ "type": "window.maximize", "window_id": window }),
            5 => json!({ "type": "window.restore", "window_id": window }),
            6 => json!({ "type": "window.lock", "window_id": window }),
            7 | 8 => json!({ "type": "window.unlock", "window_id": window }),
            9 => json!({ "type": "window.resize", "window_id": window, "width": 400 + x / 8, "height": 300 + y / 8 }),
            10 => return dismiss(url, place, desktop).await,
            _ => json!({ "type": "window.move", "window_id": window, "x": x, "y": y }),
        };
        let path = format!("/api/v1/sessions/{}/interactions", place.session);
        match rest.try_call(Method::POST, &path, Some(json!({ "interactions": [interaction] })), &[]).await {
            Err(_) => false,
            Ok(answer) => {
                assert!(answer.status == 200 || answer.body["code"] == "not_found", "{}", answer.body);
                true
            }
        }
    }

    /// Starts all clients; they run until the server is gone or the test is over.
    pub(super) fn work(&self, server: &RunningServer, random: &mut SeededRandom) -> Vec<JoinHandle<()>> {
        let mut work = Vec::new();
        for session in 0..self.places.len() {
            for line in LINES {
                let (clients, rest) = (self.clone(), server.rest());
                work.push(tokio::spawn(async move {
                    while let Some(desktop) = clients.desktop(&rest, &clients.places[session]).await
                        && !clients.is_over()
                    {
                        let has_room = SessionLoad::of(&desktop).has_room(Some(line));
                        if has_room && !clients.say(&rest, session, line).await {
                            return;
                        }
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                }));
            }
            let (clients, rest, url) = (self.clone(), server.rest(), server.url().to_owned());
            let mut random = SeededRandom::new(random.below(u64::MAX));
            work.push(tokio::spawn(async move {
                let place = &clients.places[session];
                while let Some(desktop) = clients.desktop(&rest, place).await
                    && !clients.is_over()
                {
                    let has_room = SessionLoad::of(&desktop).has_room(None);
                    if has_room && !clients.interact(&rest, &url, place, &desktop, &mut random).await {
                        return;
                    }
                    // Some questions stay open for a while.
                    let but = random.below(3) as usize;
                    if !clients.answer_all(&rest, place, but).await {
                        return;
                    }
                    tokio::time::sleep(Duration::from_millis(random.below(30))).await;
                }
            }));
        }
        work
    }
}

/// Dismisses the oldest notification; returns whether the server still answers.
async fn dismiss(url: &str, place: &SessionMonitor, desktop: &Value) -> bool {
    let toasts = ["toasts", "notifications"].iter().filter_map(|part| desktop[*part].get(0));
    let headers = [("authorization", "Bearer test-token-0123456789")];
    let Ok((mut socket, _)) = Socket::connect_with(url, "", &headers).await else { return false };
    for (toast, id) in toasts.zip(1..) {
        let data = json!({ "session_id": place.session, "toast_id": toast["toast_id"], "action": "dismiss" });
        if !socket.try_send_text(&json!({ "type": "toast.action", "id": id, "data": data }).to_string()).await {
            return false;
        }
    }
    true
}
