//! Extractive summaries, without a language model: the most informative sentences, word for word
//! and in their order.

use model::count;
use protocol::{Entry, Fact, Timestamp, ends};

/// The longest gist of an entry, in characters.
const GIST_CHARS_MAX: usize = 240;
/// Bytes of a message that are summarized: of a longer one its beginning and its end.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// The largest context document, in tokens.
const CONTEXT_TOKENS_MAX: u64 = 2_000;
/// The most facts in a context document.
const FACTS_MAX: usize = 24;
/// Sentences taken from one message.
const FROM_USER: usize = 3;
const FROM_OTHERS: usize = 1;

const KNOWN: &str = "What holds:";
const SAID: &str = "What was said:";
const CHANGED: &str = "What has changed since this was written:";

/// The gist of a message: itself if it is short, else its most informative sentences.
pub fn gist(text: &str) -> String {
    let text = ends(text, TEXT_BYTES_MAX);
    let whole = one_line(&text);
    if whole.chars().count() <= GIST_CHARS_MAX {
        return whole;
    }
    let sentences = sentences(&text);
    let order = heaviest(&sentences);
    let (mut taken, mut space) = (Vec::new(), GIST_CHARS_MAX);
    for at in order {
        let length = sentences[at].chars().count() + 1;
        if length <= space {
            space -= length;
            taken.push(at);
        }
    }
    if taken.is_empty() {
        let cut: String = whole.chars().take(GIST_CHARS_MAX - 1).collect();
        return format!("{}…", cut.trim_end());
    }
    taken.sort_unstable();
    taken.into_iter().map(|at| one_line(sentences[at])).collect::<Vec<_>>().join(" ")
}

/// The next context document: the facts that hold now, and what was said, the newest last. The
/// contents of the previous document stay as long as they fit; facts that no longer hold are marked
/// as ended.
pub fn context(previous: Option<&str>, entries: &[&Entry], facts: &[&Fact]) -> String {
    let mut said: Vec<String> = previous.map(lines_said).unwrap_or_default();
    for entry in entries {
        said.extend(lines_of(entry).into_iter().filter(|line| !said.contains(line)).collect::<Vec<_>>());
    }
    let mut known: Vec<String> =
        facts.iter().filter(|fact| fact.is_current()).map(|fact| known_line(fact, facts)).collect();
    if known.len() > FACTS_MAX {
        known.drain(..known.len() - FACTS_MAX);
    }
    let tokens = |known: &[String], said: &[String]| count(&render(known, said));
    let over = |known: &[String], said: &[String]| tokens(known, said).saturating_sub(CONTEXT_TOKENS_MAX);
    let mut weights: Vec<f32> = Vec::new();
    loop {
        // The whole is counted once for several lines, since counting a long document takes long.
        let mut over = over(&known, &said);
        if over == 0 || said.is_empty() {
            break;
        }
        if weights.is_empty() {
            weights = said.iter().map(|line| weight(line)).collect();
        }
        while over > 0 && !said.is_empty() {
            // The least informative line of the older half is dropped, so that the newest is never
            // lost to an old one.
            let half = said.len().div_ceil(2);
            let least = (0..half).min_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or(0);
            weights.remove(least);
            over = over.saturating_sub(count(&said.remove(least)).max(1));
        }
    }
    while tokens(&known, &said) > CONTEXT_TOKENS_MAX && known.len() > 1 {
        known.remove(0);
    }
    render(&known, &said)
}

/// A document brought up to date: facts in it that have ended since it was written are replaced by
/// their successors, and those that have become doubtful say so.
pub fn up_to_date(document: &str, written_at: Timestamp, facts: &[&Fact]) -> String {
    let mut lines: Vec<String> = document.lines().map(str::to_owned).collect();
    let mut changed = Vec::new();
    for old in facts.iter().filter(|fact| fact.valid_until.is_some_and(|until| until > written_at)) {
        let holds = facts.iter().find(|fact| fact.key == old.key && fact.is_current());
        let line = match (holds, old.valid_until) {
            (Some(new), _) => format!("- {}", known_line(new, facts)),
            (None, Some(until)) => format!("- {}: no longer {} (until {})", old.key, old.value, day(until)),
            (None, None) => continue,
        };
        let stale = format!("- {}: {} (since ", old.key, old.value);
        match lines.iter_mut().find(|line| line.starts_with(&stale)) {
            Some(found) => *found = line,
            // Another author may have used other words.
            None if document.contains(&old.value) && !changed.contains(&line) => changed.push(line),
            None => {}
        }
    }
    for fact in facts.iter().filter(|fact| fact.is_current()) {
        let stated = format!("- {}: {} (since ", fact.key, fact.value);
        if let Some(doubt) = fact.doubt.as_ref().filter(|doubt| doubt.at > written_at)
            && let Some(line) = lines.iter_mut().find(|line| line.starts_with(&stated))
        {
            *line = format!("- {}: doubtful; said last: \"{}\"; before that: {}", fact.key, doubt.text, fact.value);
        }
    }
    if !changed.is_empty() {
        lines.splice(0..0, [CHANGED.to_owned()].into_iter().chain(changed).chain([String::new()]));
    }
    lines.join("\n")
}

fn render(known: &[String], said: &[String]) -> String {
    let part = |title: &str, lines: &[String]| {
        let lines: String = lines.iter().map(|line| format!("\n- {line}")).collect();
        format!("{title}{lines}")
    };
    match (known.is_empty(), said.is_empty()) {
        (true, _) => part(SAID, said),
        (false, true) => part(KNOWN, known),
        (false, false) => format!("{}\n\n{}", part(KNOWN, known), part(SAID, said)),
    }
}

fn lines_said(document: &str) -> Vec<String> {
    let said = document.split_once(SAID).map_or("", |(_, said)| said);
    said.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect()
}

