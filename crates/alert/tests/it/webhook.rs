//! Webhooks, with a receiver that verifies them.

use std::{sync::Arc, time::Duration};

use ports::{AlertChannel, DeliveryFailure};
use protocol::{Alert, AlertKind};
use secret::{SignedWebhook, WebhookSecret};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::{
    NOW, alert, channel, owner,
    receiver::{Receiver, Reply, Request, status},
};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn hook(url: &str, more: &str) -> Arc<dyn AlertChannel> {
    channel(&format!(
        "[[alerts.channels]]\nkind = \"webhook\"\nurl = \"{url}/hooks/dwell\"\nsecret = \"{SECRET}\"\n{more}"
    ))
}

async fn deliver(channel: &Arc<dyn AlertChannel>) -> Result<(), DeliveryFailure> {
    channel.deliver(&owner(), &alert(AlertKind::Reminder)).await
}

/// What a receiver does: it looks at the bytes that came, not at what they should be.
fn verify(request: &Request, secret: &str, now: i64) -> bool {
    let header = |name: &str| request.headers.get(name).map_or("", String::as_str);
    let webhook = SignedWebhook {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body: &request.body,
    };
    secret.parse::<WebhookSecret>().unwrap().verify(&webhook, now).is_ok()
}

#[tokio::test]
async fn a_receiver_can_verify_a_webhook_and_recognise_its_repetition() {
    let receiver = Receiver::start().await;
    let hook = hook(&receiver.url, "headers = { Authorization = \"env:HOOK_TOKEN\" }");
    assert!(hook.is_idempotent() && hook.name() == "webhook");
    deliver(&hook).await.unwrap();
    deliver(&hook).await.unwrap();
    let [first, second]: [Request; 2] = receiver.requests().try_into().unwrap();
    assert_eq!(first.line, "POST /hooks/dwell HTTP/1.1");
    assert_eq!(first.headers["content-type"], "application/json");
    assert_eq!(first.headers["authorization"], "value-of-HOOK_TOKEN");
    assert!(verify(&first, SECRET, NOW / 1000));
    assert!(!verify(&first, SECRET, NOW / 1000 + 301));
    assert!(!verify(&first, &SECRET.replace('M', "N"), NOW / 1000));
    let mut changed = first.clone();
    changed.body[20] ^= 1;
    assert!(!verify(&changed, SECRET, NOW / 1000));
    assert_eq!(first.headers["webhook-id"], second.headers["webhook-id"]);
    let body: Value = serde_json::from_slice(&first.body).unwrap();
    assert_eq!(body["owner"], "ada");
    assert_eq!(body["kind"], "reminder");
    assert_eq!(body["alert_id"], first.headers["webhook-id"].as_str());
    let read: Alert = serde_json::from_value(body).unwrap();
    assert_eq!(read, alert(AlertKind::Reminder));
}

#[tokio::test]
async fn what_a_receiver_answers_decides_whether_it_is_tried_again() {
    let receiver = Receiver::start().await;
    let hook = hook(&receiver.url, "");
    for code in [200, 201, 202, 204] {
        receiver.reply(status(code));
        deliver(&hook).await.unwrap();
    }
    for code in [400, 401, 403, 404, 410, 422, 301, 307, 308] {
        receiver.reply(Reply::Status(code, "location: /elsewhere\r\n", String::new()));
        let failure = deliver(&hook).await.unwrap_err();
        assert!(matches!(failure, DeliveryFailure::Refused { .. }), "{code}: {failure:?}");
        assert!(failure.to_string().contains(&format!("127.0.0.1 answered {code}")), "{failure}");
    }
    for code in [408, 429, 500, 502, 503, 504] {
        receiver.reply(Reply::Status(code, "retry-after: 90\r\n", String::new()));
        let failure = deliver(&hook).await.unwrap_err();
        let DeliveryFailure::Later { after, .. } = &failure else { panic!("{code}: {failure:?}") };
        assert_eq!(*after, Some(Duration::from_secs(90)), "{code}");
    }
    assert!(receiver.requests().iter().all(|request| request.line.starts_with("POST /hooks/dwell ")));
}

#[tokio::test]
async fn a_receiver_that_is_gone_or_does_not_answer_is_tried_again() {
    let receiver = Receiver::start().await;
    let (hasty, patient) = (hook(&receiver.url, "timeout_ms = 500"), hook(&receiver.url, ""));
    for (hook, reply, said) in [
        (&hasty, Reply::Silence, "did not answer in time"),
        (&patient, Reply::Close, "closed the connection without an answer"),
        (&patient, Reply::Half, "closed the connection without an answer"),
    ] {
        receiver.reply(reply.clone());
        let failure = deliver(hook).await.unwrap_err();
        assert!(matches!(failure, DeliveryFailure::Later { after: None, .. }), "{reply:?}: {failure:?}");
        assert!(failure.to_string().contains(said), "{failure}");
    }
    assert_eq!(receiver.requests().len(), 3);

    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let failure = deliver(&hook(&gone, "")).await.unwrap_err();
    assert!(matches!(failure, DeliveryFailure::Later { .. }), "{failure:?}");
    assert_eq!(failure.to_string(), "127.0.0.1 cannot be reached");
}
