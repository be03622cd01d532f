//! Counts right, wrong and refused results.

use std::fmt::Write;
use std::time::Instant;

use reflex::{Grammar, IntentContext, RecognizedIntent, Vocabulary};
use serde_json::Value;

use super::disturb::{Disturbance, SeededRandom, disturbed};

/// A sentence with its meaning when it is undisturbed.
#[derive(Debug)]
pub(super) struct CleanSentence<'a> {
    pub sentence: String,
    pub vocabulary: &'a Vocabulary,
    pub intent_context: IntentContext,
    pub meant: RecognizedIntent,
}

#[derive(Debug, Default)]
pub(super) struct MatchCounts {
    pub right: usize,
    pub wrong: usize,
    pub refused: usize,
    /// Wrong results that would act on something sensitive.
    pub sensitive: usize,
    /// Right results of the strict matcher alone.
    pub strictly: usize,
    pub examples: Vec<String>,
}

impl MatchCounts {
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
    sentences: &[CleanSentence<'_>],
    how: Disturbance,
    seed: u64,
    rounds: usize,
) -> MatchCounts {
    let mut tally = MatchCounts::default();
    let mut chance = SeededRandom::new(seed);
    for _ in 0..rounds {
        for it in sentences {
            let Some(text) = disturbed(&it.sentence, how, &mut chance) else { continue };
            let found = grammar.read_fuzzy(it.vocabulary, &text, &it.intent_context).intent();
            let strict = grammar.read(it.vocabulary, &text, &it.intent_context);
            tally.strictly += usize::from(strict.is_some_and(|strict| is_same(&strict, &it.meant)));
            match found {
                Some(found) if is_same(&found, &it.meant) => tally.right += 1,
                Some(found) => {
                    tally.wrong += 1;
                    tally.sensitive += usize::from(is_sensitive(&found, it.vocabulary));
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

fn values(understood: &RecognizedIntent) -> Vec<(&str, &Value)> {
    understood.slots.iter().map(|(name, slot)| (name.as_str(), &slot.value)).collect()
}

fn is_same(one: &RecognizedIntent, other: &RecognizedIntent) -> bool {
    let comparable = |it: &RecognizedIntent| -> Vec<(String, String)> {
        values(it).into_iter().map(|(name, value)| (name.to_owned(), value.to_string().to_lowercase())).collect()
    };
    one.intent == other.intent && comparable(one) == comparable(other)
}

/// Whether it would act on a lock, an alarm, a door, a gate, a valve or a siren.
pub(super) fn is_sensitive(understood: &RecognizedIntent, vocabulary: &Vocabulary) -> bool {
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

pub(super) fn table(of: &str, tallies: &[(Disturbance, MatchCounts)]) -> String {
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
            tally.sensitive
        )
        .unwrap();
    }
    table
}

/// Prints the duration of the second pass, compared with the strict matcher.
pub(super) fn times(of: &str, grammar: &Grammar, sentences: &[CleanSentence<'_>], seed: u64) {
    for how in Disturbance::ALL {
        let mut chance = SeededRandom::new(seed);
        let mut both: [Vec<u128>; 2] = Default::default();
        for it in sentences {
            let Some(text) = disturbed(&it.sentence, how, &mut chance) else { continue };
            let started = Instant::now();
            let strict = grammar.read(it.vocabulary, &text, &it.intent_context);
            both[0].push(started.elapsed().as_micros());
            if strict.is_none() {
                // The minimum of several runs excludes other load on the machine.
                let once = || {
                    let started = Instant::now();
                    let _ = grammar.read_fuzzy(it.vocabulary, &text, &it.intent_context);
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
