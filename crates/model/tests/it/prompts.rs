//! The prompts of the tests.

use model::{Call, Image, Message, Prompt, ToolRequirement, ToolSpec};
use protocol::{ModelSettings, Timestamp};
use serde_json::json;

/// A message of the user.
pub fn user(text: &str) -> Message {
    Message::user(text)
}

/// A prompt of these messages.
pub fn prompt(messages: Vec<Message>) -> Prompt {
    Prompt {
        system: "Be brief.".to_owned(),
        messages,
        tools: Vec::new(),
        choice: ToolRequirement::Free,
        known: Vec::new(),
        now: Timestamp::from_millis(1_760_000_000_000),
        output_tokens_max: None,
        settings: ModelSettings::default(),
        response_schema: None,
        is_temporary: false,
    }
}

/// The prompt of that name.
pub fn by_name(name: &str) -> Prompt {
    match name {
        "plain" => prompt(vec![user("hello")]),
        "limited" => Prompt { output_tokens_max: Some(500), ..prompt(vec![user("hello")]) },
        "picture" => {
            prompt(vec![Message::User { text: "What is this?".to_owned(), images: vec![png()], notes: String::new() }])
        }
        "tools" => Prompt { tools: tools(), ..prompt(vec![user("Light in the kitchen and the hall, please.")]) },
        "forced" => Prompt { choice: ToolRequirement::Some, ..by_name("tools") },
        "named" => Prompt { choice: ToolRequirement::Tool("light_on".to_owned()), ..by_name("tools") },
        "results" => Prompt { tools: tools(), ..prompt(results()) },
        "signed" => Prompt { tools: tools(), ..prompt(signed()) },
        "reasoned" => Prompt { tools: tools(), ..prompt(reasoned()) },
        other => panic!("no prompt is called {other:?}"),
    }
}

/// Two tools.
pub fn tools() -> Vec<ToolSpec> {
    let input = json!({"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]});
    let tool = |name: &str, description: &str| ToolSpec::new(name, description, input.clone());
    vec![tool("light_on", "Switches the light of a room on."), tool("web_search", "Looks something up.")]
}

fn png() -> Image {
    Image { media_type: "image/png".to_owned(), data: "iVBORw0KGgo=".to_owned() }
}

/// Two calls at once, their results, and two more messages of the user.
fn results() -> Vec<Message> {
    let call = |id: &str, area: &str| Call {
        id: id.to_owned(),
        tool: "light_on".to_owned(),
        arguments: json!({"room": area}),
        signatures: Vec::new(),
    };
    let result = |id: &str, text: &str| Message::Result {
        call_id: id.to_owned(),
        tool: "light_on".to_owned(),
        text: text.to_owned(),
    };
    vec![
        user("Light in the kitchen and the hall, please."),
        Message::Assistant {
            text: "One moment.".to_owned(),
            calls: vec![call("call_1", "kitchen"), call("call#light_on#1", "hall")],
        },
        result("call_1", "on"),
        result("call#light_on#1", "no such room"),
        user("And?"),
        user("Well?"),
    ]
}

/// A call of an earlier turn and one of this turn, both with plain reasoning.
fn reasoned() -> Vec<Message> {
    let call = |id: &str, kept: serde_json::Value| Message::Assistant {
        text: String::new(),
        calls: vec![Call {
            id: id.to_owned(),
            tool: "light_on".to_owned(),
            arguments: json!({"room": "hall"}),
            signatures: vec![kept.to_string()],
        }],
    };
    let result =
        |id: &str| Message::Result { call_id: id.to_owned(), tool: "light_on".to_owned(), text: "on".to_owned() };
    vec![
        user("Light in the hall."),
        call("call_1", json!({"type": "reasoning_content", "text": "An old thought."})),
        result("call_1"),
        Message::Assistant { text: "Done.".to_owned(), calls: Vec::new() },
        user("Again."),
        call("call_2", json!({"type": "reasoning_content", "text": "The hall, then."})),
        result("call_2"),
    ]
}

/// The end of a conversation with signed reasoning of two providers.
fn signed() -> Vec<Message> {
    let thought = r#"{"type":"thinking","thinking":"The kitchen first.","signature":"EqQBCgIYAhIM"}"#;
    let call = Call {
        id: "toolu_01C".to_owned(),
        tool: "light_on".to_owned(),
        arguments: json!("{oops"),
        signatures: vec![thought.to_owned(), "CpQCAVSoXO4".to_owned()],
    };
    vec![
        Message::Assistant { text: String::new(), calls: vec![call] },
        Message::Result { call_id: "toolu_01C".to_owned(), tool: "light_on".to_owned(), text: "on".to_owned() },
    ]
}
