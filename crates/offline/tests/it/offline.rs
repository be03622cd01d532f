//! The offline model: what it recognises, calls, answers, and leaves to a language model.

use std::collections::BTreeMap;

use futures::StreamExt;
use model::{Call, Chunk, KnownItem, Message, Model, Prompt, Stop, ToolRequirement, ToolSpec};
use offline::OfflineModel;
use protocol::{ModelSettings, Usage};
use serde_json::{Value, json};

/// Sunday, 15 November 2026, 14:05 in UTC.
pub const NOW: &str = "2026-11-15T14:05:00Z";

pub fn tool(name: &str, input: Value) -> ToolSpec {
    ToolSpec::new(name, "A tool.", input)
}

pub fn tools() -> Vec<ToolSpec> {
    let text = |fields: &[&str], required: &[&str]| {
        let fields: serde_json::Map<_, _> =
            fields.iter().map(|field| ((*field).to_owned(), json!({ "type": "string" }))).collect();
        json!({ "type": "object", "properties": fields, "required": required })
    };
    let lookup = json!({
        "type": "object",
        "properties": {
            "key": { "type": "string", "description": "What to look for." },
            "depth": { "type": "integer" },
            "exact": { "type": "boolean" },
        },
        "required": ["key"],
    });
    vec![
        tool("calculator", text(&["expression"], &["expression"])),
        tool("current_time", text(&["time_zone"], &[])),
        tool("date_math", text(&["from", "add", "until"], &[])),
        tool("pin", text(&["text", "key"], &["text"])),
        tool("unpin", text(&["key"], &["key"])),
        tool("artifact_save", text(&["name", "content"], &["name", "content"])),
        tool("artifact_list", text(&[], &[])),
        tool("artifact_read", text(&["artifact_id", "name"], &[])),
        tool("window_open", text(&["title", "content"], &["title", "content"])),
        tool("lookup", lookup),
        tool("call_service", text(&["service"], &["service"])),
        tool("run-script", text(&["name"], &["name"])),
    ]
}

pub fn user(text: &str) -> Message {
    Message::user(text)
}

pub fn said(text: &str) -> Message {
    Message::Assistant { text: text.to_owned(), calls: Vec::new() }
}

pub fn known(level: &str, text: &str, at: &str) -> KnownItem {
    KnownItem {
        level: level.to_owned(),
        key: None,
        text: text.to_owned(),
        at: at.parse().unwrap(),
        until: None,
        role: None,
        doubt: None,
    }
}

pub fn asked(text: &str) -> Prompt {
    Prompt {
        system: "Be brief.".to_owned(),
        messages: vec![user(text)],
        tools: tools(),
        choice: ToolRequirement::Free,
        known: Vec::new(),
        now: NOW.parse().unwrap(),
        output_tokens_max: None,
        settings: ModelSettings::default(),
        response_schema: None,
        is_temporary: false,
    }
}

/// A complete answer.
#[derive(Debug, PartialEq)]
pub struct CollectedAnswer {
    pub text: String,
    pub calls: Vec<Call>,
    pub usage: Usage,
    pub stop: Stop,
}

impl CollectedAnswer {
    /// The calls as a line each, their arguments in order: `calculator {"expression":"3 * 4"}`.
    pub fn lines(&self) -> Vec<String> {
        let line = |call: &Call| {
            let arguments: BTreeMap<_, _> = call.arguments.as_object().unwrap().iter().collect();
            format!("{} {}", call.tool, serde_json::to_string(&arguments).unwrap())
        };
        self.calls.iter().map(line).collect()
    }
}

/// Reads an answer and checks that it ends once, at its end.
pub async fn hear(prompt: &Prompt) -> CollectedAnswer {
    let chunks: Vec<Chunk> =
        OfflineModel.stream(prompt.clone()).await.unwrap().map(|chunk| chunk.unwrap()).collect().await;
    let (last, before) = chunks.split_last().unwrap();
    let Chunk::End { usage: Some(usage), stop } = last else { panic!("ends with {last:?}") };
    let (mut text, mut calls) = (String::new(), Vec::new());
    for chunk in before {
        match chunk {
            Chunk::Text(more) => text.push_str(more),
            Chunk::Call(call) => calls.push(call.clone()),
            other => panic!("{other:?} before the end"),
        }
    }
    CollectedAnswer { text, calls, usage: *usage, stop: *stop }
}

