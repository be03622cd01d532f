//! What holds for every window, whatever is added to it.

use proptest::{collection::vec, prelude::*};

use super::*;

fn tags(words: &[&str]) -> Tags {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn user(tokens: u64, content: &'static str) -> Message<&'static str> {
    Message::new(Kind::User, Source::User, tokens, content)
}

fn contents<T: Copy>(window: &Window<T>) -> Vec<T> {
    window.messages().map(|message| message.content).collect()
}

#[test]
fn the_oldest_leaves_first_and_three_quarters_stay() {
    let mut window = Window::new(100);
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
    let mut window = Window::new(100);
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
    assert_eq!(window.evicted(), Evicted { messages: 6, tokens: 180, important: 1 });
}

#[test]
fn a_message_that_cannot_stay_drives_nobody_out() {
    let mut window = Window::new(100);
    window.add(Message::new(Kind::System, Source::System, 30, "system"));
    window.add(user(40, "a"));
    window.add(user(71, "endless"));
    assert_eq!(contents(&window), ["system", "a"]);
    assert_eq!(window.evicted().messages, 1);
}

#[test]
fn what_never_leaves_does_not_count_for_what_does() {
    let mut window = Window::new(100);
    window.add(Message::new(Kind::System, Source::System, 80, "system"));
    for content in ["a", "b", "c", "d"] {
        window.add(user(5, content));
    }
    window.add(user(5, "e"));
    assert_eq!(contents(&window), ["system", "c", "d", "e"], "three quarters of the 20 that are left stay");
}

#[test]
fn a_question_leaves_with_its_answer_and_the_last_exchange_stays() {
    let answer = |tokens, content| Message::new(Kind::Assistant, Source::Assistant, tokens, content);
    let mut window = Window::with_reserve(120, 20);
    window.add_exchange(vec![user(10, "one?"), answer(30, "one")]);
    window.add_exchange(vec![user(10, "two?").tagged(tags(&["important"])), answer(20, "two")]);
    window.add_exchange(vec![user(20, "three?"), answer(50, "three")]);
    assert_eq!(contents(&window), ["two?", "two", "three?", "three"]);
    window.add(Message::new(Kind::Pin, Source::User, 20, "pin"));
    assert_eq!(contents(&window), ["three?", "three", "pin"], "even the important leaves before what was said last");
    window.add_exchange(vec![user(10, "four?"), answer(80, "endless")]);
    assert_eq!(contents(&window), ["three?", "three", "pin"], "what cannot stay drives nobody out, and stays whole");
}

#[test]
fn a_filter_keeps_instructions_pins_and_the_current_message() {
    let mut window = Window::new(100);
    window.add(Message::new(Kind::System, Source::System, 1, "system"));
    window.add(Message::new(Kind::Pin, Source::User, 1, "pin"));
    window.add(user(1, "lights").tagged(tags(&["context:lights"])));
    window.add(user(1, "weather").tagged(tags(&["context:weather", "important"])));
    window.add(user(1, "now").current());
    let told = |words: &[&str]| -> Vec<&str> {
        let filter = Filter::any_of(tags(words));
        window.told(&filter).map(|message| message.content).collect()
    };
    assert_eq!(told(&["context:lights"]), ["system", "pin", "lights", "now"]);
    assert_eq!(told(&["important", "context:lights"]), ["system", "pin", "lights", "weather", "now"]);
    assert_eq!(told(&["nothing"]), ["system", "pin", "now"]);
    assert_eq!(told(&[]).len(), 5);
}

#[test]
fn a_turn_that_is_over_leaves_in_its_own_place() {
    let mut window = Window::new(100);
    window.add(user(10, "older"));
    window.add(user(40, "current").current());
    window.add(Message::new(Kind::Calls, Source::Tools(vec!["lamp".to_owned()]), 40, "calls").current());
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
    let mut window = Window::new(200);
    window.add(user(30, "a").tagged(tags(&["input", "context:lights"])));
    window.add(Message::new(Kind::Assistant, Source::Assistant, 20, "b").tagged(tags(&["context:lights"])));
    let stats = window.stats();
    assert_eq!((stats.messages, stats.tokens, stats.tokens_max), (2, 50, 200));
    assert!((stats.utilisation - 25.0).abs() < f64::EPSILON);
    let counted: Vec<(&str, u64)> = stats.tags.iter().map(|(tag, count)| (tag.as_str(), *count)).collect();
    assert_eq!(counted, [("context:lights", 2), ("input", 1)]);
    assert_eq!(window.health(), []);
    window.reset();
    assert_eq!((window.stats().messages, window.tokens(), window.evicted()), (0, 0, Evicted::default()));
}

#[test]
fn warnings_come_before_it_goes_wrong() {
    let mut full = Window::new(100);
    full.add(user(96, "a"));
    assert_eq!(full.health(), [Warning::NearlyFull { percent: 96 }]);

    let mut held = Window::new(100);
    held.add(Message::new(Kind::Pin, Source::User, 30, "pin"));
    held.add(user(21, "a").tagged(tags(&["important"])));
    assert_eq!(held.health(), [Warning::HeldFillsHalf { percent: 51 }]);

    let mut large = Window::new(100);
    large.add(user(101, "a").current());
    assert_eq!(large.health(), [Warning::CurrentDoesNotFit { tokens: 101, tokens_max: 100 }]);
    assert!(large.health()[0].to_string().contains("the current message alone takes 101 tokens"));

    let mut cramped = Window::new(100);
    cramped.add(Message::new(Kind::System, Source::System, 60, "system"));
    cramped.add(user(50, "a").current());
    assert_eq!(cramped.health(), [Warning::DoesNotFit { tokens: 110, tokens_max: 100 }]);

    let mut lost = Window::new(100);
    lost.add(user(60, "a").tagged(tags(&["important"])));
    lost.add(user(60, "b").tagged(tags(&["important"])));
    assert!(lost.health().contains(&Warning::LostImportant { messages: 1 }));
}

#[test]
fn where_what_must_be_told_does_not_fit_nothing_else_is_told_not_even_empty_words() {
    let mut window = Window::new(1);
    window.add(user(0, "a"));
    window.add(user(0, "b"));
    window.add(user(45, "c").current());
    assert_eq!(window.messages().map(|message| message.content).collect::<Vec<_>>(), ["c"]);
}

/// What a test adds: a message, or the end of the turn before it.
#[derive(Debug, Clone)]
enum Act {
    Add(Message<usize>),
    EndTurn,
}

fn message() -> impl Strategy<Value = Message<usize>> {
    let kind = prop_oneof![
        1 => Just(Kind::System),
        1 => Just(Kind::Pin),
        4 => Just(Kind::User),
        4 => Just(Kind::Assistant),
        3 => Just(Kind::Calls),
    ];
    let tags = vec(prop_oneof![Just("important"), Just("ephemeral"), Just("context:a"), Just("context:b")], 0..3);
    // A system message or a pin is small, as in life: else nothing but those would ever be in the window.
    (kind, tags, 0u64..60, prop::bool::weighted(0.1)).prop_map(|(kind, words, tokens, is_current)| {
        let tokens = if matches!(kind, Kind::System | Kind::Pin) { tokens / 20 } else { tokens };
        Message { kind, source: Source::User, tags: self::tags(&words), tokens, is_current, content: 0 }
    })
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    vec(prop_oneof![12 => message().prop_map(Act::Add), 1 => Just(Act::EndTurn)], 0..60)
}

proptest! {
    #[test]
    fn whatever_is_added(acts in acts(), tokens_max in 1u64..400) {
        let mut window = Window::new(tokens_max);
        let mut added: Vec<Message<usize>> = Vec::new();
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
            // In the order in which it was added, each once, and as it was added.
            prop_assert!(told.is_sorted_by(|one, two| one < two));
            prop_assert!(window.messages().all(|message| added[message.content] == *message));
            // The tokens are those of the messages, and fit unless what must be told does not.
            let sum: u64 = window.messages().map(|message| message.tokens).sum();
            prop_assert_eq!(sum, window.tokens());
            let kept = |message: &&Message<usize>| message.is_kept();
            prop_assert!(sum <= tokens_max || window.messages().all(|message| message.is_kept()));
            // What must be told is told.
            prop_assert!(added.iter().filter(kept).all(|message| told.contains(&message.content)));
            // Nothing is lost without being counted.
            let (all, evicted) = (added.len() as u64, window.evicted());
            prop_assert_eq!(window.stats().messages + evicted.messages, all);
            let all_tokens: u64 = added.iter().map(|message| message.tokens).sum();
            prop_assert_eq!(window.tokens() + evicted.tokens, all_tokens);
        }
        // A filter takes away what it should and nothing else.
        let filter = Filter::any_of(tags(&["context:a"]));
        for message in window.messages() {
            let is_meant = message.is_kept() || message.tags.iter().any(|tag| tag.as_str() == "context:a");
            prop_assert_eq!(window.told(&filter).any(|told| told == message), is_meant);
        }
    }

    #[test]
    fn what_leaves_leaves_in_order(messages in vec(message(), 1..60), tokens_max in 60u64..300) {
        let mut window = Window::new(tokens_max);
        for (content, message) in messages.into_iter().enumerate() {
            let before: Vec<Message<usize>> = window.messages().cloned().collect();
            let (evicted, number) = (window.evicted().messages, content);
            window.add(Message { content, ..message });
            let told = contents(&window);
            // One that could never stay is turned away at the door; this is about the others.
            if window.evicted().messages == evicted + 1 && !told.contains(&number) && before.len() == told.len() {
                continue;
            }
            let gone = |message: &Message<usize>| !told.contains(&message.content);
            // What was said last leaves last.
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
        let mut window = Window::new(200);
        let mut added = 0u64;
        for _ in 0..rounds {
            for message in &messages {
                let is_kept = matches!(message.kind, Kind::System | Kind::Pin);
                if !is_kept {
                    window.add(message.clone());
                    added += 1;
                }
            }
            window.end_turn();
        }
        // Put in once, moved at most once when its turn is over, taken out once.
        prop_assert!(window.moves <= 3 * added, "{} moves for {added} messages", window.moves);
    }
}
