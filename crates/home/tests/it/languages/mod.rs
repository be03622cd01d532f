//! Commands in all languages of Home Assistant's sentences, with one slip, or with a word around
//! them that makes them none: each is the same command, or nothing is done.
//!
//! `DWELL_SENTENCES` names the folder of the sentences, as `dwell setup --sentences` leaves it.
//! `DWELL_LANGUAGE_COMMANDS` is the number of commands of each language, `DWELL_LANGUAGE_SEED` the
//! seed, and `DWELL_LIST_EXAMPLES=1` prints a line for each language.
#![allow(clippy::print_stderr, reason = "it is a measurement, too")]

mod numbers;
mod sampler;

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use home::{HomeReflexes, HomeRegistry, UnlistedExposure, grammars};
use ports::{Reflex, ReflexInput, Reflexes};
use serde_json::{Value, json};

use self::sampler::{SampleNames, SeededRandom, TemplateSource};
use crate::fake_home::{FakeHome, area, classed, entity, state};

/// The number of commands of each language, unless another is set.
const COMMANDS: usize = 6;
const SEED: u64 = 26;
/// The number of sentences that are tried for one command.
const TRIES: usize = 60;

/// The intents that change devices and take no free text.
const INTENTS: &[&str] = &[
    "HassTurnOn",
    "HassTurnOff",
    "HassToggle",
    "HassLightSet",
    "HassSetPosition",
    "HassOpenCover",
    "HassCloseCover",
    "HassClimateSetTemperature",
    "HassFanSetSpeed",
    "HassSetVolume",
    "HassSetVolumeRelative",
    "HassMediaPause",
    "HassMediaUnpause",
    "HassMediaNext",
    "HassMediaPrevious",
    "HassMediaPlayerMute",
    "HassMediaPlayerUnmute",
    "HassVacuumStart",
    "HassVacuumReturnToBase",
    "HassLawnMowerStartMowing",
    "HassLawnMowerDock",
];

/// The slots that take any words.
const FREE: &[&str] = &["search_query", "item", "message"];

type Conditions = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// A setting of a test, not of the program.
#[allow(clippy::disallowed_methods, reason = "a test's setting, not the program's")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The names of the things of the test home, by language.
fn names() -> BTreeMap<String, Vec<String>> {
    toml::from_str(include_str!("names.toml")).unwrap()
}

/// Whether a reading has free text.
fn takes_any_words(reflex: &Reflex) -> bool {
    FREE.iter().any(|slot| reflex.slots.contains_key(*slot))
}

/// A home whose things have these names.
fn home(names: &[String]) -> Arc<FakeHome> {
    let [kitchen, bedroom, table, floor, fan, curtain, radio, door, coffee, heater] = names else {
        panic!("{names:?}")
    };
    let entities = vec![
        entity("light.table", table, "kitchen"),
        entity("light.floor", floor, "bedroom"),
        entity("fan.fan", fan, "bedroom"),
        classed("curtain", entity("cover.curtain", curtain, "bedroom")),
        entity("media_player.radio", radio, "kitchen"),
        entity("lock.front", door, "kitchen"),
        entity("switch.coffee", coffee, "kitchen"),
        entity("climate.heater", heater, "bedroom"),
        entity("vacuum.robo", "Robo", "kitchen"),
        entity("lawn_mower.mow", "Momo", ""),
    ];
    let words = [
        ("light.table", "off"),
        ("light.floor", "on"),
        ("fan.fan", "off"),
        ("cover.curtain", "closed"),
        ("media_player.radio", "playing"),
        ("lock.front", "locked"),
        ("switch.coffee", "off"),
        ("climate.heater", "heat"),
        ("vacuum.robo", "docked"),
        ("lawn_mower.mow", "docked"),
    ];
    let areas = vec![area("kitchen", kitchen), area("bedroom", bedroom)];
    let registry = HomeRegistry { areas, entities, exposed_unlisted: UnlistedExposure::All, ..HomeRegistry::default() };
    let home = FakeHome::with(registry, &[]);
    home.index.set_states(words.iter().map(|(id, word)| {
        let mut now = state(id, word);
        if *id == "media_player.radio" {
            now.attributes.insert("volume_level".to_owned(), json!(0.4));
        }
        now
    }));
    home
}

/// What was counted for a language.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    commands: usize,
    variants: usize,
    same: usize,
    nothing: usize,
    other_sentence: usize,
}

struct LanguageCheck<'a> {
    language: &'a str,
    reflexes: HomeReflexes,
    /// The letters of the language, for wrong ones.
    letters: Vec<char>,
    tally: Tally,
    wrong: Vec<String>,
}

