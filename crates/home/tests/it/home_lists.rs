//! Lists of what people say to a home, in several languages, with the calls that would be right.
//! Their authors did not see the code. Each sentence goes through the whole reflex path. What is
//! not understood is left to a model; an act that was not asked for is wrong, and there is none.
//!
//! `DWELL_HOME_LISTS` names another folder of lists, `DWELL_SENTENCES` a folder of Home Assistant's
//! sentences (`de.json` and so on, as `dwell setup --sentences` leaves them), and
//! `DWELL_LIST_EXAMPLES=1` prints what was not right.
#![allow(clippy::print_stderr, reason = "the lists are a measurement, too")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use home::{Area, AreaId, Entity, HomeReflexes, HomeRegistry, UnlistedExposure, add_call_service, grammars};
use ports::{Reflex, ReflexCallResult, ReflexInput, Reflexes};
use protocol::CallStatus;
use serde::Deserialize;
use serde_json::{Map, Value};
use tools::Registry;

use crate::{
    context,
    fake_home::{FakeHome, state},
};

/// The languages of the lists, with the share of right results that is required, in percent.
const LANGUAGES: &[(&str, usize)] = &[("en", 85), ("de", 75), ("es", 65), ("fr", 65), ("it", 65), ("nl", 65)];

#[derive(Debug, Deserialize)]
pub(super) struct ListedHome {
    areas: Vec<ListedArea>,
    entities: Vec<ListedEntity>,
}

#[derive(Debug, Deserialize)]
struct ListedArea {
    id: String,
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct ListedEntity {
    entity_id: String,
    name: String,
    area: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    state: String,
    device_class: Option<String>,
    #[serde(default)]
    attributes: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ListedSentence {
    said: String,
    kind: String,
    #[serde(default)]
    before: Vec<String>,
    calls: Vec<ListedCall>,
    #[serde(default)]
    answer: Vec<String>,
    #[serde(default)]
    may_ask: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct ListedCall {
    service: String,
    #[serde(default)]
    entities: Vec<String>,
    #[serde(default)]
    data: Map<String, Value>,
}

impl ListedHome {
    pub(super) fn furnish(&self) -> Arc<FakeHome> {
        let entities = self.entities.iter().map(|it| Entity {
            id: it.entity_id.parse().unwrap(),
            name: it.name.clone(),
            aliases: it.aliases.clone(),
            area: it.area.as_ref().map(AreaId::new),
            device: None,
            class: it.device_class.clone(),
            platform: None,
            exposed: true,
            auxiliary: false,
        });
        let areas = self.areas.iter().map(|it| Area {
            id: AreaId::new(&it.id),
            name: it.name.clone(),
            aliases: it.aliases.clone(),
            floor: None,
        });
        let registry = HomeRegistry {
            areas: areas.collect(),
            entities: entities.collect(),
            exposed_unlisted: UnlistedExposure::All,
            ..HomeRegistry::default()
        };
        let home = FakeHome::with(registry, &[]);
        home.index.set_states(self.entities.iter().map(|it| {
            let mut now = state(&it.entity_id, &it.state);
            now.attributes.extend(it.attributes.clone().into_iter().filter(|(_, value)| !value.is_null()));
            now
        }));
        home
    }
}

/// What became of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Right,
    /// Asked back, answered otherwise, or left to a model; nothing was done.
    Refused,
    Wrong,
}

/// A conversation in a listed home.
pub(super) struct ListConversation<'a> {
    home: Arc<FakeHome>,
    reflexes: &'a HomeReflexes,
    registry: Registry,
    before: Vec<ReflexCallResult>,
    previous: Option<String>,
    unclear: Option<String>,
    language: Option<&'a str>,
}

impl<'a> ListConversation<'a> {
    /// One that begins.
    pub(super) fn new(home: Arc<FakeHome>, reflexes: &'a HomeReflexes, language: Option<&'a str>) -> Self {
        let registry = Registry::default();
        Self { home, reflexes, registry, before: Vec::new(), previous: None, unclear: None, language }
    }

    pub(super) fn read(&self, message: &str) -> Option<Reflex> {
        self.reflexes.read(&ReflexInput {
            message,
            language: self.language,
            area: None,
            before: &self.before,
            previous: self.previous.as_deref(),
            unclear: self.unclear.as_deref(),
        })
    }

