//! The gate's two lists: what is read off a message, and what nothing may be read off.

use super::super::{Closed, Gate, Kind, Open, gate, statements};

const POSITIVE: &str = include_str!("positive.txt");
const NEGATIVE: &str = include_str!("negative.txt");

fn lines(list: &'static str) -> Vec<&'static str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn what_is_stated_is_read_with_its_key_and_value() {
    let lines = lines(POSITIVE);
    assert!(lines.len() >= 120, "there are {}", lines.len());
    let mut wrong = Vec::new();
    for line in lines {
        let parts: Vec<&str> = line.split(" | ").collect();
        let (message, key, value) =
            (parts[0], parts[1].trim_end_matches(" |"), parts.get(2).map_or("", |value| value.trim()));
        let (over, update, key) = (key.starts_with('-'), key.starts_with('+'), key.trim_start_matches(['-', '+']));
        let found = statements(message);
        let fits = found.first().is_some_and(|first| {
            let marked = (first.kind == Kind::Ending) == over && (over || first.is_update == update);
            first.key == key && first.value == value && marked && (0.5..=1.0).contains(&first.confidence)
        });
        if !fits || !gate(message, "user").is_open() {
            let found: Vec<_> = found.iter().map(|s| (&s.key, &s.value, s.kind, s.is_update)).collect();
            wrong.push(format!("{line}\n    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_no_statement_leaves_the_gate_closed() {
    let lines = lines(NEGATIVE);
    assert!(lines.len() >= 120, "there are {}", lines.len());
    let open: Vec<String> = lines
        .into_iter()
        .filter(|message| gate(message, "user").is_open())
        .map(|message| {
            format!(
                "{message:?}: {:?}",
                statements(message).iter().map(|s| (s.key.clone(), s.value.clone())).collect::<Vec<_>>()
            )
        })
        .collect();
    assert!(open.is_empty(), "{} open:\n{}", open.len(), open.join("\n"));
}

#[test]
fn the_gate_says_why() {
    for (message, role, expected) in [
        ("I'm vegan", "assistant", Gate::Closed { why: Closed::NotTheUser }),
        ("Remember that I like jazz", "user", Gate::Open { why: Open::Cue }),
        ("I'm vegan", "user", Gate::Open { why: Open::Statement }),
        ("I'm vegan now", "user", Gate::Open { why: Open::Update }),
        ("I sold my car", "user", Gate::Open { why: Open::Ending }),
        ("Where do I live?", "user", Gate::Closed { why: Closed::Question }),
        ("Remember to buy milk", "user", Gate::Closed { why: Closed::Request }),
        ("Translate: I am vegan", "user", Gate::Closed { why: Closed::OtherVoice }),
        ("She said \"I am vegan\"", "user", Gate::Closed { why: Closed::Quote }),
        ("I am hungry", "user", Gate::Closed { why: Closed::NothingLasting }),
        ("```\nmy name is Bob\n```", "user", Gate::Closed { why: Closed::Pasted }),
    ] {
        assert_eq!(gate(message, role), expected, "{message:?}");
    }
}
