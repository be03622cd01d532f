//! Reads a text: finds the sentences that may match, then their meanings.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Block, Grammar, LONGEST, Placement, Sentence};
use crate::automaton::path::{self, ListMatch, ListMatchValue, Path, ValueFit};
use crate::automaton::states::StateCache;
use crate::automaton::{SentenceId, walk};
use crate::context::{ContextMap, ContextRule, IntentContext, bare};
use crate::lattice::{Lattice, ValueMatch};
use crate::recognized_intent::{MatchScore, RecognizedIntent, SlotOrigin, SlotValue};
use crate::skip::SkipVariants;
use crate::text::NormalizedText;
use crate::vocabulary::{NamedItem, Vocabulary};

/// The slot whose longest value wins: an entity's full name beats a part of it.
const NAME_SLOT: &str = "name";

pub(super) fn read(
    grammar: &Grammar,
    states: &mut StateCache,
    vocabulary: &Vocabulary,
    text: &str,
    intent_context: &IntentContext,
) -> Vec<RecognizedIntent> {
    if text.chars().nth(LONGEST).is_some() {
        return Vec::new();
    }
    let readings = grammar.skip_words.readings(NormalizedText::new(text));
    let mut reader = GrammarReader { grammar, states, vocabulary, intent_context, found: BTreeMap::new() };
    let SkipVariants { whole, bare, bare_start, bare_end } = &readings;
    reader.reading(whole, |_| true);
    let readings = [
        (bare.as_ref(), Placement::Inner),
        (bare_start.as_ref(), Placement::Last),
        (bare_end.as_ref(), Placement::First),
    ];
    for (normalized, placement) in readings {
        if let Some(normalized) = normalized {
            reader.reading(normalized, |sentence| sentence.placement == placement);
        }
    }
    reader.finish()
}

struct GrammarReader<'a> {
    grammar: &'a Grammar,
    states: &'a mut StateCache,
    vocabulary: &'a Vocabulary,
    intent_context: &'a IntentContext,
    /// The best match of each block.
    found: BTreeMap<usize, RecognizedIntent>,
}

