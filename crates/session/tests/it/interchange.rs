//! Export and import of conversations: in every format, the messages survive a round trip
//! unchanged.

use proptest::{collection::vec, prelude::*};
use protocol::{CallStatus, Event, ExportFormat, Image, ImportOrigin, Origin, Settings, Step, Timestamp, TurnStatus};
use serde_json::{Value, json};
use session::{
    State, fold_turns,
    interchange::{Conversation, Import, ImportError, read, write},
};

use crate::{
    properties::any_command,
    test_session::{TestSession, session_id, turn},
};

const FORMS: [ExportFormat; 3] = [ExportFormat::Openai, ExportFormat::Langchain, ExportFormat::Langgraph];

fn now() -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000)
}

/// A session with an imported conversation.
fn taken(format: ExportFormat, written: Value) -> Result<Vec<Event>, ImportError> {
    let mut fresh = 100..;
    read(format, written)?.into_events(Import {
        session_id: session_id(7),
        owner: "ada".parse().unwrap(),
        name: None,
        origin: ImportOrigin { format, digest: String::new(), session_id: None },
        now: now(),
        new_turn_id: || turn(fresh.next().unwrap_or(255)),
    })
}

fn given(format: ExportFormat, events: &[Event]) -> Value {
    write(format, &Conversation::from_events(events).unwrap()).unwrap()
}

/// The messages without ids and times: a new session has new ids. A queued message was sent before
/// the answer in front of it; an imported journal cannot express that, since its times never
/// decrease.
fn messages(written: &Value) -> Vec<Value> {
    let mut latest = String::new();
    let list = written.as_array().or_else(|| written["messages"].as_array()).unwrap();
    let mut unnamed = |message: &Value| {
        let mut message = message.clone();
        let fields = if message["data"].is_object() { &mut message["data"] } else { &mut message };
        if let Some(fields) = fields.as_object_mut() {
            fields.remove("id");
        }
        if let Some(own) = fields["additional_kwargs"]["dwell"].as_object_mut() {
            own.remove("turn_id");
            if let Some(at) = own.get_mut("at") {
                latest = latest.clone().max(at.as_str().unwrap().to_owned());
                *at = json!(latest);
            }
        }
        message
    };
    list.iter().map(&mut unnamed).collect()
}

