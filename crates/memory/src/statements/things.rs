//! Statements about what is the user's: "my 5k time is 27:12", "our meeting is on Tuesdays", "my
//! sister lives in Graz".

use super::{
    StatementKind,
    changes::{CHANGED, passive},
    clause::ClauseMarks,
    draft::{StatementDraft, StatementValue, extent, from_to, key_of, value, without_preposition},
    habits::{PREPOSITIONS, is_time},
    key::{normal_key, plain_key},
    lists::{ATTRIBUTES, MOODS, RELATIONS},
    possessions::{lacked, owned},
    rules::lists::{DIETS, JOBS},
};
use crate::language::{
    calendar::{MONTHS, WEEKDAYS},
    pattern::{after, after_any, first_is, is, is_number},
    words::{TokenizedText, Word},
};

/// Verbs whose subject is a thing or a person of the user's.
#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
    "is", "are", "was", "were", "will", "has", "have", "had", "got", "gets", "get", "went", "leaves", "leave", "departs", "starts",
    "start", "begins", "opens", "open", "closes", "close", "ends", "end", "finishes", "lives", "live", "works", "work", "costs",
    "cost", "takes", "take", "runs", "run", "goes", "go", "plays", "play", "likes", "like", "loves", "hates", "prefers", "speaks",
    "speak", "eats", "eat", "drinks", "drink", "weighs", "weigh", "moved", "changed", "rose", "dropped", "fell", "increased",
    "decreased", "shifted", "switched", "grew", "jumped", "climbed", "improved", "expires", "expire", "arrives", "lands", "meets",
    "meet", "happens", "studies", "study", "teaches", "drives", "wears", "uses", "use", "needs", "sleeps", "pays", "earns", "calls",
    "died", "passed", "turned", "turns", "became", "joined", "left", "stays", "comes", "come", "sits", "stands", "belongs", "lasts",
    "covers", "includes", "contains", "follows", "practises", "practices", "trains", "collects", "sells", "reads", "swims", "stopped",
    "quit", "retired", "renews", "reopens", "supports", "listens", "visits", "cooks", "smokes", "attends", "graduated", "finished",
    "broke", "does", "do", "can", "could", "would", "should", "might", "may", "must", "stood", "sank", "remains", "started", "lies",
    "recurs", "alternates", "falls", "depends", "seems", "looks", "feels", "sounds", "hurts", "keeps", "wants", "thinks", "says",
    "said", "told", "asked", "made", "gave", "came", "took", "bought", "sold", "relocated", "been", "shrank", "doubled", "expanded",
    "used", "accepts", "delivers", "serves", "stocks", "measures", "reached", "hit", "clocks", "sat", "swapped", "adopted", "picked",
];

/// Verbs that say when something is: the time is what the thing itself is about.
const SCHEDULED: &[&str] = &[
    "leaves", "leave", "departs", "starts", "start", "begins", "happens", "meets", "meet", "costs", "cost", "takes",
    "runs", "expires", "expire", "stands", "lasts", "comes", "sits", "falls", "remains", "recurs", "reached", "hit",
    "measures",
];

/// Verbs from which nothing lasting follows.
const FLEETING: &[&str] = &[
    "can", "could", "would", "should", "might", "may", "must", "depends", "seems", "looks", "feels", "sounds", "hurts",
    "keeps", "wants", "thinks", "says", "said", "told", "asked", "made", "gave", "came", "took", "had", "bought",
    "sold", "get", "gets", "does", "do", "finished", "needs", "calls", "broke", "stopped", "quit", "been",
];

/// A thing of the user's and what follows it.
struct Subject<'w, 'm> {
    key: String,
    head: String,
    named: Option<String>,
    is_new: bool,
    was: bool,
    verb: &'w Word<'m>,
    rest: &'w [Word<'m>],
    own: bool,
}

