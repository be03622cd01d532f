//! The offline model: help, greetings and what it suggests.

use model::Prompt;
use serde_json::json;

use crate::offline::{answered, asked, hear, said, tool, tools, user};

/// The messages that an answer suggests.
fn suggestions(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("- ")).collect()
}

#[tokio::test]
async fn greetings_and_requests_for_help_get_three_things_to_try() {
    let greetings = ["hi", "Hello!", "hey there", "Hi Dwell.", "hello hello", "Good evening!", "Nice to meet you."];
    for question in greetings {
        let text = hear(&asked(question)).await.text;
        assert!(text.starts_with("Hello. I work offline"), "{question}: {text}");
        assert_eq!((suggestions(&text).len(), text.lines().count()), (3, 4), "{question}: {text}");
    }
    for question in [
        "help",
        "Help!",
        "help me, please",
        "Could you please help me?",
        "I need some help",
        "what can you do?",
        "Hi, what can you do for me?",
        "What else can you do?",
        "Can you tell me what you can do?",
        "show me what you can do",
        "What can you help me with?",
        "how can you help me",
        "What are your features?",
        "Who are you?",
        "What is this?",
        "what can I ask you?",
        "How do I use this?",
        "How does it work?",
        "how do I get started?",
        "Where should I start?",
        "Show me some examples, please.",
    ] {
        let text = hear(&asked(question)).await.text;
        assert_eq!((suggestions(&text).len(), text.lines().count()), (3, 5), "{question}: {text}");
        assert!(text.contains("OPENAI_API_KEY") && text.contains("`dwell setup`"), "{question}: {text}");
    }
    for question in ["help me write a poem", "what can you do about the noise", "hello world program in C"] {
        let text = hear(&asked(question)).await.text;
        assert!(suggestions(&text).is_empty() && text.contains("needs a language model"), "{question}: {text}");
    }
    let text = hear(&asked("Hello! What can you do?")).await.text;
    assert!(text.starts_with("Hello.\nI work offline") && suggestions(&text).len() == 3, "{text}");
    let text = hear(&asked("How do I set up a language model?")).await.text;
    assert!(text.contains("OPENAI_API_KEY") && suggestions(&text).is_empty(), "{text}");
}

#[tokio::test]
async fn what_is_suggested_works() {
    let mut prompt = asked("help");
    let period = json!({ "type": "object", "properties": { "period": { "type": "string" } } });
    prompt.tools.extend(["search_entities", "get_logbook"].map(|name| tool(name, period.clone())));
    let text = hear(&prompt).await.text;
    let tried = ["What happened at home last night?", "What is 17% of 240?", "Remember that my locker is 12"];
    assert_eq!(suggestions(&text), tried);
    let mut called = Vec::new();
    for message in tried {
        called.extend(hear(&Prompt { messages: vec![user(message)], ..prompt.clone() }).await.lines());
    }
    let expected = [
        r#"get_logbook {"period":"last night"}"#,
        r#"calculator {"expression":"17 / 100 * 240"}"#,
        r#"pin {"key":"my-locker-is-12","text":"my locker is 12"}"#,
    ];
    assert_eq!(called, expected);
    let others = Prompt { tools: tools().drain(1..3).collect(), ..asked("help") };
    for message in suggestions(&hear(&others).await.text).into_iter().take(2) {
        assert_eq!(hear(&asked(message)).await.calls.len(), 1, "{message}");
    }
    let bare = Prompt { tools: Vec::new(), ..asked("help") };
    let text = hear(&bare).await.text;
    assert!(text.contains("What is my cat called?") && text.contains("Summarize this:"), "{text}");
    let mut prompt = Prompt { tools: Vec::new(), ..asked("What is my cat called?") };
    prompt.messages.splice(0..0, [user("My cat is called Momo"), said("Noted.")]);
    assert!(hear(&prompt).await.text.contains("My cat is called Momo"));
}

#[tokio::test]
async fn in_a_temporary_session_nothing_is_said_to_be_kept() {
    let temporary = |question: &str| Prompt { is_temporary: true, ..asked(question) };
    for question in ["hi", "help", "bye", "how are you?", "Write me a poem.", "Where do I live?", "My name is Ada."] {
        let text = hear(&temporary(question)).await.text.to_lowercase();
        for claim in ["remember", "stored", "saved", "kept"] {
            assert!(!text.contains(claim), "{question}: {text}");
        }
    }
    assert_eq!(hear(&temporary("bye")).await.text, "Goodbye.");
    assert_eq!(hear(&asked("bye")).await.text, "Goodbye. This conversation is saved.");
    assert_eq!(suggestions(&hear(&temporary("help")).await.text).len(), 3);
    let text = answered(&temporary("remember that I like tea"), &[r#"{"key":"i-like-tea"}"#]).await.text;
    assert_eq!(text, "Noted until this temporary session ends: \"I like tea\"");
}