fn state(events: &[Event]) -> State {
    events.iter().skip(1).fold(State::begin(&events[0]).unwrap(), |mut state, event| {
        state.apply(event);
        state
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn what_goes_out_and_comes_in_goes_out_the_same(commands in vec(any_command(), 1..80)) {
        let mut session = TestSession::begin(Settings::default());
        for command in commands {
            session.now = session.now.plus(std::time::Duration::from_millis(7));
            let _ = session.run(command);
        }
        for format in FORMS {
            let first = given(format, &session.journal);
            if messages(&first).is_empty() {
                continue;
            }
            let events = taken(format, first.clone()).unwrap();
            prop_assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
            prop_assert!(events.iter().all(|event| event.at <= now()) && events.is_sorted_by_key(|event| event.at));
            let state = state(&events);
            prop_assert!(state.open_turns().next().is_none() && !state.is_moving());
            prop_assert_eq!(messages(&given(format, &events)), messages(&first), "{}", format);
        }
    }

    #[test]
    fn whatever_is_handed_in_is_taken_or_named(text in "[\\PC]{0,40}", role in "user|assistant|tool|system|robot") {
        for message in [json!({ "role": role, "content": text }), json!({ "type": role }), json!(text)] {
            for format in FORMS {
                let _ = taken(format, json!([message]));
                let _ = taken(format, json!({ "messages": [message], "values": { "x": 1 } }));
            }
        }
    }
}

fn conversation() -> Value {
    json!([
        { "role": "system", "content": "Be kind." },
        { "role": "user", "content": [
            { "type": "text", "text": "What is on it?" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0KGgo=" } },
        ] },
        { "role": "assistant", "content": "Let me look.", "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "look", "arguments": "{\"at\":\"it\"}" } },
            { "id": "c2", "type": "function", "function": { "name": "listen", "arguments": "not json" } },
        ] },
        { "role": "tool", "tool_call_id": "c2", "content": "Nothing." },
        { "role": "assistant", "content": "A cat." },
        { "role": "user", "content": "And now?" },
    ])
}

#[test]
fn messages_become_turns_that_have_ended() {
    let events = taken(ExportFormat::Openai, conversation()).unwrap();
    let turns = fold_turns(&events);
    assert_eq!(turns.len(), 2);
    assert_eq!((turns[0].status, turns[1].status), (TurnStatus::Completed, TurnStatus::Cancelled));
    assert_eq!(turns[0].request.message, "What is on it?");
    assert!(matches!(&turns[0].request.images[..], [Image::Inline { media_type, .. }] if media_type == "image/png"));
    assert_eq!(turns[0].text, "Let me look.\n\nA cat.");
    assert!(turns.iter().all(|turn| turn.reason.as_deref() == Some("imported")));
    let state = state(&events);
    assert_eq!(state.settings.preferences[Settings::INSTRUCTIONS], "Be kind.");
    assert_eq!(state.imported.as_ref().unwrap().format, ExportFormat::Openai);
    assert_eq!(state.recent().map(|turn| turn.message.as_str()).collect::<Vec<_>>(), ["What is on it?", "And now?"]);
    assert!(state.recent().next().unwrap().is_tainted, "imported tool results are untrusted");
}

#[test]
fn half_a_pair_is_closed_with_a_result_that_says_so() {
    let events = taken(ExportFormat::Openai, conversation()).unwrap();
    let turns = fold_turns(&events);
    let results: Vec<_> = turns[0]
        .steps
        .iter()
        .filter_map(|step| if let Step::ToolResult(it) = step { Some(it) } else { None })
        .collect();
    assert_eq!(results.len(), 2);
    assert_eq!((results[0].call_id.as_str(), results[0].status), ("c1", CallStatus::Cancelled));
    assert!(results[0].content.contains("without the result"), "{}", results[0].content);
    assert_eq!((results[1].content.as_str(), results[1].origin), ("Nothing.", Origin::Untrusted));
    assert_eq!(turns[0].steps.iter().filter(|step| matches!(step, Step::ToolCall(_))).count(), 1, "one was run");
}

#[test]
fn what_an_agent_says_first_was_said_before() {
    let greeting = json!([
        { "type": "ai", "data": { "content": "Hello! How can I help?" } },
        { "type": "human", "data": { "content": "Tell me a story." } },
    ]);
    let events = taken(ExportFormat::Langchain, greeting).unwrap();
    let state = state(&events);
    let earlier = json!([{ "role": "assistant", "content": "Hello! How can I help?" }]);
    assert_eq!(state.settings.preferences[Settings::EARLIER], earlier);
    let again = given(ExportFormat::Openai, &events);
    assert_eq!(again[0], json!({ "role": "assistant", "content": "Hello! How can I help?" }));
    assert_eq!(again[1]["content"], "Tell me a story.");
}

#[test]
fn times_are_kept_and_none_is_in_the_future() {
    let said = |at: Value| json!({ "role": "user", "content": "hi", "metadata": { "dwell": { "at": at } } });
    let messages =
        json!([said(json!("2024-05-01T10:00:00Z")), said(json!(4_102_444_800u64)), { "role": "user", "content": "x" }]);
    let events = taken(ExportFormat::Openai, messages).unwrap();
    let turns = fold_turns(&events);
    assert_eq!(turns[0].created_at, "2024-05-01T10:00:00Z".parse().unwrap());
    assert_eq!((turns[1].created_at, turns[2].created_at), (now(), now()));
    assert_eq!(events[0].at, turns[0].created_at);
    assert_eq!(state(&events).updated_at, now(), "it was touched when it was taken in");
}

#[test]
fn what_is_wrong_is_named_by_its_index() {
    let fine = json!({ "role": "user", "content": "hi" });
    let long = "x".repeat(session::interchange::TEXT_BYTES_MAX + 1);
    for (wrong, words) in [
        (json!("hi"), "an object"),
        (json!({ "content": "hi" }), "`role`"),
        (json!({ "role": "robot", "content": "hi" }), "`robot` is not a role"),
        (json!({ "role": "user", "content": 7 }), "`content`"),
        (json!({ "role": "user", "content": "  " }), "a user message is empty"),
        (json!({ "role": "user", "content": [{ "type": "image_url" }] }), "no readable image"),
        (json!({ "role": "user", "content": long }), "bytes"),
        (json!({ "role": "user", "content": "x", "timestamp": "noon" }), "not a time"),
        (json!({ "role": "tool", "content": "x" }), "`tool_call_id`"),
        (json!({ "role": "tool", "content": "x", "tool_call_id": "c9" }), "`c9`"),
        (json!({ "role": "assistant", "tool_calls": [{ "name": "x" }] }), "`id`"),
        (json!({ "role": "assistant", "tool_calls": [{ "id": "c" }] }), "`name`"),
        (
            json!({ "role": "assistant", "tool_calls": [{ "id": "c", "name": "x" }, { "id": "c", "name": "y" }] }),
            "two of",
        ),
    ] {
        let error = taken(ExportFormat::Openai, json!([fine, wrong])).unwrap_err().to_string();
        assert!(error.starts_with("messages[1]: ") && error.contains(words), "{error} for {words}");
    }
    for nothing in [json!([]), json!({}), json!(7), json!({ "messages": "hi" })] {
        assert!(matches!(taken(ExportFormat::Langgraph, nothing), Err(ImportError::NoMessages(_))));
    }
    let many = vec![fine; session::interchange::MESSAGES_MAX + 1];
    assert!(matches!(taken(ExportFormat::Openai, json!(many)), Err(ImportError::NoMessages(_))));
}
