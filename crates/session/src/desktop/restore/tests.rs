//! Replaying the kept commands gives the same app as replaying all of them.

use std::collections::BTreeMap;

use proptest::{collection::vec, prelude::*};
use protocol::StateKey;
use serde_json::json;

use super::*;

/// A board of notes: two commands write the same slots, one appends, one clears a slot, one clears
/// all.
fn manifest() -> Manifest {
    let spec = |name: &str, keep, slot: Option<&str>| CommandSpec {
        name: name.to_owned(),
        description: String::new(),
        input: Value::Null,
        keep,
        slot: slot.map(str::to_owned),
    };
    Manifest {
        name: "board".to_owned(),
        state: vec![StateKey { key: "notes".to_owned(), description: String::new() }],
        commands: vec![
            spec("write", ReplayMode::Last, Some("id")),
            spec("paint", ReplayMode::Last, Some("id")),
            spec("name", ReplayMode::Last, None),
            spec("append", ReplayMode::All, Some("note")),
            spec("remove", ReplayMode::ClearSlot, Some("of")),
            spec("begin", ReplayMode::Clear, None),
            spec("look", ReplayMode::Nothing, None),
        ],
        ..Manifest::default()
    }
}

fn command(name: &str, arguments: Value) -> AppCommand {
    AppCommand { name: name.to_owned(), arguments }
}

/// The behaviour of such an app: the last write to a slot wins.
#[derive(Debug, Default, PartialEq)]
struct Board {
    title: Value,
    beginning: Value,
    slots: BTreeMap<String, (String, Value)>,
    log: Vec<(String, Value)>,
}

impl Board {
    fn replay<'a>(commands: impl IntoIterator<Item = &'a AppCommand>) -> Self {
        commands.into_iter().fold(Self::default(), |mut board, command| {
            board.do_it(command);
            board
        })
    }

    fn do_it(&mut self, AppCommand { name, arguments }: &AppCommand) {
        let text = arguments["text"].clone();
        let about = |argument: &str| arguments[argument].to_string();
        match name.as_str() {
            "write" | "paint" => {
                self.slots.insert(about("id"), (name.clone(), text));
            }
            "name" => self.title = text,
            "append" => self.log.push((about("note"), text)),
            "remove" => {
                self.slots.remove(&about("of"));
                self.log.retain(|(slot, _)| *slot != about("of"));
            }
            "begin" => *self = Self { beginning: text, ..Self::default() },
            _ => {}
        }
    }
}

fn any_done() -> impl Strategy<Value = AppCommand> {
    (0usize..8, 0u8..4, 0u8..9).prop_map(|(what, slot, text)| match what {
        0 => command("write", json!({ "id": slot, "text": text })),
        1 => command("paint", json!({ "id": slot, "text": text })),
        2 => command("name", json!({ "text": text })),
        3 => command("append", json!({ "note": slot, "text": text })),
        4 => command("remove", json!({ "of": slot })),
        5 if text == 0 => command("begin", json!({ "text": slot })),
        6 => command("look", json!({ "text": text })),
        _ => command("unheard of", json!({ "id": slot, "text": text })),
    })
}

fn kept(done: impl IntoIterator<Item = AppCommand>) -> Vec<AppCommand> {
    let manifest = manifest();
    done.into_iter().fold(Vec::new(), |mut kept, command| {
        keep(&mut kept, &manifest, command);
        kept
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replaying_what_is_kept_gives_the_same_app_as_replaying_all(done in vec(any_done(), 0..120)) {
        let kept = kept(done.clone());
        prop_assert_eq!(Board::replay(&kept), Board::replay(&done));
        prop_assert!(kept.len() <= done.len());
        let manifest = manifest();
        prop_assert!(kept.iter().all(|command| is_kept(&manifest, command)));
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_kept_has_its_limits_and_the_oldest_leave(
        sizes in prop_oneof![vec(0usize..8, 0..300), vec(0usize..9_000, 0..40)]
    ) {
        let done = sizes.iter().enumerate().map(|(n, size)| {
            command("append", json!({ "note": n, "text": "x".repeat(*size) }))
        });
        let done: Vec<AppCommand> = done.collect();
        let kept = kept(done.clone());
        prop_assert!(kept.len() <= RESTORE_COMMANDS_MAX);
        prop_assert!(kept.iter().map(json_bytes).sum::<usize>() <= RESTORE_BYTES_MAX);
        prop_assert_eq!(&kept[..], &done[done.len() - kept.len()..]);
    }
}

#[test]
fn what_is_about_another_thing_stays() {
    let write = |id: &str, text: &str| command("write", json!({ "id": id, "text": text }));
    let done = [write("a", "1"), write("b", "2"), write("a", "3"), command("remove", json!({ "of": "b" }))];
    assert_eq!(kept(done), [write("a", "3")]);
}

#[test]
fn a_command_that_is_larger_than_all_that_is_kept_is_not() {
    let huge = command("append", json!({ "note": 1, "text": "x".repeat(RESTORE_BYTES_MAX) }));
    assert_eq!(kept([huge]), []);
}
