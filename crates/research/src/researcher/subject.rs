//! The subject of a question, without phrases that only ask to look something up.

/// Phrases with which people ask for research. The longest match is removed.
const LEADS: &[&str] = &[
    "please",
    "can you",
    "could you",
    "would you",
    "i want you to",
    "i would like you to",
    "do some research on",
    "do some research into",
    "do some research about",
    "do a bit of research on",
    "do research on",
    "do research into",
    "research for me",
    "research",
    "investigate",
    "look up",
    "look into",
    "search for",
    "search the web for",
    "search the library for",
    "search online for",
    "find sources on",
    "find sources about",
    "find sources for",
    "find out",
    "find information on",
    "find information about",
    "google",
    "tell me",
    "what does the library say about",
];

/// The question without such a phrase; the whole question if nothing else is left.
pub(super) fn of(query: &str) -> String {
    let query = query.trim();
    let mut rest = query;
    while let Some(after) = LEADS.iter().filter_map(|lead| without(rest, lead)).min_by_key(|after| after.len()) {
        rest = after;
    }
    if rest.is_empty() { query.to_owned() } else { rest.to_owned() }
}

fn without<'a>(text: &'a str, lead: &str) -> Option<&'a str> {
    let head = text.get(..lead.len())?;
    let after = &text[lead.len()..];
    let is_whole = after.starts_with([' ', ',', ':']);
    (head.eq_ignore_ascii_case(lead) && is_whole).then(|| after.trim_start_matches([' ', ',', ':']))
}

/// Whether the question contains a URL.
pub(super) fn has_address(query: &str) -> bool {
    let lower = query.to_ascii_lowercase();
    lower.contains("http://") || lower.contains("https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_ins_go_and_questions_stay() {
        for (query, subject) in [
            ("research solar panels for a small flat", "solar panels for a small flat"),
            ("Please do some research on heat pumps", "heat pumps"),
            ("Can you look up: the boiling point of gallium?", "the boiling point of gallium?"),
            ("How hot does the kiln get?", "How hot does the kiln get?"),
            ("researchers in Oslo", "researchers in Oslo"),
            ("research", "research"),
            ("  ", ""),
            ("Größe, bitte", "Größe, bitte"),
        ] {
            assert_eq!(of(query), subject);
        }
    }
}
