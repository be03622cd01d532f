//! Which messages belong to each kind, and which do not.

use super::super::IntentKind;
use super::{check, first};

#[test]
fn chat() {
    check(
        IntentKind::Chat,
        &[
            "hello",
            "Hi there!",
            "good morning",
            "thanks",
            "thank you so much",
            "go",
            "next",
            "one",
            "x",
            "long",
            "hi",
            "first",
            "second",
            "continue",
            "yes",
            "no",
            "question 7",
            "message 3",
            "tell me a story",
            "write a poem about the sea",
            "Berlin weather",
            "pizza recipe",
            "notebook prices",
            "Miami",
            "book recommendations",
            "open source licences",
            "play ideas for toddlers",
            "What a lovely day!",
            "When I was young we had no phones",
            "3.14",
            "24/7",
            "555-1234",
            "2026-05-03",
            "research is fun",
            "my research paper is due",
            "the summary was bad",
            "time in prison is hard",
            "set theory basics",
            "Stop it",
            "forget it",
            "make it so",
            "have a nice day",
            "I want to buy a house one day",
            "strength",
            "property",
            "btrfs",
            "asdf",
            "There is a problem with my bike",
            "5+ years of experience",
            "15% of people like it",
            "I asked her three times a day",
            "lol",
            "ok",
            "no one is here",
        ],
    );
}

#[test]
fn other_languages_are_chat_or_questions() {
    check(
        IntentKind::Chat,
        &[
            "Mach bitte das Licht im Wohnzimmer an",
            "Ich bin Veganer und wohne in Köln",
            "Im Keller brennt noch Licht",
            "今日はいい天気です",
            "Привет, как дела",
            "مرحبا بك",
            "Allume la lumière du salon",
            "👍",
            "😀😀😀",
            ":)",
            "Tschüss",
            "krk",
            "नमस्ते दुनिया",
            "Zmrzlina",
        ],
    );
    check(
        IntentKind::Question,
        &["Wie spät ist es?", "¿Dónde está la biblioteca?", "今何時ですか？", "今何時ですか。", "كيف حالك؟"],
    );
}

#[test]
fn questions() {
    check(
        IntentKind::Question,
        &[
            "Is the oven on?",
            "is the oven on",
            "why is the sky blue",
            "how do I boil an egg",
            "who wrote Faust",
            "can I turn it off?",
            "What time is the train?",
            "what time does the shop open",
            "Does notebook mean laptop?",
            "I am vegan, can I eat honey?",
            "my name is hard to spell, why?",
            "could you tell me how magnets work",
            "tell me about the moon",
            "What does \"turn it off\" mean?",
            "what did I do wrong?",
            "when did we land on the moon?",
            "what is my IP address",
            "show me how to tie a knot",
            "Which is better, tea or coffee?",
            "explain photosynthesis",
            "How long until the pasta is done?",
            "Am I late?",
        ],
    );
}

#[test]
fn sums_and_time() {
    check(
        IntentKind::Calculation,
        &[
            "2+2",
            "what is 2 + 2?",
            "what's 10-3",
            "(3 * 4) / 5",
            "12 times 7",
            "two plus two",
            "what is 15% of 80?",
            "15 percent of 80",
            "square root of 16",
            "calculate the area of a circle with radius 3",
            "convert 5 miles to km",
            "70 f in celsius",
            "how many feet are in a mile?",
            "Hi, how much is 3 times 4?",
            "100 divided by 7",
        ],
    );
    check(
        IntentKind::Time,
        &[
            "what time is it",
            "What time is it in Tokyo?",
            "what's the time?",
            "what's the date today?",
            "what day is it?",
            "time in Tokyo",
            "current time please",
            "how many days until Christmas?",
            "do you have the time?",
            "can you tell me the time",
            "what year is it",
        ],
    );
}

#[test]
fn commands() {
    check(
        IntentKind::Command,
        &[
            "turn on the kitchen light",
            "Please switch off the TV",
            "can you turn on the light?",
            "could you please lock the door",
            "send Ada a note",
            "book a table for two at seven",
            "set a timer for 10 minutes",
            "remind me to call mum",
            "remember to buy milk",
            "remember the milk",
            "don't send the report",
            "call Ada",
            "Open Spotify",
            "kitchen light off",
            "lights on please",
            "Hi! I just got home. Turn on the lights.",
            "I'd like to order a pizza",
            "play music in the bedroom",
            "add milk to my list",
            "stop the music",
            "I'm vegan. Book a table for two.",
            "from now on lock the door at ten",
        ],
    );
}

#[test]
fn memory_questions() {
    check(
        IntentKind::MemoryQuestion,
        &[
            "what do you know about me?",
            "tell me what you know about me",
            "What's my name?",
            "when is my birthday",
            "when did I last water the plants?",
            "where did I put my keys",
            "do you remember the hotel in Rome?",
            "remember when we met?",
            "what did we talk about yesterday?",
            "where do I live?",
            "am I vegan?",
            "have I told you about my dog?",
            "do you know my birthday?",
            "what did I say about the budget?",
        ],
    );
}

#[test]
fn research_and_summaries() {
    check(
        IntentKind::Research,
        &[
            "research solar panels for a small flat",
            "please do some research on heat pumps",
            "find sources on the fall of Rome",
            "compare solar and wind with sources",
            "latest news on fusion",
            "what's the latest news about the election?",
            "search the web for cheap flights",
            "look up the population of Oslo",
            "can you research e-bikes?",
            "Is coffee healthy? Give reliable sources.",
        ],
    );
    check(
        IntentKind::Summary,
        &[
            "summarise this article: The cat sat on the mat.",
            "Can you summarize our chat?",
            "tl;dr",
            "give me a short summary of the book",
            "recap please",
            "sum this up",
            "what are the key points?",
            "I need a summary of the meeting",
        ],
    );
}

#[test]
fn a_stated_fact_does_not_hide_what_is_asked() {
    let intent = first("I'm vegan. Book a table for two.");
    assert_eq!(
        (intent.kind, intent.key.as_deref(), intent.value.as_deref()),
        (IntentKind::Command, Some("diet"), Some("vegan"))
    );
    let intent = first("I live in Oslo and need a plumber");
    assert_eq!(
        (intent.kind, intent.key.as_deref(), intent.value.as_deref()),
        (IntentKind::Chat, Some("home"), Some("Oslo"))
    );
}