/// Plays the tool round: the calls for a question get these results, in order.
pub async fn answered(prompt: &Prompt, results: &[&str]) -> CollectedAnswer {
    let heard = hear(prompt).await;
    assert_eq!(heard.calls.len(), results.len(), "{heard:?}");
    let mut prompt = prompt.clone();
    prompt.messages.push(Message::Assistant { text: heard.text, calls: heard.calls.clone() });
    for (call, result) in heard.calls.iter().zip(results) {
        let (call_id, tool) = (call.id.clone(), call.tool.clone());
        prompt.messages.push(Message::Result { call_id, tool, text: (*result).to_owned() });
    }
    hear(&prompt).await
}

async fn check_calls(table: &[(&str, &[&str])]) {
    for (question, expected) in table {
        let heard = hear(&asked(question)).await;
        assert_eq!(heard.lines(), *expected, "{question}: {}", heard.text);
        assert_eq!(heard.text.is_empty(), !expected.is_empty(), "{question}: {}", heard.text);
    }
}

async fn check_says(prompt: impl Fn(&str) -> Prompt, table: &[(&str, &str)]) {
    for (question, expected) in table {
        let heard = hear(&prompt(question)).await;
        assert!(heard.calls.is_empty(), "{question}: {:?}", heard.lines());
        assert!(heard.text.contains(expected), "{question}: {}", heard.text);
    }
}

#[tokio::test]
async fn it_says_what_it_is() {
    assert_eq!(OfflineModel.name(), "offline");
    let traits = OfflineModel.traits();
    assert!(!traits.understands && !traits.sees);
    assert_eq!(traits.context_tokens_max, 128_000);
    assert_eq!(traits.price.unwrap().input + traits.price.unwrap().output, 0);
}