impl GrammarReader<'_> {
    fn reading(&mut self, normalized: &NormalizedText, is_meant: impl Fn(&Sentence) -> bool) {
        let spaceless = self.grammar.is_unspaced.then(|| normalized.without_needless_spaces());
        let normalized = spaceless.as_ref().unwrap_or(normalized);
        let mut lattice = Lattice::new(normalized.folded(), &self.grammar.lists, self.vocabulary);
        let sentences = walk::sentences(&self.grammar.automaton, self.states, &mut lattice);
        for &id in sentences.iter() {
            let Some(sentence) = self.grammar.sentences.get(id as usize) else { continue };
            let Some(block) = self.grammar.blocks.get(sentence.block) else { continue };
            let may_be = is_meant(sentence)
                && block.demands.allow(&self.intent_context.context)
                && block.keywords.as_ref().is_none_or(|keywords| says_one(normalized, keywords));
            if !may_be {
                continue;
            }
            let Some(recognized) = self.sentence(id, sentence, block, normalized, &mut lattice) else { continue };
            let known = self.found.get(&sentence.block);
            if known.is_none_or(|known| recognized.score.rank() < known.score.rank()) {
                self.found.insert(sentence.block, recognized);
            }
        }
    }

    fn sentence(
        &self,
        id: SentenceId,
        sentence: &Sentence,
        block: &Block,
        normalized: &NormalizedText,
        lattice: &mut Lattice<'_>,
    ) -> Option<RecognizedIntent> {
        let missing = self.missing(block);
        let values = lattice.vocabulary();
        let automaton = &self.grammar.automaton;
        let start = *automaton.starts.get(id as usize)?;
        let name_slot = automaton.slots.iter().position(|slot| slot.name == NAME_SLOT && !slot.is_capture);
        let name_slot = name_slot.and_then(|slot| u16::try_from(slot).ok());
        let judge = |what: ListMatchValue| {
            let mut verdict = ValueFit::No;
            let brings = |context: &ContextMap| missing.iter().any(|demand| context.contains_key(&demand.key));
            let mut consider = |context: &ContextMap| {
                if block.demands.allow(context) {
                    verdict = match (&verdict, brings(context)) {
                        (ValueFit::Brings, _) | (_, true) => ValueFit::Brings,
                        _ => ValueFit::Plain,
                    };
                }
            };
            match what {
                ListMatchValue::Value(_, ValueMatch::Home(group)) => {
                    values.group(group).for_each(|named| consider(&named.context))
                }
                ListMatchValue::Value(_, ValueMatch::Value(value)) => {
                    let value = self.grammar.lists.values.get(value as usize);
                    value.iter().for_each(|value| consider(&value.context));
                }
                ListMatchValue::Value(_, ValueMatch::Number(_)) | ListMatchValue::Anything => {
                    consider(&ContextMap::new())
                }
            }
            verdict
        };
        let path = path::best(automaton, lattice, start, name_slot, judge)?;
        if !missing.is_empty() && path.score.brought == 0 {
            return None;
        }
        self.recognized(sentence, block, normalized, lattice, &path, &missing)
    }

    /// The context rules of a block that only a value in the sentence can satisfy.
    fn missing<'b>(&self, block: &'b Block) -> Vec<&'b ContextRule> {
        let is_known = |demand: &&ContextRule| {
            self.intent_context.context.get(&demand.key).is_some_and(|value| !bare(value).is_null())
        };
        block.demands.requires.iter().filter(|demand| !is_known(demand)).collect()
    }

    fn recognized(
        &self,
        sentence: &Sentence,
        block: &Block,
        normalized: &NormalizedText,
        lattice: &Lattice<'_>,
        path: &Path,
        missing: &[&ContextRule],
    ) -> Option<RecognizedIntent> {
        let mut context = self.intent_context.context.clone();
        let mut slots = BTreeMap::new();
        let mut captures = BTreeMap::new();
        for taken in &path.list_matches {
            let slot_name = self.grammar.automaton.slots.get(usize::from(taken.slot))?;
            let slot = self.slot(taken, block, normalized, lattice, missing, &mut context)?;
            if slot_name.is_capture {
                captures.insert(slot_name.name.clone(), slot.text);
            } else {
                slots.insert(slot_name.name.clone(), slot);
            }
        }
        for (name, value) in &block.slots {
            slots.entry(name.clone()).or_insert_with(|| implied(value.clone(), String::new(), SlotOrigin::Sentence));
        }
        for demand in &block.demands.requires {
            let actual = context.get(&demand.key).filter(|value| !bare(value).is_null())?;
            if let Some(slot) = &demand.slot {
                let text = actual.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
                let value = bare(actual).clone();
                slots.entry(slot.clone()).or_insert_with(|| implied(value, text, SlotOrigin::Context));
            }
        }
        let count = |number: i32| number.unsigned_abs();
        Some(RecognizedIntent {
            intent: self.grammar.intents.get(block.intent)?.clone(),
            slots,
            captures,
            response: block.response.clone(),
            combination: block.metadata.get("slot_combination").and_then(Value::as_str).map(str::to_owned),
            metadata: block.metadata.clone(),
            template: sentence.template.clone(),
            score: MatchScore {
                name_chars: count(path.score.name),
                wildcards: count(path.score.wildcards),
                literal_chars: count(path.score.literal),
                wildcard_chars: count(path.score.wild),
            },
        })
    }

    /// Fills a slot from a list match, with what it adds to the context.
    fn slot(
        &self,
        taken: &ListMatch,
        block: &Block,
        normalized: &NormalizedText,
        lattice: &Lattice<'_>,
        missing: &[&ContextRule],
        context: &mut ContextMap,
    ) -> Option<SlotValue> {
        let text = normalized.said(taken.start, taken.end);
        let slot = |value: Value, text: String| SlotValue {
            value,
            text,
            origin: SlotOrigin::List,
            ids: Vec::new(),
            metadata: None,
        };
        match taken.what {
            ListMatchValue::Anything => {
                Some(SlotValue { origin: SlotOrigin::Wildcard, ..slot(Value::String(text.clone()), text) })
            }
            ListMatchValue::Value(list, ValueMatch::Number(number)) => {
                Some(slot(lattice.range(list)?.value(number), text))
            }
            ListMatchValue::Value(_, ValueMatch::Value(value)) => {
                let value = lattice.value(value)?;
                context.extend(value.context.clone());
                let out = value.out.clone().unwrap_or_else(|| Value::String(text.clone()));
                Some(SlotValue { metadata: value.metadata.clone(), ..slot(out, text) })
            }
            ListMatchValue::Value(_, ValueMatch::Home(group)) => {
                let fitting: Vec<&NamedItem> =
                    lattice.vocabulary().group(group).filter(|named| block.demands.allow(&named.context)).collect();
                let brings = |named: &&&NamedItem| missing.iter().all(|demand| named.context.contains_key(&demand.key));
                let bringing: Vec<&NamedItem> = fitting.iter().filter(brings).copied().collect();
                let candidates = if bringing.is_empty() { fitting } else { bringing };
                let first = candidates.first()?;
                context.extend(first.context.clone());
                let mut ids: Vec<String> = Vec::new();
                for candidate in &candidates {
                    if !ids.contains(&candidate.value) {
                        ids.push(candidate.value.clone());
                    }
                }
                Some(SlotValue { ids, ..slot(Value::String(first.text.clone()), text) })
            }
        }
    }

    /// Sorted by score, then by intent, then by the grammar's order.
    fn finish(self) -> Vec<RecognizedIntent> {
        let mut found: Vec<RecognizedIntent> = self.found.into_values().collect();
        found.sort_by(|one, other| {
            one.score.rank().cmp(&other.score.rank()).then_with(|| one.intent.cmp(&other.intent))
        });
        found
    }
}

fn implied(value: Value, text: String, origin: SlotOrigin) -> SlotValue {
    SlotValue { value, text, origin, ids: Vec::new(), metadata: None }
}

fn says_one(normalized: &NormalizedText, keywords: &[String]) -> bool {
    let text: String = normalized.folded().iter().collect();
    keywords.iter().any(|keyword| text.split(' ').any(|word| word == keyword.to_lowercase()))
}
