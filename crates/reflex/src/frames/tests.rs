//! What frames read, and what they leave alone.

use std::sync::LazyLock;

use serde_json::Value;

use super::{Action, Amount, FrameReading, Lexicon, QuestionKind};
use crate::{ContextMap, NamedItem, SlotList, Vocabulary};

static HOME: LazyLock<Vocabulary> = LazyLock::new(|| {
    let entities = [
        ("Desk Lamp", "light"),
        ("Fairy Lights", "light"),
        ("Coffee Machine", "switch"),
        ("Ceiling Fan", "fan"),
        ("Lamp 1", "light"),
        ("Stehlampe", "light"),
        ("Shopping List", "todo"),
    ];
    let entities = entities.map(|(name, domain)| NamedItem {
        text: name.to_owned(),
        value: format!("{domain}.{}", name.to_lowercase().replace(' ', "_")),
        list: SlotList::Name,
        context: ContextMap::from([("domain".to_owned(), Value::from(domain))]),
    });
    let area = |name: &str| NamedItem {
        text: name.to_owned(),
        value: name.to_lowercase(),
        list: SlotList::Area,
        context: ContextMap::new(),
    };
    Vocabulary::new(entities.into_iter().chain([area("Kitchen"), area("Bedroom"), area("Küche")]))
});

fn read(language: &str, text: &str) -> FrameReading {
    Lexicon::of(language).unwrap().read(&HOME, text)
}

/// The actions and the first names of all commands.
fn done(language: &str, text: &str) -> Vec<(Action, Vec<String>)> {
    let FrameReading::Commands(commands, _) = read(language, text) else { return Vec::new() };
    let named = |ids: &[Vec<String>]| ids.iter().flatten().cloned().collect();
    commands.iter().filter_map(|it| it.action.map(|action| (action, named(&it.target.named)))).collect()
}

fn one(action: Action, id: &str) -> Vec<(Action, Vec<String>)> {
    vec![(action, vec![id.to_owned()])]
}

#[test]
fn words_may_stand_in_any_order() {
    for text in
        ["turn on the desk lamp", "turn the desk lamp on", "desk lamp on please", "could you put the desk lamp on?"]
    {
        assert_eq!(done("en", text), one(Action::On, "light.desk_lamp"), "{text}");
    }
    assert_eq!(done("de", "mach mal bitte die Stehlampe aus"), one(Action::Off, "light.stehlampe"));
    assert_eq!(done("de", "kannst du die Stehlampe ausschalten?"), one(Action::Off, "light.stehlampe"));
}

#[test]
fn a_word_that_is_not_known_is_never_dropped() {
    for text in [
        "diagnose the desk lamp",
        "rename the desk lamp",
        "wibble turn on the desk lamp",
        "the desk lamp",
        "the desk lamp was a present",
        "turn on the desk lamp tomorrow",
        "turn on the desk lamp at 7",
        "turn on the desk lamp in an hour",
        "if it rains turn on the desk lamp",
        "don't turn on the desk lamp",
        "never turn on the desk lamp",
        "why is the desk lamp on",
        "turn on the desk lamp when I come home",
    ] {
        assert!(done("en", text).is_empty(), "{text}: {:?}", read("en", text));
    }
}

#[test]
fn one_slip_by_letter_sound_or_space_is_corrected() {
    for text in [
        "tunr on the desk lamp",
        "turn on the desk lamb",
        "turn on the desklamp",
        "turn on desk lamp",
        "turn on the dessk lamp",
    ] {
        assert_eq!(done("en", text), one(Action::On, "light.desk_lamp"), "{text}: {:?}", read("en", text));
    }
    assert_eq!(done("en", "switch off the ferry lights"), one(Action::Off, "light.fairy_lights"));
    assert_eq!(done("en", "start the sealing fan"), one(Action::Start, "fan.ceiling_fan"));
    assert_eq!(done("en", "turn of the desk lamp"), one(Action::Off, "light.desk_lamp"));
    assert_eq!(done("de", "mach die Steh Lampe an"), one(Action::On, "light.stehlampe"));
}

#[test]
fn two_slips_and_other_numbers_are_not() {
    assert!(done("en", "trun on the dessk lamp").is_empty());
    assert!(done("en", "turn on lamp 2").is_empty());
    assert_eq!(done("en", "turn on lamp 1"), one(Action::On, "light.lamp_1"));
}

