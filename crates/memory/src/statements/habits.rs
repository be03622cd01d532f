//! Statements that begin with "I" or "we": what the user is, has and does.

use super::{
    StatementKind,
    clause::ClauseMarks,
    draft::{StatementDraft, StatementValue, extent, key_of, value, without_preposition},
    endings::plain_verb,
    key::plain_key,
    lists::{MOODS, sort_of},
    possessions::{apposed, bought, lacked, owned, paid},
    things::measured_at,
};
use crate::language::{
    calendar::{MONTHS, WEEKDAYS},
    pattern::{after, after_any, first_is, is, is_number},
    words::{TokenizedText, Word},
};

/// What people do again and again; "I need", "I think" and the like are not among them.
#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
    "drink", "eat", "smoke", "run", "swim", "cycle", "walk", "jog", "hike", "climb", "row", "ski", "surf", "dance", "sing", "paint",
    "draw", "knit", "sew", "cook", "bake", "garden", "read", "watch", "listen", "play", "practise", "practice", "study", "teach",
    "coach", "train", "volunteer", "commute", "travel", "shop", "bank", "vote", "sleep", "wake", "get", "go", "take", "wear", "use",
    "pay", "earn", "save", "spend", "invest", "donate", "collect", "write", "code", "program", "ride", "drive", "park", "rent", "own",
    "keep", "grow", "breed", "attend", "visit", "call", "meet", "see", "host", "lead", "manage", "meditate", "fast",
    "lift", "box", "skate", "sail", "fish", "hunt", "camp", "do", "make", "brew", "order", "buy", "subscribe", "start",
    "finish", "leave", "stay", "follow", "support", "belong", "report", "sit", "share", "charge", "teach", "tutor", "mentor", "wash",
    "water", "feed", "clean", "learn", "publish", "post", "stream", "record", "bring", "bike", "weigh", "have", "prefer", "hold",
];

/// Words that belong to the verb before them.
pub(super) const PREPOSITIONS: &[&str] =
    &["at", "in", "on", "for", "with", "to", "by", "from", "up", "as", "about", "into", "out", "around", "after"];

/// The opening of a statement, up to the value, and its key.
const OPENINGS: &[(&str, &str)] = &[
    ("live|reside|am in|at|on", "home"),
    ("am living|based|located in|at|near", "home"),
    ("moved|relocated back? to", "home"),
    ("moved|relocated back? in with", "flatmate"),
    ("settled in", "home"),
    ("bought|rented a house|flat|apartment|place in", "home"),
    ("work as a|an?", "job"),
    ("am|been working as a|an?", "job"),
    ("work at|for|with", "employer"),
    ("am working at|for|with", "employer"),
    ("been working at|for|with", "employer"),
    ("work in", "work in"),
    ("am working in", "work in"),
    ("work from", "work from"),
    ("work", "work hours"),
    ("live with", "live with"),
    ("am subscribed to", "subscribe to"),
    ("am working from", "work from"),
    ("get|wake up at", "get up"),
    ("am up at", "get up"),
    ("get out of bed at", "get up"),
    ("set my alarm for|to", "alarm"),
    ("go to bed|sleep at", "go to bed"),
    ("weigh in? at?", "weight"),
    ("am down|up to", "weight"),
    ("earn|make", "salary"),
    ("turned", "age"),
    ("train for", "training for"),
    ("am training for", "training for"),
    ("am saving up? for", "saving for"),
    ("save", "saving"),
    ("am saving", "saving"),
    ("am preparing|studying for", "preparing for"),
    ("am learning", "learning"),
    ("learn", "learning"),
    ("am studying", "study"),
    ("am reading", "reading"),
    ("am writing", "writing"),
    ("am watching", "watching"),
    ("am dating|seeing", "partner"),
    ("am engaged|married to", "partner"),
    ("married", "partner"),
    ("am originally? from", "origin"),
    ("come|grew up? from|in", "origin"),
    ("was born in", "origin"),
    ("like|love|enjoy|adore", "likes"),
    ("am into|fond of?", "likes"),
    ("hate|dislike|loathe|detest", "dislikes"),
    ("can not stand", "dislikes"),
    ("speak fluent|some|a|only|mostly? little?", "speaks"),
    ("own|have got?", "owns"),
    ("go by", "name"),
    ("am called", "name"),
];