/// What a clause states about something of the user's.
pub(super) fn find<'m>(text: &TokenizedText<'m>, words: &[Word<'m>], marks: ClauseMarks) -> Vec<StatementDraft> {
    if let Some(draft) = inverted(text, words) {
        return vec![draft];
    }
    let Some(subject) = subject(text, words) else { return Vec::new() };
    if subject.was {
        return Vec::new();
    }
    let mut drafts = Vec::new();
    if let Some(name) = &subject.named {
        let value = StatementValue { text: name.clone(), replaces: None };
        drafts.push(StatementDraft::new(format!("{}'s name", subject.head), StatementKind::Attribute, 0.85, value));
    }
    let fresh = subject.is_new;
    drafts
        .extend(said_of(text, &subject, marks).map(|draft| StatementDraft { update: draft.update || fresh, ..draft }));
    if drafts.len() == 1 && subject.named.is_some() && subject.rest.is_empty() {
        drafts.clear();
    }
    drafts
}

/// What a clause says of something that the message has named already: "(my 5k time is 27:12.) It's
/// 26:50 now".
pub(super) fn of<'m>(
    text: &TokenizedText<'m>,
    key: &str,
    words: &[Word<'m>],
    marks: ClauseMarks,
) -> Option<StatementDraft> {
    let (verb, rest) = words.split_first().filter(|(verb, _)| is(verb, VERBS))?;
    let head = key.to_owned();
    let subject = Subject { key: head.clone(), head, named: None, is_new: true, was: false, verb, rest, own: true };
    said_of(text, &subject, marks).map(|draft| StatementDraft { update: true, ..draft })
}

/// "My new car", "the name of my dog", "Anna's birthday", and the verb after it.
fn subject<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<Subject<'w, 'm>> {
    let own = first_is(words, &["my", "our"]);
    let genitive = words.first().is_some_and(|word| word.lower.ends_with("'s") && word.is_capital());
    let bare = first_is(words, &["new", "updated"]);
    if !own && !genitive && !bare && !first_is(words, &["the"]) {
        return None;
    }
    let labelled = words.iter().take(7).position(|word| word.after.contains(':'));
    let verb = words.iter().take(9).skip(1).position(|word| is(word, VERBS)).map(|at| at + 1);
    let verb = verb.or_else(|| unknown_verb(words));
    // "My new number: 0664".
    let labelled = labelled.filter(|&colon| verb.is_none_or(|verb| colon < verb));
    let (end, rest) = match (labelled, verb) {
        (Some(colon), _) => (colon + 1, words.get(colon + 1..)?),
        (None, Some(verb)) => (verb, words.get(verb + 1..)?),
        _ => return None,
    };
    if bare && labelled.is_none() {
        return None;
    }
    let noun = &words[..end];
    const BROKEN: &[&str] = &[
        "i", "you", "he", "she", "they", "we", "which", "who", "that", "if", "than", "not", "because", "average",
        "typical", "person", "people", "someone", "guy",
    ];
    if noun.len() < 2 && !genitive || noun.iter().any(|word| is(word, BROKEN)) {
        return None;
    }
    let is_new = noun.iter().any(|word| is(word, &["new", "current", "latest", "updated", "newest"]));
    let was = noun.iter().any(|word| is(word, &["old", "previous", "former", "last", "first"]))
        && noun.len() > 2
        && !is_new
        && !noun.iter().any(|word| is(word, &["name"]));
    let relation = noun.iter().position(|word| is(word, RELATIONS));
    let named = relation.and_then(|at| noun.get(at + 1..)).filter(|name| {
        !name.is_empty() && name.len() <= 2 && name.iter().all(|word| word.is_capital() && !word.lower.ends_with("'s"))
    });
    let kept = named.map_or(noun, |name| &noun[..noun.len() - name.len()]);
    let head = normal_key(text.slice(kept));
    let verb = words.get(end).filter(|_| labelled.is_none()).unwrap_or(&words[end - 1]);
    let key = key_of(text, kept);
    (!key.is_empty()).then(|| Subject {
        key,
        head,
        named: named.map(|name| text.slice(name).to_owned()),
        is_new,
        was,
        verb,
        rest,
        own: own || genitive || bare,
    })
}

