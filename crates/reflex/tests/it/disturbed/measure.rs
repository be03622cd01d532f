//! Counts what is right, wrong and refused.

use std::fmt::Write;
use std::time::Instant;

use reflex::{Circumstances, Grammar, Understood, Vocabulary};
use serde_json::Value;

use super::disturb::{Chance, Disturbance, disturbed};

/// A sentence with what it means where nobody disturbed it.
#[derive(Debug)]
pub(super) struct Undisturbed<'a> {
    pub sentence: String,
    pub vocabulary: &'a Vocabulary,
    pub circumstances: Circumstances,
    pub meant: Understood,
}

#[derive(Debug, Default)]
pub(super) struct Tally {
    pub right: usize,
    pub wrong: usize,
    pub refused: usize,
    /// Wrong ones that would act on something dear.
    pub dear: usize,
    /// Understood by the strict reading alone, and right.
    pub strictly: usize,
    pub examples: Vec<String>,
}

impl Tally {
    pub(super) fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / (self.right + self.wrong + self.refused).max(1) as f64
    }
}

#[allow(clippy::disallowed_methods, reason = "a test's setting, not the program's")]
pub(super) fn size(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

pub(super) fn seed() -> u64 {
    size("DWELL_DISTURBED_SEED", 20_261_115) as u64
}

pub(super) fn measure(
    grammar: &Grammar,
    sentences: &[Undisturbed<'_>],
    how: Disturbance,
    seed: u64,
    rounds: usize,
) -> Tally {
    let mut tally = Tally::default();
    let mut chance = Chance::new(seed);
    for _ in 0..rounds {
        for it in sentences {
            let Some(text) = disturbed(&it.sentence, how, &mut chance) else { continue };
            let found = grammar.read_forgiving(it.vocabulary, &text, &it.circumstances).understood();
            let strict = grammar.read(it.vocabulary, &text, &it.circumstances);
            tally.strictly += usize::from(strict.is_some_and(|strict| is_same(&strict, &it.meant)));
            match found {
                Some(found) if is_same(&found, &it.meant) => tally.right += 1,
                Some(found) => {
                    tally.wrong += 1;
                    tally.dear += usize::from(is_dear(&found, it.vocabulary));
                    tally.examples.push(format!("wrong: {text:?} is {} {:?}", found.intent, values(&found)));
                }
                None => {
                    tally.refused += 1;
                    tally.examples.push(format!("refused: {text:?}"));
                }
            }
        }
    }
    tally
}

fn values(understood: &Understood) -> Vec<(&str, &Value)> {
    understood.slots.iter().map(|(name, slot)| (name.as_str(), &slot.value)).collect()
}

fn is_same(one: &Understood, other: &Understood) -> bool {
    let comparable = |it: &Understood| -> Vec<(String, String)> {
        values(it).into_iter().map(|(name, value)| (name.to_owned(), value.to_string().to_lowercase())).collect()
    };
    one.intent == other.intent && comparable(one) == comparable(other)
}

/// Whether it would do something to a lock, an alarm, a door, a gate, a valve or a siren.
pub(super) fn is_dear(understood: &Understood, vocabulary: &Vocabulary) -> bool {
    let is_question = understood.intent.contains("Get") || understood.intent == "HassTimerStatus";
    let dear = |value: &Value| {
        let all = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
        let words = ["lock", "alarm_control_panel", "valve", "siren", "garage", "gate", "door"];
        all.iter().filter_map(Value::as_str).any(|value| words.contains(&value))
    };
    let slot = |name: &str| understood.slots.get(name).is_some_and(|slot| dear(&slot.value));
    let ids = understood.slots.get("name").map(|slot| slot.ids.clone()).unwrap_or_default();
    let mut named = vocabulary.iter().filter(|named| ids.contains(&named.value));
    !is_question && (slot("domain") || slot("device_class") || named.any(|named| named.context.values().any(dear)))
}

pub(super) fn table(of: &str, tallies: &[(Disturbance, Tally)]) -> String {
    let mut table = format!(
        "{of}\n| disturbed by | sentences | right | wrong | refused | strict alone | dear |\n|---|--:|--:|--:|--:|--:|--:|\n"
    );
    for (how, tally) in tallies {
        let percent = |count| tally.percent(count);
        let count = tally.right + tally.wrong + tally.refused;
        writeln!(
            table,
            "| {how:?} | {count} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {} |",
            percent(tally.right),
            percent(tally.wrong),
            percent(tally.refused),
            percent(tally.strictly),
            tally.dear
        )
        .unwrap();
    }
    table
}

/// Prints how long the second pass takes, beside the strict reading that is tried first.
pub(super) fn times(of: &str, grammar: &Grammar, sentences: &[Undisturbed<'_>], seed: u64) {
    for how in Disturbance::ALL {
        let mut chance = Chance::new(seed);
        let mut both: [Vec<u128>; 2] = Default::default();
        for it in sentences {
            let Some(text) = disturbed(&it.sentence, how, &mut chance) else { continue };
            let started = Instant::now();
            let strict = grammar.read(it.vocabulary, &text, &it.circumstances);
            both[0].push(started.elapsed().as_micros());
            if strict.is_none() {
                // Whoever else runs on this machine is not what is measured.
                let once = || {
                    let started = Instant::now();
                    let _ = grammar.read_forgiving(it.vocabulary, &text, &it.circumstances);
                    started.elapsed().as_micros()
                };
                both[1].push((0..3).map(|_| once()).min().unwrap());
            }
        }
        let [strict, forgiving] = both.map(|mut times| {
            times.sort_unstable();
            let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or(0);
            format!("p50 {} p99 {} most {} µs", at(50), at(99), times.last().copied().unwrap_or(0))
        });
        eprintln!("{of}, {how:?}: strict {strict}; forgiving {forgiving}");
    }
}