/// States and their keys.
const STATES: &[(&str, &str)] = &[
    ("married|single|engaged|divorced|widowed|separated", "relationship"),
    ("left-handed|right-handed|ambidextrous", "handedness"),
    ("retired|unemployed|self-employed|freelance|freelancing", "job"),
    (
        "diabetic|asthmatic|deaf|blind|dyslexic|colour-blind|colourblind|color-blind|colorblind|epileptic|pregnant",
        "health",
    ),
    ("atheist|catholic|muslim|jewish|buddhist|hindu|protestant|agnostic", "religion"),
];

/// Words that are no object of a lasting preference or habit.
const POINTED: &[&str] = &[
    "it",
    "that",
    "this",
    "these",
    "those",
    "you",
    "your",
    "him",
    "her",
    "them",
    "how",
    "what",
    "when",
    "to",
    "the",
    "where",
    "his",
    "their",
    "me",
    "us",
    "not",
    "so",
    "both",
    "there",
    "here",
    "if",
    "why",
    "someone",
    "something",
    "nothing",
    "everything",
    "anything",
    "sense",
    "fun",
    "well",
    "ready",
    "home",
    "rid",
    "lost",
    "better",
    "worse",
    "going",
    "back",
    "sure",
    "care",
];

/// What a clause of "I" or "we" states.
pub(super) fn find<'m>(text: &TokenizedText<'m>, words: &[Word<'m>], marks: ClauseMarks) -> Option<StatementDraft> {
    let said = after(words, "i|we")?;
    let perfect = after(said, "have").filter(|rest| rest.first().is_some_and(is_participle));
    let said = perfect.unwrap_or(said);
    let said = after(said, "started|begun|been to?")
        .filter(|rest| rest.first().is_some_and(|word| word.lower.ends_with("ing")))
        .unwrap_or(said);
    let started = perfect.is_some() || said.len() + 1 < words.len();
    if let Some(state) = after_any(said, &["am|are back to? being|on?", "am|are", "became|got|went"])
        && let Some(draft) = state_of(text, state)
    {
        return Some(draft);
    }
    let plural;
    let said = if first_is(said, &["are"]) {
        plural = said
            .iter()
            .cloned()
            .enumerate()
            .map(|(at, word)| if at == 0 { Word { lower: "am".to_owned(), ..word } } else { word })
            .collect::<Vec<_>>();
        &plural[..]
    } else {
        said
    };
    if let Some(noun) = after_any(said, &["have not got? a|an|any", "have never had a|an|any"]) {
        return lacked(text, noun);
    }
    if let Some(rest) = after(said, "do not") {
        return denied(text, rest);
    }
    if let Some(draft) = used(text, said) {
        return Some(draft);
    }
    if let Some(draft) = bought(text, said).or_else(|| paid(text, said)) {
        return Some(draft);
    }
    if let Some(draft) = placed(text, said).filter(|_| !marks.moment) {
        return Some(draft);
    }
    if let Some(rest) = after_any(said, &["have got?", "own"]) {
        if let Some(draft) = after(rest, "a|an").and_then(|noun| apposed(text, noun)) {
            return Some(draft);
        }
        return owned(text, rest, marks);
    }
    if let Some(rest) = after_any(said, &["drive|ride a|an|my|the"]).filter(|rest| measured_at(rest).is_none()) {
        let found = value(text, rest)?;
        let key = if first_is(said, &["drive"]) { "car" } else { "rides" };
        return (!is(rest.first()?, POINTED)).then(|| StatementDraft::new(key, StatementKind::Possession, 0.85, found));
    }
    if let Some((rest, key)) = OPENINGS.iter().find_map(|(opening, key)| after(said, opening).map(|rest| (rest, *key)))
        && let Some(draft) = opening(text, rest, key, marks)
    {
        return Some(draft);
    }
    habit(text, said, marks, started)
}

/// "I don't drink alcohol", "I don't have a car".
fn denied<'m>(text: &TokenizedText<'m>, rest: &[Word<'m>]) -> Option<StatementDraft> {
    let (verb, rest) = rest.split_first()?;
    let object = after(rest, "a|an|any").unwrap_or(rest);
    let object = &object[..extent(object)];
    let said = |value: &str| StatementValue { text: value.to_owned(), replaces: None };
    if is(verb, &["like", "enjoy", "stand"]) {
        let found = value(text, object).filter(|_| !first_is(object, POINTED) && !object.is_empty())?;
        return Some(StatementDraft::new("dislikes", StatementKind::Activity, 0.7, found));
    }
    if is(verb, &["have", "own"]) && first_is(rest, &["a", "an", "any"]) {
        return lacked(text, object);
    }
    if !is(verb, &["drink", "smoke", "drive", "eat"]) || object.len() > 3 {
        return None;
    }
    let pointed = first_is(object, POINTED) || first_is(object, &["much", "that", "often", "enough"]);
    let found = if object.is_empty() { "no".to_owned() } else { format!("no {}", text.slice(object)) };
    (!pointed).then(|| StatementDraft::new(verb.lower.clone(), StatementKind::Activity, 0.75, said(&found)))
}