/// A word in "-s" behind a noun and in front of what only a verb can have: "the choir rehearses on
/// Mondays".
fn unknown_verb(words: &[Word<'_>]) -> Option<usize> {
    (2..words.len().min(6)).find(|&at| {
        let word = &words[at];
        let formed = word.lower.ends_with('s')
            && !word.lower.ends_with("ss")
            && !word.lower.ends_with("'s")
            && !word.is_capital();
        let next = words.get(at + 1);
        let object = next
            .is_some_and(|next| is_measure(next) || is(next, PREPOSITIONS) || is(next, &["a", "an", "the", "every"]));
        formed && object && !words[at - 1].ends_clause() && !is(&words[at - 1], PREPOSITIONS)
    })
}

/// What the verb and the rest say.
fn said_of<'m>(text: &TokenizedText<'m>, subject: &Subject<'_, 'm>, marks: ClauseMarks) -> Option<StatementDraft> {
    let (verb, rest, key) = (subject.verb, subject.rest, subject.key.as_str());
    if verb.after.contains(':') && !is(verb, VERBS) {
        return value(text, rest).map(|value| StatementDraft::changed(key, StatementKind::Attribute, 0.85, value));
    }
    if let Some(wish) = after(rest, "to be|become a|an?").filter(|_| is(verb, &["wants"])) {
        return value(text, wish)
            .map(|value| StatementDraft::new(format!("{key} wants to be"), StatementKind::Activity, 0.7, value));
    }
    if let Some(noun) = after_any(rest, &["not have|own a|an|any"]).filter(|_| is(verb, &["does", "do"])) {
        return lacked(text, noun).map(|lacked| StatementDraft { key: format!("{key}'s {}", lacked.key), ..lacked });
    }
    if is(verb, FLEETING) {
        return None;
    }
    let person = RELATIONS.iter().any(|relation| subject.head.ends_with(relation));
    let gone = after(rest, "moved|relocated").filter(|_| is(verb, &["has", "have"]));
    if let Some(rest) = gone.or(is(verb, &["moved", "relocated"]).then_some(rest)).filter(|_| person) {
        let moved = from_to(text, after(rest, "back|over|out").unwrap_or(rest))?;
        let named = moved.text.starts_with(char::is_uppercase);
        return named.then(|| StatementDraft::changed(format!("{key} lives in"), StatementKind::Activity, 0.85, moved));
    }
    if let Some(change) = passive(text, key, &[std::slice::from_ref(verb), rest].concat()) {
        return Some(change);
    }
    let copula = is(verb, &["is", "are"]);
    let will = is(verb, &["will"]).then(|| after(rest, "be")).flatten();
    let been = is(verb, &["has", "have"]).then(|| after_any(rest, &["been", "become"])).flatten();
    let turned = is(verb, &["became", "turned", "turns"]).then_some(rest);
    if is(verb, &["died"])
        || (is(verb, &["passed"]) && first_is(rest, &["away"]))
        || (been.is_none() && after(rest, "died|passed").is_some())
    {
        return Some(StatementDraft::ended(key, ""));
    }
    // "My dentist used to be Dr. Brandt", "my seat isn't 14A any more".
    let before =
        if is(verb, &["used"]) { after(rest, "to be?") } else { after(rest, "not").filter(|_| copula && marks.update) };
    if let Some(stated) = before {
        let over = value(text, without_preposition(stated)).map(|value| value.text)?;
        return Some(StatementDraft::ended(key, over));
    }
    if marks.ended {
        let stated = value(text, without_preposition(rest)).map(|value| value.text).unwrap_or_default();
        let verb = if copula { String::new() } else { format!(" {}", verb.lower) };
        return Some(StatementDraft::ended(format!("{key}{verb}"), stated));
    }
    if let Some(rest) = copula.then_some(rest).or(will).or(been).or(turned) {
        return attribute(text, subject, rest, marks);
    }
    if is(verb, &["was", "were", "will", "turned", "passed"]) {
        return None;
    }
    if let Some(stated) = after(rest, "a|an new|different").filter(|_| is(verb, &["has", "have", "got"])) {
        let end = stated.iter().take(4).position(Word::ends_clause)? + 1;
        let (what, stated) = stated.split_at(end);
        let found = value(text, without_preposition(stated))?;
        let plain = first_is(what, &["time", "date", "day", "slot", "price"]);
        let key = if plain { key.to_owned() } else { format!("{key}'s {}", key_of(text, what)) };
        return Some(StatementDraft::changed(key, StatementKind::Attribute, 0.8, found));
    }
    if is(verb, &["has", "have", "got"]) {
        let owned = owned(text, rest, marks)?;
        return Some(StatementDraft { key: format!("{key}'s {}", owned.key), ..owned });
    }
    if is(verb, &["joined"]) {
        return value(text, rest)
            .map(|value| StatementDraft::changed(format!("{key} works at"), StatementKind::Activity, 0.8, value));
    }
    if is(verb, CHANGED) || is(verb, &["started", "left", "graduated", "retired", "swapped", "adopted", "picked"]) {
        return None;
    }
    activity(text, subject, rest, marks)
}

