//! What is asked about the home.

use super::super::words::Clause;

/// A question about the home.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HomeQuestion {
    /// Why something is or was so.
    Why { subject: String, period: Option<String> },
    /// The state of something over time.
    Past { subject: String, period: Option<String> },
    /// What happened.
    Happened { period: Option<String> },
    /// What is wrong in general.
    Trouble { period: Option<String> },
    /// A command that the reflexes did not understand.
    Command { subject: String },
}

const WHY: &[&str] = &[
    "why",
    "how come",
    "what|whats is? wrong|up with",
    "what|whats is? the matter with",
    "what happened|happens to|with",
    "what caused|causes|made|makes",
    "diagnose",
    "find|figure out why",
    "explain why",
    "tell me why",
    "do you know why",
];
const PAST: &[&str] = &[
    "history of",
    "show me? the? history of",
    "when was|were|did",
    "how long was|were|has|have",
    "how often was|were|did",
];
const HAPPENED: &[&str] = &[
    "what happened|has happened in|at|around the|my|our? home|house",
    "what happened at home",
    "what went on in|at the|my|our? home|house",
    "what was going on in|at the|my|our? home|house",
    "show me? the? logbook",
];
const TROUBLE: &[&str] = &[
    "is|are there? any|anything|something wrong|problem|problems|error|errors|trouble in|with|at the|my|our? home|house",
    "any problems|errors|trouble in|with|at the|my|our? home|house",
    "what|whats is? wrong in|with|at the|my|our? home|house",
    "what|which errors|problems are|does there? in|at|the|my|our? home|house",
    "what|which errors|warnings are|were there",
    "are|were there any errors|warnings",
    "any errors|warnings",
    "show|list|get me? the|all|any? errors|warnings",
    "analyze|analyse|check the|my|our? home|house|errors",
    "how is the|my|our? home|house doing",
];
const COMMANDS: &[&str] = &[
    "please? turn|switch on|off",
    "please? turn|switch",
    "please? open|close|shut|lock|unlock|dim|pause|start|activate",
    "please? set the? temperature|brightness|volume of|in|on",
];
const STATES: &[&str] = &[
    "is|are|was|were the|my|our|any|anyone|anybody|everything|all|there|it",
    "which",
    "how many",
    "how warm|cold|hot|bright|humid|high|low is|are",
    "what|whats is? the? temperature|humidity|brightness|volume|state|status|position|weather",
    "what|who is|are on|off|open|closed|playing|home|there",
    "do|does|did the|my|our",
];
/// Words of a command that do not name a thing.
const NAMELESS: &[&str] = &["the", "my", "our", "on", "off", "please", "now", "a", "an"];
/// Periods at the end of a question, the longer first.
const PERIODS: &[&str] = &[
    "the night before last",
    "yesterday morning",
    "yesterday afternoon",
    "yesterday evening",
    "yesterday night",
    "last night",
    "this morning",
    "this afternoon",
    "this evening",
    "last weekend",
    "this week",
    "last week",
    "tonight",
    "yesterday",
    "today",
];
/// The most words of a question.
const WORDS_MAX: usize = 30;

/// Parses a question about the home.
pub(super) fn read(text: &str) -> Option<HomeQuestion> {
    let clause = Clause::new(text.trim());
    if clause.words().len() > WORDS_MAX {
        return None;
    }
    let period = period(text);
    if clause.begins_any(HAPPENED).is_some() {
        return Some(HomeQuestion::Happened { period });
    }
    if clause.begins_any(TROUBLE).is_some() {
        return Some(HomeQuestion::Trouble { period });
    }
    let subject = |count: usize| {
        let rest = clause.after(count).to_lowercase();
        let rest = period.as_ref().map_or(rest.clone(), |period| rest.replace(period.as_str(), " "));
        let subject = rest.trim_matches(|char: char| !char.is_alphanumeric()).to_owned();
        (!subject.is_empty()).then_some(subject)
    };
    if let Some(count) = clause.begins_any(WHY) {
        return Some(HomeQuestion::Why { subject: subject(count)?, period });
    }
    if let Some(count) = clause.begins_any(COMMANDS) {
        let named = subject(count)?;
        let named: Vec<&str> = named
            .split(|char: char| !char.is_alphanumeric() && char != '_')
            .filter(|word| !word.is_empty() && !NAMELESS.contains(word))
            .collect();
        return (!named.is_empty()).then(|| HomeQuestion::Command { subject: named.join(" ") });
    }
    let count = clause.begins_any(PAST)?;
    Some(HomeQuestion::Past { subject: subject(count)?, period })
}

/// Whether a text asks for the state of something.
pub(super) fn asks_for_state(text: &str) -> bool {
    let clause = Clause::new(text.trim());
    clause.words().len() <= WORDS_MAX && clause.begins_any(STATES).is_some()
}

/// The period that a question names, in the form that the home's tools take.
fn period(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    if let Some(known) = PERIODS.iter().find(|period| text.contains(**period)) {
        return Some((*known).to_owned());
    }
    let at = text.find("last ").or_else(|| text.find("past "))?;
    let mut words = text[at + 5..].split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let (count, unit) = (words.next()?, words.next()?);
    let is_unit = matches!(unit, "hour" | "hours" | "day" | "days" | "minutes" | "week" | "weeks");
    (count.parse::<u32>().is_ok() && is_unit).then(|| format!("last {count} {unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(subject: &str, period: Option<&str>) -> Option<HomeQuestion> {
        Some(HomeQuestion::Why { subject: subject.to_owned(), period: period.map(str::to_owned) })
    }

    #[test]
    fn a_why_has_a_subject_and_a_time() {
        let flicker = read("Why did the bedroom lights flicker last night?");
        assert_eq!(flicker, why("did the bedroom lights flicker", Some("last night")));
        assert_eq!(read("What is wrong with the garden sensor?"), why("the garden sensor", None));
        assert_eq!(read("why was it cold in the last 6 hours"), why("was it cold in the", Some("last 6 hours")));
        assert_eq!(read("why?"), None);
    }

    #[test]
    fn the_home_as_a_whole_is_another_question() {
        assert_eq!(read("What happened at home yesterday evening?"), {
            Some(HomeQuestion::Happened { period: Some("yesterday evening".to_owned()) })
        });
        assert_eq!(read("Is there anything wrong in the house?"), Some(HomeQuestion::Trouble { period: None }));
        for text in [
            "What is wrong with my home?",
            "What errors are there?",
            "which errors are there in the house",
            "Are there any warnings?",
            "show me the errors",
        ] {
            assert_eq!(read(text), Some(HomeQuestion::Trouble { period: None }), "{text}");
        }
    }

    #[test]
    fn a_command_names_something() {
        let command = |subject: &str| Some(HomeQuestion::Command { subject: subject.to_owned() });
        assert_eq!(read("Turn on the sauna, please"), command("sauna"));
        assert_eq!(read("switch the sauna off"), command("sauna"));
        assert_eq!(read("turn it on"), command("it"));
    }

    #[test]
    fn a_state_is_asked_for() {
        for text in ["Is the bed light on?", "are there any lights on", "Which windows are open?", "how warm is it?"] {
            assert!(asks_for_state(text), "{text}");
        }
        for text in ["Turn on the bed light.", "Who was Ada Lovelace?", "I like the light here."] {
            assert!(!asks_for_state(text), "{text}");
        }
    }

    #[test]
    fn other_talk_is_none() {
        for text in ["What is 3*4?", "Remember that I like tea.", "What is the capital of France?"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