fn is_participle(word: &Word<'_>) -> bool {
    word.lower.ends_with("ed")
        || is(word, &["been", "begun", "bought", "got", "gone", "become", "taken", "given", "sold", "grown"])
}

/// What follows "I am".
fn state_of<'m>(text: &TokenizedText<'m>, state: &[Word<'m>]) -> Option<StatementDraft> {
    let bare = after(state, "a|an").unwrap_or(state);
    if let Some((_, key)) = STATES.iter().find(|(words, _)| after(bare, words).is_some()) {
        let value = value(text, &bare[..1])?;
        let goes_on = bare.get(1).is_none_or(|_| bare[0].ends_clause())
            || after_any(&bare[1..], &["and|but|since|with|for|from|to"]).is_some();
        if after(bare, "married|engaged to").is_some() {
            return None;
        }
        return goes_on.then(|| StatementDraft::new(*key, StatementKind::Attribute, 0.85, value));
    }
    let first = state.first()?;
    if is_number(first) {
        let rest = &state[1..];
        if rest.is_empty() || after(rest, "years old").is_some() || after(rest, "years").is_some_and(<[_]>::is_empty) {
            let whole = first.lower.len() < 4;
            return value(text, &state[..1])
                .filter(|_| whole)
                .map(|value| StatementDraft::new("age", StatementKind::Attribute, 0.8, value));
        }
        if rest.iter().take(3).any(|word| is(word, &["tall"])) {
            return value(text, state)
                .map(|value| StatementDraft::new("height", StatementKind::Attribute, 0.85, value));
        }
    }
    None
}

/// A value after one of the openings.
fn opening<'m>(
    text: &TokenizedText<'m>,
    rest: &[Word<'m>],
    key: &'static str,
    marks: ClauseMarks,
) -> Option<StatementDraft> {
    let rest = after_any(rest, &["about|around|roughly|almost|only"]).unwrap_or(rest);
    let first = rest.first()?;
    let capital = rest.iter().take(2).any(|word| word.is_capital() && !is(word, &["i"]));
    let noun = is(first, &["a", "an", "the"]) && rest.len() > 1;
    if key == "work from"
        && let Some(at) = measured_at(rest)
    {
        let found = value(text, without_preposition(&rest[at..]))?;
        return Some(StatementDraft::new(
            plain_key(&format!("work from {}", text.slice(&rest[..at]))),
            StatementKind::Activity,
            0.8,
            found,
        ));
    }
    let fits = match key {
        "work hours" => {
            (is_number(first) && rest.len() > 1)
                || is(
                    first,
                    &["nights", "days", "weekends", "shifts", "part-time", "full-time", "remotely", "mornings"],
                )
        }
        "work from" | "live with" => !is(first, &["here", "there", "it", "that", "this"]),
        "home" => {
            (capital || first.is_figure() || (is(first, &["a", "an"]) && !is_here(rest)))
                && !marks.moment
                && !is_am_at(text, rest)
        }
        "employer" => capital || noun || marks.told,
        "job" => !first.lower.ends_with("ing") && !is(first, MOODS) && !is(first, &["hard", "much", "well"]),
        "weight" => is_number(first) && rest.iter().take(3).any(is_mass),
        "salary" => {
            is_number(first) && rest.len() > 1 && !rest.iter().take(3).any(|word| is(word, &["minutes", "mistakes"]))
        }
        "get up" | "go to bed" | "alarm" => {
            is_number(first) || is(first, &["noon", "midnight", "half", "quarter", "dawn"])
        }
        "age" => is_number(first) && rest.len() == 1,
        "saving" => is_number(first),
        "partner" | "name" | "flatmate" => first.is_capital() && rest.len() <= 4,
        "origin" => first.is_capital() || (is(first, &["the"]) && capital),
        "owns" => false,
        "speaks" => first.is_capital(),
        "likes" | "dislikes" => !is(first, POINTED) && rest.len() <= 8 && !is(first, &["a", "an", "my", "our"]),
        "study" | "learning" | "reading" | "writing" | "watching" => {
            !is(first, POINTED) && !is(first, &["a", "an", "my"]) || capital
        }
        _ => !is(first, POINTED) || noun,
    };
    let found = value(text, without_article(rest, key)).filter(|_| fits && (!marks.moment || key == "weight"))?;
    let confidence = if matches!(key, "likes" | "dislikes" | "reading" | "writing" | "watching") { 0.65 } else { 0.85 };
    Some(StatementDraft::new(key, StatementKind::Activity, confidence, found))
}