impl LanguageCheck<'_> {
    fn read(&self, message: &str) -> Option<Reflex> {
        self.reflexes.read(&ReflexInput {
            message,
            language: Some(self.language),
            area: Some("kitchen"),
            before: &[],
            previous: None,
            unclear: None,
        })
    }

    /// A variant does the same, if it may do something at all, or nothing.
    fn check(&mut self, clean: &str, variant: &str, wanted: &[Value], may_act: bool) {
        self.tally.variants += 1;
        let reflex = self.read(variant);
        let is_exact = reflex.as_ref().is_some_and(|it| it.confidence >= 1.0);
        let is_free = reflex.as_ref().is_some_and(takes_any_words);
        let calls: Vec<Value> = reflex.into_iter().flat_map(|it| it.calls).map(|call| call.arguments).collect();
        if calls.is_empty() {
            self.tally.nothing += 1;
        } else if calls == wanted && may_act {
            self.tally.same += 1;
        } else if may_act && is_exact && !is_free {
            // The slip has made another sentence of the language: "mute" of "unmute".
            self.tally.other_sentence += 1;
        } else {
            let all: Vec<String> = calls.iter().map(ToString::to_string).collect();
            let line = format!(
                "{} {clean:?} {variant:?}: {}{}",
                self.language,
                if is_exact { "exactly " } else { "" },
                all.join(" ")
            );
            self.wrong.push(line);
        }
    }

    /// One slip in each place: letters swapped, missing, doubled or wrong.
    fn slips(&mut self, clean: &str, wanted: &[Value], chance: &mut SeededRandom, each: usize) {
        let letters: Vec<char> = clean.chars().collect();
        for turn in 0..4 {
            for _ in 0..each {
                let at = chance.below(letters.len());
                let mut said = letters.clone();
                if !letters[at].is_alphabetic() {
                    continue;
                }
                match turn {
                    0 if letters.get(at + 1).is_some_and(|next| next.is_alphabetic()) => said.swap(at, at + 1),
                    0 => continue,
                    1 => drop(said.remove(at)),
                    2 => said.insert(at, letters[at]),
                    _ => said[at] = *chance.of(&self.letters),
                }
                let said: String = said.into_iter().collect();
                if said != clean && !said.trim().is_empty() {
                    self.check(clean, &said, wanted, true);
                }
            }
        }
    }

    /// A word before or after it that makes it none.
    fn conditions(&mut self, clean: &str, wanted: &[Value], words: &BTreeMap<String, Vec<String>>) {
        for (kind, words) in words {
            let end = if kind == "why" { "?" } else { "" };
            for word in words {
                for variant in [format!("{word} {clean}{end}"), format!("{clean} {word}{end}")] {
                    self.check(clean, &variant, wanted, false);
                }
                if matches!(self.language.split('-').next(), Some("ja" | "th" | "zh")) {
                    self.check(clean, &format!("{word}{clean}{end}"), wanted, false);
                }
            }
        }
    }
}

/// Checks one language.
fn check<'a>(
    folder: &Path,
    language: &'a str,
    names: &[String],
    conditions: &Conditions,
    count: usize,
    seed: u64,
) -> LanguageCheck<'a> {
    let text = fs::read_to_string(folder.join(format!("{language}.json"))).unwrap();
    let source = TemplateSource::of(&text, INTENTS);
    let furnished = home(names);
    let (grammars, notices) = grammars(folder, Path::new("nowhere"), &[language.to_owned()]);
    assert!(notices.is_empty(), "{notices:?}");
    let mut letters: Vec<char> = names.concat().chars().filter(|it| it.is_alphabetic()).collect();
    letters.sort_unstable();
    letters.dedup();
    let reflexes = HomeReflexes::new(furnished, grammars);
    let mut it = LanguageCheck { language, reflexes, letters, tally: Tally::default(), wrong: Vec::new() };
    let mut entities = names[2..].to_vec();
    entities.extend(["Robo", "Momo"].map(str::to_owned));
    let samples = SampleNames { entities: &entities, areas: &names[..2] };
    // Every language has its own numbers, so that one can be looked at alone.
    let mut chance = SeededRandom::new(seed ^ language.bytes().fold(7, |all, next| all * 31 + u64::from(next)));
    let intents = source.intents();
    for turn in 0..count {
        let intent = intents[(turn + chance.below(intents.len())) % intents.len()];
        let found = (0..TRIES).find_map(|_| {
            let sentence = source.sentence(intent, &samples, &mut chance)?;
            let reflex = it.read(&sentence).filter(|it| !takes_any_words(it))?;
            let calls: Vec<Value> = reflex.calls.into_iter().map(|call| call.arguments).collect();
            (!calls.is_empty()).then_some((sentence, calls))
        });
        let Some((sentence, calls)) = found else { continue };
        it.tally.commands += 1;
        it.slips(&sentence, &calls, &mut chance, 3);
        it.conditions(&sentence, &calls, &conditions[language]);
    }
    it
}

#[test]
fn a_disturbed_command_in_any_language_is_that_command_or_nothing() {
    let Some(folder) = setting("DWELL_SENTENCES") else {
        return eprintln!("skipped: set DWELL_SENTENCES to a folder that `dwell setup --sentences` has filled");
    };
    let folder = Path::new(&folder);
    let number = |name: &str| setting(name).map(|text| text.parse::<u64>().unwrap());
    let count = number("DWELL_LANGUAGE_COMMANDS").map_or(COMMANDS, |it| usize::try_from(it).unwrap());
    let seed = number("DWELL_LANGUAGE_SEED").unwrap_or(SEED);
    let names = names();
    let conditions: Conditions = toml::from_str(include_str!("../../../../reflex/src/conditions.toml")).unwrap();
    let (mut wrong, mut all, mut silent) = (Vec::new(), Tally::default(), Vec::new());
    for (language, names) in &names {
        if !folder.join(format!("{language}.json")).exists() {
            eprintln!("skipped: there is no {language}.json in {}", folder.display());
            continue;
        }
        let it = check(folder, language, names, &conditions, count, seed);
        if setting("DWELL_LIST_EXAMPLES").is_some() {
            eprintln!("{language} {:?}, wrong {}", it.tally, it.wrong.len());
        }
        if it.tally.commands == 0 {
            silent.push(language.as_str());
        }
        all.commands += it.tally.commands;
        all.variants += it.tally.variants;
        all.same += it.tally.same;
        all.nothing += it.tally.nothing;
        all.other_sentence += it.tally.other_sentence;
        wrong.extend(it.wrong);
    }
    eprintln!("seed {seed}: {all:?}, wrong {}", wrong.len());
    assert!(silent.is_empty(), "no command was found for {silent:?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
