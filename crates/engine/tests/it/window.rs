//! The context window: what a model is told of the conversation, in which order, and what leaves it first.

use model::count_prompt;
use protocol::{Body, Budgets, ChatSend, End, MemoryUsed, SessionId, Start, Tags, TurnId, TurnStatus};
use serde_json::json;

use crate::{driven_model::Call, house::House};

fn tags(words: &[&str]) -> Tags {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn tagged(message: &str, words: &[&str]) -> ChatSend {
    ChatSend { tags: tags(words), ..ChatSend::text(message) }
}

/// Has something answered, and gives what the model was told.
async fn told(house: &House, session: SessionId, send: ChatSend) -> Call {
    let answer = format!("re {}", send.message);
    let turn = house.send(session, send).await.unwrap();
    let call = house.model.call().await;
    call.answer(&answer);
    house.ended(turn).await;
    call
}

/// What the journal says the last turn was told.
async fn used(house: &House, session: SessionId) -> MemoryUsed {
    let used = house.journal(session).await.into_iter().rev().find_map(|event| match event.body {
        Body::MemoryUsed(used) => Some(used),
        _ => None,
    });
    used.unwrap()
}

async fn limited(house: &House, context_tokens: u64) -> SessionId {
    let budgets = Budgets { context_tokens: Some(context_tokens), ..Budgets::default() };
    house.start_with(Start { budgets: Some(budgets), ..Start::default() }).await
}

/// A message of about so many tokens that is told from others by its first word.
fn long(name: &str, tokens: usize) -> String {
    format!("{name}{}", " word".repeat(tokens))
}

/// The first words of all that is told.
fn names(call: &Call) -> Vec<String> {
    call.lines().iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
}

async fn without_tools(house: &House, session: SessionId, message: &str, words: &[&str]) -> Call {
    told(house, session, ChatSend { allow_tools: false, ..tagged(message, words) }).await
}

#[tokio::test]
async fn the_clock_comes_last_and_nowhere_else() {
    let house = House::new();
    let session = house.start().await;
    house.exchange(session, "one", "re one").await;
    let call = told(&house, session, ChatSend::text("two")).await;
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
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Please use the lamp.").await;
    let first = house.model.call().await;
    first.use_tools(&[("c1", "lamp", json!({ "note": "a" }))]);
    let second = house.model.call().await;
    second.use_tools(&[("c2", "lamp", json!({ "note": "b" }))]);
    let third = house.model.call().await;
    third.answer("Done.");
    house.ended(turn).await;
    for (before, after) in [(&first, &second), (&second, &third)] {
        assert_eq!(before.prompt.system, after.prompt.system);
        assert_eq!(before.prompt.messages[..], after.prompt.messages[..before.prompt.messages.len()], "also the notes");
    }
    assert_eq!(third.notes().len(), 1);
}

#[tokio::test]
async fn a_turn_is_told_all_that_the_one_before_was_and_then_more() {
    let house = House::new();
    house.model.take_tokens(200_000);
    let session = house.start().await;
    let mut before: Option<Call> = None;
    for number in 0..12 {
        let turn = house.say(session, &format!("Please use the lamp {number} times.")).await;
        let first = house.model.call().await;
        first.use_tools(&[("c1", "lamp", json!({ "note": number.to_string() }))]);
        let last = house.model.call().await;
        last.answer(&format!("Done {number}."));
        house.ended(turn).await;
        if let Some(before) = before {
            // Calls of older turns are let go several at once, and not in every turn.
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
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Please remember it.").await;
    house.model.call().await.use_tools(&[("c1", "pin", json!({ "text": "The budget is 900." }))]);
    house.model.call().await.answer("I will.");
    house.ended(turn).await;
    let hints = protocol::PlannerHints { focus_areas: vec!["the price".to_owned()], ..Default::default() };
    let send = ChatSend { planner_hints: Some(hints), ..ChatSend::text("What is it?") };
    let prompt = told(&house, session, send).await.prompt;
    let used = used(&house, session).await;
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
    let house = House::new();
    house.model.take_tokens(200_000);
    let session = limited(&house, 1_000).await;
    for (name, tag) in [("a", "important"), ("b", "plain"), ("c", "ephemeral"), ("d", "plain"), ("e", "plain")] {
        without_tools(&house, session, &long(name, 90), &[tag]).await;
    }
    let call = without_tools(&house, session, "now", &[]).await;
    let names = names(&call);
    assert!(names.contains(&"> a".to_owned()) && !names.contains(&"> c".to_owned()), "{names:?}");
    assert_eq!(names.last().unwrap(), "> now");
    assert!(used(&house, session).await.tokens <= 1_000);
}

#[tokio::test]
async fn a_filter_tells_what_has_one_of_the_tags() {
    let house = House::new();
    let session = house.start().await;
    told(&house, session, tagged("lights on", &["context:lights"])).await;
    for message in ["sunny?", "rain?", "wind?"] {
        told(&house, session, tagged(message, &["context:weather"])).await;
    }
    let filtered = |words: &[&str]| ChatSend { context_tags: tags(words), ..ChatSend::text("and now?") };
    let call = told(&house, session, filtered(&["context:lights", "unknown"])).await;
    assert_eq!(call.lines(), ["> lights on", "< re lights on", "> and now?"]);
    assert!(call.prompt.system.contains("Dwell"), "the instructions stay");
    assert_eq!(call.prompt.known.iter().map(|known| known.text.as_str()).collect::<Vec<_>>(), ["lights on"]);
    let call = told(&house, session, filtered(&["unknown"])).await;
    assert_eq!(call.lines(), ["> and now?"]);
    let call = told(&house, session, filtered(&["input"])).await;
    assert_eq!(call.lines().last().unwrap(), "> and now?");
    assert!(call.lines().iter().all(|line| line.starts_with('>')), "messages alone: {:?}", call.lines());
}

#[tokio::test]
async fn calls_leave_with_their_results() {
    let house = House::new();
    house.model.take_tokens(200_000);
    let session = house.start().await;
    let tools = house.hub.window(&house.ada, &of(session)).await.unwrap().tokens;
    let session = limited(&house, tools + 900).await;
    let mut evicted = false;
    for number in 0..14 {
        let turn = house.say(session, &long("Please use the lamp:", 40)).await;
        house.model.call().await.use_tools(&[
            ("c1", "lamp", json!({ "note": format!("{number} a") })),
            ("c2", "lamp", json!({ "note": format!("{number} b") })),
        ]);
        let call = house.model.call().await;
        call.answer(&long("Done", 40));
        house.ended(turn).await;
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
    let house = House::new();
    house.model.take_tokens(200_000);
    let session = limited(&house, 1_500).await;
    let mut firsts: Vec<String> = Vec::new();
    for number in 0..20 {
        let call = without_tools(&house, session, &long(&format!("n{number}"), 30), &[]).await;
        firsts.push(names(&call).into_iter().take(2).collect::<Vec<_>>().join(" "));
        assert!(used(&house, session).await.tokens <= 1_500);
    }
    let turns = firsts.len();
    firsts.dedup();
    assert!(firsts.len() > 1, "something left");
    assert!(firsts.len() * 3 <= turns, "{firsts:?}");
}

#[tokio::test]
async fn a_message_larger_than_the_limit_is_told_all_the_same() {
    let house = House::new();
    let session = limited(&house, 300).await;
    without_tools(&house, session, "one", &[]).await;
    let message = long("long", 400);
    let call = without_tools(&house, session, &message, &[]).await;
    assert_eq!(call.lines(), [format!("> {message}")]);
}

#[tokio::test]
async fn a_message_that_the_model_cannot_read_fails_with_what_to_do() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, &long("endless", 45_000)).await;
    let turn = house.ended(turn).await;
    assert_eq!(turn.status, TurnStatus::Failed);
    let error = turn.error.unwrap();
    assert_eq!(error.code, "model_context_exceeded");
    assert!(error.message.contains("the model takes 32000; send a shorter message"), "{}", error.message);
    assert_eq!(house.model.calls(), 0);
}

#[tokio::test]
async fn the_window_says_how_full_it_is() {
    let house = House::new();
    let session = limited(&house, 4_000).await;
    let view = || async { house.hub.window(&house.ada, &of(session)).await.unwrap() };
    let empty = view().await;
    assert_eq!((empty.messages, empty.tokens_max, empty.evicted), (1, 4_000, 0));
    assert!(empty.tokens > 100, "the tools count");
    for number in 0..5 {
        told(&house, session, tagged(&long(&format!("n{number}"), 50), &["context:numbers"])).await;
    }
    let full = view().await;
    assert_eq!((full.messages, full.evicted), (1 + 10, 0), "all turns are told");
    assert_eq!((full.tags["context:numbers"], full.tags["input"], full.tags["output"]), (10, 5, 5));
    let percent = full.tokens as f64 / 40.0;
    assert!((full.utilisation - percent).abs() < 0.1, "{full:?}");
    assert!(full.health.is_empty(), "{full:?}");

    house.hub.reset(&house.ada, End { session: session.into(), ..End::default() }).await.unwrap();
    assert_eq!(view().await, empty, "a reset resets all");

    let tight = limited(&house, 256).await;
    let health = house.hub.window(&house.ada, &of(tight)).await.unwrap().health;
    assert!(health[0].contains("nearly full"), "the tools make room, but not for a conversation: {health:?}");
    let stranger = crate::house::owner("eve");
    assert!(house.hub.window(&stranger, &of(tight)).await.is_err());
}

#[tokio::test]
async fn a_turn_that_is_asked_again_keeps_its_tags() {
    let house = House::new();
    let session = house.start().await;
    let first: TurnId = house.send(session, tagged("one", &["important"])).await.unwrap();
    house.model.call().await.answer("re one");
    house.ended(first).await;
    let again = house.hub.retry_turn(&house.ada, first, None, protocol::WayIn::default()).await.unwrap().turn_id;
    house.model.call().await.answer("again");
    assert_eq!(house.ended(again).await.request.tags, tags(&["important"]));
}

/// The main agent's window.
fn of(session: protocol::SessionId) -> protocol::AgentRef {
    protocol::AgentRef { session: session.into(), agent_id: None }
}