/// A job or an employer without "a".
fn without_article<'w, 'm>(rest: &'w [Word<'m>], key: &str) -> &'w [Word<'m>] {
    if matches!(key, "job" | "training for" | "saving for") { after(rest, "a|an").unwrap_or(rest) } else { rest }
}

/// "I am in Miami" says where the user is, not where they live.
fn is_am_at(text: &TokenizedText<'_>, rest: &[Word<'_>]) -> bool {
    let Some(first) = rest.first() else { return false };
    let before = text.source[..first.at].to_lowercase();
    let mut words = before.split_whitespace().rev();
    let (preposition, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let _ = preposition;
    ["am", "i'm", "i’m", "are", "we're", "im", "now", "currently", "still"].contains(&verb)
}

/// "a society", "a world": not a home.
fn is_here(rest: &[Word<'_>]) -> bool {
    rest.iter().take(3).any(|word| {
        is(
            word,
            &["society", "world", "dream", "meeting", "hurry", "bubble", "time", "rush", "lie", "good", "bad", "weird"],
        )
    })
}

fn is_mass(word: &Word<'_>) -> bool {
    is(word, &["kg", "kilos", "kilo", "lbs", "lb", "pounds", "stone", "kilograms"])
        || word.lower.ends_with("kg")
        || word.lower.ends_with("lbs")
}

/// "I use Helix", "I use Obsidian for notes", "I use she/her pronouns".
fn used<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let thing = after_any(said, &["use|using", "am using", "rely on", "been using"])?;
    let thing = &thing[..extent(thing)];
    let first = thing.first()?;
    if is(first, POINTED) && !is(first, &["the"]) || thing.len() > 9 {
        return None;
    }
    if let Some(at) = thing.iter().position(|word| is(word, &["pronouns"])) {
        return value(text, &thing[..at])
            .map(|value| StatementDraft::new("pronouns", StatementKind::Attribute, 0.9, value));
    }
    let purpose = thing.iter().position(|word| is(word, &["for", "as"])).filter(|&at| at > 0);
    let Some(at) = purpose else {
        let found = value(text, after(thing, "a|an|the").unwrap_or(thing))?;
        let key = sort_of(&found.text).unwrap_or("uses");
        return Some(StatementDraft::new(key, StatementKind::Activity, 0.75, found));
    };
    let found = value(text, after(&thing[..at], "a|an|the").unwrap_or(&thing[..at]))?;
    let what = key_of(text, &thing[at + 1..]);
    let key = if is(&thing[at], &["as"]) { what } else { format!("uses for {what}") };
    Some(StatementDraft::new(key, StatementKind::Activity, 0.8, found))
}

/// "I'm on the blue team", "I'm in group B": what sort of thing is named last or first.
fn placed<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let place = after(said, "am on|in|at|with the|a|an?")?;
    let place = &place[..extent(place)];
    let sort = |word: &Word<'_>| {
        is(
            word,
            &[
                "team",
                "shift",
                "group",
                "department",
                "class",
                "tariff",
                "plan",
                "year",
                "grade",
                "league",
                "division",
                "waitlist",
                "committee",
                "branch",
                "office",
                "squad",
                "band",
                "course",
                "schedule",
            ],
        )
    };
    let key = match (place.first().filter(|word| sort(word)), place.last().filter(|word| sort(word))) {
        (_, Some(last)) if place.len() > 1 => last.lower.clone(),
        (Some(first), _) if place.len() > 1 => first.lower.clone(),
        _ => return None,
    };
    (place.len() <= 4)
        .then(|| value(text, place))
        .flatten()
        .map(|value| StatementDraft::new(key, StatementKind::Attribute, 0.75, value))
}

