//! The context window: what a prompt contains of the conversation, in which order, and what leaves
//! it first.

use model::count_prompt;
use protocol::{Body, Budgets, ChatSend, MemoryUsed, SessionEnd, SessionId, SessionStart, Tags, TurnId, TurnStatus};
use serde_json::json;

use crate::{driven_model::ModelCall, harness::Harness};

fn tags(words: &[&str]) -> Tags {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn tagged(message: &str, words: &[&str]) -> ChatSend {
    ChatSend { tags: tags(words), ..ChatSend::text(message) }
}

/// Sends a message, answers it, and returns the prompt.
async fn told(harness: &Harness, session: SessionId, send: ChatSend) -> ModelCall {
    let answer = format!("re {}", send.message);
    let turn = harness.send(session, send).await.unwrap();
    let call = harness.model.call().await;
    call.answer(&answer);
    harness.ended(turn).await;
    call
}

/// The last turn's context as the journal records it.
async fn used(harness: &Harness, session: SessionId) -> MemoryUsed {
    let used = harness.journal(session).await.into_iter().rev().find_map(|event| match event.body {
        Body::MemoryUsed(used) => Some(used),
        _ => None,
    });
    used.unwrap()
}

async fn limited(harness: &Harness, context_tokens: u64) -> SessionId {
    let budgets = Budgets { context_tokens: Some(context_tokens), ..Budgets::default() };
    harness.start_with(SessionStart { budgets: Some(budgets), ..SessionStart::default() }).await
}

/// A message of about this many tokens that starts with a distinct word.
fn long(name: &str, tokens: usize) -> String {
    format!("{name}{}", " word".repeat(tokens))
}

/// The first words of all messages in the prompt.
fn names(call: &ModelCall) -> Vec<String> {
    call.lines().iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
}

async fn without_tools(harness: &Harness, session: SessionId, message: &str, words: &[&str]) -> ModelCall {
    told(harness, session, ChatSend { allow_tools: false, ..tagged(message, words) }).await
}

#[tokio::test]
async fn the_clock_comes_last_and_nowhere_else() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.exchange(session, "one", "re one").await;
    let call = told(&harness, session, ChatSend::text("two")).await;
    assert!(!call.prompt.system.contains("20"), "no date in the instructions: {}", call.prompt.system);
    let notes = call.notes();
    assert_eq!(notes.len(), 1, "beside the current message only: {notes:?}");
    assert_eq!(notes[0].0, 2);
    let last = notes[0].1.lines().rev().nth(1).unwrap();
    assert!(last.starts_with("It is 20") && last.ends_with(" (UTC)."), "{last}");
    assert_eq!(call.lines(), ["> one", "< re one", "> two"], "the message itself, once and word for word");
}

#[tokio::test]
async fn within_a_turn_everything_told_before_stays_as_it_was() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Please use the lamp.").await;
    let first = harness.model.call().await;
    first.use_tools(&[("c1", "lamp", json!({ "note": "a" }))]);
    let second = harness.model.call().await;
    second.use_tools(&[("c2", "lamp", json!({ "note": "b" }))]);
    let third = harness.model.call().await;
    third.answer("Done.");
    harness.ended(turn).await;
    for (before, after) in [(&first, &second), (&second, &third)] {
        assert_eq!(before.prompt.system, after.prompt.system);
        assert_eq!(before.prompt.messages[..], after.prompt.messages[..before.prompt.messages.len()], "also the notes");
    }
    assert_eq!(third.notes().len(), 1);
}

#[tokio::test]
async fn a_turn_is_told_all_that_the_one_before_was_and_then_more() {
    let harness = Harness::new();
    harness.model.take_tokens(200_000);
    let session = harness.start().await;
    let mut before: Option<ModelCall> = None;
    for number in 0..12 {
        let turn = harness.say(session, &format!("Please use the lamp {number} times.")).await;
        let first = harness.model.call().await;
        first.use_tools(&[("c1", "lamp", json!({ "note": number.to_string() }))]);
        let last = harness.model.call().await;
        last.answer(&format!("Done {number}."));
        harness.ended(turn).await;
        if let Some(before) = before {
            // Calls of older turns are dropped several at once, and not in every turn.
            let (old, new) = (before.without_notes(), first.without_notes());
            if number != 7 && number != 11 {
                assert_eq!(old[..], new[..old.len()], "turn {number}");
                assert_eq!(before.prompt.system, first.prompt.system);
            }
        }
        before = Some(last);
    }
}

