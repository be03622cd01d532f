//! Web Push, with a push service and a browser that decrypts.

use alert::{FileSubscriptions, PushSubscription, PushSubscriptions, SubscriptionError};
use aws_lc_rs::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree},
    hkdf::{HKDF_SHA256, KeyType, Prk, Salt},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ports::DeliveryFailure;
use protocol::{Alert, AlertKind};
use tempfile::TempDir;

use crate::{
    alert, load, owner,
    receiver::{Receiver, status},
};

const KEY: &str = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
const AUTH: [u8; 16] = [3; 16];

/// A browser: the other side of the encryption.
struct Browser {
    key: PrivateKey,
    public: Vec<u8>,
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand(key: &Prk, info: &[&[u8]], length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    key.expand(info, Length(length)).unwrap().fill(&mut bytes).unwrap();
    bytes
}

impl Browser {
    fn new() -> Self {
        let key = PrivateKey::generate(&ECDH_P256).unwrap();
        let public = key.compute_public_key().unwrap().as_ref().to_vec();
        Self { key, public }
    }

    fn subscription(&self, endpoint: &str) -> PushSubscription {
        PushSubscription {
            endpoint: endpoint.to_owned(),
            p256dh: URL_SAFE_NO_PAD.encode(&self.public),
            auth: URL_SAFE_NO_PAD.encode(AUTH),
            ..PushSubscription::default()
        }
    }

