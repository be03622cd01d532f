//! The fixed sections of a prompt: the instructions before the conversation, which rarely change so
//! that providers can cache them, and the notes beside the message, which change with every turn.

use model::{Prompt, ToolRequirement, count, count_notes, count_prompt};
use protocol::{MemoryHit, ModelSettings, PlannerHints, Section, Timestamp};
use session::Pins;

use super::recalled_memory::{RecalledMemory, from_whom, in_words};

const SYSTEM: &str = include_str!("../../prompts/system.md");
const WRAP_UP: &str = include_str!("../../prompts/wrap_up.md");

/// Separates the sections. Token counts of sections that are split at it add up.
const BREAK: &str = "\n\n";

/// A section of a prompt, as text.
pub(super) type PromptPart = (&'static str, String);

/// A text of several sections.
pub(super) struct PromptSections {
    pub(super) text: String,
    /// Tokens of each section, in order; together the tokens of the whole.
    pub(super) sections: Vec<Section>,
    /// Tokens of the whole, with everything around it.
    pub(super) tokens: u64,
}

/// The sections of the instructions beside the built-in ones.
#[derive(Clone, Copy, Default)]
pub(super) struct InstructionParts<'a> {
    /// The summary for a model that takes over from another.
    pub(super) transfer: Option<&'a str>,
    /// The role of the agent, if it is not the main one.
    pub(super) role: Option<&'a str>,
    /// The client's instructions for every answer.
    pub(super) client: Option<&'a str>,
    /// The entities of the home.
    pub(super) entities: Option<&'a str>,
    /// The schema of the answer.
    pub(super) response_schema: Option<&'a str>,
    /// The exhausted budget.
    pub(super) spent: Option<&'a str>,
    /// Maximum tokens of the rolling summary.
    pub(super) summary_max: u64,
}

/// The instructions, what changes least first.
pub(super) fn system(pins: &Pins, recalled: &RecalledMemory, before: InstructionParts<'_>) -> PromptSections {
    let mut parts: Vec<PromptPart> = vec![("system", SYSTEM.trim().to_owned())];
    parts.extend(before.role.map(|words| ("role", words.to_owned())));
    parts.extend(before.client.map(|words| ("client", words.to_owned())));
    parts.extend(before.entities.map(|words| ("entities", words.to_owned())));
    parts.extend(recalled.profile_in_words().map(|words| ("profile", words)));
    parts.extend(pinned(pins).map(|words| ("pins", words)));
    parts.extend(recalled.summary_in_words(before.summary_max).map(|words| ("summary", words)));
    parts.extend(before.transfer.map(|words| ("transfer", words.to_owned())));
    parts.extend(before.response_schema.map(|words| ("response_schema", words.to_owned())));
    parts.extend(before.spent.map(|spent| ("wrap_up", WRAP_UP.trim().replace("{budget}", spent))));
    let text = joined(&parts);
    let tokens = count_system(&text);
    let mut rest: Vec<Section> = Vec::new();
    for (index, (name, text)) in parts.iter().enumerate().skip(1) {
        rest.push(section(name, text, index + 1 == parts.len()));
    }
    // The overhead of the prompt is counted with the built-in instructions.
    let own = tokens.saturating_sub(rest.iter().map(|section| section.tokens).sum());
    let mut sections = vec![Section { name: "system".to_owned(), tokens: own }];
    sections.append(&mut rest);
    PromptSections { text, sections, tokens }
}

/// The notes beside the message: desktop, recalled memories, hints, and last the time, which always
/// changes.
pub(super) fn notes(
    beside: &[PromptPart],
    facts: &[&MemoryHit],
    hints: &PlannerHints,
    clock: Timestamp,
) -> PromptSections {
    let mut parts: Vec<PromptPart> = beside.to_vec();
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
    // The overhead of the notes is counted with the time, which is always there.
    sections.push(Section { name: "clock".to_owned(), tokens: tokens.saturating_sub(others) });
    PromptSections { text, sections, tokens }
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

fn joined(parts: &[PromptPart]) -> String {
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
        choice: ToolRequirement::Free,
        known: Vec::new(),
        now: Timestamp::from_millis(0),
        output_tokens_max: None,
        settings: ModelSettings::default(),
        response_schema: None,
        is_temporary: false,
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
        super::recalled_memory::{
            RollingSummary,
            tests::{at, fact, found},
        },
        *,
    };

    fn names(prompt_sections: &PromptSections) -> Vec<&str> {
        prompt_sections.sections.iter().map(|section| section.name.as_str()).collect()
    }

    fn sum(prompt_sections: &PromptSections) -> u64 {
        prompt_sections.sections.iter().map(|section| section.tokens).sum()
    }

    fn recalled() -> RecalledMemory {
        let text = "They spoke of ovens.".to_owned();
        let summary = Some(RollingSummary {
            id: protocol::ItemId::new(ulid::Ulid::nil()),
            text,
            version: 1,
            origin: Origin::Trusted,
        });
        RecalledMemory { profile: vec![fact(1, "diet", "vegan", 50)], summary, ..RecalledMemory::default() }
    }

    #[test]
    fn what_changes_least_comes_first_and_the_parts_make_up_the_whole() {
        let turn_id = Some(TurnId::from_bytes([1; 16]));
        let pin = Pin { text: "Be brief!".to_owned(), origin: Origin::Trusted, at: at("2026-03-03"), turn_id };
        let pins = Pins::from([("style".to_owned(), pin)]);
        let before = InstructionParts {
            transfer: Some("You take over."),
            client: Some("Be kind."),
            role: None,
            entities: Some("There is a kitchen."),
            response_schema: Some("Answer in JSON."),
            spent: Some("the step budget"),
            summary_max: 400,
        };
        let system = system(&pins, &recalled(), before);
        let all =
            ["system", "client", "entities", "profile", "pins", "summary", "transfer", "response_schema", "wrap_up"];
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
        let bare = system(
            &Pins::new(),
            &RecalledMemory::default(),
            InstructionParts { summary_max: 400, ..InstructionParts::default() },
        );
        let with =
            system(&Pins::new(), &recalled(), InstructionParts { summary_max: 400, ..InstructionParts::default() });
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
