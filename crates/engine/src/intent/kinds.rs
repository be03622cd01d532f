//! The kind of a message that is not unclear. Each sentence is tried against the rules in turn, the
//! narrow ones first. A sentence that matches no rule is a question if it looks like one, and chat
//! otherwise.

use memory::language::{
    pattern::{after, after_any, asks, body, first_is, has, starts, trimmed},
    words::{TokenizedText, Word},
};

use super::{IntentKind, calculations, command};

/// The intent is in the first sentences, or in the last one below a pasted text.
const SENTENCES_MAX: usize = 3;

/// Phrases that introduce a question and add nothing to it.
const TELL_ME: &[&str] = &["can|could|would|will you please? tell me", "tell me", "i want|need to know", "i wonder"];

/// Questions about the user, or about what was said and done.
const MEMORY: &[&str] = &[
    "do|did you still? remember",
    "can you remember",
    "what else? do you know|remember about me|us",
    "what you know|remember about me|us",
    "everything|all you know|remember about me|us",
    "what have you remembered|stored|saved|learned|learnt|noted about me",
    "who am i",
    "how old am i",
    "where do i live|work",
    "am i a? vegan|vegetarian|allergic|married",
    "what am i allergic to",
    "what is|are my full|first|home|last? name|birthday|diet|address|job|allergies|allergy|age|favourite|favorite",
    "when is my birthday",
    "do you know my name|birthday|diet|address|job|age|favourite|favorite",
    "do you know who|where|what|when i",
    "do you know how old i",
    "remember when|how",
    "remember that|the time|day|night",
    "when was the last time i|we",
    "when|where was i born?",
    "have i ever|already? told|mentioned|said",
    "did i ever|already? tell|mention|say|ask",
    "what|when|where|who did i",
    "how often|long did i",
    "how many times did i",
    "what|when|where did we talk|discuss|meet|speak|decide|agree|last|say|plan",
    "what have i told|said|asked",
    "what did you tell|say|promise|suggest|recommend",
    "show|list|read me? my profile|memories|memory",
];

/// Questions for a clock or a calendar.
const TIME: &[&str] = &[
    "what time is it",
    "what is the current|exact? time|date",
    "what is today's|tomorrow's date",
    "what is the date|day today|tomorrow",
    "what day|date|year|month|week|weekday is it|today|tomorrow",
    "what day of the week",
    "which day|week|year|month is it|today|tomorrow",
    "what day is|was|will #",
    "do you have|know the time",
    "current|local time|date",
    "time now|in",
    "time is it",
    "how many days|weeks|months|hours are|is|left? there|it|left? until|till|before|since|between",
    "how many days|weeks|months to",
    "today's date",
];

/// Requests for several sources, at the start of a sentence.
const RESEARCH: &[&str] = &[
    "do some|a|more? little|bit|quick|deep? of? research|search on|into|about|for",
    "find me? some|any|good|reliable|recent|credible|academic|the? sources|papers|studies|articles|references|evidence",
    "look up|into",
    "search the? web|internet|online|net",
    "search online? for",
    "fact-check|factcheck",
    "fact check",
    "deep dive into|on",
    "do|take a deep dive",
    "literature review",
    "latest|recent|newest|current news|research|developments|papers|studies|findings|headlines",
    "what is|are the latest|newest|recent|current news|research|developments|papers|studies|findings|headlines",
    "what is the latest on|about|in",
    "news about|on|from",
    "any news about|on",
    "what does the? latest|recent|current? research|literature|science|evidence say",
    "what do studies|experts|researchers say",
    "give|show|get|tell me the? latest|recent|newest? news",
];

/// Requests for several sources, anywhere in a sentence.
const SOURCED: &[&str] = &[
    "with|including|and|give|cite|list your|the|good|reliable? sources|citations|references",
    "peer-reviewed",
    "cite your sources",
];

/// Requests to make something shorter.
const SUMMARY: &[&str] = &[
    "summarise|summarize|recap|condense|tldr|synopsis",
    "summary of|please|for",
    "tl",
    "give|show|get|make|write|provide|create|need|want|have me? a|an|the short|brief|quick|one-line|concise? summary|recap|synopsis|tldr|digest",
    "what is|are the key|main points|takeaways",
    "key|main points|takeaways of|from",
    "sum up",
    "sum it|this|that|them up",
    "boil it|this|that down",
    "shorten this|that|it|the",
];

