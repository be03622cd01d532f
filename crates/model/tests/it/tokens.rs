//! Token counts.

use model::{Message, Prompt, ToolSpec, count, count_prompt};

use crate::prompts::{by_name, prompt, tools, user};

#[test]
fn texts_are_counted_as_the_newer_models_do() {
    assert_eq!(count(""), 0);
    assert_eq!(count("hello"), 1);
    assert_eq!(count("hello world"), 2);
    assert_eq!(count("The quick brown fox jumps over the lazy dog."), 10);
}

#[test]
fn everything_that_is_sent_is_counted() {
    let bare = count_prompt(&prompt(vec![user("hello")]));
    assert_eq!((bare.system, bare.tools, &bare.messages[..]), (count("Be brief.") + 3, 0, &[4][..]));
    assert_eq!(bare.total, bare.system + 4 + 3);
    let tooled = count_prompt(&Prompt { tools: tools(), ..prompt(vec![user("hello")]) });
    assert_eq!(tooled.tools, tools().iter().map(ToolSpec::tokens).sum::<u64>());
    assert!(tooled.tools > 2 * count(&tools()[0].input.to_string()), "schemas count");
    assert_eq!(tooled.total, bare.total + tooled.tools);
    let results = count_prompt(&by_name("results"));
    assert_eq!(results.messages.len(), 6);
    assert!(results.messages[1] > 2 * count("{\"room\":\"hall\"}"), "calls count: {:?}", results.messages);
    let notes = "<notes>\nIt is noon.\n</notes>".to_owned();
    let noted = Message::User { text: "hello".to_owned(), images: Vec::new(), notes: notes.clone() };
    assert_eq!(count_prompt(&prompt(vec![noted])).total, bare.total + count(&notes) + 1, "notes count");
    let picture = count_prompt(&by_name("picture"));
    assert!(picture.total > 1_000, "a picture counts: {picture:?}");
}

/// A text of one repeated letter takes a naive tokenizer quadratic time.
#[test]
fn a_long_text_of_one_letter_is_counted() {
    assert!(count(&"a".repeat(200_000)) > 1_000);
}
