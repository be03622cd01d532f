//! The offline model answers from memory and the conversation, and never from anything else.

use model::{KnownDoubt, KnownItem, Prompt, Stop};

use crate::offline::{asked, hear, known, said, user};

fn knowing(question: &str) -> Prompt {
    let known = vec![
        known("profile", "diet: vegetarian", "2026-01-10T08:00:00Z"),
        known("profile", "diet: vegan", "2026-03-03T08:00:00Z"),
        known("fact", "The user's sister is called Anna", "2026-02-01T08:00:00Z"),
        known("entry", "My sister Anna moved to Lisbon in May", "2026-05-20T08:00:00Z"),
        known("entry", "My favourite colour is blue", "2026-01-05T08:00:00Z"),
        known("entry", "My favourite colour is red now", "2026-06-05T08:00:00Z"),
        known("entry", "The dentist said I'm fine, next visit is on 12 January", "2026-07-01T08:00:00Z"),
        known("pin", "the meeting is at 5", "2026-03-03T10:00:00Z"),
        known("pin", "the meeting is about the budget", "2026-03-04T10:00:00Z"),
        known("entry", "I live in Miami", "2026-03-05T10:00:00Z"),
    ];
    Prompt { known, ..asked(question) }
}

#[tokio::test]
async fn the_best_is_quoted_with_its_date() {
    let table = [
        ("when is the meeting?", "On 3 March 2026 you asked me to remember: \"the meeting is at 5\""),
        ("What time is the meeting?", "On 3 March 2026 you asked me to remember: \"the meeting is at 5\""),
        ("What's my diet?", "From your profile (since 3 March 2026): \"diet: vegan\""),
        ("what is my sister called", "Known since 1 February 2026: \"The user's sister is called Anna\""),
        ("Where did Anna move?", "On 20 May 2026 you said: \"My sister Anna moved to Lisbon in May\""),
        ("is my favourite colour blue?", "On 5 June 2026 you said: \"My favourite colour is red now\""),
        ("What’s my sister’s favorite... no, my favorite color?", "On 5 June 2026 you said"),
        ("do you know when I visit the dentist?", "On 1 July 2026 you said: \"The dentist said"),
        ("Where do I live?", "On 5 March 2026 you said: \"I live in Miami\""),
        ("tell me about my sister", "Anna"),
    ];
    for (question, expected) in table {
        let heard = hear(&knowing(question)).await;
        assert!(heard.calls.is_empty(), "{question}");
        assert!(heard.text.starts_with(expected) || heard.text.contains(expected), "{question}: {}", heard.text);
        let first = heard.text.lines().find(|line| line.contains('"')).unwrap_or_default();
        assert!(first.contains(expected), "{question}: first is {first}");
    }
}

#[tokio::test]
async fn what_is_not_known_is_not_made_up() {
    let questions = [
        "What is the capital of France?",
        "who wrote Moby-Dick?",
        "how do I bake bread?",
        "what is it?",
        "why?",
        "do you know Bob?",
    ];
    for question in questions {
        let text = hear(&knowing(question)).await.text;
        assert!(text.starts_with("I find nothing about this"), "{question}: {text}");
        assert!(text.contains("needs a language model"), "{question}: {text}");
    }
}

#[tokio::test]
async fn a_poor_match_is_called_one() {
    let text = hear(&knowing("Where does my sister work?")).await.text;
    assert!(text.starts_with("I am not sure"), "{text}");
}

#[tokio::test]
async fn what_was_said_earlier_counts_but_not_what_was_asked() {
    let mut prompt = asked("What's my dog's name?");
    let earlier = [user("My dog is named Rex."), said("Your dog is named Max."), user("What is my dog's name?")];
    prompt.messages.splice(0..0, earlier);
    assert_eq!(hear(&prompt).await.text, "Earlier in this conversation you said: \"My dog is named Rex.\"");
    prompt.messages.insert(3, user("My dog is named Bello now."));
    let text = hear(&prompt).await.text;
    assert!(text.starts_with("Earlier in this conversation you said: \"My dog is named Bello now.\""), "{text}");
}

#[tokio::test]
async fn what_is_known_about_the_user_is_listed() {
    let text = hear(&knowing("what do you know about me?")).await.text;
    assert!(text.contains("diet: vegan") && text.contains("Anna"), "{text}");
    assert!(text.find("diet: vegan") < text.find("diet: vegetarian"), "{text}");
    assert_eq!(hear(&asked("who am I?")).await.text, "I know nothing about you yet.");
}

