//! Each construct of the template language.

use serde_json::json;

use crate::small::{accepts, file, grammar, grammar_with, read, refuses, slots};

#[test]
fn words_match_whatever_their_case_and_punctuation() {
    let grammar = grammar(&["turn it on"]);
    accepts(&grammar, &["turn it on", "Turn it ON!", "  turn   it on ...", "turn, it on?", "turn-it-on"]);
    refuses(&grammar, &["turn it", "turn it on now", "turniton", "", "turn it onn"]);
}

#[test]
fn alternatives_and_optionals_may_be_inside_words() {
    let grammar = grammar(&["schlie(ß|ss)[e] [alle|die] fan[s]"]);
    accepts(&grammar, &["schließ fan", "schliesse die fans", "schließe alle fans", "SCHLIEẞE FANS"]);
    refuses(&grammar, &["schließe  der fan", "schlie fans", "schließ efan"]);
}

#[test]
fn optionals_take_their_spaces_with_them() {
    let grammar = grammar(&["turn on [the] lamp [now]", "dim[ the] lamp"]);
    accepts(&grammar, &["turn on lamp", "turn on the lamp", "turn on the lamp now", "dim lamp", "dim the lamp"]);
    refuses(&grammar, &["turn onlamp", "turn on thelamp", "dimlamp"]);
}

#[test]
fn items_in_any_order_are_all_needed() {
    let grammar = grammar(&["go (here;now;[please])"]);
    accepts(&grammar, &["go here now", "go now here", "go please now here", "go now please here"]);
    refuses(&grammar, &["go here", "go here here", "go now now here"]);
}

#[test]
fn an_apostrophe_ends_a_word() {
    let grammar = grammar(&["dans (l'|la) {area}"]);
    accepts(&grammar, &["dans l'kitchen", "dans l’kitchen", "dans l' kitchen", "dans la kitchen"]);
}

#[test]
fn escaped_characters_are_themselves() {
    let grammar = grammar(&[r"press \[ok\]"]);
    accepts(&grammar, &["press [ok]"]);
    refuses(&grammar, &["press", "press ok"]);
}

#[test]
fn rules_are_written_out_and_local_ones_come_first() {
    let blocks = json!([
        {"sentences": ["<go> <place>"], "response": "global"},
        {"sentences": ["<go> <place>"], "expansion_rules": {"place": "away"}, "response": "local"},
    ]);
    let grammar = file(blocks, json!({"expansion_rules": {"go": "(go|walk)", "place": "[<the>] house", "the": "the"}}));
    assert_eq!(read(&grammar, "walk the house").unwrap().response.as_deref(), Some("global"));
    assert_eq!(read(&grammar, "go away").unwrap().response.as_deref(), Some("local"));
}

#[test]
fn names_come_from_the_home() {
    let grammar = grammar(&["turn on [the] {name} [in {area}]"]);
    assert_eq!(
        slots(&grammar, "turn on the LAMP in living room"),
        Some(json!({"name": "Lamp", "area": "Living Room"}))
    );
    assert_eq!(slots(&grammar, "turn on lamp two"), Some(json!({"name": "Lamp Two"})));
    assert_eq!(slots(&grammar, "turn on front door"), Some(json!({"name": "Front-Door"})));
    assert_eq!(slots(&grammar, "turn on front-door"), Some(json!({"name": "Front-Door"})));
    refuses(&grammar, &["turn on the radio", "turn on lamp in attic"]);
}

#[test]
fn one_name_may_be_several_things() {
    let lamp = read(&grammar(&["turn on {name}"]), "turn on Lamp").unwrap().slots.remove("name").unwrap();
    assert_eq!(lamp.ids, ["light.one", "switch.one"]);
    assert_eq!(lamp.text, "Lamp");
}

#[test]
fn the_longest_name_wins() {
    let grammar = grammar(&["turn on {name} [two]", "turn on {name}"]);
    assert_eq!(slots(&grammar, "turn on lamp two"), Some(json!({"name": "Lamp Two"})));
}

#[test]
fn lists_have_values_that_may_be_templates() {
    let lists = json!({"lists": {
        "colour": {"values": ["red", {"in": "(light|bright) blue", "out": "azure"}, {"in": "[dark] green", "out": 7, "metadata": {"hue": 1}}]},
    }});
    let grammar = grammar_with(&["paint {colour:paint}"], lists);
    assert_eq!(slots(&grammar, "paint red"), Some(json!({"paint": "red"})));
    assert_eq!(slots(&grammar, "paint Bright Blue"), Some(json!({"paint": "azure"})));
    let green = read(&grammar, "paint dark green").unwrap().slots.remove("paint").unwrap();
    assert_eq!((green.value, green.text.as_str(), green.metadata), (json!(7), "dark green", Some(json!({"hue": 1}))));
}

#[test]
fn blocks_may_have_lists_of_their_own() {
    let blocks =
        json!([{"sentences": ["pick {thing}"], "lists": {"thing": {"values": [{"in": "stone", "out": "rock"}]}}}]);
    let grammar = file(blocks, json!({"lists": {"thing": {"values": ["flower"]}}}));
    assert_eq!(slots(&grammar, "pick stone"), Some(json!({"thing": "rock"})));
    refuses(&grammar, &["pick flower"]);
}

