//! The lists of everyday changes, corrections and things not to keep.

use serde::Deserialize;

use super::{after, statements};

#[derive(Deserialize)]
struct Update {
    stated: String,
    changed: String,
    old: Vec<String>,
    current: Vec<String>,
}

#[derive(Deserialize)]
struct Corrected {
    said: Vec<String>,
    right: Vec<String>,
    inverted: Vec<String>,
}

#[derive(Deserialize)]
struct NotKept {
    said: String,
}

#[derive(Deserialize)]
struct Both {
    first: String,
    second: String,
    both: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Kept {
    said: String,
    facts: Vec<KeptFact>,
}

#[derive(Deserialize)]
struct KeptFact {
    key: String,
    value: String,
}

fn list<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let dir = std::env::var("LIFE").unwrap_or_else(|_| "../testkit/lists/life".into());
    let text = std::fs::read_to_string(format!("{dir}/{name}.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn has(text: &str, any: &[String]) -> bool {
    any.iter().any(|part| text.to_lowercase().contains(&part.to_lowercase()))
}

fn show(facts: &[protocol::Fact]) -> String {
    facts
        .iter()
        .map(|f| {
            format!(
                "\n      {}{}: {}{}",
                f.subject.as_ref().map_or(String::new(), |s| format!("({s}) ")),
                f.key,
                f.value,
                if !f.is_current() {
                    " ENDED".to_owned()
                } else if let Some(d) = &f.doubt {
                    format!(" DOUBT {:?}", d.text)
                } else {
                    String::new()
                }
            )
        })
        .collect()
}

#[test]
fn look() {
    let (mut right, mut stale, mut doubt, mut none) = (0, 0, 0, 0);
    for u in list::<Update>("updates") {
        let facts = after(&[&u.stated, &u.changed]);
        let is_stale = facts
            .iter()
            .any(|f| f.is_current() && f.doubt.is_none() && has(&f.value, &u.old) && !has(&f.value, &u.current));
        let doubted = facts.iter().any(|f| f.is_current() && f.doubt.is_some());
        let current = facts.iter().any(|f| f.is_current() && has(&f.value, &u.current))
            || (u.current.is_empty() && !facts.is_empty() && !doubted);
        let label = if is_stale {
            stale += 1;
            "STALE"
        } else if current {
            right += 1;
            "RIGHT"
        } else if doubted {
            doubt += 1;
            "DOUBT"
        } else {
            none += 1;
            "NONE"
        };
        println!("{label} {} // {}{}", u.stated, u.changed, show(&facts));
    }
    println!("## updates right {right} doubt {doubt} stale {stale} none {none}");
    let mut bad = 0;
    for c in list::<Corrected>("corrections") {
        let said: Vec<&str> = c.said.iter().map(String::as_str).collect();
        let facts = after(&said);
        let stale = facts.iter().any(|f| {
            f.is_current()
                && f.doubt.is_none()
                && (has(&f.value, &c.inverted)
                    || (said.len() == 1
                        && !["no", "not", "never", "none", "neither"].iter().any(|n| f.value.contains(n))))
        });
        let right = facts.iter().any(|f| f.is_current() && has(&f.value, &c.right));
        bad += usize::from(stale);
        println!(
            "{} {} // {}",
            if stale {
                "INVERTED"
            } else if right {
                "RIGHT"
            } else {
                "-"
            },
            said.join(" / "),
            show(&facts)
        );
    }
    println!("## corrections bad {bad}");
    let mut bad = 0;
    for n in list::<NotKept>("not_kept") {
        let facts = after(&[&n.said]);
        if !facts.is_empty() {
            bad += 1;
            println!("KEPT {} {}", n.said, show(&facts));
        }
    }
    println!("## not_kept bad {bad}");
    let (mut bad, mut kept) = (0, 0);
    for b in list::<Both>("both_hold") {
        let facts = after(&[&b.first, &b.second]);
        let ended = facts.iter().any(|f| !f.is_current() || f.doubt.is_some());
        let both = b
            .both
            .iter()
            .filter(|v| facts.iter().any(|f| f.is_current() && (has(&f.value, v) || has(&f.key, v))))
            .count();
        kept += both;
        bad += usize::from(ended);
        println!("{} {both} {} // {} {}", if ended { "ENDED" } else { "ok" }, b.first, b.second, show(&facts));
    }
    println!("## both bad {bad} kept {kept}");
    let (mut right, mut all) = (0, 0);
    for k in list::<Kept>("kept") {
        let facts = after(&[&k.said]);
        let found = k.facts.iter().filter(|want| facts.iter().any(|f| f.value.contains(&want.value))).count();
        right += found;
        all += k.facts.len();
        println!(
            "{}{} {} {:?} {}",
            found,
            k.facts.len(),
            k.said,
            k.facts.iter().map(|f| f.key.as_str()).collect::<Vec<_>>(),
            show(&facts)
        );
        let _ = statements(&k.said);
    }
    println!("## kept {right} of {all}");
}