/// "My X is Y".
fn attribute<'m>(
    text: &TokenizedText<'m>,
    subject: &Subject<'_, 'm>,
    rest: &[Word<'m>],
    marks: ClauseMarks,
) -> Option<StatementDraft> {
    let key = subject.key.as_str();
    if let Some(name) = after_any(rest, &["called|named", "name is"]) {
        return value(text, name)
            .map(|value| StatementDraft::new(format!("{key}'s name"), StatementKind::Attribute, 0.9, value));
    }
    let moved = after_any(
        rest,
        &[
            "back? down|up|back to",
            "set|fixed|scheduled|planned|booked|due|confirmed|capped for|to|at|on|by?",
            "down|up at",
        ],
    );
    let due = after_any(rest, &["coming|arriving|starting|leaving|happening|visiting on|at|in?"])
        .filter(|when| is_time(when));
    let moved = moved.or(due);
    let stated = without_preposition(moved.unwrap_or(rest));
    let stated = after(stated, "to").filter(|place| place.first().is_some_and(Word::is_capital)).unwrap_or(stated);
    let first = stated.first()?;
    let relation = RELATIONS.contains(&subject.head.as_str());
    if relation
        && let Some(at) =
            stated.iter().take(4).position(|word| is(word, JOBS) || (is_trade(word) && first_is(stated, &["a", "an"])))
    {
        let stated = after_any(stated, &["a|an"]).unwrap_or(stated);
        let _ = at;
        return value(text, stated)
            .map(|value| StatementDraft::new(format!("{key}'s job"), StatementKind::Attribute, 0.85, value));
    }
    if relation && is(first, DIETS) {
        return value(text, stated)
            .map(|value| StatementDraft::new(format!("{key}'s diet"), StatementKind::Attribute, 0.85, value));
    }
    if relation
        && (stated.len() > 1 && after(stated, "# years|months|weeks old").is_some()
            || stated.len() == 1 && is_number(first))
    {
        return value(text, stated)
            .map(|value| StatementDraft::new(format!("{key}'s age"), StatementKind::Attribute, 0.85, value));
    }
    if relation && first_is(rest, &["in", "at", "on"]) && first.is_capital() && moved.is_none() {
        return value(text, stated)
            .map(|value| StatementDraft::new(format!("{key} lives in"), StatementKind::Activity, 0.6, value));
    }
    let known = moved.is_some() || subject.is_new || marks.told || marks.update;
    if !is_lasting(subject, stated, known) {
        return None;
    }
    let value = value(text, stated)?;
    let job = ["job", "position", "role"].contains(&key) && first_is(rest, &["at", "with"]) && first.is_capital();
    let confidence = if subject.own { 0.85 } else { 0.75 };
    Some(StatementDraft::new(if job { "employer" } else { key }, StatementKind::Attribute, confidence, value))
}