/// The key of a habit: the verb with what belongs to it.
pub(super) fn verb_key(verb: &str, rest: &[Word<'_>]) -> String {
    let preposition = rest.first().filter(|word| is(word, PREPOSITIONS) && !is(word, &["about", "around", "after"]));
    match preposition {
        Some(word) if !is_time(&rest[1..]) => format!("{verb} {}", word.lower),
        _ if verb == "use" => "uses".to_owned(),
        _ => verb.to_owned(),
    }
}

pub(super) fn is_time(words: &[Word<'_>]) -> bool {
    words.first().is_some_and(|word| is_number(word) || is(word, WEEKDAYS) || is(word, MONTHS))
}

/// Whether an unknown verb is something done again and again: "I rehearse on Mondays".
fn is_routine(verb: &Word<'_>, rest: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const OTHER: &[&str] = &[
        "am", "are", "was", "were", "had", "did", "could", "would", "should", "will", "might", "must", "can", "may", "shall", "want",
        "need", "think", "know", "feel", "mean", "guess", "hope", "wish", "said", "told", "ate", "saw", "went", "came", "made", "took",
        "gave", "got", "bought", "found", "heard", "left", "lost", "met", "ran", "sat", "slept", "spent", "thought", "won", "wrote",
        "not", "never", "and", "or", "like", "love", "hate", "arrive", "work", "live", "used", "been", "only", "both", "all", "in",
    ];
    let often = |word: &Word<'_>| {
        is(word, &["every", "twice", "times", "daily", "weekly"]) || (is(word, WEEKDAYS) && word.lower.ends_with('s'))
    };
    !is(verb, OTHER) && !verb.lower.ends_with("ed") && !verb.lower.ends_with("ing") && rest.iter().take(8).any(often)
}

/// "I go to the gym three times a week", "I drink two coffees a day", "I shop at Lidl".
fn habit<'m>(text: &TokenizedText<'m>, said: &[Word<'m>], marks: ClauseMarks, started: bool) -> Option<StatementDraft> {
    let (verb, rest) = said.split_first()?;
    let plain = if started { plain_verb(&verb.lower) } else { verb.lower.clone() };
    if marks.moment || rest.is_empty() || !(VERBS.contains(&plain.as_str()) || is_routine(verb, rest)) {
        return None;
    }
    let rest = &rest[..extent(rest)];
    if rest.is_empty() || rest.len() > 14 {
        return None;
    }
    let measured = measured_at(rest);
    if let Some(at) = measured.filter(|_| !rest.first().is_some_and(is_number)) {
        let (object, when) = rest.split_at(at);
        let pointed = object.first().is_some_and(|word| is(word, POINTED) && !is(word, &["to", "the", "home"]));
        let key = plain_key(&format!("{plain} {}", text.slice(object)));
        let found = value(text, without_preposition(when))?;
        return (!pointed).then(|| StatementDraft::new(key, StatementKind::Activity, 0.75, found));
    }
    let key = verb_key(&plain, rest);
    let stated = if key == plain { without_preposition(rest) } else { &rest[1..] };
    let first = stated.first()?;
    let capital = stated.iter().take(3).any(|word| word.is_capital() && !is(word, &["i"]));
    let figures = stated.iter().any(is_number);
    let clear = !is(first, POINTED)
        || (is(first, &["the"])
            && (plain == "play" || key != plain || figures || capital || marks.update || marks.told));
    // Weak verbs say something lasting only with a name, a figure, or word that it is new.
    const WEAK: &[&str] = &[
        "get", "go", "have", "see", "make", "do", "take", "keep", "call", "meet", "leave", "start", "finish", "sit",
        "bring", "hold", "stay", "order", "buy", "share", "write", "follow", "watch", "charge", "record", "clean",
        "wash", "post", "manage", "lead", "do", "support", "spend", "save",
    ];
    let timed = is_time(stated)
        || is(first, &["every", "each", "once", "twice", "daily", "weekly"])
        || after(rest, "in the morning|mornings|evening|evenings|afternoon|afternoons").is_some();
    let strong = timed
        || !WEAK.contains(&plain.as_str())
        || figures
        || marks.update
        || marks.told
        || (capital && !["get", "go", "have", "see", "call", "meet", "make"].contains(&plain.as_str()));
    let fleeting =
        is(first, MOODS) || stated.iter().any(|word| is(word, &["today", "tonight", "tomorrow", "now", "yesterday"]));
    let found = value(text, after(stated, "a|an|the").filter(|rest| !rest.is_empty()).unwrap_or(stated))?;
    (clear && strong && !fleeting).then(|| StatementDraft::new(key, StatementKind::Activity, 0.7, found))
}