#[tokio::test]
async fn sums_go_to_the_calculator() {
    check_calls(&[
        ("what is 17% of 240", &[r#"calculator {"expression":"17 / 100 * 240"}"#]),
        ("(3+4)*5", &[r#"calculator {"expression":"(3 + 4) * 5"}"#]),
        ("Hello! What's the square root of 2?", &[r#"calculator {"expression":"sqrt(2)"}"#]),
        ("what is 3*4 and 5*6?", &[r#"calculator {"expression":"3 * 4"}"#, r#"calculator {"expression":"5 * 6"}"#]),
        ("I am 5 minutes late", &[]),
        ("what is love", &[]),
        ("Miami", &[]),
        ("12.5 km in miles", &[]),
    ])
    .await;
}

#[tokio::test]
async fn units_are_converted_only_if_there_is_a_tool_for_it() {
    let mut prompt = asked("12.5 km in miles");
    let fields = json!({ "value": { "type": "number" }, "from": {}, "to": {} });
    prompt.tools.push(tool("convert", json!({ "type": "object", "properties": fields })));
    assert_eq!(hear(&prompt).await.lines(), [r#"convert {"from":"km","to":"mi","value":12.5}"#]);
    prompt.messages = vec![user("how many feet are 3 meters?")];
    assert_eq!(hear(&prompt).await.lines(), [r#"convert {"from":"m","to":"ft","value":3.0}"#]);
    prompt.messages = vec![user("5 minutes in hell")];
    assert!(hear(&prompt).await.calls.is_empty());
}

#[tokio::test]
async fn times_and_dates_go_to_their_tools() {
    let until = r#"date_math {"from":"today","until":"2026-12-24"}"#;
    check_calls(&[
        ("what time is it", &["current_time {}"]),
        ("Could you tell me what time it is right now, please?", &["current_time {}"]),
        ("what day is today", &["current_time {}"]),
        ("What's today's date?", &["current_time {}"]),
        ("what time is it in Tokyo?", &[r#"current_time {"time_zone":"Asia/Tokyo"}"#]),
        ("time in New York", &[r#"current_time {"time_zone":"America/New_York"}"#]),
        ("what is the time in America/New_York now", &[r#"current_time {"time_zone":"America/New_York"}"#]),
        (
            "what time is it in Paris and London?",
            &[r#"current_time {"time_zone":"Europe/Paris"}"#, r#"current_time {"time_zone":"Europe/London"}"#],
        ),
        ("what's the day after tomorrow", &[r#"date_math {"add":"0 days","from":"2026-11-17"}"#]),
        ("time in prison", &[]),
        ("what time is the meeting?", &[]),
        ("what is the time in the recipe?", &[]),
        ("time", &[]),
        ("what's the date in 3 weeks", &[r#"date_math {"add":"3 weeks","from":"today"}"#]),
        ("what day will it be in two weeks?", &[r#"date_math {"add":"2 weeks","from":"today"}"#]),
        ("what was the date 10 days ago", &[r#"date_math {"add":"-10 days","from":"today"}"#]),
        ("what date is 3 days after 24 December", &[r#"date_math {"add":"3 days","from":"2026-12-24"}"#]),
        ("what day is 24 December?", &[r#"date_math {"add":"0 days","from":"2026-12-24"}"#]),
        ("what day is tomorrow", &[r#"date_math {"add":"0 days","from":"2026-11-16"}"#]),
        ("how many days until 24 December", &[until]),
        ("how many days are left until December 24th, 2026?", &[until]),
        ("How long until Christmas Eve?", &[until]),
        ("how many days until 2026-12-24", &[until]),
        ("days until 24.12.2026", &[until]),
        ("how many days until 1 March", &[r#"date_math {"from":"today","until":"2027-03-01"}"#]),
        ("how many days until 29 February?", &[r#"date_math {"from":"today","until":"2028-02-29"}"#]),
        ("how many days until Friday", &[r#"date_math {"from":"today","until":"2026-11-20"}"#]),
        ("how many days since 1 March", &[r#"date_math {"from":"2026-03-01","until":"2026-11-15"}"#]),
        ("days between 1 March 2026 and 3 March 2026", &[r#"date_math {"from":"2026-03-01","until":"2026-03-03"}"#]),
        ("how many days until the wedding?", &[]),
        ("how many days until 31 February?", &[]),
        ("how many days until 3/4/2026?", &[]),
    ])
    .await;
}

#[tokio::test]
async fn notes_are_kept_in_the_words_they_were_given_in() {
    check_calls(&[
        ("remember that the meeting is at 5", &[r#"pin {"key":"the-meeting-is-at-5","text":"the meeting is at 5"}"#]),
        ("Please remember my locker is 12.", &[r#"pin {"key":"my-locker-is-12","text":"my locker is 12."}"#]),
        ("don’t forget to buy milk", &[r#"pin {"key":"buy-milk","text":"buy milk"}"#]),
        ("pin: Dr. Smith? 3*4!", &[r#"pin {"key":"dr-smith-3-4","text":"Dr. Smith? 3*4!"}"#]),
        ("Note: a. b", &[r#"pin {"key":"a-b","text":"a. b"}"#]),
        ("note that I'm from Miami", &[r#"pin {"key":"i-m-from-miami","text":"I'm from Miami"}"#]),
        (
            "Remember that my locker is 12. The code is 4711. What time is it?",
            &[
                r#"pin {"key":"my-locker-is-12-the-code-is-4711","text":"my locker is 12. The code is 4711."}"#,
                "current_time {}",
            ],
        ),
        ("remember when we met?", &[]),
        ("Remember when we met", &[]),
        ("do you remember my locker?", &[]),
        ("remember me?", &[]),
        ("I remember that day", &[]),
        ("notebook", &[]),
        ("note the irony", &[]),
        ("My PIN is secret", &[]),
        ("pin number", &[]),
        ("remember that time in Rome", &[]),
    ])
    .await;
}

fn with_pins(question: &str) -> Prompt {
    let pins = [("the meeting is at 5", "2026-03-03T10:00:00Z"), ("Ann likes tulips", "2026-04-01T10:00:00Z")];
    let known = pins.iter().map(|(text, at)| known("pin", text, at)).collect();
    Prompt { known, ..asked(question) }
}

#[tokio::test]
async fn notes_are_listed_and_forgotten() {
    check_says(
        with_pins,
        &[
            ("what did I ask you to remember?", "- \"the meeting is at 5\" (3 March 2026)\n- \"Ann likes tulips\""),
            ("list my notes", "Ann likes tulips"),
            ("forget the note about giraffes", "No note of this session is about \"giraffes\""),
            ("forget it", "needs a language model"),
        ],
    )
    .await;
    check_says(asked, &[("what did I ask you to remember?", "not asked me to remember anything")]).await;
    for question in
        ["forget the note about the meeting", "Please forget that the meeting is at 5.", "unpin the meeting"]
    {
        assert_eq!(hear(&with_pins(question)).await.lines(), [r#"unpin {"key":"the-meeting-is-at-5"}"#], "{question}");
    }
    let mut twice = with_pins("forget the note about the meeting");
    twice.known.push(known("pin", "the meeting is in Rome", NOW));
    assert!(hear(&twice).await.text.contains("Which of these"));
}

#[tokio::test]
async fn a_note_is_forgotten_by_the_key_it_was_kept_under() {
    let mut prompt = with_pins("remember that the meeting is at 5");
    let call = hear(&prompt).await.calls.remove(0);
    let text = r#"{"key": "k7"}"#.to_owned();
    prompt.messages.push(Message::Assistant { text: String::new(), calls: vec![call.clone()] });
    prompt.messages.push(Message::Result { call_id: call.id, tool: call.tool, text });
    prompt.messages.extend([said("Noted."), user("forget the note about the meeting")]);
    assert_eq!(hear(&prompt).await.lines(), [r#"unpin {"key":"k7"}"#]);
}

#[tokio::test]
async fn artifacts_are_saved_listed_and_read() {
    check_calls(&[
        (
            "save this as notes.txt: Buy milk.\nWhat time is it?",
            &[r#"artifact_save {"content":"Buy milk.\nWhat time is it?","name":"notes.txt"}"#],
        ),
        ("Save \"hello there\" as hi.txt", &[r#"artifact_save {"content":"hello there","name":"hi.txt"}"#]),
        ("create a file called a.txt with the text hello", &[r#"artifact_save {"content":"hello","name":"a.txt"}"#]),
        ("save this as a: b", &[r#"artifact_save {"content":"b","name":"a"}"#]),
        ("write it to the file a.txt: b", &[r#"artifact_save {"content":"b","name":"a.txt"}"#]),
        ("list my artifacts", &["artifact_list {}"]),
        ("what files do I have?", &["artifact_list {}"]),
        ("read artifact notes", &[r#"artifact_read {"name":"notes"}"#]),
        ("open notes.txt", &[r#"artifact_read {"name":"notes.txt"}"#]),
        ("what's in notes.txt?", &[r#"artifact_read {"name":"notes.txt"}"#]),
        ("read the file \"my notes.txt\"", &[r#"artifact_read {"name":"my notes.txt"}"#]),
        (
            "open artifact 01ARZ3NDEKTSV4RRFFQ69G5FAV",
            &[r#"artifact_read {"artifact_id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#],
        ),
        ("save this as notes.txt", &[]),
        ("save me from boredom", &[]),
        ("open the window", &[]),
        ("read my mind", &[]),
        ("what is in the box?", &[]),
        ("list of presidents", &[]),
    ])
    .await;
    let mut prompt = asked("save that as answer.txt");
    prompt.messages.insert(0, said("Forty-two."));
    let expected = [r#"artifact_save {"content":"Forty-two.","name":"answer.txt"}"#];
    assert_eq!(hear(&prompt).await.lines(), expected);
}

#[tokio::test]
async fn artifacts_are_shown_where_windows_can_be_opened() {
    let show = r#"artifact_show {"artifact_id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#;
    for (message, expected) in [
        ("Show me artifact 01ARZ3NDEKTSV4RRFFQ69G5FAV.", show),
        ("open artifact 01ARZ3NDEKTSV4RRFFQ69G5FAV in a window", show),
        ("open the file notes.md in a window, please", r#"artifact_show {"name":"notes.md"}"#),
        ("show sales.svg on my desktop", r#"artifact_show {"name":"sales.svg"}"#),
        ("open notes.txt", r#"artifact_read {"name":"notes.txt"}"#),
        ("read artifact 01ARZ3NDEKTSV4RRFFQ69G5FAV", r#"artifact_read {"artifact_id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#),
    ] {
        let mut prompt = asked(message);
        prompt.tools.push(tool("artifact_show", json!({ "type": "object" })));
        assert_eq!(hear(&prompt).await.lines(), [expected], "{message}");
    }
}

#[tokio::test]
async fn any_tool_is_called_by_its_name() {
    check_calls(&[
        ("use lookup with key=abc", &[r#"lookup {"key":"abc"}"#]),
        ("call the tool lookup with key=abc and depth=3", &[r#"lookup {"depth":3,"key":"abc"}"#]),
        ("lookup {\"key\": \"a. b? c\", \"depth\": 2}", &[r#"lookup {"depth":2,"key":"a. b? c"}"#]),
        ("run lookup(key=\"two words\", exact=true)", &[r#"lookup {"exact":true,"key":"two words"}"#]),
        ("Lookup \"abc\"", &[r#"lookup {"key":"abc"}"#]),
        ("call_service {\"service\": \"turn_on\"}", &[r#"call_service {"service":"turn_on"}"#]),
        ("Call_service(service=turn_on)", &[r#"call_service {"service":"turn_on"}"#]),
        ("call call_service with service=turn_on", &[r#"call_service {"service":"turn_on"}"#]),
        ("run-script \"a b\"", &[r#"run-script {"name":"a b"}"#]),
        ("use run-script with name=a", &[r#"run-script {"name":"a"}"#]),
        ("lookup", &[]),
        ("I will lookup the word", &[]),
        ("use your imagination", &[]),
        ("run for your life", &[]),
    ])
    .await;
    check_says(
        asked,
        &[
            ("use lookup", "`lookup` also needs `key` (What to look for)"),
            ("use lookup with depth=3", "`lookup` also needs `key`"),
            ("use lookup with key=abc depth=deep", "`depth` of `lookup` must be a whole number"),
            ("lookup {\"key\": ", "cannot read the arguments"),
            ("use the tool hammer with nail=3", "no tool named `hammer`"),
            ("call_services {\"service\": \"turn_on\"}", "no tool named `call_services`"),
        ],
    )
    .await;
}

#[tokio::test]
async fn several_requests_are_several_calls_and_one_answer() {
    let prompt = asked("Hi! What time is it and what is 3*4? Sing me a song.");
    let time = r#"{"time": "14:05", "date": "2026-11-15", "weekday": "Sunday", "time_zone": "UTC"}"#;
    let heard = hear(&prompt).await;
    assert_ne!(heard.calls[0].id, heard.calls[1].id);
    let heard = answered(&prompt, &[time, r#"{"value": "12", "expression": "3 * 4"}"#]).await;
    assert!(heard.calls.is_empty());
    let expected = "It is 14:05 (UTC) on Sunday, 15 November 2026.\n3 * 4 is 12.\n\
                    The rest of your message needs a language model.";
    assert!(heard.text.starts_with("Hello.") && heard.text.ends_with(expected), "{}", heard.text);
}

#[tokio::test]
async fn results_become_sentences() {
    let list = r#"{"artifacts":[{"artifact_id":"1","name":"a.txt","bytes":12,"created_at":"2026-03-03T10:00:00Z"}]}"#;
    let table = [
        ("17% of 240", r#"{"value": "40.8"}"#, "17 / 100 * 240 is 40.8."),
        ("3*4", r#"{"value": 12}"#, "3 * 4 is 12."),
        ("3*4", "12", "3 * 4 is 12."),
        ("1/0 =", "division by zero", "`calculator` answered: division by zero"),
        ("1/0 =", r#"{"error": "division by zero"}"#, "`calculator` failed: division by zero"),
        ("1/0 =", r#"{"error": {"code": "x", "message": "by zero"}}"#, "`calculator` failed: by zero"),
        ("3*4", r#"{"vaule": 12}"#, r#"`calculator` answered: {"vaule": 12}"#),
        ("3*4", "", "`calculator` answered nothing."),
        ("what time is it", r#"Untrusted: {"time":"14:05"} (end)"#, "It is 14:05."),
        (
            "what's the date in 3 weeks",
            r#"{"date": "2026-12-06", "weekday": "Sunday", "days": 21}"#,
            "3 weeks from today is Sunday, 6 December 2026.",
        ),
        (
            "how many days until 24 December",
            r#"{"days": 39}"#,
            "It is 39 days until 24 December 2026 (5 weeks and 4 days).",
        ),
        (
            "what day is 24 December",
            r#"{"date":"2026-12-24","weekday":"Thursday"}"#,
            "That is Thursday, 24 December 2026.",
        ),
        ("pin: tea", r#"{"key":"tea"}"#, "I will remember: \"tea\""),
        ("save this as a.txt: hello", r#"{"artifact_id":"1","name":"a.txt","bytes":5}"#, "Saved as `a.txt` (5 bytes)."),
        ("list my files", list, "There is 1 artifact:\n- `a.txt` (12 bytes, 3 March 2026)"),
        ("list my files", r#"{"artifacts":[]}"#, "There are no artifacts yet."),
        ("open a.txt", r#"{"name":"a.txt","content":"one\ntwo"}"#, "`a.txt`:\none\ntwo"),
        ("use lookup with key=a", "found it", "`lookup` answered: found it"),
        ("use lookup with key=a", r#"{"hits": 3}"#, r#"`lookup` answered: {"hits": 3}"#),
    ];
    for (question, result, expected) in table {
        assert_eq!(answered(&asked(question), &[result]).await.text, expected, "{question}");
    }
}

#[tokio::test]
async fn results_of_another_models_calls_are_told_as_they_came() {
    let mut prompt = asked("Which book did I like?");
    let call = Call { id: "x".to_owned(), tool: "search".to_owned(), arguments: json!({}), signatures: Vec::new() };
    prompt.messages.push(Message::Assistant { text: "Let me look.".to_owned(), calls: vec![call] });
    prompt.messages.push(Message::Result {
        call_id: "x".to_owned(),
        tool: "search".to_owned(),
        text: "Moby-Dick".to_owned(),
    });
    assert_eq!(hear(&prompt).await.text, "`search` answered: Moby-Dick");
    prompt.messages.push(user("and what is 3*4?"));
    let heard = hear(&prompt).await;
    assert_eq!(heard.text, "`search` answered: Moby-Dick");
    assert_eq!(heard.lines(), [r#"calculator {"expression":"3 * 4"}"#]);
}

#[tokio::test]
async fn without_tools_it_says_that_they_are_off() {
    let bare = |question: &str| Prompt { tools: Vec::new(), ..asked(question) };
    let off = "tools are switched off for this turn";
    check_says(
        bare,
        &[
            ("what is 3*4", off),
            ("what time is it", off),
            ("what time is it", "it is 14:05 UTC on Sunday, 15 November 2026"),
            ("how many days until Christmas", off),
            ("remember that I like tea", off),
            ("list my artifacts", off),
            ("use the tool lookup with key=abc", off),
        ],
    )
    .await;
    let some = |question: &str| Prompt { tools: tools().split_off(8), ..asked(question) };
    check_says(some, &[("what is 3*4", "`calculator`, which is not among those")]).await;
}

#[tokio::test]
async fn courtesies_get_a_line() {
    check_says(
        asked,
        &[
            ("Hello!", "Hello."),
            ("hello Dwell", "Hello."),
            ("Good morning", "Hello."),
            ("thanks a lot!", "You are welcome."),
            ("many thanks", "You are welcome."),
            ("Thank you so much", "You are welcome."),
            ("bye", "Goodbye."),
            ("how are you?", "offline"),
            ("How are you doing today?", "offline"),
            ("what can you do?", "needs a language model"),
        ],
    )
    .await;
}

#[tokio::test]
async fn everything_else_needs_a_language_model() {
    for question in [
        "Write me a poem about autumn.",
        "translate this to French: hello",
        "remind me to call Bob",
        "",
        "…",
        "🦀",
        "Miami",
        "notebook",
    ] {
        let text = hear(&asked(question)).await.text;
        assert!(text.starts_with("This needs a language model"), "{question}: {text}");
        assert_eq!(text.lines().count(), 2, "{question}: {text}");
        for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_HOST", "OPENAI_BASE_URL"] {
            assert!(text.contains(name), "{name} in {text}");
        }
        assert!(text.contains("\"help\"") && text.contains("`dwell setup`"), "{text}");
    }
}

#[tokio::test]
async fn text_comes_a_few_words_at_a_time_and_costs_nothing() {
    let chunks: Vec<_> = OfflineModel.stream(asked("Write me a poem.")).await.unwrap().collect().await;
    assert!(chunks.len() > 10, "{} chunks", chunks.len());
    let heard = hear(&asked("Write me a poem.")).await;
    assert!(heard.usage.input_tokens > 0 && heard.usage.output_tokens > 10);
    assert_eq!((heard.usage.cost_micros, heard.stop), (Some(0), Stop::Complete));
    let short = Prompt { output_tokens_max: Some(10), ..asked("Write me a poem.") };
    let cut = hear(&short).await;
    assert_eq!(cut.stop, Stop::Length);
    assert!(heard.text.starts_with(&cut.text) && !cut.text.is_empty() && cut.usage.output_tokens <= 10);
}

/// An answer in quadratic time would exceed the timeout of the test runner.
#[tokio::test]
async fn huge_messages_are_answered() {
    for piece in ["what is 3*4 and ", "((((", "é? ", "東京", "1+", "{\"a\":"] {
        let text = piece.repeat(128 * 1024 / piece.len());
        let mut prompt = asked(&format!("what is {text}"));
        prompt.known.push(known("memory", &text, NOW));
        hear(&prompt).await;
        hear(&asked(&format!("summarise this: {text}"))).await;
    }
}
