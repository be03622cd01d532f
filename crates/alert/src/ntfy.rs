//! ntfy: a message to a topic. Servers from version 2.16 on replace a message by the one that
//! follows with the same sequence id; the alert's id is used as that.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ports::DeliveryFailure;
use protocol::{Alert, OwnerId};
use reqwest::{
    Client, Response, Url,
    header::{CONTENT_TYPE, HeaderValue},
};
use serde::Deserialize;

use crate::{
    delivery::{ClockFn, Delivery},
    http,
    text::{Urgency, shortened, title},
};

/// ntfy turns a longer message into an attachment.
const BYTES_MAX: usize = 3500;
/// Of the title, which is a header.
const TITLE_BYTES_MAX: usize = 250;
/// How much of an answer is read.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Sends alerts to a topic.
pub(crate) struct NtfyDelivery {
    /// The address of the topic.
    pub(crate) url: Url,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) click: Option<Url>,
    pub(crate) client: Client,
    pub(crate) clock: ClockFn,
    /// Whether the server has answered with a sequence id: older servers ignore it, and would show
    /// a repetition as another message.
    pub(crate) knows_sequences: AtomicBool,
}

/// The answer of ntfy.
#[derive(Deserialize)]
struct NtfyAnswer {
    #[serde(default)]
    sequence_id: Option<String>,
}

#[async_trait]
impl Delivery for NtfyDelivery {
    fn is_idempotent(&self) -> bool {
        self.knows_sequences.load(Ordering::Relaxed)
    }

    async fn deliver(&self, _: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        let (id, host) = (alert.alert_id.to_string(), http::host(&self.url));
        let mut request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "text/plain; charset=utf-8")
            .header("X-Priority", priority(alert))
            .header("X-Sequence-ID", &id);
        let title = shortened(&title(alert), TITLE_BYTES_MAX);
        // An empty message would be shown as "triggered".
        let message = if alert.text.trim().is_empty() {
            title
        } else {
            request = request.header("X-Title", encoded(&title));
            shortened(alert.text.trim(), BYTES_MAX)
        };
        if let Some(authorization) = &self.authorization {
            request = request.header(reqwest::header::AUTHORIZATION, authorization.clone());
        }
        if let Some(click) = &self.click {
            request = request.header("X-Click", click.as_str());
        }
        let sent = request.body(message).send().await;
        let response = sent.map_err(|error| http::send_failure(&error, host, self.is_idempotent()))?;
        http::judge(&response, host, self.is_idempotent(), (self.clock)())?;
        if sequence_of(response).await.as_deref() == Some(&id) {
            self.knows_sequences.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// From 1 to 5.
const fn priority(alert: &Alert) -> &'static str {
    match Urgency::of(alert.kind) {
        Urgency::High => "4",
        Urgency::Normal => "3",
        Urgency::Low => "2",
    }
}

/// A header with characters beyond ASCII, in the form of e-mail (RFC 2047), which ntfy decodes.
fn encoded(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { format!("=?UTF-8?B?{}?=", STANDARD.encode(text)) }
}

/// The sequence id in an answer. The alert is delivered whether or not it can be read.
async fn sequence_of(mut response: Response) -> Option<String> {
    let mut answer = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        answer.extend_from_slice(&chunk);
        if answer.len() > ANSWER_BYTES_MAX {
            return None;
        }
    }
    serde_json::from_slice::<NtfyAnswer>(&answer).ok()?.sequence_id
}
