//! ntfy, with a server that answers as old and as new versions do.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ports::{AlertChannel, DeliveryFailure};
use protocol::{Alert, AlertKind};
use serde_json::json;

use crate::{
    alert, channel, owner,
    receiver::{Receiver, Reply, status},
};

fn topic(url: &str) -> Arc<dyn AlertChannel> {
    channel(&format!(
        "[[alerts.channels]]\nkind = \"ntfy\"\nname = \"phone\"\nserver = \"{url}/push/\"\ntopic = \"dwell-x7\"\n\
         token = \"env:NTFY\"\nclick = \"https://dwell.example/\"\ntimeout_ms = 2000"
    ))
}

#[tokio::test]
async fn a_message_has_title_text_priority_and_link() {
    let receiver = Receiver::start().await;
    let topic = topic(&receiver.url);
    topic.deliver(&owner(), &alert(AlertKind::Reminder)).await.unwrap();
    let request = receiver.last();
    assert_eq!(request.line, "POST /push/dwell-x7 HTTP/1.1");
    let title = request.headers["x-title"].strip_prefix("=?UTF-8?B?").unwrap().strip_suffix("?=").unwrap();
    assert_eq!(STANDARD.decode(title).unwrap(), "Take the pizza out – now".as_bytes());
    assert_eq!(request.body, alert(AlertKind::Reminder).text.as_bytes());
    for (name, value) in [
        ("x-priority", "4"),
        ("x-click", "https://dwell.example/"),
        ("authorization", "Bearer value-of-NTFY"),
        ("x-sequence-id", &alert(AlertKind::Timer).alert_id.to_string()),
    ] {
        assert_eq!(request.headers[name], value, "{name}");
    }

    let bare = Alert { text: String::new(), title: "Two\nlines".to_owned(), ..alert(AlertKind::TurnEnded) };
    topic.deliver(&owner(), &bare).await.unwrap();
    let request = receiver.last();
    assert_eq!(request.body, b"Two lines");
    assert!(!request.headers.contains_key("x-title") && request.headers["x-priority"] == "2");

    let long = Alert { text: "ä".repeat(10_000), ..alert(AlertKind::ScheduleFailed) };
    topic.deliver(&owner(), &long).await.unwrap();
    assert!(receiver.last().body.len() <= 3500);
}

#[tokio::test]
async fn an_unclear_attempt_is_repeated_only_where_the_server_knows_sequences() {
    let receiver = Receiver::start().await;
    let topic = topic(&receiver.url);
    let deliver = async || topic.deliver(&owner(), &alert(AlertKind::Timer)).await;
    // A server that says nothing of sequences may be an old one.
    receiver.reply(Reply::Status(200, "", json!({ "id": "a1", "event": "message" }).to_string()));
    deliver().await.unwrap();
    assert!(!topic.is_idempotent());
    for reply in [Reply::Silence, Reply::Close, Reply::Half, status(502), status(504)] {
        receiver.reply(reply.clone());
        let failure = deliver().await.unwrap_err();
        assert!(matches!(failure, DeliveryFailure::Unknown { .. }), "{reply:?}: {failure:?}");
    }
    for (code, is_later) in [(429, true), (500, true), (503, true), (401, false), (404, false)] {
        receiver.reply(status(code));
        let failure = deliver().await.unwrap_err();
        assert_eq!(matches!(failure, DeliveryFailure::Later { .. }), is_later, "{code}: {failure:?}");
    }

    let id = alert(AlertKind::Timer).alert_id.to_string();
    receiver.reply(Reply::Status(200, "", json!({ "id": "a2", "sequence_id": id }).to_string()));
    deliver().await.unwrap();
    assert!(topic.is_idempotent());
    for reply in [Reply::Silence, Reply::Close, status(502)] {
        receiver.reply(reply.clone());
        let failure = deliver().await.unwrap_err();
        assert!(matches!(failure, DeliveryFailure::Later { .. }), "{reply:?}: {failure:?}");
    }
}