#[test]
fn captures_fill_no_slot() {
    let understood = read(&grammar(&["switch {name} [{area:@where}]"]), "switch lamp Kitchen").unwrap();
    assert_eq!(understood.slots.keys().collect::<Vec<_>>(), ["name"]);
    assert_eq!(understood.captures["where"], "Kitchen");
}

#[test]
fn wildcards_take_any_words_but_at_least_one() {
    let wild = json!({"lists": {"item": {"wildcard": true}, "list": {"values": ["shopping", "to do"]}}});
    let grammar = grammar_with(&["add {item} to [my] {list} list", "say {item}", "{item}s only"], wild);
    assert_eq!(
        slots(&grammar, "add Milk and Honey to my to do list"),
        Some(json!({"item": "Milk and Honey", "list": "to do"}))
    );
    assert_eq!(
        slots(&grammar, "add one to two to shopping list"),
        Some(json!({"item": "one to two", "list": "shopping"}))
    );
    assert_eq!(slots(&grammar, "say Hello, you!"), Some(json!({"item": "Hello you"})));
    assert_eq!(slots(&grammar, "apples only"), Some(json!({"item": "apple"})));
    refuses(&grammar, &["add to my shopping list", "say", "add milk to my bucket list"]);
    assert!(read(&grammar, "say hello").unwrap().slots["item"].is_wildcard());
}

#[test]
fn a_wildcard_ends_in_a_word_only_where_letters_follow() {
    let grammar = grammar_with(&["take {item} to {area}"], json!({"lists": {"item": {"wildcard": true}}}));
    assert_eq!(slots(&grammar, "take tomatoes to kitchen"), Some(json!({"item": "tomatoes", "area": "Kitchen"})));
    refuses(&grammar, &["take pota tokitchen"]);
}

#[test]
fn a_value_of_a_list_beats_words_of_any_kind() {
    let lists = json!({"lists": {"query": {"wildcard": true}, "kind": {"values": ["track", "album"]}}});
    let grammar = grammar_with(&["play {query}", "play {kind} {query}"], lists);
    assert_eq!(slots(&grammar, "play track Yesterday"), Some(json!({"kind": "track", "query": "Yesterday"})));
}

#[test]
fn words_that_say_nothing_are_left_out() {
    let more = json!({"skip_words": ["please", "could you"], "lists": {"message": {"wildcard": true}}});
    let grammar = grammar_with(&["turn on {name}", "tell them {message}", "say please"], more);
    accepts(&grammar, &["Could you please turn on lamp", "turn on lamp, please", "turn please on lamp", "say please"]);
    assert_eq!(slots(&grammar, "please tell them please come"), Some(json!({"message": "please come"})));
    refuses(&grammar, &["pleased turn on lamp"]);
}

#[test]
fn spaces_mean_nothing_in_some_scripts() {
    let more = json!({"language": "zh-CN", "settings": {"ignore_whitespace": true}, "skip_words": ["请"]});
    let grammar = grammar_with(&["打开 [客厅] 灯", "把 {name} 打开"], more);
    accepts(&grammar, &["打开灯", "打开客厅灯", "打开 客厅 灯", "请打开灯", "把lamp打开", "把 lamp 打开"]);
}

#[test]
fn a_sentence_says_what_it_means_besides() {
    let blocks = json!([{
        "sentences": ["lights off"],
        "slots": {"domain": "light", "kind": ["a", "b"]},
        "response": "done",
        "metadata": {"slot_combination": "domain_only", "more": 1},
    }]);
    let understood = read(&file(blocks, json!({})), "lights off").unwrap();
    assert_eq!(understood.slots["kind"].value, json!(["a", "b"]));
    assert_eq!(understood.combination.as_deref(), Some("domain_only"));
    assert_eq!(understood.metadata["more"], json!(1));
    assert_eq!((understood.response.as_deref(), understood.template.as_str()), (Some("done"), "lights off"));
    assert_eq!(understood.score.literal_chars, 9);
}

#[test]
fn more_words_of_the_template_win() {
    let blocks = json!([{"sentences": ["turn on {name} [in here]"], "response": "one"}, {"sentences": ["turn on {name} (in|on) here"], "response": "two"},
        {"sentences": ["turn {name} (on|off)"], "response": "three"}]);
    let all = file(blocks, json!({})).read_all(&crate::small::home(), "turn on lamp in here", &Default::default());
    assert_eq!(all.iter().map(|all| all.response.as_deref().unwrap()).collect::<Vec<_>>(), ["one", "two"]);
}

#[test]
fn keywords_have_to_be_said() {
    let blocks = json!([{"sentences": ["[the] radio [on]"], "required_keywords": ["on", "play"]}]);
    let grammar = file(blocks, json!({}));
    accepts(&grammar, &["radio on"]);
    refuses(&grammar, &["the radio"]);
}
