//! A model without tool calls: its prompts and its answers.

use std::sync::Mutex;

use futures::stream;
use protocol::{ModelSettings, Timestamp};
use serde_json::json;

use super::*;
use crate::{Call, Stop, ToolSpec};

/// Refuses tools, and gives a scripted answer.
struct EchoModel {
    says: &'static str,
    calls_tools: bool,
    asked: Mutex<Vec<Prompt>>,
}

#[async_trait]
impl Model for EchoModel {
    fn name(&self) -> &str {
        "local/parrot"
    }

    fn traits(&self) -> Traits {
        Traits { calls_tools: self.calls_tools, ..Traits::of_context(4_096) }
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        let has_tools = !prompt.tools.is_empty();
        self.asked.lock().unwrap().push(prompt);
        if has_tools {
            let message = "parrot does not support tools".to_owned();
            return Err(Error::Refused { provider: "local".to_owned(), status: 400, message });
        }
        let mut chunks: Vec<Result<Chunk, Error>> =
            self.says.split_inclusive(' ').map(|word| Ok(Chunk::Text(word.to_owned()))).collect();
        chunks.push(Ok(Chunk::End { usage: None, stop: Stop::Complete }));
        Ok(stream::iter(chunks).boxed())
    }
}

fn parrot(says: &'static str, calls_tools: bool) -> (Arc<EchoModel>, TextualTools) {
    let parrot = Arc::new(EchoModel { says, calls_tools, asked: Mutex::default() });
    (parrot.clone(), TextualTools::new(parrot, Arc::default()))
}

fn prompt() -> Prompt {
    let zone = json!({ "type": "object", "properties": { "zone": { "type": "string" } } });
    let tool = ToolSpec::new("clock", "Tells the time.", zone);
    let call = Call { id: "c".to_owned(), tool: "clock".to_owned(), arguments: json!({}), signatures: Vec::new() };
    let messages = vec![
        Message::user("What time is it?"),
        Message::Assistant { text: "One moment.".to_owned(), calls: vec![call] },
        Message::Result { call_id: "c".to_owned(), tool: "clock".to_owned(), text: "12:00".to_owned() },
    ];
    Prompt {
        system: "Be brief.".to_owned(),
        messages,
        tools: vec![tool],
        choice: ToolRequirement::Free,
        known: Vec::new(),
        now: Timestamp::from_millis(0),
        output_tokens_max: None,
        settings: ModelSettings::default(),
        response_schema: None,
        is_temporary: false,
    }
}

async fn all(model: &TextualTools) -> Vec<Chunk> {
    model.stream(prompt()).await.unwrap().map(Result::unwrap).collect().await
}

const ANSWER: &str = "I look it up.\n```tool_call\n{\"name\": \"clock\", \"arguments\": {\"zone\": \"UTC\"}}\n```";

#[tokio::test]
async fn tools_are_told_and_called_in_words() {
    let (parrot, model) = parrot(ANSWER, false);
    let chunks = all(&model).await;
    let text: String = chunks
        .iter()
        .filter_map(|chunk| if let Chunk::Text(text) = chunk { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(text, "I look it up.\n");
    let call = chunks.iter().find_map(|chunk| if let Chunk::Call(call) = chunk { Some(call) } else { None }).unwrap();
    assert_eq!((call.tool.as_str(), &call.arguments), ("clock", &json!({ "zone": "UTC" })));
    assert!(matches!(chunks.last(), Some(Chunk::End { stop: Stop::Complete, .. })));
    let asked = parrot.asked.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].system.starts_with("Be brief.\n\n# Tools"), "what does not change stays first");
    assert!(asked[0].system.contains("\n- clock(zone?: string): Tells the time."), "{}", asked[0].system);
    let expected = [
        Message::user("What time is it?"),
        Message::Assistant {
            text: "One moment.\n\n```tool_call\n{\"name\": \"clock\", \"arguments\": {}}\n```".to_owned(),
            calls: Vec::new(),
        },
        Message::user("Result of the tool `clock`:\n12:00"),
    ];
    assert_eq!(asked[0].messages, expected);
}

#[tokio::test]
async fn a_refusal_is_remembered() {
    let (parrot, model) = parrot(ANSWER, true);
    assert!(model.traits().calls_tools);
    for asked in [2, 3] {
        assert!(all(&model).await.iter().any(|chunk| matches!(chunk, Chunk::Call(_))));
        assert_eq!(parrot.asked.lock().unwrap().len(), asked, "it is shown tools once");
    }
    assert!(!model.traits().calls_tools);
}
