//! Tests of each format, on samples as its program writes them.

use protocol::{IngestMessage, Timestamp};
use serde_json::{Value, json};

use super::{
    ForeignExport, ImportFormat, detect,
    export::{to_langchain, to_openai},
    ingest::{entries, import_plan},
    read,
};

fn read_as(value: &Value, format: ImportFormat) -> ForeignExport {
    let text = value.to_string();
    assert_eq!(detect(&text), Some(format), "{text}");
    read(&text, None).unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// (role, words, speaker) of the only conversation.
fn said(foreign: &ForeignExport) -> Vec<(&str, &str, Option<&str>)> {
    assert_eq!(foreign.conversations.len(), 1, "{foreign:?}");
    let messages = foreign.conversations[0].messages.iter();
    messages.map(|it| (it.role.as_str(), it.content.as_str(), it.speaker.as_deref())).collect()
}

#[test]
fn mem0_results_become_notes_with_their_times_and_labels() {
    let foreign = read_as(
        &json!({ "results": [
            { "id": "m1", "memory": "Sails on Sundays", "hash": "abc", "metadata": { "topic": "sport", "nested": { "deep": 1 } },
              "created_at": "2024-07-01T08:00:00-07:00", "updated_at": null, "user_id": "ada", "categories": ["hobbies", "sea"],
              "score": 0.8 },
            { "id": "m2", "memory": "Lives in Bonn", "metadata": null, "created_at": "2024-07-02T10:30:00.123456" },
        ] }),
        ImportFormat::Mem0,
    );
    assert_eq!(foreign.notes.len(), 2);
    assert_eq!(foreign.notes[0].created_at, Some(at("2024-07-01T15:00:00Z")), "offsets count");
    assert_eq!(foreign.notes[1].created_at, Some(at("2024-07-02T10:30:00.123Z")), "none is UTC");
    assert_eq!(foreign.notices, ["times without a zone, read as UTC: 1"]);
    let plan = import_plan(foreign, ImportFormat::Mem0);
    let memory_id = protocol::MemoryId::from_bytes([7; 16]);
    let all: Vec<_> = plan
        .notes
        .iter()
        .flat_map(|note| entries(note, memory_id, plan.imported_from, protocol::Origin::Untrusted))
        .collect();
    let again: Vec<_> = plan
        .notes
        .iter()
        .flat_map(|note| entries(note, memory_id, plan.imported_from, protocol::Origin::Untrusted))
        .collect();
    assert_eq!(all, again, "the same note gives the same entry");
    assert_eq!((all[0].role.as_str(), all[0].raw_entry.as_str()), ("user", "Sails on Sundays"));
    assert_eq!(all[0].source.imported_from.as_deref(), Some("mem0"));
    let tags: Vec<String> = all[0].tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(tags, ["categories=hobbies, sea", "id=m1", "nested.deep=1", "topic=sport", "user_id=ada"]);
}

#[test]
fn mem0_lists_pages_and_lines_are_read_alike() {
    let one = json!({ "id": "m1", "memory": "Sails" });
    for value in [json!([one]), json!({ "memories": [one], "count": 1 }), json!([{ "results": [one] }]), one.clone()] {
        assert_eq!(read_as(&value, ImportFormat::Mem0).notes.len(), 1, "{value}");
    }
    let lines = format!("{one}\n{}\n", json!({ "id": "m2", "memory": "Rows" }));
    assert_eq!(read(&lines, None).unwrap().notes.len(), 2);
    let error = read(&json!([{ "memory": "a" }, { "id": "x" }]).to_string(), Some(ImportFormat::Mem0)).unwrap_err();
    assert_eq!(error.to_string(), "memory 2: there is no text in `memory`");
}

#[test]
fn langchain_dicts_are_read_with_parts_calls_and_names() {
    let foreign = read_as(
        &json!([
            { "type": "system", "data": { "content": "Be brief.", "type": "system" } },
            { "type": "human", "data": { "content": [{ "type": "text", "text": "What is this?" }, { "type": "image_url", "image_url": { "url": "x" } }],
              "name": "Ada", "additional_kwargs": { "timestamp": "2024-05-01T10:00:00Z" } } },
            { "type": "ai", "data": { "content": "", "tool_calls": [{ "name": "look", "args": { "at": "picture" }, "id": "c1", "type": "tool_call" }] } },
            { "type": "tool", "data": { "content": "a boat", "tool_call_id": "c1" } },
            { "type": "chat", "data": { "content": "Hm.", "role": "critic" } },
            { "type": "ai", "data": { "content": "" } },
        ]),
        ImportFormat::LangChain,
    );
    assert_eq!(
        said(&foreign),
        [
            ("system", "Be brief.", None),
            ("user", "What is this?\n[image]", Some("Ada")),
            ("assistant", r#"[calls look({"at":"picture"})]"#, None),
            ("tool", "a boat", Some("look")),
            ("critic", "Hm.", None),
        ]
    );
    assert_eq!(foreign.conversations[0].messages[1].at, Some(at("2024-05-01T10:00:00Z")));
    assert_eq!(foreign.notices, ["messages without text, left out: 1"]);
    assert!(foreign.conversations[0].title.starts_with("langchain: What is this?"));
}

#[test]
fn langchain_constructors_and_plain_forms_are_read() {
    let message = |class: &str, words: &str| json!({ "lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": { "content": words } });
    let dumped = json!([message("HumanMessage", "Hello"), message("AIMessageChunk", "Hi")]);
    assert_eq!(said(&read_as(&dumped, ImportFormat::LangChain)), [("user", "Hello", None), ("assistant", "Hi", None)]);
    let history = json!({ "lc": 1, "type": "constructor", "id": ["langchain_core", "InMemoryChatMessageHistory"],
        "kwargs": { "messages": dumped } });
    assert_eq!(said(&read_as(&history, ImportFormat::LangChain)).len(), 2);
    let plain = json!([{ "type": "human", "content": "Hello" }, { "type": "function", "name": "f", "content": "1" }]);
    assert_eq!(said(&read_as(&plain, ImportFormat::LangChain)), [("user", "Hello", None), ("tool", "1", Some("f"))]);
    let pairs = json!([["human", "Hello"], ["ai", "Hi"]]);
    assert_eq!(said(&read_as(&pairs, ImportFormat::LangChain)).len(), 2);
}

#[test]
fn langgraph_states_checkpoints_and_histories_give_each_thread_once() {
    let messages = |count: usize| {
        let one = |n: usize| json!({ "type": if n.is_multiple_of(2) { "human" } else { "ai" }, "content": format!("words {n}") });
        Value::Array((0..count).map(one).collect())
    };
    let state = json!({ "values": { "messages": messages(2) }, "next": [] });
    assert_eq!(said(&read_as(&state, ImportFormat::LangGraph)).len(), 2);
    let checkpoint = json!({ "v": 1, "ts": "2024-01-01T00:00:00Z", "channel_values": { "messages": messages(3) } });
    assert_eq!(said(&read_as(&checkpoint, ImportFormat::LangGraph)).len(), 3);
    let tuple = json!({ "config": { "configurable": { "thread_id": "t9" } }, "checkpoint": checkpoint });
    assert_eq!(read_as(&tuple, ImportFormat::LangGraph).conversations[0].title, "t9");
    let of = |thread: &str, count| json!({ "values": { "messages": messages(count) }, "config": { "configurable": { "thread_id": thread } } });
    let empty = json!({ "values": {}, "config": { "configurable": { "thread_id": "a" } } });
    let history = json!([of("a", 4), of("b", 1), of("a", 2), empty]);
    let foreign = read_as(&history, ImportFormat::LangGraph);
    let found: Vec<_> = foreign.conversations.iter().map(|it| (it.title.as_str(), it.messages.len())).collect();
    assert_eq!(found, [("a", 4), ("b", 1)]);
    let state = json!({ "messages": messages(2), "summary": "" });
    assert_eq!(said(&read_as(&state, ImportFormat::LangChain)).len(), 2, "a bare state is a list of messages");
}

#[test]
fn chat_messages_are_read_alone_in_objects_and_in_lines() {
    let messages = json!([
        { "role": "developer", "content": "Be brief." },
        { "role": "user", "content": "Weather?" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "c1", "type": "function",
          "function": { "name": "weather", "arguments": "{\"city\":\"Bonn\"}" } }] },
        { "role": "tool", "tool_call_id": "c1", "content": "rain" },
    ]);
    let expected = [
        ("system", "Be brief.", None),
        ("user", "Weather?", None),
        ("assistant", r#"[calls weather({"city":"Bonn"})]"#, None),
        ("tool", "rain", Some("weather")),
    ];
    assert_eq!(said(&read_as(&messages, ImportFormat::OpenAi)), expected);
    assert_eq!(said(&read_as(&json!({ "messages": messages, "model": "m" }), ImportFormat::OpenAi)), expected);
    let lines: String = messages.as_array().unwrap().iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(said(&read(&lines, None).unwrap()), expected);
    let many = format!("{}\n{}\n", json!({ "messages": messages }), json!({ "messages": messages }));
    let foreign = read(&many, None).unwrap();
    assert_eq!(foreign.conversations.len(), 2);
    assert_ne!(foreign.conversations[0].title, foreign.conversations[1].title);
}

#[test]
fn a_longer_dump_of_a_conversation_has_the_same_title() {
    let short = json!([{ "role": "user", "content": "Hi there" }, { "role": "assistant", "content": "Hello" }]);
    let mut long = short.clone();
    long.as_array_mut().unwrap().push(json!({ "role": "user", "content": "More" }));
    let title = |value: &Value| read(&value.to_string(), None).unwrap().conversations[0].title.clone();
    assert_eq!(title(&short), title(&long));
}

#[test]
fn own_conversations_are_read_as_they_are() {
    let own = json!({ "title": "Trip", "vault": "travel", "end": false,
        "messages": [{ "role": "user", "content": "To Rome", "speaker": "Ada", "at": "2024-05-01T10:00:00.000Z" }] });
    let foreign = read_as(&own, ImportFormat::Ingest);
    let taken = import_plan(foreign, ImportFormat::Ingest).conversations;
    assert_eq!(serde_json::to_value(&taken[0]).unwrap(), own);
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let error = |text: &str, format| read(text, format).unwrap_err().to_string();
    assert!(error("hello", None).starts_with("this is neither JSON nor lines of JSON"));
    assert!(error("{\"role\":\"user\",\"content\":\"a\"}\nnonsense", None).contains("line 2"));
    assert!(error("{\"a\":1}", None).contains("the format is unknown"));
    assert!(error(r#"{"format":"dwell.memory","version":1}"#, None).contains("memory.import"));
    let bad = json!([{ "role": "user", "content": "a" }, { "what": 1 }]).to_string();
    assert!(error(&bad, None).contains("message 2"), "{}", error(&bad, None));
    assert!(error("[]", Some(ImportFormat::OpenAi)).contains("contains nothing to import"));
    assert_eq!(detect("[1, 2]"), None);
}

#[test]
fn long_messages_are_cut_between_words_and_lose_none() {
    let words = "word ".repeat(100_000);
    let value = json!([{ "role": "user", "content": words }]);
    let taken = import_plan(read(&value.to_string(), None).unwrap(), ImportFormat::OpenAi).conversations;
    assert!(taken[0].messages.len() > 1);
    let joined: String = taken[0].messages.iter().map(|it| it.content.as_str()).collect();
    assert_eq!(joined.split_whitespace().count(), 100_000);
}

fn conversation() -> Vec<IngestMessage> {
    let said = |role: &str, content: &str, speaker: Option<&str>, at: Option<&str>| IngestMessage {
        role: role.to_owned(),
        content: content.to_owned(),
        speaker: speaker.map(str::to_owned),
        at: at.map(|text| text.parse().unwrap()),
    };
    vec![
        said("system", "Be brief.", None, None),
        said("user", "Weather in Bonn\nand Rome?", Some("Ada"), Some("2024-05-01T10:00:00Z")),
        said(
            "assistant",
            "I look.\n[calls weather({\"city\":\"Bonn\"})]\n[calls weather({\"city\":\"Rome\"})]",
            None,
            None,
        ),
        said("tool", "rain", Some("weather"), None),
        said("tool", "sun", Some("weather"), None),
        said("assistant", "Rain [image] and sun (both)]", None, None),
    ]
}

#[test]
fn conversations_go_out_and_come_back() {
    let all = conversation();
    let back = read_as(&to_langchain(&all), ImportFormat::LangChain);
    assert_eq!(back.conversations[0].messages, all);
    let written = to_openai(&all);
    assert_eq!(written[2]["tool_calls"][1]["id"], written[4]["tool_call_id"], "calls and answers are paired");
    assert_eq!(written[2]["content"], "I look.");
    let back = read_as(&written, ImportFormat::OpenAi);
    let untimed: Vec<IngestMessage> = all.into_iter().map(|said| IngestMessage { at: None, ..said }).collect();
    assert_eq!(back.conversations[0].messages, untimed);
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_words_go_out_and_come_back(words in proptest::collection::vec(("user|assistant|system|tool|critic", "[^\\s]\\PC{0,30}"), 1..6)) {
            let all: Vec<IngestMessage> = words
                .into_iter()
                .map(|(role, content)| IngestMessage { role, content, speaker: None, at: None })
                .collect();
            let back = read(&to_langchain(&all).to_string(), Some(ImportFormat::LangChain)).unwrap();
            let plain = |said: &IngestMessage| (said.role.clone(), said.content.clone());
            prop_assert_eq!(back.conversations[0].messages.iter().map(plain).collect::<Vec<_>>(), all.iter().map(plain).collect::<Vec<_>>());
        }

        #[test]
        fn nothing_that_is_read_breaks_the_reader(text in "\\PC{0,200}") {
            let _ = read(&text, None);
            for format in ImportFormat::ALL {
                let _ = read(&format!("[{{\"role\":{text:?},\"content\":{text:?}}}]"), Some(format));
            }
        }
    }
}
