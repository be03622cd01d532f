//! Schedules that wait for something, as the kill loops make and check them.

use serde_json::{Value, json};
use testkit::RestClient;

use super::{checks::completed, hooks::try_send, now};

/// The texts of their reminders.
pub(crate) const HOOKED: &str = "a webhook has arrived";
pub(crate) const TURNED: &str = "a turn has ended elsewhere";

/// A schedule that waits for webhooks, and one that waits for the turns of another session.
#[derive(Debug, Clone)]
pub(crate) struct Triggers {
    hook: String,
    turned: String,
    path: String,
    secret: String,
    session: String,
}

impl Triggers {
    /// Makes both, for that many causes each.
    pub(crate) async fn make(rest: &RestClient, causes: u64) -> Self {
        let session = rest.session().await;
        let make = async |text: &str, trigger: Value| {
            let body = json!({ "when": { "kind": "event", "trigger": trigger }, "name": text,
                               "limits": { "gap_ms": 0, "hourly_max": (causes * 2).clamp(60, 1_000) },
                               "action": { "do": "remind", "text": text }, "conversation_id": text });
            rest.post("/api/v1/schedules", body).await.ok()["schedule_id"].as_str().unwrap().to_owned()
        };
        let hook = make(HOOKED, json!({ "on": "hook" })).await;
        let turned = make(TURNED, json!({ "on": "turn_ended", "session_id": session })).await;
        let view = rest.get(&format!("/api/v1/schedules/{hook}/hook")).await.ok();
        let text = |name: &str| view[name].as_str().unwrap().to_owned();
        Self { hook, turned, path: text("path"), secret: text("secret"), session }
    }

    /// The webhook of a round arrives at a server whose clock is that many seconds ahead. Returns
    /// the status and the answer, if there is one.
    pub(crate) async fn send_hook(&self, server: &str, round: u64, shift: i64) -> Option<(u16, Value)> {
        try_send(&format!("{server}{}", self.path), &self.secret, &format!("w{round}"), now() + shift, "{}").await
    }

    /// The message of a round, which begins a turn that is waited for: where it is sent, and its
    /// body.
    pub(crate) fn message(&self, round: u64) -> (String, Value) {
        let name = format!("w{round}");
        let body = json!({ "message": name, "idempotency_key": name });
        (format!("/api/v1/sessions/{}/turns", self.session), body)
    }

    /// Each webhook and each ended turn has started one run. Returns how many there were.
    pub(crate) async fn check(&self, rest: &RestClient, rounds: u64) -> usize {
        let turns: Vec<String> = rest
            .log(&self.session)
            .await
            .iter()
            .filter(|event| event["type"] == "message.accepted")
            .map(|event| event["data"]["turn_id"].as_str().unwrap().to_owned())
            .collect();
        for turn in &turns {
            assert_eq!(completed(rest, turn).await["status"], "completed");
        }
        assert_eq!(turns.len(), usize::try_from(rounds).unwrap(), "each message is one turn");
        for (id, text, causes) in [
            (&self.hook, HOOKED, (0..rounds).map(|round| format!("hook:w{round}")).collect()),
            (&self.turned, TURNED, turns.clone()),
        ] {
            let mut fired = self.fired(rest, id).await;
            for _ in 0..1_000 {
                if fired.len() >= causes.len() {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                fired = self.fired(rest, id).await;
            }
            let (mut fired, mut causes): (Vec<String>, Vec<String>) = (fired, causes);
            fired.sort_unstable();
            causes.sort_unstable();
            assert_eq!(fired, causes, "{text}");
        }
        turns.len() + usize::try_from(rounds).unwrap()
    }

    /// The causes of all runs of a schedule.
    async fn fired(&self, rest: &RestClient, id: &str) -> Vec<String> {
        let schedule = rest.get(&format!("/api/v1/schedules/{id}")).await.ok();
        let log = rest.log(schedule["session_id"].as_str().unwrap()).await;
        let cause = |event: &Value| event["data"]["cause"]["id"].as_str().map(str::to_owned);
        log.iter().filter(|event| event["data"]["event"] == "fired").filter_map(cause).collect()
    }
}