#[tokio::test]
async fn questions_in_other_languages_are_matched_by_their_words() {
    let mut prompt = asked("what about 東京?");
    prompt.known.push(known("entry", "来月は東京に行きます", "2026-03-03T10:00:00Z"));
    let text = hear(&prompt).await.text;
    assert!(text.contains("来月は東京に行きます"), "{text}");
}

#[tokio::test]
async fn a_summary_is_an_extract_in_order() {
    let text = "summarise this text: Bees make honey. Bees live in hives. The weather was nice. Honey is sweet and \
                bees guard it. A hive has one queen. Cars are loud. The queen of the hive lays eggs. Lunch was late.";
    let heard = hear(&asked(text)).await;
    let lines: Vec<&str> = heard.text.lines().collect();
    assert!(lines[0].contains("extract of the text") && lines[0].contains("5 of its 8 sentences"), "{}", heard.text);
    assert_eq!(lines[1], "- Bees make honey.");
    assert_eq!(lines.len(), 6);
    assert!(!heard.text.contains("Cars are loud"), "{}", heard.text);
    assert_eq!(heard.stop, Stop::Complete);
}

#[tokio::test]
async fn the_conversation_can_be_summed_up() {
    let mut prompt = asked("Please summarise our conversation so far.");
    assert!(hear(&prompt).await.text.contains("nothing to summarize"));
    prompt.messages.splice(0..0, [user("My garden needs water."), said("This needs a language model.")]);
    let text = hear(&prompt).await.text;
    assert!(text.contains("extract of our conversation") && text.ends_with("- You: My garden needs water."), "{text}");
}

#[tokio::test]
async fn what_no_longer_holds_comes_after_what_does_and_says_so() {
    let mut old = known("fact", "My 5k time is 27:12", "2026-02-01T08:00:00Z");
    old.until = Some("2026-05-03T08:00:00Z".parse().unwrap());
    let new = known("fact", "My 5k time is 25:50", "2026-05-03T08:00:00Z");
    for known in [vec![old.clone(), new.clone()], vec![new.clone(), old.clone()]] {
        let heard = hear(&Prompt { known, ..asked("What is my 5k time?") }).await;
        let expected = "Known since 3 May 2026: \"My 5k time is 25:50\"";
        assert!(heard.text.starts_with(expected), "{}", heard.text);
    }
    let heard = hear(&Prompt { known: vec![old], ..asked("What is my 5k time?") }).await;
    let expected = "No longer so (1 February 2026 until 3 May 2026): \"My 5k time is 27:12\"";
    assert!(heard.text.contains(expected), "{}", heard.text);
}

#[tokio::test]
async fn what_a_conversation_came_to_is_told_as_such() {
    let context = known("context", "Anna plans a trip to Lisbon in October.", "2026-07-01T08:00:00Z");
    let heard = hear(&Prompt { known: vec![context], ..asked("Where does Anna plan a trip to?") }).await;
    assert!(heard.text.contains("From the notes of a conversation (1 July 2026)"), "{}", heard.text);
}

#[tokio::test]
async fn ones_own_comes_before_that_of_relatives() {
    let mut prompt = asked("What's my name?");
    prompt.known = vec![
        known("profile", "name: Ada", "2026-03-01T10:00:00Z"),
        known("profile", "sister's name: Mia", "2026-03-03T10:00:00Z"),
    ];
    let answer = hear(&prompt).await.text;
    assert!(answer.starts_with("From your profile (since 1 March 2026): \"name: Ada\""), "{answer}");
}

#[tokio::test]
async fn what_is_doubtful_is_told_behind_what_was_said_last() {
    let mut prompt = asked("Who is my boss?");
    let doubt = KnownDoubt {
        text: "Henrik left, so I report to Paula".to_owned(),
        at: "2026-03-05T10:00:00Z".parse().unwrap(),
    };
    prompt.known = vec![KnownItem { doubt: Some(doubt), ..known("fact", "My boss is Henrik", "2026-03-01T10:00:00Z") }];
    let answer = hear(&prompt).await.text;
    assert_eq!(
        answer,
        "On 5 March 2026 you said: \"Henrik left, so I report to Paula\" Before that, which may no longer hold: \"My \
         boss is Henrik\""
    );
}

#[tokio::test]
async fn who_said_it_decides_how_it_is_quoted_and_a_question_is_no_answer() {
    let mut prompt = asked("When did the backup fail?");
    prompt.known = vec![
        KnownItem {
            role: Some("tool".to_owned()),
            ..known("entry", "10:46:50 error: the backup failed", "2026-03-01T10:00:00Z")
        },
        known("entry", "When did the backup fail last week?", "2026-03-02T10:00:00Z"),
    ];
    let answer = hear(&prompt).await.text;
    assert_eq!(answer, "On 1 March 2026, from tool: \"10:46:50 error: the backup failed\"");
}
