//! The fixed parts of a prompt: what stands before the conversation and never or seldom changes, so that providers can
//! keep it, and what stands beside the message and changes with every turn.

use model::{Choice, Prompt, count, count_notes, count_prompt};
use protocol::{Found, ModelSettings, PlannerHints, Section, Timestamp};
use session::Pins;

use super::recalled::{Recalled, from_whom, in_words};

const SYSTEM: &str = include_str!("../../prompts/system.md");
const WRAP_UP: &str = include_str!("../../prompts/wrap_up.md");

/// What parts the parts. A part that ends with it and one that begins after it have as many tokens together as apart.
const BREAK: &str = "\n\n";

/// Part of a prompt, in words.
pub(super) type Part = (&'static str, String);

/// A text of several parts.
pub(super) struct Scaffold {
    pub(super) text: String,
    /// What each part takes, in order; together what the whole takes.
    pub(super) sections: Vec<Section>,
    /// What the whole takes, with all that surrounds it.
    pub(super) tokens: u64,
}

/// What stands in the instructions beside the house's own words.
#[derive(Clone, Copy, Default)]
pub(super) struct Before<'a> {
    /// What a model is told that takes over from another.
    pub(super) transfer: Option<&'a str>,
    /// Who the agent is, where it is not the main one.
    pub(super) role: Option<&'a str>,
    /// What the client asks of every answer.
    pub(super) client: Option<&'a str>,
    /// The entities around.
    pub(super) entities: Option<&'a str>,
    /// The budget that has run out.
    pub(super) spent: Option<&'a str>,
    /// Tokens of the rolling summary at most.
    pub(super) summary_max: u64,
}

/// The instructions, what changes least first.
pub(super) fn system(pins: &Pins, recalled: &Recalled, before: Before<'_>) -> Scaffold {
    let mut parts: Vec<Part> = vec![("system", SYSTEM.trim().to_owned())];
    parts.extend(before.role.map(|words| ("role", words.to_owned())));
    parts.extend(before.client.map(|words| ("client", words.to_owned())));
    parts.extend(before.entities.map(|words| ("entities", words.to_owned())));
    parts.extend(recalled.profile_in_words().map(|words| ("profile", words)));
    parts.extend(pinned(pins).map(|words| ("pins", words)));
    parts.extend(recalled.summary_in_words(before.summary_max).map(|words| ("summary", words)));
    parts.extend(before.transfer.map(|words| ("transfer", words.to_owned())));
    parts.extend(before.spent.map(|spent| ("wrap_up", WRAP_UP.trim().replace("{budget}", spent))));
    let text = joined(&parts);
    let tokens = count_system(&text);
    let mut rest: Vec<Section> = Vec::new();
    for (index, (name, text)) in parts.iter().enumerate().skip(1) {
        rest.push(section(name, text, index + 1 == parts.len()));
    }
    // What surrounds the prompt is counted with the house's own words.
    let own = tokens.saturating_sub(rest.iter().map(|section| section.tokens).sum());
    let mut sections = vec![Section { name: "system".to_owned(), tokens: own }];
    sections.append(&mut rest);
    Scaffold { text, sections, tokens }
}

/// What stands beside the message: what happened and what is open, what was recalled, what to look at, and last the time,
/// which always changes.
pub(super) fn notes(beside: &[Part], facts: &[&Found], hints: &PlannerHints, clock: Timestamp) -> Scaffold {
    let mut parts: Vec<Part> = beside.to_vec();
    if !facts.is_empty() {
        parts.push(("facts", in_words(facts)));
    }
    if !hints.focus_areas.is_empty() {
        parts.push(("hints", format!("Look at this first: {}.", hints.focus_areas.join(", "))));
    }
    let mut sections: Vec<Section> = parts.iter().map(|(name, text)| section(name, text, false)).collect();
    parts.push(("clock", in_utc(clock)));
    let text = format!("<notes>\n{}\n</notes>", joined(&parts));
    let tokens = count_notes(&text);
    let others: u64 = sections.iter().map(|section| section.tokens).sum();
    // What surrounds the notes is counted with the clock, which is always there.
    sections.push(Section { name: "clock".to_owned(), tokens: tokens.saturating_sub(others) });
    Scaffold { text, sections, tokens }
}

fn pinned(pins: &Pins) -> Option<String> {
    if pins.is_empty() {
        return None;
    }
    let mut words = String::from("Pinned in this conversation:");
    for (key, pin) in pins {
        words.push_str(&format!("\n- {key}: {}{}", pin.text, from_whom(pin.origin)));
    }
    Some(words)
}