fn known_line(fact: &Fact, facts: &[&Fact]) -> String {
    let before = facts.iter().filter(|old| old.key == fact.key && !old.is_current()).max_by_key(|old| old.valid_until);
    let since = day(fact.valid_from);
    match before {
        Some(old) => format!("{}: {} (since {since}; {} until then)", fact.key, fact.value, old.value),
        None => format!("{}: {} (since {since})", fact.key, fact.value),
    }
}

fn lines_of(entry: &Entry) -> Vec<String> {
    let is_user = entry.role == "user";
    let text = ends(&entry.raw_entry, TEXT_BYTES_MAX);
    let sentences = sentences(&text);
    let mut order = heaviest(&sentences);
    order.retain(|at| weight(sentences[*at]) > 0.0);
    order.truncate(if is_user { FROM_USER } else { FROM_OTHERS });
    order.sort_unstable();
    let who = entry.speaker.as_deref().unwrap_or(&entry.role);
    let day = day(entry.conversation_time);
    order.into_iter().map(|at| format!("{day} {who}: {}", cut(&one_line(sentences[at])))).collect()
}

fn cut(line: &str) -> String {
    if line.chars().count() <= GIST_CHARS_MAX {
        return line.to_owned();
    }
    let cut: String = line.chars().take(GIST_CHARS_MAX - 1).collect();
    format!("{}…", cut.trim_end())
}

fn day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentences of a text, without the space around them.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut begin = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_stop = matches!(c, '.' | '!' | '?' | '…') && chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if is_stop || c == '\n' {
            let end = at + c.len_utf8();
            sentences.push(text[begin..end].trim());
            begin = end;
        }
    }
    sentences.push(text[begin..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// The sentences by how informative they are, the most informative first.
fn heaviest(sentences: &[&str]) -> Vec<usize> {
    let mut weighed: Vec<(usize, f32)> = sentences.iter().map(|sentence| weight(sentence)).enumerate().collect();
    weighed.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    weighed.into_iter().map(|(at, _)| at).collect()
}

/// How informative a sentence is: names, numbers and statements about oneself count; courtesies and
/// questions hardly.
fn weight(sentence: &str) -> f32 {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    if words.len() < 3 {
        return 0.0;
    }
    let solid = words.iter().filter(|word| word.chars().count() > 3).count();
    let figures = words.iter().filter(|word| word.chars().any(|c| c.is_ascii_digit())).count();
    let names = words.iter().skip(1).filter(|word| word.chars().next().is_some_and(char::is_uppercase)).count();
    let own = words
        .iter()
        .any(|word| matches!(word.to_lowercase().trim_matches('\''), "i" | "i'm" | "i've" | "my" | "our" | "we"));
    let mut weight = solid as f32 + 2.0 * figures as f32 + 1.5 * names as f32 + if own { 2.0 } else { 0.0 };
    weight /= (words.len() as f32).sqrt();
    if sentence.ends_with('?') {
        weight *= 0.3;
    }
    weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_its_own_gist() {
        assert_eq!(gist("I moved to  Linz\nin May."), "I moved to Linz in May.");
    }

    #[test]
    fn a_long_text_gives_its_telling_sentences_in_order() {
        let chatter = "Well, you know how it is with these things and so on. ".repeat(8);
        let text = format!("{chatter}My sister Anna moved to Graz on 3 May 2024. {chatter}");
        let gist = gist(&text);
        assert!(gist.contains("My sister Anna moved to Graz on 3 May 2024."), "{gist}");
        assert!(gist.chars().count() <= GIST_CHARS_MAX);
    }

    fn fact(id: u8, value: &str, from: i64, until: Option<i64>) -> Fact {
        Fact {
            fact_id: protocol::ItemId::from_bytes([id; 16]),
            level: protocol::Level::Fact,
            key: "5k time".to_owned(),
            value: value.to_owned(),
            text: value.to_owned(),
            priority: 50,
            confidence: 1.0,
            valid_from: Timestamp::from_millis(from),
            valid_until: until.map(Timestamp::from_millis),
            superseded_by: None,
            stored_at: Timestamp::from_millis(from),
            source: protocol::ItemSource::default(),
            origin: protocol::Origin::Trusted,
            expires_at: None,
            subject: None,
            vault_id: None,
            doubt: None,
        }
    }

    #[test]
    fn a_document_is_read_with_what_has_changed_since() {
        let (old, new) = (fact(1, "27:12", 1, Some(20)), fact(2, "25:50", 20, None));
        let written = Timestamp::from_millis(10);
        let document = context(None, &[], &[&fact(1, "27:12", 1, None)]);
        let read = up_to_date(&document, written, &[&old, &new]);
        assert_eq!(read, "What holds:\n- 5k time: 25:50 (since 1970-01-01; 27:12 until then)");
        let read = up_to_date("They run 5k in 27:12.", written, &[&old, &new]);
        assert!(read.starts_with(CHANGED) && read.ends_with("\n\nThey run 5k in 27:12."), "{read}");
        assert_eq!(
            up_to_date(&document, written, &[&old]),
            "What holds:\n- 5k time: no longer 27:12 (until 1970-01-01)"
        );
        assert_eq!(up_to_date(&document, Timestamp::from_millis(30), &[&old, &new]), document, "it knew that");
    }

    #[test]
    fn a_text_with_no_end_is_cut() {
        assert!(gist(&"word ".repeat(500)).ends_with('…'));
        assert_eq!(gist(""), "");
    }

    #[test]
    fn sentences_do_not_break_in_numbers() {
        assert_eq!(
            sentences("It costs 3.50 euros. Fine! Really?\nYes"),
            ["It costs 3.50 euros.", "Fine!", "Really?", "Yes"]
        );
    }
}
