//! The clients: they say, press, move, close and answer until the server is gone, and go on when it is back.

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
use testkit::{Rest, Running, Socket};
use tokio::task::JoinHandle;

use super::marks::{LINES, Line, Mark};
use crate::kill::Moments;

/// What the main agent has not heard of yet, at most: of more than fits, it would only be told how much it was.
const UNTOLD_MAX: usize = 10;
/// Turns of the main agent that are open at a time.
const MAIN_MAX: usize = 3;

/// Where something goes on.
pub(super) struct Place {
    pub(super) session: String,
    pub(super) monitor: &'static str,
}

/// What the clients know, across all lives of the server.
#[derive(Default)]
pub(super) struct Told {
    /// The turns of acknowledged messages.
    pub(super) acknowledged: Mutex<BTreeMap<Mark, String>>,
    pub(super) is_over: AtomicBool,
}

#[derive(Clone)]
pub(super) struct Clients {
    pub(super) places: Arc<[Place]>,
    pub(super) told: Arc<Told>,
}

/// How busy a session is.
struct Traffic {
    main: usize,
    others: usize,
    timeline: usize,
}

impl Traffic {
    fn of(desktop: &Value) -> Self {
        let mut traffic = Self { main: 0, others: 0, timeline: desktop["timeline"].as_array().unwrap().len() };
        for agent in desktop["agents"].as_array().unwrap() {
            let open = agent["queue"].as_array().map_or(0, Vec::len) + usize::from(!agent["turn_id"].is_null());
            *(if agent["kind"] == "main" { &mut traffic.main } else { &mut traffic.others }) += open;
        }
        traffic
    }

    const fn has_room(&self, line: Option<Line>) -> bool {
        match line {
            Some(Line::Main) => self.main < MAIN_MAX,
            _ => self.timeline + self.others < UNTOLD_MAX,
        }
    }
}

impl Clients {
    /// How often each of them was acknowledged.
    pub(super) fn acknowledged(&self) -> Vec<u64> {
        let lines = (0..self.places.len()).flat_map(|session| LINES.map(|line| self.next(session, line).n));
        lines.collect()
    }

    /// What is said next in a line: the first that is not acknowledged.
    fn next(&self, session: usize, line: Line) -> Mark {
        let mark = |n| Mark { session, line, n };
        let acknowledged = self.told.acknowledged.lock().unwrap();
        let last = acknowledged.range(mark(0)..=mark(u64::MAX)).next_back();
        mark(last.map_or(0, |(last, _)| last.n + 1))
    }

    fn is_over(&self) -> bool {
        self.told.is_over.load(Ordering::Relaxed)
    }

    /// Says the next thing, and now and then what was acknowledged before once more, as by a client that is not sure; whether
    /// the server is still there.
    async fn say(&self, rest: &Rest, session: usize, line: Line) -> bool {
        let next = self.next(session, line);
        let again = (next.n % 2 == 1).then(|| Mark { n: next.n - 1, ..next });
        for mark in again.into_iter().chain([next]) {
            if !self.send(rest, mark).await {
                return false;
            }
        }
        true
    }

    async fn send(&self, rest: &Rest, mark: Mark) -> bool {
        let (line, place) = (mark.line, &self.places[mark.session]);
        let key = mark.to_string();
        let words = format!("Please take care of item {mark} for me.");
        let path = format!("/api/v1/sessions/{}", place.session);
        let (path, body, headers) = match (line, mark.window()) {
            (Line::Pressed, Some(window)) => {
                let body = json!({ "action": "save", "parallel": true, "form_data": { "item": key } });
                (format!("{path}/windows/{window}/actions"), body, vec![("idempotency-key", key.as_str())])
            }
            (_, Some(window)) => {
                let body = json!({ "content": words, "idempotency_key": key });
                (format!("{path}/windows/{window}/messages"), body, vec![])
            }
            (_, None) => {
                let on_busy = if line == Line::Beside { "fork" } else { "queue" };
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
            // A full queue and a window that is closed are no loss: they say so. What was acknowledged stays so.
            Ok(answer) => {
                let code = answer.body["code"].as_str().unwrap_or_default();
                let is_known = self.told.acknowledged.lock().unwrap().contains_key(&mark);
                assert!(["queue_full", "not_found"].contains(&code) && !is_known, "{mark}: {}", answer.body);
            }
        }
        true
    }

    /// The desktop as it stands; none if the server is gone.
    async fn desktop(&self, rest: &Rest, place: &Place) -> Option<Value> {
        let path = format!("/api/v1/sessions/{}/desktop", place.session);
        rest.try_call(Method::GET, &path, None, &[]).await.ok().map(testkit::Answer::ok)
    }

    /// Answers what is asked, but for the newest few; whether the server is still there.
    pub(super) async fn answer_all(&self, rest: &Rest, place: &Place, but: usize) -> bool {
        let Some(desktop) = self.desktop(rest, place).await else { return false };
        let dialogs = desktop["dialogs"].as_array().unwrap();
        for dialog in &dialogs[..dialogs.len().saturating_sub(but)] {
            let id = dialog["dialog_id"].as_str().unwrap();
            let path = format!("/api/v1/sessions/{}/dialogs/{id}", place.session);
            match rest.try_call(Method::POST, &path, Some(json!({ "choice": "blue" })), &[]).await {
                Err(_) => return false,
                // A turn may have ended meanwhile, with what it asked.
                Ok(answer) => assert!(answer.status == 200 || answer.status == 409, "{}", answer.body),
            }
        }
        true
    }

    /// Does something as a user would; whether the server is still there.
    async fn interact(&self, rest: &Rest, url: &str, place: &Place, desktop: &Value, moments: &mut Moments) -> bool {
        let window = ["a", "b", "a", "b", "c0", "c1", "c3"][moments.below(7) as usize];
        let (x, y) = (moments.below(6_000), moments.below(3_000));
        let interaction = match moments.below(16) {
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

    /// All clients at once, until the server is gone or everything is over.
    pub(super) fn work(&self, server: &Running, moments: &mut Moments) -> Vec<JoinHandle<()>> {
        let mut work = Vec::new();
        for session in 0..self.places.len() {
            for line in LINES {
                let (clients, rest) = (self.clone(), server.rest());
                work.push(tokio::spawn(async move {
                    while let Some(desktop) = clients.desktop(&rest, &clients.places[session]).await
                        && !clients.is_over()
                    {
                        let has_room = Traffic::of(&desktop).has_room(Some(line));
                        if has_room && !clients.say(&rest, session, line).await {
                            return;
                        }
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                }));
            }
            let (clients, rest, url) = (self.clone(), server.rest(), server.url().to_owned());
            let mut moments = Moments::new(moments.below(u64::MAX));
            work.push(tokio::spawn(async move {
                let place = &clients.places[session];
                while let Some(desktop) = clients.desktop(&rest, place).await
                    && !clients.is_over()
                {
                    let has_room = Traffic::of(&desktop).has_room(None);
                    if has_room && !clients.interact(&rest, &url, place, &desktop, &mut moments).await {
                        return;
                    }
                    // Some questions stay open for a while.
                    let but = moments.below(3) as usize;
                    if !clients.answer_all(&rest, place, but).await {
                        return;
                    }
                    tokio::time::sleep(Duration::from_millis(moments.below(30))).await;
                }
            }));
        }
        work
    }
}

/// Dismisses what was said longest ago; whether the server is still there.
async fn dismiss(url: &str, place: &Place, desktop: &Value) -> bool {
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