    fn decrypt(&self, message: &[u8]) -> Vec<u8> {
        let (salt, rest) = message.split_at(16);
        assert_eq!(rest[..5], [0, 0, 16, 0, 65]);
        let (sender, sealed) = rest[5..].split_at(65);
        let shared = UnparsedPublicKey::new(&ECDH_P256, sender);
        let combined =
            agree(&self.key, shared, (), |shared| Ok(Salt::new(HKDF_SHA256, &AUTH).extract(shared))).unwrap();
        let input = expand(&combined, &[b"WebPush: info\0", &self.public, sender], 32);
        let derived = Salt::new(HKDF_SHA256, salt).extract(&input);
        let key = expand(&derived, &[b"Content-Encoding: aes128gcm\0"], 16);
        let nonce = expand(&derived, &[b"Content-Encoding: nonce\0"], 12);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::try_assume_unique_for_key(&nonce).unwrap();
        let text = key.open_in_place(nonce, Aad::empty(), &mut sealed).unwrap();
        text.strip_suffix(&[2]).unwrap().to_vec()
    }
}

fn file(more: &str) -> String {
    format!("[[alerts.channels]]\nkind = \"web_push\"\nkey = \"{KEY}\"\ncontact = \"mailto:a@example.org\"\n{more}")
}

#[tokio::test]
async fn a_browser_decrypts_what_its_push_service_was_given() {
    let (receiver, folder, browser) = (Receiver::start().await, TempDir::new().unwrap(), Browser::new());
    let path = folder.path().join("browsers.json");
    let subscriptions = FileSubscriptions::new(&path);
    let endpoint = format!("{}/push/one", receiver.url);
    let mut loaded = load(&file("allow_private = true"), &path).unwrap();
    let channel = loaded.channels.remove(0);
    let access = loaded.web_push.unwrap();
    assert_eq!(URL_SAFE_NO_PAD.decode(access.public_key).unwrap().len(), 65);
    assert!(access.subscriptions.list(&owner()).await.unwrap().is_empty());

    let nothing = channel.deliver(&owner(), &alert(AlertKind::Reminder)).await.unwrap_err();
    assert!(matches!(nothing, DeliveryFailure::Refused { .. }), "{nothing:?}");

    subscriptions.add(&owner(), browser.subscription(&endpoint)).await.unwrap();
    receiver.reply(status(201));
    channel.deliver(&owner(), &alert(AlertKind::Reminder)).await.unwrap();
    let request = receiver.last();
    assert_eq!(request.line, "POST /push/one HTTP/1.1");
    for (name, value) in [("content-encoding", "aes128gcm"), ("ttl", "86400"), ("urgency", "high")] {
        assert_eq!(request.headers[name], value);
    }
    assert_eq!(request.headers["topic"], alert(AlertKind::Timer).alert_id.to_string());
    assert!(request.headers["authorization"].starts_with("vapid t="));
    let read: Alert = serde_json::from_slice(&browser.decrypt(&request.body)).unwrap();
    assert_eq!(read, alert(AlertKind::Reminder));

    // The longest alert, in characters that JSON escapes.
    let long = Alert { title: "\u{1}".repeat(1000), text: "\u{1}".repeat(9000), ..alert(AlertKind::Timer) };
    channel.deliver(&owner(), &long).await.unwrap();
    assert!(receiver.last().body.len() <= 4096);
    assert!(serde_json::from_slice::<Alert>(&browser.decrypt(&receiver.last().body)).is_ok());

    for (code, is_later) in [(429, true), (503, true), (400, false), (413, false)] {
        receiver.reply(status(code));
        let failure = channel.deliver(&owner(), &alert(AlertKind::Timer)).await.unwrap_err();
        assert_eq!(matches!(failure, DeliveryFailure::Later { .. }), is_later, "{code}: {failure:?}");
    }

    // A browser that is gone is forgotten, and another is enough.
    let second = format!("{}/push/two", receiver.url);
    subscriptions.add(&owner(), browser.subscription(&second)).await.unwrap();
    receiver.reply(status(410));
    receiver.reply(status(201));
    channel.deliver(&owner(), &alert(AlertKind::Timer)).await.unwrap();
    let left = subscriptions.list(&owner()).await.unwrap();
    assert_eq!(left, [browser.subscription(&second)]);
    assert!(subscriptions.list(&"bob".parse().unwrap()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_browser_cannot_name_an_address_that_only_this_machine_reaches() {
    let (receiver, folder) = (Receiver::start().await, TempDir::new().unwrap());
    let path = folder.path().join("browsers.json");
    let subscriptions = FileSubscriptions::new(&path);
    let channel = load(&file(""), &path).unwrap().channels.remove(0);
    for endpoint in [format!("{}/push", receiver.url), receiver.url.replace("http:", "https:")] {
        subscriptions.add(&owner(), Browser::new().subscription(&endpoint)).await.unwrap();
        let failure = channel.deliver(&owner(), &alert(AlertKind::Timer)).await.unwrap_err();
        assert!(matches!(failure, DeliveryFailure::Refused { .. }), "{endpoint}: {failure:?}");
        subscriptions.remove(&owner(), &endpoint).await.unwrap();
    }
    assert!(receiver.requests().is_empty());
}

#[tokio::test]
async fn subscriptions_are_checked_bounded_and_kept() {
    let folder = TempDir::new().unwrap();
    let subscriptions = FileSubscriptions::new(folder.path().join("browsers.json"));
    let good = Browser::new().subscription("https://push.example/1");
    for bad in [
        PushSubscription { endpoint: "ftp://push.example".to_owned(), ..good.clone() },
        PushSubscription { p256dh: "abc".to_owned(), ..good.clone() },
        PushSubscription { auth: "AAAA".to_owned(), ..good.clone() },
    ] {
        let refused = subscriptions.add(&owner(), bad).await;
        assert!(matches!(refused, Err(SubscriptionError::Invalid(_))), "{refused:?}");
    }
    for number in 0..20 {
        let endpoint = format!("https://push.example/{number}");
        subscriptions.add(&owner(), PushSubscription { endpoint, ..good.clone() }).await.unwrap();
    }
    subscriptions
        .add(&owner(), PushSubscription { endpoint: "https://push.example/19".to_owned(), ..good })
        .await
        .unwrap();
    let again = FileSubscriptions::new(folder.path().join("browsers.json"));
    let kept: Vec<String> = again.list(&owner()).await.unwrap().into_iter().map(|kept| kept.endpoint).collect();
    let expected: Vec<String> = (4..20).map(|number| format!("https://push.example/{number}")).collect();
    assert_eq!(kept, expected);
}