    /// Says an earlier sentence, whose calls are carried out.
    async fn say(&mut self, message: &str) {
        let reflex = self.read(message);
        self.unclear = reflex.as_ref().filter(|it| it.asks_back).map(|_| message.to_owned());
        let mut settled = Vec::new();
        for call in reflex.into_iter().flat_map(|it| it.calls) {
            let tool = &self.registry.get(&call.tool).unwrap().tool;
            let (status, content) = match tool.call(call.arguments.clone(), &context()).await {
                Ok(output) => (CallStatus::Ok, output.value.to_string()),
                Err(failure) => (CallStatus::Error, failure.to_string()),
            };
            settled.push(ReflexCallResult { call, status, content });
        }
        if !settled.is_empty() {
            self.before = settled;
        }
        self.previous = Some(message.to_owned());
    }

    pub(super) fn judge(&self, sentence: &ListedSentence, reflex: Option<&Reflex>) -> Verdict {
        let calls: Vec<&Value> = reflex.iter().flat_map(|it| &it.calls).map(|call| &call.arguments).collect();
        let mut open: Vec<(&ListedCall, &String)> =
            sentence.calls.iter().flat_map(|call| call.entities.iter().map(move |id| (call, id))).collect();
        for call in &calls {
            let ids = call["target"]["entity_id"].as_array().cloned().unwrap_or_default();
            if ids.is_empty() {
                return Verdict::Wrong;
            }
            for id in ids {
                let id = id.as_str().unwrap_or_default();
                let Some(at) = open.iter().position(|(wanted, of)| *of == id && self.is_it(call, wanted, id)) else {
                    return Verdict::Wrong;
                };
                open.remove(at);
            }
        }
        let asks = reflex.is_some_and(|it| it.asks_back);
        let told = reflex.and_then(|it| it.answer.as_deref()).unwrap_or_default().to_lowercase();
        let is_answered =
            sentence.answer.is_empty() || sentence.answer.iter().any(|it| told.contains(&it.to_lowercase()));
        match (open.is_empty(), calls.is_empty()) {
            (true, _) if is_answered => Verdict::Right,
            (_, true) if sentence.may_ask && asks => Verdict::Right,
            // A part of what was asked for is not it.
            (false, false) => Verdict::Wrong,
            _ => Verdict::Refused,
        }
    }