/// The kind of a message, and the confidence.
pub(super) fn read(text: &TokenizedText<'_>) -> (IntentKind, f32) {
    let sentences: Vec<&[Word<'_>]> = text.sentences().collect();
    let first = sentences.iter().take(SENTENCES_MAX);
    let last = sentences.iter().skip(SENTENCES_MAX).next_back().filter(|_| !text.cut);
    if let Some(verdict) = first.chain(last).find_map(|sentence| narrow(text, sentence)) {
        return verdict;
    }
    if text.asks || sentences.iter().any(|sentence| asks(sentence)) || text.source.trim_end().ends_with("か。") {
        return (IntentKind::Question, 0.9);
    }
    if sentences.iter().take(SENTENCES_MAX).any(|sentence| opens_question(body(sentence))) {
        return (IntentKind::Question, 0.8);
    }
    match sentences.as_slice() {
        [] => (IntentKind::Chat, 0.6),
        [only] if body(only).is_empty() => (IntentKind::Chat, 0.9),
        [only] if only.len() == 1 => (IntentKind::Chat, 0.65),
        _ => (IntentKind::Chat, 0.75),
    }
}

/// The narrow kinds: all but questions and chat.
fn narrow(text: &TokenizedText<'_>, sentence: &[Word<'_>]) -> Option<(IntentKind, f32)> {
    let words = body(sentence);
    let asked = after_any(words, TELL_ME).unwrap_or(words);
    // "What did I do wrong" is about the current task.
    if (starts(words, MEMORY) || starts(asked, MEMORY)) && !has(words, &["wrong", "miss", "error", "mistake"]) {
        return Some((IntentKind::MemoryQuestion, 0.85));
    }
    if let Some(confidence) = calculations::read(text, sentence) {
        return Some((IntentKind::Calculation, confidence));
    }
    if is_time(asked) {
        return Some((IntentKind::Time, 0.9));
    }
    let order = command::order(sentence);
    let wanted = after_any(order, &["i"]).unwrap_or(order);
    let alone = after(trimmed(words), "summary").is_some_and(<[_]>::is_empty);
    if alone
        || starts(wanted, SUMMARY)
        || starts(asked, SUMMARY)
        || after(words, "can|could|may i have").is_some_and(asks_summary)
    {
        return Some((IntentKind::Summary, 0.9));
    }
    if is_research(order) || starts(asked, RESEARCH) || has(words, SOURCED) {
        return Some((IntentKind::Research, 0.85));
    }
    command::read(sentence).map(|confidence| (IntentKind::Command, confidence))
}

fn asks_summary(words: &[Word<'_>]) -> bool {
    starts(words, &["a|an|the short|brief|quick? summary|recap|synopsis"])
}

/// "Time in Tokyo", but neither "time in prison" nor "what time is it over".
fn is_time(words: &[Word<'_>]) -> bool {
    if let Some(place) = after(words, "time in") {
        return place.first().is_some_and(Word::is_capital);
    }
    starts(words, TIME) || after(trimmed(words), "the? time|date").is_some_and(<[_]>::is_empty)
}

/// "Research solar panels", but not "research is fun".
fn is_research(words: &[Word<'_>]) -> bool {
    const STATES: &[&str] = &[
        "is", "was", "has", "shows", "says", "suggests", "paper", "papers", "and", "in", "that", "can", "will", "are",
    ];
    match after(words, "research|google|investigate") {
        Some(rest) => !rest.is_empty() && !first_is(rest, STATES),
        None => starts(words, RESEARCH),
    }
}

/// Whether a sentence without a question mark starts like a question.
fn opens_question(words: &[Word<'_>]) -> bool {
    const WITH_VERB: &str =
        "when|where|how|which|what|who is|are|was|were|do|does|did|will|can|could|should|would|has|have|had|am|may";
    if let Some(told) = after_any(words, TELL_ME).or_else(|| after(words, "show me")) {
        return starts(told, &["what|who|whom|whose|why|when|where|which|how|if|whether|about"]);
    }
    if after(words, "what a|an").is_some() || starts(words, &["do not|it|that|this|the|your|some|so|as", "why not"]) {
        return false;
    }
    starts(
        words,
        &[
            WITH_VERB,
            "why",
            "who|whose|whom|what",
            "how many|much|long|far|old|to|about|come|often|big|tall|hot|cold|high|deep|fast|do|i|you",
            "is|are|was|were|does|did|am|should|could|would|can|shall",
            "do|have|had|has|will i|you|we|they|he|she|it|the|my|people|these|those|any",
            "which|where",
            "about|explain|describe",
        ],
    ) && (words.len() > 1 || first_is(words, &["why", "what", "who", "where", "which"]))
}
