//! Tests of the framing, from the peer's side.

use proptest::prelude::*;

use super::*;

const MAX: usize = 4096;

async fn read_from(bytes: &[u8]) -> Result<WyomingEvent, FrameError> {
    read(&mut &*bytes, MAX, Duration::from_secs(5)).await
}

#[tokio::test]
async fn data_may_stand_in_the_line_or_after_it() {
    let inline = read_from(b"{\"type\":\"transcript\",\"data\":{\"text\":\"hi\"}}\n").await.unwrap();
    assert_eq!(
        (inline.kind.as_str(), inline.text("text"), inline.version.as_deref()),
        ("transcript", Some("hi"), None)
    );

    let after =
        b"{\"type\":\"transcript\",\"version\":\"1.5.4\",\"data\":{\"a\":1},\"data_length\":13}\n{\"text\":\"hi\"}";
    let after = read_from(after).await.unwrap();
    assert_eq!((after.text("text"), &after.data["a"], after.knows_pieces()), (Some("hi"), &json!(1), false));
}

#[tokio::test]
async fn only_the_payload_of_audio_is_kept() {
    let three =
        b"{\"type\":\"audio-chunk\",\"payload_length\":4}\n\n{}\n{\"type\":\"picture\",\"payload_length\":2}\n{}\
        {\"type\":\"ping\"}\n";
    let mut from = three.as_slice();
    let audio = read(&mut from, MAX, Duration::from_secs(5)).await.unwrap();
    assert_eq!((audio.kind.as_str(), audio.payload.as_slice()), ("audio-chunk", &b"\n{}\n"[..]));
    let picture = read(&mut from, MAX, Duration::from_secs(5)).await.unwrap();
    assert_eq!((picture.kind.as_str(), picture.payload.len()), ("picture", 0));
    assert_eq!(read(&mut from, MAX, Duration::from_secs(5)).await.unwrap().kind, "ping");
    assert!(matches!(read(&mut from, MAX, Duration::from_secs(5)).await, Err(FrameError::Closed)));
}

#[tokio::test]
async fn what_is_too_large_is_not_read() {
    let long = [b"{\"type\":\"", "x".repeat(MAX).as_bytes(), b"\"}\n"].concat();
    assert!(matches!(read_from(&long).await, Err(FrameError::TooLarge { part: "line", .. })));
    for part in ["data", "payload"] {
        let line = format!("{{\"type\":\"a\",\"{part}_length\":{}}}\n", u64::MAX);
        assert!(matches!(read_from(line.as_bytes()).await, Err(FrameError::TooLarge { .. })), "{part}");
    }
}

#[tokio::test]
async fn what_is_no_event_is_named() {
    for line in ["nonsense\n", "{}\n", "[]\n", "{\"type\":1}\n", "{\"type\":\"a\",\"data\":7}\n", "\n"] {
        let error = read_from(line.as_bytes()).await.unwrap_err();
        assert!(error.is_mistake(), "{line} {error}");
    }
    let cut = read_from(b"{\"type\":\"a\",\"data_length\":9}\n{}").await.unwrap_err();
    assert!(matches!(cut, FrameError::Io(_)));
    assert!(matches!(read_from(b"{\"type\":\"a\"}").await, Err(FrameError::Io(_))));
}

#[tokio::test]
async fn a_peer_that_says_nothing_is_not_waited_for() {
    let (mut near, _far) = tokio::io::duplex(64);
    let silence = read(&mut tokio::io::BufReader::new(&mut near), MAX, Duration::from_millis(5)).await;
    assert!(matches!(silence, Err(FrameError::Silent(_))));
}

#[test]
fn pieces_are_known_since_one_seven() {
    for (version, knows) in
        [("1.7.0", true), ("1.10.2", true), ("2.0", true), ("1.6.0", false), ("1", false), ("x.y", false)]
    {
        let event = WyomingEvent { version: Some(version.to_owned()), ..WyomingEvent::new("transcript", json!({})) };
        assert_eq!(event.knows_pieces(), knows, "{version}");
    }
}

proptest! {
    /// Reading any bytes ends, and never with a panic.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _ = runtime.block_on(read_from(&bytes));
    }

    /// Reading returns what was written.
    #[test]
    fn events_read_what_they_write(
        text in "\\PC{0,40}",
        payload in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let event = WyomingEvent::new(AUDIO_CHUNK, json!({ "text": text })).with_payload(payload);
        let mut bytes = Vec::new();
        runtime.block_on(write(&mut bytes, event.clone(), Duration::from_secs(5))).unwrap();
        let read = runtime.block_on(read_from(&bytes)).unwrap();
        prop_assert_eq!((read.kind, read.data, read.payload), (event.kind, event.data, event.payload));
    }
}
