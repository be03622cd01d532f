use std::sync::Mutex;

use futures::{StreamExt, stream};
use protocol::Timestamp;

use super::*;
use crate::{Call, Message, Stop};

/// A model that records its prompts and answers with set chunks.
struct RecordingModel {
    is_native: bool,
    refuses: bool,
    chunks: Vec<Chunk>,
    prompts: Mutex<Vec<Prompt>>,
}

#[async_trait]
impl Model for RecordingModel {
    fn name(&self) -> &str {
        "test/recording"
    }

    fn traits(&self) -> Traits {
        Traits::of_context(8_000)
    }

    fn takes_choice(&self) -> bool {
        true
    }

    fn takes_schema(&self, _: &ResponseSchema, _: bool) -> bool {
        self.is_native
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        let is_refused = self.refuses && prompt.response_schema.is_some();
        self.prompts.lock().unwrap().push(prompt);
        if is_refused {
            let message = "response_format is not supported".to_owned();
            return Err(Error::Refused { provider: "test".to_owned(), status: 400, message });
        }
        Ok(stream::iter(self.chunks.clone().into_iter().map(Ok)).boxed())
    }
}

fn prompt(schema: Value) -> Prompt {
    let Value::Object(schema) = schema else { panic!("a schema is an object") };
    Prompt {
        system: String::new(),
        messages: vec![Message::user("Where?")],
        tools: Vec::new(),
        choice: ToolRequirement::Free,
        known: Vec::new(),
        now: Timestamp::from_millis(0),
        output_tokens_max: None,
        settings: ModelSettings::default(),
        response_schema: Some(ResponseSchema::new(schema)),
        is_temporary: false,
    }
}

fn call(arguments: Value) -> Chunk {
    Chunk::Call(Call { id: "1".to_owned(), tool: ANSWER_TOOL.to_owned(), arguments, signatures: Vec::new() })
}

fn end() -> Chunk {
    Chunk::End { usage: None, stop: Stop::Complete }
}

async fn ask(model: RecordingModel, prompt: Prompt) -> (Vec<Chunk>, Vec<Prompt>) {
    let model = Arc::new(model);
    let chunks = StructuredAnswers::new(model.clone()).stream(prompt).await.unwrap();
    let chunks = chunks.map(|chunk| chunk.unwrap()).collect().await;
    (chunks, model.prompts.lock().unwrap().clone())
}

#[tokio::test]
async fn a_provider_with_schemas_gets_the_schema() {
    let chunks = vec![Chunk::Text("{}".to_owned()), end()];
    let model = RecordingModel { is_native: true, refuses: false, chunks: chunks.clone(), prompts: Mutex::default() };
    let (answer, prompts) = ask(model, prompt(json!({ "type": "object" }))).await;
    assert_eq!(answer, chunks);
    assert!(prompts[0].response_schema.is_some() && prompts[0].tools.is_empty());
}

#[tokio::test]
async fn others_answer_by_a_tool_call() {
    let (schema, arguments) = (json!({ "type": "object", "properties": {} }), json!({ "city": "Ghent" }));
    for (is_native, refuses) in [(false, false), (true, true)] {
        let chunks = vec![Chunk::Text("I will answer.".to_owned()), call(arguments.clone()), end()];
        let model = RecordingModel { is_native, refuses, chunks, prompts: Mutex::default() };
        let (answer, prompts) = ask(model, prompt(schema.clone())).await;
        assert_eq!(answer, [Chunk::Text("{\"city\":\"Ghent\"}".to_owned()), end()]);
        let last = prompts.last().unwrap();
        assert_eq!((last.tools[0].name.as_str(), &last.tools[0].input), (ANSWER_TOOL, &schema));
        assert_eq!(last.choice, ToolRequirement::Tool(ANSWER_TOOL.to_owned()));
        assert!(last.response_schema.is_none());
    }
}

#[tokio::test]
async fn an_answer_that_is_no_object_is_wrapped_in_one() {
    let schema = json!({ "type": "array", "items": { "$ref": "#/$defs/n" }, "$defs": { "n": { "type": "integer" } } });
    let chunks = vec![call(json!({ "value": [1, 2] })), end()];
    let model = RecordingModel { is_native: false, refuses: false, chunks, prompts: Mutex::default() };
    let (answer, prompts) = ask(model, prompt(schema)).await;
    assert_eq!(answer[0], Chunk::Text("[1,2]".to_owned()));
    let input = &prompts[0].tools[0].input;
    assert_eq!((&input["type"], &input["$defs"]["n"]["type"]), (&json!("object"), &json!("integer")));
}

#[tokio::test]
async fn tools_stay_beside_the_answer() {
    let mut with_tool = prompt(json!({ "type": "object" }));
    with_tool.tools.push(ToolSpec::new("weather", "Tells the weather.", json!({ "type": "object" })));
    let chunks = vec![Chunk::Text("{\"in\": \"text\"}".to_owned()), end()];
    let model = RecordingModel { is_native: false, refuses: false, chunks: chunks.clone(), prompts: Mutex::default() };
    let (answer, prompts) = ask(model, with_tool).await;
    assert_eq!(answer, chunks, "text without a call is the answer");
    assert_eq!((prompts[0].tools.len(), &prompts[0].choice), (2, &ToolRequirement::Some));
}
