//! Numbers in sentences.

use serde_json::json;

use crate::small::{accepts, grammar, grammar_with, refuses, slots};

fn ranges() -> serde_json::Value {
    json!({"lists": {
        "percent": {"range": {"type": "percentage", "from": 0, "to": 100}},
        "degrees": {"range": {"type": "temperature", "from": -20, "to": 100, "fractions": "halves"}},
        "kelvin": {"range": {"from": 1000, "to": 10000, "step": 100}},
        "minutes": {"range": {"from": 0, "to": 100, "fractions": "halves", "multiplier": 60}},
        "tuning": {"range": {"from": 0, "to": 9, "fractions": "tenths", "words": false}},
    }})
}

#[test]
fn digits_are_numbers_within_their_range() {
    let grammar = grammar_with(&["set {percent}[ ](%|percent)"], ranges());
    assert_eq!(slots(&grammar, "set 50%"), Some(json!({"percent": 50})));
    assert_eq!(slots(&grammar, "set 7 percent"), Some(json!({"percent": 7})));
    refuses(&grammar, &["set 101%", "set -1%", "set 5.5%", "set %", "set 99999999999999999999%"]);
}

#[test]
fn numbers_may_be_words() {
    let grammar = grammar_with(&["set {percent} percent", "light {kelvin} kelvin", "wait {minutes} minutes"], ranges());
    assert_eq!(slots(&grammar, "set forty two percent"), Some(json!({"percent": 42})));
    assert_eq!(slots(&grammar, "set forty-two percent"), Some(json!({"percent": 42})));
    assert_eq!(slots(&grammar, "set one hundred percent"), Some(json!({"percent": 100})));
    assert_eq!(slots(&grammar, "light two thousand seven hundred kelvin"), Some(json!({"kelvin": 2700})));
    assert_eq!(slots(&grammar, "wait five and a half minutes"), Some(json!({"minutes": 330})));
    refuses(
        &grammar,
        &["set two hundred percent", "light two thousand fifty kelvin", "set forty two point five percent"],
    );
}

#[test]
fn fractions_are_read_where_the_range_has_them() {
    let grammar = grammar_with(&["heat to {degrees}[°]", "tune {tuning}"], ranges());
    assert_eq!(slots(&grammar, "heat to 20.5°"), Some(json!({"degrees": 20.5})));
    assert_eq!(slots(&grammar, "heat to 20,5"), Some(json!({"degrees": 20.5})));
    assert_eq!(slots(&grammar, "heat to twenty point five"), Some(json!({"degrees": 20.5})));
    assert_eq!(slots(&grammar, "heat to -5"), Some(json!({"degrees": -5})));
    assert_eq!(slots(&grammar, "heat to minus five"), Some(json!({"degrees": -5})));
    assert_eq!(slots(&grammar, "tune 3.7"), Some(json!({"tuning": 3.7})));
    refuses(&grammar, &["heat to 20.3", "tune three"]);
}

#[test]
fn ranges_may_be_written_where_they_are_used() {
    let grammar = grammar(&["channel {1..20:channel}", "step {0..100,5:step}"]);
    assert_eq!(slots(&grammar, "channel twelve"), Some(json!({"channel": 12})));
    accepts(&grammar, &["step 15"]);
    refuses(&grammar, &["channel 21", "step 16"]);
}

#[test]
fn german_numbers_are_one_word() {
    let mut more = ranges();
    more["language"] = json!("de");
    let grammar = grammar_with(&["auf {percent} prozent", "{degrees} grad"], more);
    assert_eq!(slots(&grammar, "auf einundzwanzig Prozent"), Some(json!({"percent": 21})));
    assert_eq!(slots(&grammar, "auf hundert Prozent"), Some(json!({"percent": 100})));
    assert_eq!(slots(&grammar, "zwanzigeinhalb grad"), Some(json!({"degrees": 20.5})));
}

#[test]
fn chinese_and_thai_numbers_have_no_spaces() {
    let mut more = ranges();
    more["language"] = json!("zh-CN");
    more["settings"] = json!({"ignore_whitespace": true});
    let grammar = grammar_with(&["调到[百分之]{percent}[%]", "{degrees}度"], more);
    for (said, number) in [("调到百分之五十", 50), ("调到二十五%", 25), ("调到百分之一百", 100), ("调到 两", 2)]
    {
        assert_eq!(slots(&grammar, said), Some(json!({"percent": number})), "{said}");
    }
    assert_eq!(slots(&grammar, "二十点五度"), Some(json!({"degrees": 20.5})));
    assert_eq!(slots(&grammar, "零下五度"), Some(json!({"degrees": -5})));
    refuses(&grammar, &["调到二百", "调到五十五十"]);

    let mut more = ranges();
    more["language"] = json!("th");
    let grammar = grammar_with(&["ปรับเป็น[ ]{percent}[ ]เปอร์เซ็นต์"], more);
    for (said, number) in [("ปรับเป็นห้าสิบเปอร์เซ็นต์", 50), ("ปรับเป็น ยี่สิบเอ็ด เปอร์เซ็นต์", 21)]
    {
        assert_eq!(slots(&grammar, said), Some(json!({"percent": number})), "{said}");
    }
}

#[test]
fn polish_numbers_are_inflected() {
    let mut more = ranges();
    more["language"] = json!("pl");
    let grammar = grammar_with(&["(na|do) {percent} procent"], more);
    for (said, number) in [
        ("na pięćdziesiąt procent", 50),
        ("do pięćdziesięciu pięciu procent", 55),
        ("na dwadzieścia jeden procent", 21),
        ("do stu procent", 100),
        ("na zero procent", 0),
    ] {
        assert_eq!(slots(&grammar, said), Some(json!({"percent": number})), "{said}");
    }
}
