//! Schedules and alerts as clients see them.

pub(crate) mod checks;
mod conditions;
mod hooks;
mod kills;
mod push;
pub(crate) mod receiver;
mod sentences;
pub(crate) mod triggers;

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use testkit::RestClient;

/// The schedules of the owner, also those that have ended.
async fn all(rest: &RestClient) -> Vec<Value> {
    rest.get("/api/v1/schedules?ended=true").await.ok()["data"].as_array().unwrap().clone()
}

/// Waits until an alert is there that fits.
async fn alert(rest: &RestClient, is_so: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..3_000 {
        let page = rest.get("/api/v1/alerts?limit=200").await.ok();
        if let Some(found) = page["data"].as_array().unwrap().iter().find(|alert| is_so(alert)) {
            return found.clone();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the alert was not raised");
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    #[allow(clippy::disallowed_methods, reason = "the server under test lives in the same time")]
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

fn reminder(text: &str, after_ms: u64) -> Value {
    json!({ "when": { "kind": "after", "after_ms": after_ms }, "action": { "do": "remind", "text": text } })
}
