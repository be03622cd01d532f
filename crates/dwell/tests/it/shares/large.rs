//! Large messages delay only their owner.

use super::{TwoOwners, works};

/// A message of the largest size that looks like prose: many different words.
fn prose(seed: u64) -> String {
    const SYLLABLES: [&str; 16] =
        ["ka", "lo", "min", "ter", "ro", "ven", "sal", "dip", "or", "ish", "ta", "ble", "wor", "ne", "qui", "light"];
    const SMALL: [&str; 8] = ["the", "of", "and", "to", "in", "was", "that", "with"];
    let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % below).unwrap()
    };
    let mut text = String::new();
    while text.len() < 250_000 {
        for _ in 0..12 {
            match draw(5) {
                0 | 1 => text.push_str(SMALL[draw(8)]),
                _ => (0..=draw(3)).for_each(|_| text.push_str(SYLLABLES[draw(16)])),
            }
            text.push(' ');
        }
        text.truncate(text.trim_end().len());
        text.push_str(". ");
    }
    text
}

#[tokio::test]
async fn several_of_the_largest_messages_at_once_hold_up_no_other_owner() {
    let two = TwoOwners::with(&[]).await;
    let mut turns = Vec::new();
    for seed in 1..3 {
        let session = two.ada.session().await;
        turns.push(two.ada.send(&session, &prose(seed)).await);
    }
    for _ in 0..2 {
        works(&two.bob).await;
        assert_eq!(two.server.rest_as(None).get("/healthz").await.status, 200);
    }
    for turn in turns {
        let ended = two.ada.ended(&turn).await;
        assert_eq!(ended["status"], "completed", "{}", ended["error"]);
    }
}