fn joined(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts.iter().map(|(_, text)| text.as_str()).collect();
    texts.join(BREAK)
}

fn section(name: &str, text: &str, is_last: bool) -> Section {
    let tokens = if is_last { count(text) } else { count(&format!("{text}{BREAK}")) };
    Section { name: name.to_owned(), tokens }
}

fn count_system(text: &str) -> u64 {
    let prompt = Prompt {
        system: text.to_owned(),
        messages: Vec::new(),
        tools: Vec::new(),
        choice: Choice::Free,
        known: Vec::new(),
        now: Timestamp::from_millis(0),
        output_tokens_max: None,
        settings: ModelSettings::default(),
    };
    count_prompt(&prompt).total
}

fn in_utc(clock: Timestamp) -> String {
    let moment = clock.to_string();
    let minute: String = moment.chars().take("2026-03-03T10:00".len()).collect();
    format!("It is {} (UTC).", minute.replace('T', " "))
}

#[cfg(test)]
mod tests {
    use protocol::{Origin, TurnId};
    use session::Pin;

    use super::{
        super::recalled::{
            Rolling,
            tests::{at, fact, found},
        },
        *,
    };

    fn names(scaffold: &Scaffold) -> Vec<&str> {
        scaffold.sections.iter().map(|section| section.name.as_str()).collect()
    }

    fn sum(scaffold: &Scaffold) -> u64 {
        scaffold.sections.iter().map(|section| section.tokens).sum()
    }

    fn recalled() -> Recalled {
        let text = "They spoke of ovens.".to_owned();
        let summary =
            Some(Rolling { id: protocol::ItemId::new(ulid::Ulid::nil()), text, version: 1, origin: Origin::Trusted });
        Recalled { profile: vec![fact(1, "diet", "vegan", 50)], summary, ..Recalled::default() }
    }

    #[test]
    fn what_changes_least_comes_first_and_the_parts_make_up_the_whole() {
        let turn_id = Some(TurnId::from_bytes([1; 16]));
        let pin = Pin { text: "Be brief!".to_owned(), origin: Origin::Trusted, at: at("2026-03-03"), turn_id };
        let pins = Pins::from([("style".to_owned(), pin)]);
        let before = Before {
            transfer: Some("You take over."),
            client: Some("Be kind."),
            role: None,
            entities: Some("There is a kitchen."),
            spent: Some("the budget of steps"),
            summary_max: 400,
        };
        let system = system(&pins, &recalled(), before);
        let all = ["system", "client", "entities", "profile", "pins", "summary", "transfer", "wrap_up"];
        assert_eq!(names(&system), all);
        assert_eq!(sum(&system), system.tokens);
        let places = [
            "Dwell",
            "There is a kitchen.",
            "- diet: vegan",
            "- style: Be brief!",
            "They spoke of ovens.",
            "You take over.",
        ];
        let places = places.map(|words| system.text.find(words).unwrap());
        assert!(places.is_sorted(), "{}", system.text);
    }

    #[test]
    fn every_part_has_the_tokens_that_it_adds() {
        let bare = system(&Pins::new(), &Recalled::default(), Before { summary_max: 400, ..Before::default() });
        let with = system(&Pins::new(), &recalled(), Before { summary_max: 400, ..Before::default() });
        let of = |name: &str| with.sections.iter().find(|section| section.name == name).unwrap().tokens;
        let more = of("profile") + of("summary");
        assert!(with.tokens.abs_diff(bare.tokens + more) <= 1, "{:?} {:?}", bare.sections, with.sections);
    }

    #[test]
    fn notes_end_with_the_clock() {
        let (one, two) = (found(1, "My sister is Anna"), found(2, "Anna lives in Lisbon"));
        let hints = PlannerHints { focus_areas: vec!["the clouds".to_owned()], ..PlannerHints::default() };
        let notes = notes(&[], &[&one, &two], &hints, at("2026-03-03"));
        assert_eq!(names(&notes), ["facts", "hints", "clock"]);
        assert_eq!(sum(&notes), notes.tokens);
        let lines: Vec<&str> = notes.text.lines().collect();
        assert_eq!(lines[0], "<notes>");
        assert_eq!(lines[lines.len() - 2..], ["It is 2026-03-03 08:00 (UTC).", "</notes>"]);
        let clock = super::notes(&[], &[], &PlannerHints::default(), at("2026-03-03"));
        assert_eq!(clock.text, "<notes>\nIt is 2026-03-03 08:00 (UTC).\n</notes>");
    }
}
