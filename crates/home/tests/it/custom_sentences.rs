//! The user's own sentences, in Home Assistant's format.

use std::path::Path;

use home::{CustomSentences, ReloadedReflexes};
use ports::{ReflexInput, Reflexes};

use crate::{fake_home::FakeHome, fake_home_assistant::until};

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const SENTENCES: &str = r#"
language: "en"
intents:
  HassTurnOn:
    data:
      - sentences:
          - "let there be light [in] <where>"
          - "spark up {name}"
        slots:
          domain: light
expansion_rules:
  where: "[the] {area}"
"#;

fn said(message: &str) -> ReflexInput<'_> {
    ReflexInput { message, language: Some("en"), area: None, before: &[], unclear: None, previous: None }
}

#[tokio::test]
async fn own_sentences_are_understood_and_read_again_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("custom_sentences");
    write(&own, "en/mine.yaml", SENTENCES);
    let languages = vec!["en".to_owned()];
    let reflexes = ReloadedReflexes::new(FakeHome::new(), folder.path().join("sentences"), own.clone(), languages);
    assert_eq!(reflexes.notices(), [""; 0]);
    for message in ["let there be light in the kitchen", "turn on the kitchen lights"] {
        let reflex = reflexes.read(&said(message)).unwrap_or_else(|| panic!("{message}"));
        assert_eq!(reflex.calls[0].arguments["service"], "turn_on", "{message}");
    }
    // The slot `domain: light` holds for what is named, too.
    let door = reflexes.read(&said("spark up front door"));
    assert!(door.is_none_or(|it| it.calls.is_empty()), "a door is not locked by a sentence about lights");
    assert!(reflexes.read(&said("make it glow in the kitchen")).is_none());
    write(&own, "en/mine.yaml", &SENTENCES.replace("let there be light", "make it glow"));
    until("the new sentence is understood", || reflexes.read(&said("make it glow in the kitchen")).is_some()).await;
    assert!(reflexes.read(&said("let there be light in the kitchen")).is_none());
    std::fs::remove_file(own.join("en/mine.yaml")).unwrap();
    until("a removed file is forgotten", || reflexes.read(&said("make it glow in the kitchen")).is_none()).await;
}

#[test]
fn small_words_in_front_of_an_item_do_not_get_on_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("custom_sentences");
    let list = "language: de\nintents:\n  HassShoppingListAddItem:\n    data:\n      - sentences:\n          - \
                \"schreib {item} auf die shopping list\"\nlists:\n  item:\n    wildcard: true\n";
    write(&own, "de/liste.yaml", list);
    let sentences = folder.path().join("sentences");
    let reflexes = ReloadedReflexes::new(FakeHome::new(), sentences, own, vec!["de".to_owned()]);
    assert_eq!(reflexes.notices(), [""; 0]);
    for message in
        ["Schreib mir bitte noch Hafermilch auf die Shopping list", "Schreib Hafermilch auf die Shopping list"]
    {
        let said = ReflexInput { language: Some("de"), ..said(message) };
        let reflex = reflexes.read(&said).unwrap_or_else(|| panic!("{message}"));
        assert_eq!(reflex.calls[0].arguments["data"]["item"], "Hafermilch", "{message}");
    }
}

#[test]
fn faults_are_named_with_file_and_line_and_the_rest_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = SENTENCES.to_owned() + "lists:\n  broken: 7\n";
    let faulty = faulty.replace("{name}\"", "{name\"").replace("intents:\n", "intents:\n  OwnIntent:\n    data: []\n");
    write(folder.path(), "en/faulty.yaml", &faulty);
    write(folder.path(), "en/no.yaml", "intents: [");
    write(folder.path(), "en/other.yaml", "language: de\n");
    write(folder.path(), "fr/loin.yaml", "language: fr\nintents: {}\n");
    let mut read = CustomSentences::read(folder.path());
    let grammar = read.grammar("en", None).unwrap();
    assert!(grammar.templates() > 1);
    let faults: Vec<String> = read.into_faults().iter().map(ToString::to_string).collect();
    for (file, part) in [
        ("en/faulty.yaml:4:", "`OwnIntent` is not known"),
        ("en/faulty.yaml:16:", "`broken` cannot be read"),
        ("en/faulty.yaml:10:", "spark up {name"),
        ("en/no.yaml:", "not valid YAML"),
        ("en/other.yaml:1:", "does not fit the folder `en`"),
        ("fr/loin.yaml:", "`home.languages`"),
    ] {
        let is_told = faults.iter().any(|fault| fault.contains(file) && fault.contains(part));
        assert!(is_told, "{file} {part}: {faults:#?}");
    }
}
