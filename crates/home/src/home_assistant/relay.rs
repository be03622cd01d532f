//! Other nodes that use this node's connection to Home Assistant.
//!
//! Each of them speaks Home Assistant's own messages over a link, as if it had the connection. Here
//! their commands get ids of this connection, and the answers and events go back under the ids that
//! they were sent with. Links end with the connection.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{
    Map, Value, json,
    value::{RawValue, to_raw_value},
};
use tokio::sync::mpsc;

/// Messages that wait for a node. One that does not take them is disconnected.
const MESSAGES_MAX: usize = 1_024;
/// Messages of all nodes that wait for this connection.
const COMMANDS_MAX: usize = 256;
/// The type of the command that ends a subscription.
const UNSUBSCRIBE: &str = "unsubscribe_events";

/// What a link tells the connection.
enum RelayMail {
    /// A node begins to use it.
    Join { link: u64, messages: mpsc::Sender<String> },
    /// A node sends a command.
    Command { link: u64, text: String },
}

/// Opens links to a connection while it stands.
#[derive(Clone)]
pub(super) struct RelayDoor(mpsc::Sender<RelayMail>);

impl RelayDoor {
    /// Opens a link. `None` if the connection has ended.
    pub(super) async fn join(&self) -> Option<RelayLink> {
        static LINKS: AtomicU64 = AtomicU64::new(0);
        let (messages, receiver) = mpsc::channel(MESSAGES_MAX);
        let link = LINKS.fetch_add(1, Ordering::Relaxed);
        self.0.send(RelayMail::Join { link, messages }).await.ok()?;
        Some(RelayLink { link, door: self.clone(), messages: receiver })
    }
}

/// A link by which another node uses this node's connection.
pub struct RelayLink {
    link: u64,
    door: RelayDoor,
    messages: mpsc::Receiver<String>,
}

impl RelayLink {
    /// The next message of Home Assistant. `None` once the connection has ended. Cancel-safe.
    pub async fn next(&mut self) -> Option<String> {
        self.messages.recv().await
    }

    /// Sends a command of the other node. False once the connection has ended.
    pub async fn send(&self, text: String) -> bool {
        self.door.0.send(RelayMail::Command { link: self.link, text }).await.is_ok()
    }
}

/// A command that was sent for another node.
struct RelayedCommand {
    link: u64,
    /// Its id there.
    id: u64,
    is_subscription: bool,
}

/// The nodes that use a connection, and what they wait for.
pub(super) struct Relay {
    mail: mpsc::Receiver<RelayMail>,
    version: Option<String>,
    links: HashMap<u64, mpsc::Sender<String>>,
    sent: HashMap<u64, RelayedCommand>,
    outgoing: VecDeque<(u64, Map<String, Value>)>,
}

impl Relay {
    /// The relay of a connection to a Home Assistant of that version.
    pub(super) fn new(version: Option<String>) -> (RelayDoor, Self) {
        let (door, mail) = mpsc::channel(COMMANDS_MAX);
        let relay = Self { mail, version, links: HashMap::new(), sent: HashMap::new(), outgoing: VecDeque::new() };
        (RelayDoor(door), relay)
    }

    /// Takes the next message of a link. Cancel-safe.
    pub(super) async fn take(&mut self) {
        match self.mail.recv().await {
            Some(RelayMail::Join { link, messages }) => {
                let hello = json!({ "type": "auth_ok", "ha_version": self.version });
                if messages.try_send(hello.to_string()).is_ok() {
                    self.links.insert(link, messages);
                }
            }
            Some(RelayMail::Command { link, text }) if self.links.contains_key(&link) => {
                match serde_json::from_str(&text) {
                    Ok(Value::Object(command)) if command.contains_key("id") => {
                        self.outgoing.push_back((link, command))
                    }
                    _ => {
                        tracing::warn!("another node has sent a command to the home that cannot be parsed");
                        self.disconnect(link);
                    }
                }
            }
            Some(RelayMail::Command { .. }) => {}
            // The door is kept as long as the connection.
            None => std::future::pending().await,
        }
    }

    /// The next command to send, under this id.
    pub(super) fn next_command(&mut self, id: u64) -> Option<String> {
        let (link, mut command) = self.outgoing.pop_front()?;
        let original = command.insert("id".to_owned(), id.into()).and_then(|id| id.as_u64()).unwrap_or_default();
        let kind = command.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_subscription = kind.starts_with("subscribe_");
        if kind == UNSUBSCRIBE {
            let theirs = command.get("subscription").and_then(Value::as_u64);
            let is_it = |sent: &RelayedCommand| sent.link == link && sent.is_subscription && Some(sent.id) == theirs;
            // An unknown subscription gets id 0, which Home Assistant does not know either.
            let ours = self.sent.iter().find(|(_, sent)| is_it(sent)).map_or(0, |(id, _)| *id);
            self.sent.remove(&ours);
            command.insert("subscription".to_owned(), ours.into());
        }
        self.sent.insert(id, RelayedCommand { link, id: original, is_subscription });
        Some(Value::Object(command).to_string())
    }