#[test]
fn several_commands_are_read_as_such() {
    let both = done("en", "turn on the desk lamp and start the ceiling fan");
    assert_eq!(both, [one(Action::On, "light.desk_lamp"), one(Action::Start, "fan.ceiling_fan")].concat());
    let same = done("en", "turn off the desk lamp and the coffee machine");
    assert_eq!(same, [one(Action::Off, "light.desk_lamp"), one(Action::Off, "switch.coffee_machine")].concat());
    assert!(done("en", "turn on the desk lamp and water the cat").is_empty());
}

#[test]
fn values_have_units() {
    let FrameReading::Commands(commands, _) = read("en", "dim the desk lamp to thirty percent") else { panic!() };
    assert_eq!(commands[0].amount, Some(Amount::Percent(30.0)));
    assert_eq!(commands[0].action, Some(Action::Set));
    let FrameReading::Commands(commands, _) = read("de", "Stehlampe auf 40 %") else { panic!() };
    assert_eq!(commands[0].amount, Some(Amount::Percent(40.0)));
}

#[test]
fn what_goes_on_a_list_is_kept_as_it_was_said() {
    let FrameReading::Commands(commands, _) = read("en", "put some Oat Milk on the shopping list") else { panic!() };
    assert_eq!(commands[0].item.as_deref(), Some("Oat Milk"));
    assert!(!matches!(read("en", "put no milk on the shopping list"), FrameReading::Commands(..)));
    assert_eq!(Lexicon::of("en").unwrap().continued_item("and butter too").as_deref(), Some("butter"));
    assert_eq!(Lexicon::of("en").unwrap().continued_item("butter"), None);
}

#[test]
fn questions_are_no_commands() {
    let FrameReading::Question(question) = read("en", "is the desk lamp on?") else { panic!() };
    assert_eq!(question.kind, QuestionKind::Is("on".to_owned()));
    let FrameReading::Question(question) = read("de", "Welche Lampen sind an?") else { panic!() };
    assert_eq!(question.kind, QuestionKind::Which("on".to_owned()));
    let FrameReading::Question(question) = read("en", "why is the bedroom so cold?") else { panic!() };
    assert_eq!(question.kind, QuestionKind::Why("cold".to_owned()));
}

#[test]
fn a_reason_beside_a_command_changes_nothing() {
    for text in [
        "turn on the desk lamp, it's dark in here",
        "I'm cooking, turn on the desk lamp please",
        "turn on the desk lamp - the plumber's here",
        "the kids are home so turn on the desk lamp",
    ] {
        assert_eq!(done("en", text), one(Action::On, "light.desk_lamp"), "{text}: {:?}", read("en", text));
    }
    for text in [
        "turn on the desk lamp, I'm kidding",
        "turn on the desk lamp, I've got it",
        "turn on the desk lamp, if it's dark",
        "turn on the desk lamp, it's not dark",
        "turn on the desk lamp, we're home tomorrow",
        "I'm in the kitchen, it's dark",
        "the desk lamp's on, I'm cooking",
        "the desk lamp turned on, it's dark",
    ] {
        assert!(done("en", text).is_empty(), "{text}: {:?}", read("en", text));
    }
}

#[test]
fn one_verb_is_for_all_that_is_named_and_each_has_its_own_value() {
    let both = [one(Action::Off, "light.stehlampe"), one(Action::Off, "light.lamp_1")].concat();
    assert_eq!(done("de", "schalte die Stehlampe und Lamp 1 aus"), both);
    let mixed = [one(Action::On, "light.desk_lamp"), one(Action::Set, "light.lamp_1")].concat();
    assert_eq!(done("en", "desk lamp on and lamp 1 to 40 percent"), mixed);
    let apart = [one(Action::On, "light.lamp_1"), one(Action::Off, "light.stehlampe")].concat();
    assert_eq!(done("de", "schalte Lamp 1 ein und die Stehlampe aus"), apart);
}

#[test]
fn to_pause_for_a_moment_is_to_pause_and_nothing_else_is_for_a_moment() {
    assert_eq!(done("en", "pause the desk lamp for a moment"), one(Action::Pause, "light.desk_lamp"));
    assert!(done("en", "turn off the desk lamp for a moment").is_empty());
    assert!(done("en", "turn off the desk lamp for a sec").is_empty());
}