#[tokio::test]
async fn everything_that_is_sent_is_counted_in_its_order() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Please remember it.").await;
    harness.model.call().await.use_tools(&[("c1", "pin", json!({ "text": "The budget is 900." }))]);
    harness.model.call().await.answer("I will.");
    harness.ended(turn).await;
    let hints = protocol::PlannerHints { focus_areas: vec!["the price".to_owned()], ..Default::default() };
    let send = ChatSend { planner_hints: Some(hints), ..ChatSend::text("What is it?") };
    let prompt = told(&harness, session, send).await.prompt;
    let used = used(&harness, session).await;
    let counted = count_prompt(&prompt);
    let section = |name: &str| used.sections.iter().find(|section| section.name == name).unwrap().tokens;
    assert_eq!(used.tokens, counted.total, "{used:?}");
    assert_eq!(section("tools"), counted.tools, "schemas count");
    assert_eq!(used.sections.iter().map(|section| section.tokens).sum::<u64>(), used.tokens, "{used:?}");
    let names: Vec<&str> = used.sections.iter().map(|section| section.name.as_str()).collect();
    assert_eq!(names, ["system", "tools", "pins", "recent", "task", "hints", "clock"]);
    let (item, expected) = (&used.items[0], "The budget is 900.");
    assert_eq!((item.level.as_str(), item.text.as_str(), item.source), ("pin", expected, Some(turn)));
}

#[tokio::test]
async fn the_ephemeral_leaves_first_and_the_important_stays() {
    let harness = Harness::new();
    harness.model.take_tokens(200_000);
    let session = limited(&harness, 1_000).await;
    for (name, tag) in [("a", "important"), ("b", "plain"), ("c", "ephemeral"), ("d", "plain"), ("e", "plain")] {
        without_tools(&harness, session, &long(name, 90), &[tag]).await;
    }
    let call = without_tools(&harness, session, "now", &[]).await;
    let names = names(&call);
    assert!(names.contains(&"> a".to_owned()) && !names.contains(&"> c".to_owned()), "{names:?}");
    assert_eq!(names.last().unwrap(), "> now");
    assert!(used(&harness, session).await.tokens <= 1_000);
}

#[tokio::test]
async fn a_filter_tells_what_has_one_of_the_tags() {
    let harness = Harness::new();
    let session = harness.start().await;
    told(&harness, session, tagged("lights on", &["context:lights"])).await;
    for message in ["sunny?", "rain?", "wind?"] {
        told(&harness, session, tagged(message, &["context:weather"])).await;
    }
    let filtered = |words: &[&str]| ChatSend { context_tags: tags(words), ..ChatSend::text("and now?") };
    let call = told(&harness, session, filtered(&["context:lights", "unknown"])).await;
    assert_eq!(call.lines(), ["> lights on", "< re lights on", "> and now?"]);
    assert!(call.prompt.system.contains("Dwell"), "the instructions stay");
    assert_eq!(call.prompt.known.iter().map(|known| known.text.as_str()).collect::<Vec<_>>(), ["lights on"]);
    let call = told(&harness, session, filtered(&["unknown"])).await;
    assert_eq!(call.lines(), ["> and now?"]);
    let call = told(&harness, session, filtered(&["input"])).await;
    assert_eq!(call.lines().last().unwrap(), "> and now?");
    assert!(call.lines().iter().all(|line| line.starts_with('>')), "messages alone: {:?}", call.lines());
}

#[tokio::test]
async fn calls_leave_with_their_results() {
    let harness = Harness::new();
    harness.model.take_tokens(200_000);
    let session = harness.start().await;
    let tools = harness.hub.window(&harness.ada, &of(session)).await.unwrap().tokens;
    let session = limited(&harness, tools + 900).await;
    let mut evicted = false;
    for number in 0..14 {
        let turn = harness.say(session, &long("Please use the lamp:", 40)).await;
        harness.model.call().await.use_tools(&[
            ("c1", "lamp", json!({ "note": format!("{number} a") })),
            ("c2", "lamp", json!({ "note": format!("{number} b") })),
        ]);
        let call = harness.model.call().await;
        call.answer(&long("Done", 40));
        harness.ended(turn).await;
        let lines = call.lines();
        let count = |mark: char| lines.iter().filter(|line| line.starts_with(mark)).count();
        assert_eq!(count('!'), count('='), "{lines:?}");
        assert!(lines[0].starts_with('>'), "{lines:?}");
        evicted |= count('!') < 2 * (number + 1);
    }
    assert!(evicted, "the window was never too small");
}