    /// Whether a call is the expected one. A louder volume is a volume, set; a thermostat that is
    /// turned off is one in the mode `off`, and the other way round.
    fn is_it(&self, call: &Value, wanted: &ListedCall, id: &str) -> bool {
        let service = format!("{}.{}", call["domain"].as_str().unwrap_or(""), call["service"].as_str().unwrap_or(""));
        let now = self.home.index.state(&id.parse().unwrap());
        let volume = now.as_ref().and_then(|it| it.number("volume_level")).unwrap_or(0.0);
        let level = call["data"]["volume_level"].as_f64();
        let is_off = |service: &str, mode: Option<&Value>| {
            service == "climate.turn_off"
                || service == "climate.set_hvac_mode" && mode.and_then(Value::as_str) == Some("off")
        };
        if is_off(&service, call["data"].get("hvac_mode")) && is_off(&wanted.service, wanted.data.get("hvac_mode")) {
            return true;
        }
        let is_service = service == wanted.service
            || level.is_some_and(|level| {
                wanted.service == "media_player.volume_up" && level > volume
                    || wanted.service == "media_player.volume_down" && level < volume
            });
        let is_value = |name: &String, value: &Value| {
            let is = &call["data"][name];
            match (value.as_f64(), is.as_f64()) {
                (Some(one), Some(other)) => (one - other).abs() < 0.01,
                _ => {
                    let plain = |value: &Value| {
                        let text = value.as_str().unwrap_or("").to_lowercase();
                        text.strip_prefix("a ").map_or(text.clone(), str::to_owned)
                    };
                    plain(value) == plain(is) && !is.is_object() || value == is
                }
            }
        };
        is_service && wanted.data.iter().all(|(name, value)| is_value(name, value))
    }
}

/// A setting of a test, not of the program.
#[allow(clippy::disallowed_methods, reason = "a test's setting, not the program's")]
fn setting(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

type Counts = BTreeMap<(String, Verdict), usize>;

/// Says all sentences of a list.
async fn run(folder: &Path, language: &str, sentences: &Path, languages: &[String], known: bool) -> Counts {
    let read = |name: &str| fs::read_to_string(folder.join(language).join(name)).unwrap();
    let home: ListedHome = serde_json::from_str(&read("home.json")).unwrap();
    let list = read("sentences.jsonl");
    let list: Vec<ListedSentence> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut counts = Counts::new();
    let examples = setting("DWELL_LIST_EXAMPLES").is_some();
    let mut reflexes: Option<(Arc<FakeHome>, HomeReflexes)> = None;
    for sentence in &list {
        // A home that was acted on is not used again.
        if !sentence.before.is_empty() || reflexes.is_none() {
            let furnished = home.furnish();
            let (grammars, _) = grammars(sentences, Path::new("nowhere"), languages);
            reflexes = Some((furnished.clone(), HomeReflexes::new(furnished, grammars)));
        }
        let Some((furnished, made)) = &reflexes else { continue };
        let mut registry = Registry::default();
        add_call_service(&mut registry, furnished.clone(), home::Permission::default()).unwrap();
        let mut talk = ListConversation::new(furnished.clone(), made, known.then_some(language));
        talk.registry = registry;
        for message in &sentence.before {
            talk.say(message).await;
        }
        let reflex = talk.read(&sentence.said);
        let verdict = talk.judge(sentence, reflex.as_ref());
        if verdict == Verdict::Wrong || examples && verdict != Verdict::Right {
            let calls: Vec<String> =
                reflex.iter().flat_map(|it| &it.calls).map(|it| it.arguments.to_string()).collect();
            let told = reflex.as_ref().and_then(|it| it.answer.clone()).unwrap_or_default();
            eprintln!("{language} {} {verdict:?}: {:?} -> {} {told:?}", sentence.kind, sentence.said, calls.join(" "));
        }
        *counts.entry((sentence.kind.clone(), verdict)).or_default() += 1;
        if !sentence.before.is_empty() {
            reflexes = None;
        }
    }
    counts
}

fn count(counts: &Counts, kind: Option<&str>, verdict: Verdict) -> usize {
    counts.iter().filter(|((of, it), _)| kind.is_none_or(|kind| kind == of) && *it == verdict).map(|(_, n)| n).sum()
}

/// Prints a table; returns the share of right results in percent, and the number of wrong ones.
fn table(of: &str, counts: &Counts) -> (usize, usize) {
    let mut kinds: Vec<&str> = counts.keys().map(|(kind, _)| kind.as_str()).collect();
    kinds.dedup();
    for kind in kinds.iter().map(|kind| Some(*kind)).chain([None]) {
        let [right, refused, wrong] =
            [Verdict::Right, Verdict::Refused, Verdict::Wrong].map(|verdict| count(counts, kind, verdict));
        let all = right + refused + wrong;
        eprintln!("{of} {:10} right {right:3} of {all:3}, refused {refused:3}, wrong {wrong}", kind.unwrap_or("all"));
    }
    let all: usize = counts.values().sum();
    (count(counts, None, Verdict::Right) * 100 / all.max(1), count(counts, None, Verdict::Wrong))
}

fn lists() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/lists/home");
    setting("DWELL_HOME_LISTS").unwrap_or(own)
}

async fn all(of: &str, sentences: &Path, languages: &dyn Fn(&str) -> Vec<String>, known: bool, right: bool) {
    let folder = lists();
    let mut failures = Vec::new();
    for (language, required) in LANGUAGES {
        if !folder.join(language).join("sentences.jsonl").exists() {
            eprintln!("skipped: there is no list for {language} in {}", folder.display());
            continue;
        }
        let counts = run(&folder, language, sentences, &languages(language), known).await;
        let (share, wrong) = table(&format!("{of} {language}"), &counts);
        if wrong > 0 || right && share < *required {
            failures.push(format!("{language}: {share} % right, {wrong} wrong"));
        }
    }
    assert!(failures.is_empty(), "{of}: {failures:?}");
}

/// The built-in languages.
fn built_in() -> Vec<String> {
    LANGUAGES.iter().map(|(language, _)| (*language).to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn no_sentence_of_the_lists_does_what_was_not_asked_for() {
    all("built-in", Path::new("nowhere"), &|_| built_in(), false, true).await;
}

#[tokio::test(start_paused = true)]
async fn no_sentence_does_what_was_not_asked_for_with_the_sentences_of_home_assistant() {
    let Some(folder) = setting("DWELL_SENTENCES") else {
        return eprintln!("skipped: set DWELL_SENTENCES to a folder that `dwell setup --sentences` has filled");
    };
    all("Home Assistant's", &folder, &|language| vec![language.to_owned()], true, true).await;
}

/// Words around a command, so that it is none for now: before and after it.
const AROUND: &[(&str, &[(&str, &str)])] = &[
    (
        "en",
        &[
            ("don't ", ""),
            ("if it rains ", ""),
            ("why ", "?"),
            ("", " tomorrow"),
            ("never ", ""),
            ("", " in an hour"),
            ("diagnose ", ""),
        ],
    ),
    (
        "de",
        &[
            ("wenn es regnet ", ""),
            ("warum ", "?"),
            ("", " nicht"),
            ("morgen ", ""),
            ("in einer Stunde ", ""),
            ("teste ", ""),
        ],
    ),
    (
        "es",
        &[
            ("no ", ""),
            ("si llueve ", ""),
            ("por qué ", "?"),
            ("", " mañana"),
            ("", " dentro de una hora"),
            ("prueba ", ""),
        ],
    ),
    (
        "fr",
        &[
            ("ne ", " pas"),
            ("s'il pleut ", ""),
            ("pourquoi ", " ?"),
            ("demain ", ""),
            ("", " dans une heure"),
            ("renomme ", ""),
        ],
    ),
    (
        "it",
        &[("non ", ""), ("se piove ", ""), ("perché ", "?"), ("", " domani"), ("", " tra un'ora"), ("rinomina ", "")],
    ),
    (
        "nl",
        &[
            ("als het regent ", ""),
            ("waarom ", "?"),
            ("", " niet"),
            ("morgen ", ""),
            ("", " over een uur"),
            ("hernoem ", ""),
        ],
    ),
];

/// A word with one slip: letters swapped, missing, doubled, or wrong, by turns.
fn slipped(word: &str, at: usize, turn: usize) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    match turn % 4 {
        0 => letters.swap(at, at + 1),
        1 => drop(letters.remove(at)),
        2 => letters.insert(at, letters[at]),
        _ => letters[at] = if letters[at] == 'e' { 'o' } else { 'e' },
    }
    letters.into_iter().collect()
}

/// Commands with one slip, or with words around them that make them none.
async fn disturb(folder: &Path, language: &str, sentences: &Path, languages: &[String]) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(folder.join(language).join(name)).unwrap();
    let home: ListedHome = serde_json::from_str(&read("home.json")).unwrap();
    let list = read("sentences.jsonl");
    let list = list.lines().map(|line| serde_json::from_str::<ListedSentence>(line).unwrap());
    let commands = list.filter(|it| it.kind == "command" && !it.calls.is_empty());
    let furnished = home.furnish();
    let (grammars, _) = grammars(sentences, Path::new("nowhere"), languages);
    let reflexes = HomeReflexes::new(furnished.clone(), grammars);
    let talk = ListConversation::new(furnished, &reflexes, Some(language));
    let mut wrong = Vec::new();
    let mut check = |said: String, sentence: &ListedSentence| {
        let reflex = talk.read(&said);
        if talk.judge(sentence, reflex.as_ref()) == Verdict::Wrong {
            let calls: Vec<String> =
                reflex.iter().flat_map(|it| &it.calls).map(|it| it.arguments.to_string()).collect();
            wrong.push(format!("{said:?}: {}", calls.join(" ")));
        }
    };
    let (_, around) = AROUND.iter().find(|(of, _)| *of == language).unwrap();
    for (turn, sentence) in commands.enumerate() {
        for (front, back) in *around {
            let none = ListedSentence::with_calls(Vec::new());
            check(format!("{front}{}{back}", sentence.said.trim_end_matches(['.', '?', '!'])), &none);
        }
        // What goes on a list is spelled as it is said.
        if sentence.calls.iter().any(|call| call.service.starts_with("todo.")) {
            continue;
        }
        for (at, word) in sentence.said.split(' ').enumerate().filter(|(_, word)| word.chars().count() > 3) {
            let place = (turn + at) % (word.chars().count() - 1);
            let said: Vec<String> = sentence
                .said
                .split(' ')
                .enumerate()
                .map(|(index, word)| if index == at { slipped(word, place, turn + at) } else { word.to_owned() })
                .collect();
            check(said.join(" "), &sentence);
        }
    }
    wrong
}

impl ListedSentence {
    /// One that only says which calls are right.
    pub(super) fn with_calls(calls: Vec<ListedCall>) -> Self {
        let (said, kind) = (String::new(), String::new());
        Self { said, kind, before: Vec::new(), calls, answer: Vec::new(), may_ask: false }
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_with_a_slip_or_a_condition_is_that_command_or_nothing() {
    let folder = lists();
    let downloaded = setting("DWELL_SENTENCES");
    let mut wrong = Vec::new();
    for (language, _) in LANGUAGES {
        if !folder.join(language).join("sentences.jsonl").exists() {
            eprintln!("skipped: there is no list for {language} in {}", folder.display());
            continue;
        }
        let own = [(*language).to_owned()];
        wrong.extend(disturb(&folder, language, Path::new("nowhere"), &own).await);
        if let Some(sentences) = &downloaded {
            wrong.extend(disturb(&folder, language, sentences, &own).await);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