    /// Passes a message of Home Assistant on, if it answers a command of another node. Events of a
    /// node that is gone are not known any more, so that their subscription is ended.
    pub(super) fn pass_on(&mut self, id: u64, kind: &str, is_done: bool, message: &RawValue) -> bool {
        let Some(sent) = self.sent.get(&id) else { return false };
        let (link, text) = (sent.link, with_id(message, sent.id));
        let goes_on = kind == "event" || (sent.is_subscription && is_done);
        if !goes_on {
            self.sent.remove(&id);
        }
        let is_passed_on = match (self.links.get(&link), text) {
            (Some(messages), Ok(text)) => messages.try_send(text).is_ok(),
            _ => false,
        };
        if !is_passed_on {
            self.disconnect(link);
        }
        true
    }

    fn disconnect(&mut self, link: u64) {
        self.links.remove(&link);
        self.outgoing.retain(|(of, _)| *of != link);
        self.sent.retain(|_, sent| sent.link != link);
    }
}

/// The same message with another id.
fn with_id(message: &RawValue, id: u64) -> serde_json::Result<String> {
    let mut fields: BTreeMap<&str, &RawValue> = serde_json::from_str(message.get())?;
    let id = to_raw_value(&id)?;
    fields.insert("id", &id);
    serde_json::to_string(&fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn joined(door: &RelayDoor, relay: &mut Relay) -> RelayLink {
        let (link, ()) = tokio::join!(door.join(), relay.take());
        let mut link = link.unwrap();
        assert_eq!(read(&mut link).await, json!({ "type": "auth_ok", "ha_version": "2025.4.4" }));
        link
    }

    async fn read(link: &mut RelayLink) -> Value {
        serde_json::from_str(&link.next().await.unwrap()).unwrap()
    }

    async fn sent(link: &RelayLink, relay: &mut Relay, command: Value, id: u64) -> Value {
        assert!(link.send(command.to_string()).await);
        relay.take().await;
        serde_json::from_str(&relay.next_command(id).unwrap()).unwrap()
    }

    fn answer(relay: &mut Relay, message: &Value) -> bool {
        let raw = to_raw_value(message).unwrap();
        let is_done = message["success"] != false;
        relay.pass_on(message["id"].as_u64().unwrap(), message["type"].as_str().unwrap(), is_done, &raw)
    }

    #[tokio::test]
    async fn commands_get_ids_of_this_connection_and_answers_those_of_the_link() {
        let (door, mut relay) = Relay::new(Some("2025.4.4".to_owned()));
        let mut first = joined(&door, &mut relay).await;
        let mut second = joined(&door, &mut relay).await;
        let ping = json!({ "id": 3, "type": "get_config" });
        assert_eq!(sent(&first, &mut relay, ping.clone(), 17).await, json!({ "id": 17, "type": "get_config" }));
        sent(&second, &mut relay, ping, 18).await;
        let result = |id| json!({ "id": id, "type": "result", "success": true, "result": { "a": [1.50, "é"] } });
        assert!(answer(&mut relay, &result(18)) && answer(&mut relay, &result(17)));
        assert_eq!(read(&mut first).await, result(3));
        assert_eq!(read(&mut second).await, result(3));
        assert!(!answer(&mut relay, &result(17)), "a command has one result");
        assert!(!answer(&mut relay, &result(4)), "a command of this node is not passed on");
    }

    #[tokio::test]
    async fn a_subscription_goes_on_until_it_is_ended_or_its_node_is_gone() {
        let (door, mut relay) = Relay::new(Some("2025.4.4".to_owned()));
        let mut link = joined(&door, &mut relay).await;
        sent(&link, &mut relay, json!({ "id": 5, "type": "subscribe_entities" }), 20).await;
        let event = |id| json!({ "id": id, "type": "event", "event": { "c": {} } });
        assert!(answer(&mut relay, &json!({ "id": 20, "type": "result", "success": true, "result": null })));
        assert_eq!(read(&mut link).await["id"], 5);
        for _ in 0..2 {
            assert!(answer(&mut relay, &event(20)));
            assert_eq!(read(&mut link).await, event(5));
        }
        let ended = json!({ "id": 6, "type": "unsubscribe_events", "subscription": 5 });
        assert_eq!(sent(&link, &mut relay, ended, 21).await["subscription"], 20);
        assert!(!answer(&mut relay, &event(20)));
        sent(&link, &mut relay, json!({ "id": 7, "type": "subscribe_events", "event_type": "a" }), 22).await;
        drop(link);
        assert!(answer(&mut relay, &event(22)), "it was found to be gone");
        assert!(!answer(&mut relay, &event(22)));
    }

    #[tokio::test]
    async fn a_refused_subscription_and_an_unreadable_command_leave_nothing() {
        let (door, mut relay) = Relay::new(Some("2025.4.4".to_owned()));
        let mut link = joined(&door, &mut relay).await;
        sent(&link, &mut relay, json!({ "id": 5, "type": "subscribe_events", "event_type": "a" }), 20).await;
        assert!(answer(&mut relay, &json!({ "id": 20, "type": "result", "success": false, "error": {} })));
        assert_eq!(read(&mut link).await["success"], false);
        assert!(relay.sent.is_empty());
        assert!(link.send("[]".to_owned()).await);
        relay.take().await;
        assert!(relay.next_command(21).is_none());
        assert!(link.next().await.is_none(), "it is disconnected");
    }
}