/// Whether a value can hold for longer than today.
fn is_lasting(subject: &Subject<'_, '_>, stated: &[Word<'_>], known: bool) -> bool {
    let Some(first) = stated.first() else { return false };
    let head = subject.key.rsplit(' ').next().unwrap_or_default();
    let attribute = subject.key.split(' ').any(|word| {
        ATTRIBUTES.contains(&word.trim_end_matches("'s")) || ATTRIBUTES.contains(&super::value::stem(word).as_str())
    });
    let measured = stated.iter().take(6).any(is_measure);
    const VAGUE: &[&str] = &[
        "it", "this", "that", "what", "why", "how", "because", "to", "for", "like", "you", "me", "by", "with", "from",
        "getting", "going", "coming", "being", "none",
    ];
    if is(first, &["tomorrow", "today", "tonight", "yesterday", "soon", "now"]) {
        return false;
    }
    if ["hair", "beard", "nails", "fringe"].contains(&head) && stated.len() == 1 {
        return true;
    }
    if is(first, &["to"]) && ["goal", "plan", "dream", "resolution", "target", "aim", "job"].contains(&head) {
        return true;
    }
    let span = is(first, &["from", "by"]) && measured;
    if (is(first, MOODS) && !is_named_mood(first, stated)) || (is(first, VAGUE) && !span) {
        // "Down", "up", "open from 9 to 5": a figure makes a value of it.
        return measured
            && attribute
            && is(
                first,
                &["open", "free", "off", "on", "up", "down", "about", "just", "all", "from", "long", "flat", "by"],
            );
    }
    if first.lower.ends_with("ing") && !first.is_capital() && !attribute {
        return false;
    }
    let favourite = subject.key.starts_with("favo");
    if favourite {
        return !first.lower.ends_with("ing")
            || stated.len() == 1 && !is(first, &["playing", "ending", "closing", "starting", "coming"]);
    }
    if first.lower.ends_with("ing") && !first.is_capital() && !["hobby", "sport", "goal", "plan"].contains(&head) {
        return false;
    }
    if subject.own {
        let noun = is(first, &["a", "an", "the", "my", "our", "every", "once", "twice", "no"]);
        let named = stated.iter().take(4).any(|word| word.is_capital() && !is(word, &["i"]));
        return attribute || measured || named || noun || known || is_noun(subject, stated);
    }
    // "The" need not be the user's: a figure, a date or a thing one has must show that it is.
    let world = subject.key.split(' ').any(|word| {
        [
            "earth",
            "sun",
            "moon",
            "world",
            "capital",
            "population",
            "weather",
            "speed",
            "universe",
            "president",
            "author",
            "inventor",
            "currency",
            "king",
            "queen",
            "mountain",
            "river",
            "city",
            "country",
            "planet",
            "element",
            "war",
            "language",
            "answer",
            "winner",
        ]
        .contains(&word.trim_end_matches("'s"))
    });
    // "The conference is in Lyon", but not "the author of Emma is Austen".
    let named = first.is_capital() && !is(first, &["i"]) && !subject.key.contains(" of ");
    !world && (known || named || measured || (attribute && (first.is_capital() || stated.len() <= 6)))
}

/// Whether a plain word is rather a thing than how something is just now: "my research topic is
/// glaciers".
fn is_noun(subject: &Subject<'_, '_>, stated: &[Word<'_>]) -> bool {
    const ENDINGS: &[&str] = &["ed", "ing", "ful", "less", "ous", "able", "ible", "ish", "ive", "ly", "ent"];
    const FOR_NOW: &[&str] =
        &["bed", "town", "traffic", "trouble", "pain", "transit", "shock", "shower", "love", "danger", "repair"];
    let [word, ..] = stated else { return false };
    let formed = ENDINGS.iter().any(|ending| word.lower.ends_with(ending)) || is(word, FOR_NOW);
    let known = subject.key.contains(' ') || RELATIONS.contains(&subject.key.as_str());
    let place = known && RELATIONS.contains(&subject.key.as_str());
    known && !formed && extent(stated) <= 2 && stated.len() == extent(stated) && (!place || is_place(word))
}

/// Whether a word is formed like the name of a trade.
fn is_trade(word: &Word<'_>) -> bool {
    word.lower.len() > 5 && ["er", "or", "ist", "ian", "principal"].iter().any(|ending| word.lower.ends_with(ending))
}

/// Places where people spend years.
fn is_place(word: &Word<'_>) -> bool {
    is(
        word,
        &[
            "kindergarten",
            "nursery",
            "preschool",
            "primary",
            "secondary",
            "high",
            "school",
            "college",
            "university",
            "retirement",
            "prison",
        ],
    )
}

/// A number, a day, a month or a place in an order.
fn is_measure(word: &Word<'_>) -> bool {
    const ORDINALS: &[&str] = &["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    is_number(word) || is(word, MONTHS) || is(word, WEEKDAYS) || is(word, ORDINALS)
}

/// A mood word that is part of a name or a longer noun: "Free Willy".
fn is_named_mood(first: &Word<'_>, stated: &[Word<'_>]) -> bool {
    first.is_capital()
        || stated.get(1).is_some_and(|word| word.is_capital() && !is(word, &["i"]))
            && !is(first, &["not", "in", "so", "very"])
}

/// "My sister lives in Graz", "my flight leaves at 9:40".
fn activity<'m>(
    text: &TokenizedText<'m>,
    subject: &Subject<'_, 'm>,
    rest: &[Word<'m>],
    marks: ClauseMarks,
) -> Option<StatementDraft> {
    let (key, verb) = (subject.key.as_str(), subject.verb);
    if rest.is_empty() {
        return None;
    }
    let stated = rest.first().filter(|word| is(word, PREPOSITIONS) && rest.len() > 1).map_or(rest, |_| &rest[1..]);
    let measured = stated.iter().take(6).any(|word| is_number(word) || is(word, WEEKDAYS) || is(word, MONTHS));
    let is_vague = is(stated.first()?, MOODS) || first_is(stated, &["me", "you", "it", "that", "this", "us"]);
    if is_vague && !measured {
        return None;
    }
    if !subject.own && !measured && !marks.told && !marks.update {
        return None;
    }
    if is(verb, SCHEDULED) && measured {
        return value(text, after(stated, "me|us").unwrap_or(stated))
            .map(|value| StatementDraft::new(key, StatementKind::Attribute, 0.85, value));
    }
    let preposition = if is_time(stated) { &rest[..0] } else { &rest[..rest.len() - stated.len()] };
    let mut framed = format!("{key} {}", verb.lower);
    let (object, stated) = match measured_at(stated).filter(|_| preposition.is_empty() || is(verb, &["goes", "go"])) {
        // "My son has football on Mondays": the day is the value.
        Some(at) if at > 0 => stated.split_at(at),
        _ => (&stated[..0], stated),
    };
    for word in preposition.iter().chain(object) {
        framed.push(' ');
        framed.push_str(&word.lower);
    }
    value(text, without_preposition(stated))
        .map(|value| StatementDraft::new(plain_key(&framed), StatementKind::Activity, 0.75, value))
}

/// Where the part of a phrase begins that says when or how much, if another part stands before it.
pub(super) fn measured_at(words: &[Word<'_>]) -> Option<usize> {
    let end = extent(words);
    let words = &words[..end];
    (1..words.len()).find(|&at| {
        let here = &words[at..];
        let measure = |word: &Word<'_>| is_measure(word) || is(word, &["noon", "midnight", "dawn", "half"]);
        after_any(here, &["every|each|once|twice|daily|weekly|monthly"]).is_some()
            || after(here, "on|at|from|until|in|around|before|after the?")
                .and_then(|rest| rest.first())
                .is_some_and(|word| measure(word) && !is_year(word))
            || after(here, "# times|days|nights|hours|minutes|km|kilometres|miles|pages|euros|dollars|pounds").is_some()
            || after(here, "in the morning|mornings|evening|evenings|afternoon|afternoons").is_some()
    })
}

/// A year says how old a thing is, not when it happens.
fn is_year(word: &Word<'_>) -> bool {
    word.lower.len() == 4 && (word.lower.starts_with("19") || word.lower.starts_with("20"))
}

/// "Helix is my new editor", "blue is my favourite colour".
fn inverted<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<StatementDraft> {
    let verb = words.iter().take(6).position(|word| is(word, &["is", "are", "was"]))?;
    let thing = after(words.get(verb + 1..)?, "my|our")?;
    let named = &words[..verb];
    const NOT_NAMED: &[&str] = &[
        "it", "this", "that", "he", "she", "they", "what", "who", "which", "here", "there", "where", "these", "those",
        "my", "our", "you", "i", "how", "when",
    ];
    if named.is_empty()
        || thing.is_empty()
        || words[verb].lower == "was"
        || named.iter().any(|word| is(word, NOT_NAMED))
    {
        return None;
    }
    let thing = &thing[..extent(thing)];
    let lasting = first_is(thing, &["favourite", "favorite", "new", "current", "preferred"]) || named[0].is_capital();
    let key = key_of(text, thing);
    let found = StatementValue { text: text.slice(named).to_owned(), replaces: None };
    let fresh = first_is(thing, &["new", "current"]);
    (lasting && thing.len() <= 4 && !key.is_empty())
        .then(|| StatementDraft { update: fresh, ..StatementDraft::new(key, StatementKind::Attribute, 0.8, found) })
}
