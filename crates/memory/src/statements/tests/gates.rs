//! The gate's two lists: messages with the statements to extract, and messages without any.

use super::super::{ClosedReason, GateDecision, OpenReason, StatementKind, gate, statements};

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
            let marked = (first.kind == StatementKind::Ending) == over && (over || first.is_update == update);
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
        ("I'm vegan", "assistant", GateDecision::Closed { why: ClosedReason::NotTheUser }),
        ("Remember that I like jazz", "user", GateDecision::Open { why: OpenReason::Cue }),
        ("I'm vegan", "user", GateDecision::Open { why: OpenReason::Statement }),
        ("I'm vegan now", "user", GateDecision::Open { why: OpenReason::Update }),
        ("I sold my car", "user", GateDecision::Open { why: OpenReason::Ending }),
        ("Where do I live?", "user", GateDecision::Closed { why: ClosedReason::Question }),
        ("Remember to buy milk", "user", GateDecision::Closed { why: ClosedReason::Request }),
        ("Translate: I am vegan", "user", GateDecision::Closed { why: ClosedReason::OtherVoice }),
        ("She said \"I am vegan\"", "user", GateDecision::Closed { why: ClosedReason::Quote }),
        ("I am hungry", "user", GateDecision::Closed { why: ClosedReason::NothingLasting }),
        ("```\nmy name is Bob\n```", "user", GateDecision::Closed { why: ClosedReason::Pasted }),
    ] {
        assert_eq!(gate(message, role), expected, "{message:?}");
    }
}
