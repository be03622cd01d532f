//! Numbers in words, in the sentences that the languages themselves have.

use std::path::Path;

use home::{HomeReflexes, grammars};
use ports::{ReflexInput, Reflexes};
use serde_json::json;

use super::{home, names, setting};

/// A language, a sentence, and the service, field and value that it means.
const SAID: &[(&str, &str, &str, &str, u32)] = &[
    ("zh-CN", "把台灯亮度调到百分之五十", "light.turn_on", "brightness_pct", 50),
    ("zh-CN", "台灯的亮度调到二十五%", "light.turn_on", "brightness_pct", 25),
    ("zh-CN", "台灯的亮度调到百分之一百", "light.turn_on", "brightness_pct", 100),
    ("zh-TW", "把檯燈亮度調到百分之三十五", "light.turn_on", "brightness_pct", 35),
    ("zh-HK", "將枱燈亮度調到百分之八十", "light.turn_on", "brightness_pct", 80),
    ("th", "ความสว่างโคมไฟตั้งโต๊ะเป็นห้าสิบเปอร์เซ็นต์", "light.turn_on", "brightness_pct", 50),
    ("th", "ความสว่างโคมไฟตั้งโต๊ะเป็น ยี่สิบเอ็ด เปอร์เซ็นต์", "light.turn_on", "brightness_pct", 21),
    ("pl", "ustaw jasność lampka stołowa na pięćdziesiąt procent", "light.turn_on", "brightness_pct", 50),
    ("pl", "ustaw jasność lampka stołowa na dwadzieścia pięć procent", "light.turn_on", "brightness_pct", 25),
    ("pl", "ustaw jasność lampka stołowa na sto procent", "light.turn_on", "brightness_pct", 100),
];

#[test]
fn numbers_in_words_are_read_in_the_sentences_of_the_language() {
    let Some(folder) = setting("DWELL_SENTENCES") else {
        return eprintln!("skipped: set DWELL_SENTENCES to a folder that `dwell setup --sentences` has filled");
    };
    let names = names();
    let mut faults = Vec::new();
    for (language, said, service, field, value) in SAID {
        let (grammars, notices) = grammars(Path::new(&folder), Path::new("nowhere"), &[(*language).to_owned()]);
        assert!(notices.is_empty(), "{notices:?}");
        let reflexes = HomeReflexes::new(home(&names[*language]), grammars);
        let reflex = reflexes.read(&ReflexInput {
            message: said,
            language: Some(language),
            area: None,
            before: &[],
            previous: None,
            unclear: None,
        });
        let calls = reflex.map(|it| it.calls).unwrap_or_default();
        let is_it = calls.len() == 1
            && format!(
                "{}.{}",
                calls[0].arguments["domain"].as_str().unwrap(),
                calls[0].arguments["service"].as_str().unwrap()
            ) == *service
            && calls[0].arguments["data"][*field] == json!(value);
        if !is_it {
            faults.push(format!("{language} {said:?}: {calls:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
