//! Which facts may be remembered, under which key, and which never are.

use super::super::IntentKind;
use super::first;

/// A message that states a fact and nothing else.
fn passes(message: &str, key: &str, value: &str) {
    let intent = first(message);
    let expected = (IntentKind::ProfileUpdate, (!key.is_empty()).then_some(key), Some(value));
    assert_eq!((intent.kind, intent.key.as_deref(), intent.value.as_deref()), expected, "{message:?}");
}

#[test]
fn keyed_facts_pass() {
    for (message, key, value) in [
        ("I'm vegan", "diet", "vegan"),
        ("I’m vegan.", "diet", "vegan"),
        ("im vegan btw", "diet", "vegan"),
        ("Hi! I am a vegetarian now.", "diet", "vegetarian"),
        ("I follow a keto diet", "diet", "keto"),
        ("I don't eat pork", "diet", "no pork"),
        ("I am no longer vegan", "diet", "not vegan"),
        ("I'm vegan and allergic to nuts", "diet", "vegan"),
        ("I went vegan last year", "diet", "vegan"),
        ("I am on a keto diet", "diet", "keto"),
        ("I am allergic to nuts", "allergy", "nuts"),
        ("I'm allergic to nuts, eggs and milk.", "allergy", "nuts, eggs and milk"),
        ("I have a peanut allergy", "allergy", "peanut"),
        ("I'm lactose intolerant", "allergy", "lactose"),
        ("my name is Ada", "name", "Ada"),
        ("My name's Ada Lovelace, nice to meet you", "name", "Ada Lovelace"),
        ("my name is ada", "name", "ada"),
        ("call me Ada", "name", "Ada"),
        ("from now on call me Boss", "name", "Boss"),
        ("please call me Ada from now on", "name", "Ada"),
        ("Hello, I'm Ada.", "name", "Ada"),
        ("I live in Oslo", "home", "Oslo"),
        ("i live in oslo", "home", "oslo"),
        ("I live in Oslo, Norway", "home", "Oslo, Norway"),
        ("I just moved to the Netherlands", "home", "the Netherlands"),
        ("My birthday is 3 May", "birthday", "3 May"),
        ("my birthday is on the 3rd of May", "birthday", "3rd of May"),
        ("I was born on 3 May 1990", "birthday", "3 May 1990"),
        ("from now on answer in German", "language", "German"),
        ("From now on, please reply to me only in French.", "language", "French"),
        ("speak German from now on", "language", "German"),
        ("I speak German and French", "language", "German and French"),
        ("note: I am vegan", "diet", "vegan"),
        ("My native language is Polish", "language", "Polish"),
        ("I work as a nurse", "job", "nurse"),
        ("I'm a software engineer", "job", "software engineer"),
        ("I am a student at MIT", "job", "student at MIT"),
        ("I am retired", "job", "retired"),
        ("remember that I prefer tea", "preference", "tea"),
        ("I prefer tea over coffee", "preference", "tea over coffee"),
        ("my favourite colour is blue", "preference", "favourite colour is blue"),
        ("From now on keep your answers short", "preference", "keep your answers short"),
        ("Please be brief from now on", "preference", "be brief"),
        ("always use metric units", "preference", "always use metric units"),
        ("remember that I like jazz", "preference", "jazz"),
        ("don't forget that I'm vegan", "diet", "vegan"),
    ] {
        passes(message, key, value);
    }
}

#[test]
fn other_facts_pass_in_the_users_words() {
    for (message, value) in [
        ("remember that the bin goes out on Monday", "the bin goes out on Monday"),
        ("Remember this: the key is under the mat", "the key is under the mat"),
        ("please remember my wife is vegan", "my wife is vegan"),
        ("keep in mind that we have guests on Sundays", "we have guests on Sundays"),
        ("My dog is called Rex", "My dog is called Rex"),
        ("I have two kids", "I have two kids"),
        ("I am left-handed", "I am left-handed"),
        ("I'm 34 years old", "I'm 34 years old"),
        ("I am from Norway", "I am from Norway"),
        ("Hi, I'm Norwegian", "I'm Norwegian"),
        ("I work at Google", "I work at Google"),
    ] {
        passes(message, "", value);
    }
}

#[test]
fn what_is_no_fact_does_not_pass() {
    for message in [
        "I am hungry",
        "I am in Miami right now",
        "I am not sure",
        "I'm late",
        "I am asking about vegan food",
        "I am looking for a vegan restaurant",
        "I'm going to bed",
        "I am a bit tired",
        "I am a fan of jazz",
        "I'm fine, thanks",
        "notebook prices",
        "Miami is vegan friendly",
        "my name is hard to spell, why?",
        "my name is hard to spell",
        "my name is on the list",
        "call me later",
        "call me a taxi",
        "call me back at 5",
        "call me crazy, but I like it",
        "am I vegan?",
        "I am vegan, right?",
        "what if I am vegan",
        "if I am vegan, I eat no eggs",
        "she said: I am vegan",
        "she said \"I am vegan\"",
        "\"I am vegan\" is what he told me",
        "He says I am vegan",
        "translate: I am vegan",
        "Translate into German.\nI am vegan.",
        "write a story. I am vegan.",
        "Pretend with me. My name is Bob.",
        "I'm vegan in this game",
        "I am a vegan chef's worst nightmare",
        "maybe I am vegan",
        "remember when we met?",
        "remember when we met",
        "remember that time in Rome",
        "remember to buy milk",
        "remember the milk",
        "remember my name",
        "Remember: buy milk",
        "do you remember that I am vegan?",
        "my birthday is tomorrow",
        "my birthday is coming up",
        "I live in fear",
        "I live in the moment",
        "I live for pizza",
        "I used to live in Oslo",
        "I prefer not to say",
        "I prefer the second one",
        "I would prefer tea",
        "my favourite song is playing",
        "answer in German",
        "I speak from experience",
        "I work out every day",
        "I love it",
        "I like that idea",
        "I can't eat another bite",
        "from now on lock the door at ten",
        "my wife is vegan",
        "You are vegan",
        "Hi, I'm bored",
        "I'm allergic to Mondays",
        "> I am vegan",
        "User: I am vegan",
        "I go by train",
        "we live in a society",
        "from now on I will be in Rome",
        "I work as hard as I can",
        "My diet is awful",
        "note book",
        "Iam",
    ] {
        let intent = first(message);
        let known = (intent.key, intent.value);
        assert!(intent.kind != IntentKind::ProfileUpdate && known == (None, None), "{message:?}: {known:?}");
    }
}
