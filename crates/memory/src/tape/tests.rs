//! Properties of every window, whatever is added to it.

use proptest::{collection::vec, prelude::*};

use super::*;

fn tags(words: &[&str]) -> Tags {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn user(tokens: u64, content: &'static str) -> TapeMessage<&'static str> {
    TapeMessage::new(MessageKind::User, MessageSource::User, tokens, content)
}

fn contents<T: Copy>(window: &ContextWindow<T>) -> Vec<T> {
    window.messages().map(|message| message.content).collect()
}

#[test]
fn the_oldest_leaves_first_and_three_quarters_stay() {
    let mut window = ContextWindow::new(100);
    for content in ["a", "b", "c", "d"] {
        window.add(user(25, content));
    }
    assert_eq!(contents(&window), ["a", "b", "c", "d"], "full is not too full");
    window.add(user(5, "e"));
    assert_eq!(contents(&window), ["c", "d", "e"]);
    assert_eq!(window.tokens(), 55);
    for content in ["f", "g"] {
        window.add(user(20, content));
    }
    assert_eq!(contents(&window), ["c", "d", "e", "f", "g"], "the beginning stays for several messages");
}

#[test]
fn the_ephemeral_leaves_before_the_older_and_the_important_after_the_newer() {
    let mut window = ContextWindow::new(100);
    window.add(user(20, "important").tagged(tags(&["important"])));
    window.add(user(20, "plain"));
    window.add(user(20, "ephemeral").tagged(tags(&["ephemeral"])));
    window.add(user(20, "newer"));
    window.add(user(30, "newest"));
    assert_eq!(contents(&window), ["important", "newer", "newest"]);
    window.add(user(70, "long"));
    assert_eq!(contents(&window), ["important", "long"], "the important leaves only where it must");
    window.add(user(90, "as important").tagged(tags(&["important", "ephemeral"])));
    assert_eq!(contents(&window), ["as important"]);
    assert_eq!(window.evicted(), EvictionCounts { messages: 6, tokens: 180, important: 1 });
}

#[test]
fn a_message_that_cannot_stay_drives_no_other_out() {
    let mut window = ContextWindow::new(100);
    window.add(TapeMessage::new(MessageKind::System, MessageSource::System, 30, "system"));
    window.add(user(40, "a"));
    window.add(user(71, "endless"));
    assert_eq!(contents(&window), ["system", "a"]);
    assert_eq!(window.evicted().messages, 1);
}

#[test]
fn what_never_leaves_does_not_count_for_what_does() {
    let mut window = ContextWindow::new(100);
    window.add(TapeMessage::new(MessageKind::System, MessageSource::System, 80, "system"));
    for content in ["a", "b", "c", "d"] {
        window.add(user(5, content));
    }
    window.add(user(5, "e"));
    assert_eq!(contents(&window), ["system", "c", "d", "e"], "three quarters of the 20 that are left stay");
}

#[test]
fn a_question_leaves_with_its_answer_and_the_last_exchange_stays() {
    let answer = |tokens, content| TapeMessage::new(MessageKind::Assistant, MessageSource::Assistant, tokens, content);
    let mut window = ContextWindow::with_reserve(120, 20);
    window.add_exchange(vec![user(10, "one?"), answer(30, "one")]);
    window.add_exchange(vec![user(10, "two?").tagged(tags(&["important"])), answer(20, "two")]);
    window.add_exchange(vec![user(20, "three?"), answer(50, "three")]);
    assert_eq!(contents(&window), ["two?", "two", "three?", "three"]);
    window.add(TapeMessage::new(MessageKind::Pin, MessageSource::User, 20, "pin"));
    assert_eq!(contents(&window), ["three?", "three", "pin"], "even the important leaves before what was said last");
    window.add_exchange(vec![user(10, "four?"), answer(80, "endless")]);
    assert_eq!(contents(&window), ["three?", "three", "pin"], "what cannot stay evicts nothing, and stays whole");
}

#[test]
fn a_filter_keeps_instructions_pins_and_the_current_message() {
    let mut window = ContextWindow::new(100);
    window.add(TapeMessage::new(MessageKind::System, MessageSource::System, 1, "system"));
    window.add(TapeMessage::new(MessageKind::Pin, MessageSource::User, 1, "pin"));
    window.add(user(1, "lights").tagged(tags(&["context:lights"])));
    window.add(user(1, "weather").tagged(tags(&["context:weather", "important"])));
    window.add(user(1, "now").current());
    let told = |words: &[&str]| -> Vec<&str> {
        let filter = TagFilter::any_of(tags(words));
        window.told(&filter).map(|message| message.content).collect()
    };
    assert_eq!(told(&["context:lights"]), ["system", "pin", "lights", "now"]);
    assert_eq!(told(&["important", "context:lights"]), ["system", "pin", "lights", "weather", "now"]);
    assert_eq!(told(&["nothing"]), ["system", "pin", "now"]);
    assert_eq!(told(&[]).len(), 5);
}

#[test]
fn a_turn_that_is_over_leaves_in_its_own_place() {
    let mut window = ContextWindow::new(100);
    window.add(user(10, "older"));
    window.add(user(40, "current").current());
    window.add(
        TapeMessage::new(MessageKind::Calls, MessageSource::Tools(vec!["lamp".to_owned()]), 40, "calls").current(),
    );
    window.add(user(30, "aside"));
    assert_eq!(contents(&window), ["older", "current", "calls"]);
    window.add(user(15, "aside"));
    assert_eq!(contents(&window), ["current", "calls", "aside"], "what is current stays, whatever its age");
    window.end_turn();
    window.add(user(30, "next").current());
    assert_eq!(contents(&window), ["aside", "next"]);
}

#[test]
fn statistics_say_what_is_in_it() {
    let mut window = ContextWindow::new(200);
    window.add(user(30, "a").tagged(tags(&["input", "context:lights"])));
    window.add(
        TapeMessage::new(MessageKind::Assistant, MessageSource::Assistant, 20, "b").tagged(tags(&["context:lights"])),
    );
    let stats = window.stats();
    assert_eq!((stats.messages, stats.tokens, stats.tokens_max), (2, 50, 200));
    assert!((stats.utilisation - 25.0).abs() < f64::EPSILON);
    let counted: Vec<(&str, u64)> = stats.tags.iter().map(|(tag, count)| (tag.as_str(), *count)).collect();
    assert_eq!(counted, [("context:lights", 2), ("input", 1)]);
    assert_eq!(window.health(), []);
    window.reset();
    assert_eq!((window.stats().messages, window.tokens(), window.evicted()), (0, 0, EvictionCounts::default()));
}

#[test]
fn warnings_come_before_it_goes_wrong() {
    let mut full = ContextWindow::new(100);
    full.add(user(96, "a"));
    assert_eq!(full.health(), [WindowWarning::NearlyFull { percent: 96 }]);

    let mut held = ContextWindow::new(100);
    held.add(TapeMessage::new(MessageKind::Pin, MessageSource::User, 30, "pin"));
    held.add(user(21, "a").tagged(tags(&["important"])));
    assert_eq!(held.health(), [WindowWarning::HeldFillsHalf { percent: 51 }]);

    let mut large = ContextWindow::new(100);
    large.add(user(101, "a").current());
    assert_eq!(large.health(), [WindowWarning::CurrentDoesNotFit { tokens: 101, tokens_max: 100 }]);
    assert!(large.health()[0].to_string().contains("the current message alone takes 101 tokens"));

    let mut cramped = ContextWindow::new(100);
    cramped.add(TapeMessage::new(MessageKind::System, MessageSource::System, 60, "system"));
    cramped.add(user(50, "a").current());
    assert_eq!(cramped.health(), [WindowWarning::DoesNotFit { tokens: 110, tokens_max: 100 }]);

    let mut lost = ContextWindow::new(100);
    lost.add(user(60, "a").tagged(tags(&["important"])));
    lost.add(user(60, "b").tagged(tags(&["important"])));
    assert!(lost.health().contains(&WindowWarning::LostImportant { messages: 1 }));
}

#[test]
fn where_what_must_be_told_does_not_fit_nothing_else_is_told_not_even_empty_words() {
    let mut window = ContextWindow::new(1);
    window.add(user(0, "a"));
    window.add(user(0, "b"));
    window.add(user(45, "c").current());
    assert_eq!(window.messages().map(|message| message.content).collect::<Vec<_>>(), ["c"]);
}

/// A step of a test: a message, or the end of the turn before it.
#[derive(Debug, Clone)]
enum Act {
    Add(TapeMessage<usize>),
    EndTurn,
}

fn message() -> impl Strategy<Value = TapeMessage<usize>> {
    let kind = prop_oneof![
        1 => Just(MessageKind::System),
        1 => Just(MessageKind::Pin),
        4 => Just(MessageKind::User),
        4 => Just(MessageKind::Assistant),
        3 => Just(MessageKind::Calls),
    ];
    let tags = vec(prop_oneof![Just("important"), Just("ephemeral"), Just("context:a"), Just("context:b")], 0..3);
    // A system message or a pin is small, as in practice: else the window would contain nothing
    // else.
    (kind, tags, 0u64..60, prop::bool::weighted(0.1)).prop_map(|(kind, words, tokens, is_current)| {
        let tokens = if matches!(kind, MessageKind::System | MessageKind::Pin) { tokens / 20 } else { tokens };
        TapeMessage { kind, source: MessageSource::User, tags: self::tags(&words), tokens, is_current, content: 0 }
    })
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    vec(prop_oneof![12 => message().prop_map(Act::Add), 1 => Just(Act::EndTurn)], 0..60)
}

proptest! {
    #[test]
    fn whatever_is_added(acts in acts(), tokens_max in 1u64..400) {
        let mut window = ContextWindow::new(tokens_max);
        let mut added: Vec<TapeMessage<usize>> = Vec::new();
        for act in acts {
            match act {
                Act::Add(mut message) => {
                    message.content = added.len();
                    added.push(message.clone());
                    window.add(message);
                }
                Act::EndTurn => {
                    added.iter_mut().for_each(|message| message.is_current = false);
                    window.end_turn();
                }
            }
            let told = contents(&window);
            // In the order in which they were added, each once and unchanged.
            prop_assert!(told.is_sorted_by(|one, two| one < two));
            prop_assert!(window.messages().all(|message| added[message.content] == *message));
            // The tokens are those of the messages, and fit unless the kept messages alone do not.
            let sum: u64 = window.messages().map(|message| message.tokens).sum();
            prop_assert_eq!(sum, window.tokens());
            let kept = |message: &&TapeMessage<usize>| message.is_kept();
            prop_assert!(sum <= tokens_max || window.messages().all(|message| message.is_kept()));
            // Kept messages are in the window.
            prop_assert!(added.iter().filter(kept).all(|message| told.contains(&message.content)));
            // Nothing is lost without being counted.
            let (all, evicted) = (added.len() as u64, window.evicted());
            prop_assert_eq!(window.stats().messages + evicted.messages, all);
            let all_tokens: u64 = added.iter().map(|message| message.tokens).sum();
            prop_assert_eq!(window.tokens() + evicted.tokens, all_tokens);
        }
        // A filter removes what it should and nothing else.
        let filter = TagFilter::any_of(tags(&["context:a"]));
        for message in window.messages() {
            let is_meant = message.is_kept() || message.tags.iter().any(|tag| tag.as_str() == "context:a");
            prop_assert_eq!(window.told(&filter).any(|told| told == message), is_meant);
        }
    }

    #[test]
    fn what_leaves_leaves_in_order(messages in vec(message(), 1..60), tokens_max in 60u64..300) {
        let mut window = ContextWindow::new(tokens_max);
        for (content, message) in messages.into_iter().enumerate() {
            let before: Vec<TapeMessage<usize>> = window.messages().cloned().collect();
            let (evicted, number) = (window.evicted().messages, content);
            window.add(TapeMessage { content, ..message });
            let told = contents(&window);
            // A message that could never fit is refused at once; this is about the others.
            if window.evicted().messages == evicted + 1 && !told.contains(&number) && before.len() == told.len() {
                continue;
            }
            let gone = |message: &TapeMessage<usize>| !told.contains(&message.content);
            // The newest message is evicted last.
            let newest = before.iter().filter(|message| !message.is_kept()).map(|message| message.content).max();
            for left in before.iter().filter(|message| gone(message)) {
                let earlier_to_go = before.iter().filter(|other| {
                    let is_older = other.content < left.content;
                    let is_last = Some(other.content) == newest;
                    !is_last && (other.hold() < left.hold() || (other.hold() == left.hold() && is_older))
                });
                for other in earlier_to_go {
                    prop_assert!(gone(other), "{other:?} should have gone before {left:?}");
                }
            }
        }
    }

    #[test]
    fn adding_costs_the_same_however_long_the_tape(messages in vec(message(), 1..40), rounds in 1usize..40) {
        let mut window = ContextWindow::new(200);
        let mut added = 0u64;
        for _ in 0..rounds {
            for message in &messages {
                let is_kept = matches!(message.kind, MessageKind::System | MessageKind::Pin);
                if !is_kept {
                    window.add(message.clone());
                    added += 1;
                }
            }
            window.end_turn();
        }
        // Inserted once, moved at most once when its turn is over, removed once.
        prop_assert!(window.moves <= 3 * added, "{} moves for {added} messages", window.moves);
    }
}