#[tokio::test]
async fn when_something_leaves_the_beginning_stays_for_several_turns() {
    let harness = Harness::new();
    harness.model.take_tokens(200_000);
    let session = limited(&harness, 1_500).await;
    let mut firsts: Vec<String> = Vec::new();
    for number in 0..20 {
        let call = without_tools(&harness, session, &long(&format!("n{number}"), 30), &[]).await;
        firsts.push(names(&call).into_iter().take(2).collect::<Vec<_>>().join(" "));
        assert!(used(&harness, session).await.tokens <= 1_500);
    }
    let turns = firsts.len();
    firsts.dedup();
    assert!(firsts.len() > 1, "something left");
    assert!(firsts.len() * 3 <= turns, "{firsts:?}");
}

#[tokio::test]
async fn a_message_larger_than_the_limit_is_told_all_the_same() {
    let harness = Harness::new();
    let session = limited(&harness, 300).await;
    without_tools(&harness, session, "one", &[]).await;
    let message = long("long", 400);
    let call = without_tools(&harness, session, &message, &[]).await;
    assert_eq!(call.lines(), [format!("> {message}")]);
}

#[tokio::test]
async fn a_message_that_the_model_cannot_read_fails_with_what_to_do() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, &long("endless", 45_000)).await;
    let turn = harness.ended(turn).await;
    assert_eq!(turn.status, TurnStatus::Failed);
    let error = turn.error.unwrap();
    assert_eq!(error.code, "model_context_exceeded");
    assert!(error.message.contains("the model accepts 32000; send a shorter message"), "{}", error.message);
    assert_eq!(harness.model.calls(), 0);
}

#[tokio::test]
async fn the_window_says_how_full_it_is() {
    let harness = Harness::new();
    let session = limited(&harness, 4_000).await;
    let view = || async { harness.hub.window(&harness.ada, &of(session)).await.unwrap() };
    let empty = view().await;
    assert_eq!((empty.messages, empty.tokens_max, empty.evicted), (1, 4_000, 0));
    assert!(empty.tokens > 100, "the tools count");
    for number in 0..5 {
        told(&harness, session, tagged(&long(&format!("n{number}"), 50), &["context:numbers"])).await;
    }
    let full = view().await;
    assert_eq!((full.messages, full.evicted), (1 + 10, 0), "all turns are told");
    assert_eq!((full.tags["context:numbers"], full.tags["input"], full.tags["output"]), (10, 5, 5));
    let percent = full.tokens as f64 / 40.0;
    assert!((full.utilisation - percent).abs() < 0.1, "{full:?}");
    assert!(full.health.is_empty(), "{full:?}");

    harness.hub.reset(&harness.ada, SessionEnd { session: session.into(), ..SessionEnd::default() }).await.unwrap();
    assert_eq!(view().await, empty, "a reset resets all");

    let tight = limited(&harness, 320).await;
    let mut health = Vec::new();
    for number in 0..20 {
        told(&harness, tight, tagged(&format!("n{number}"), &[])).await;
        health = harness.hub.window(&harness.ada, &of(tight)).await.unwrap().health;
        if !health.is_empty() {
            break;
        }
    }
    assert!(health.first().is_some_and(|it| it.contains("nearly full")), "{health:?}");
    let stranger = crate::harness::owner("eve");
    assert!(harness.hub.window(&stranger, &of(tight)).await.is_err());
}

#[tokio::test]
async fn a_turn_that_is_asked_again_keeps_its_tags() {
    let harness = Harness::new();
    let session = harness.start().await;
    let first: TurnId = harness.send(session, tagged("one", &["important"])).await.unwrap();
    harness.model.call().await.answer("re one");
    harness.ended(first).await;
    let again =
        harness.hub.retry_turn(&harness.ada, first, None, protocol::MessageTrust::default()).await.unwrap().turn_id;
    harness.model.call().await.answer("again");
    assert_eq!(harness.ended(again).await.request.tags, tags(&["important"]));
}

/// The main agent's window.
fn of(session: protocol::SessionId) -> protocol::AgentRef {
    protocol::AgentRef { session: session.into(), agent_id: None }
}
