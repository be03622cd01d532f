//! Reads a text: finds the sentences it may be, then what each of them would mean.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Block, Grammar, LONGEST, Placement, Sentence};
use crate::automaton::path::{self, Path, Taken, Verdict, What};
use crate::automaton::states::States;
use crate::automaton::{SentenceId, walk};
use crate::context::{Circumstances, Context, Demand, bare};
use crate::lattice::{Found, Lattice};
use crate::skip::Readings;
use crate::text::Heard;
use crate::understood::{Origin, Score, Slot, Understood};
use crate::vocabulary::{Named, Vocabulary};

/// The slot whose longest value wins over everything else: an entity's full name beats a part of it.
const NAME_SLOT: &str = "name";

pub(super) fn read(
    grammar: &Grammar,
    states: &mut States,
    vocabulary: &Vocabulary,
    text: &str,
    circumstances: &Circumstances,
) -> Vec<Understood> {
    if text.chars().nth(LONGEST).is_some() {
        return Vec::new();
    }
    let readings = grammar.skip_words.readings(Heard::new(text));
    let mut reader = Reader { grammar, states, vocabulary, circumstances, found: BTreeMap::new() };
    let Readings { whole, bare, bare_start, bare_end } = &readings;
    reader.reading(whole, |_| true);
    let readings = [
        (bare.as_ref(), Placement::Inner),
        (bare_start.as_ref(), Placement::Last),
        (bare_end.as_ref(), Placement::First),
    ];
    for (heard, placement) in readings {
        if let Some(heard) = heard {
            reader.reading(heard, |sentence| sentence.placement == placement);
        }
    }
    reader.finish()
}

struct Reader<'a> {
    grammar: &'a Grammar,
    states: &'a mut States,
    vocabulary: &'a Vocabulary,
    circumstances: &'a Circumstances,
    /// The best of each block.
    found: BTreeMap<usize, Understood>,
}

impl Reader<'_> {
    fn reading(&mut self, heard: &Heard, is_meant: impl Fn(&Sentence) -> bool) {
        let spaceless = self.grammar.is_unspaced.then(|| heard.without_needless_spaces());
        let heard = spaceless.as_ref().unwrap_or(heard);
        let mut lattice = Lattice::new(heard.folded(), &self.grammar.lists, self.vocabulary);
        let sentences = walk::sentences(&self.grammar.automaton, self.states, &mut lattice);
        for &id in sentences.iter() {
            let Some(sentence) = self.grammar.sentences.get(id as usize) else { continue };
            let Some(block) = self.grammar.blocks.get(sentence.block) else { continue };
            let may_be = is_meant(sentence)
                && block.demands.allow(&self.circumstances.context)
                && block.keywords.as_ref().is_none_or(|keywords| says_one(heard, keywords));
            if !may_be {
                continue;
            }
            let Some(understood) = self.sentence(id, sentence, block, heard, &mut lattice) else { continue };
            let known = self.found.get(&sentence.block);
            if known.is_none_or(|known| understood.score.rank() < known.score.rank()) {
                self.found.insert(sentence.block, understood);
            }
        }
    }

    fn sentence(
        &self,
        id: SentenceId,
        sentence: &Sentence,
        block: &Block,
        heard: &Heard,
        lattice: &mut Lattice<'_>,
    ) -> Option<Understood> {
        let missing = self.missing(block);
        let values = lattice.vocabulary();
        let automaton = &self.grammar.automaton;
        let start = *automaton.starts.get(id as usize)?;
        let name_slot = automaton.slots.iter().position(|slot| slot.name == NAME_SLOT && !slot.is_capture);
        let name_slot = name_slot.and_then(|slot| u16::try_from(slot).ok());
        let judge = |what: What| {
            let mut verdict = Verdict::No;
            let brings = |context: &Context| missing.iter().any(|demand| context.contains_key(&demand.key));
            let mut consider = |context: &Context| {
                if block.demands.allow(context) {
                    verdict = match (&verdict, brings(context)) {
                        (Verdict::Brings, _) | (_, true) => Verdict::Brings,
                        _ => Verdict::Plain,
                    };
                }
            };
            match what {
                What::Value(_, Found::Home(group)) => values.group(group).for_each(|named| consider(&named.context)),
                What::Value(_, Found::Value(value)) => {
                    let value = self.grammar.lists.values.get(value as usize);
                    value.iter().for_each(|value| consider(&value.context));
                }
                What::Value(_, Found::Number(_)) | What::Anything => consider(&Context::new()),
            }
            verdict
        };
        let path = path::best(automaton, lattice, start, name_slot, judge)?;
        if !missing.is_empty() && path.worth.brought == 0 {
            return None;
        }
        self.understood(sentence, block, heard, lattice, &path, &missing)
    }

    /// What a block demands and only a value in the sentence can bring.
    fn missing<'b>(&self, block: &'b Block) -> Vec<&'b Demand> {
        let is_known =
            |demand: &&Demand| self.circumstances.context.get(&demand.key).is_some_and(|value| !bare(value).is_null());
        block.demands.requires.iter().filter(|demand| !is_known(demand)).collect()
    }

    fn understood(
        &self,
        sentence: &Sentence,
        block: &Block,
        heard: &Heard,
        lattice: &Lattice<'_>,
        path: &Path,
        missing: &[&Demand],
    ) -> Option<Understood> {
        let mut context = self.circumstances.context.clone();
        let mut slots = BTreeMap::new();
        let mut captures = BTreeMap::new();
        for taken in &path.taken {
            let slot_name = self.grammar.automaton.slots.get(usize::from(taken.slot))?;
            let slot = self.slot(taken, block, heard, lattice, missing, &mut context)?;
            if slot_name.is_capture {
                captures.insert(slot_name.name.clone(), slot.text);
            } else {
                slots.insert(slot_name.name.clone(), slot);
            }
        }
        for (name, value) in &block.slots {
            slots.entry(name.clone()).or_insert_with(|| implied(value.clone(), String::new(), Origin::Sentence));
        }
        for demand in &block.demands.requires {
            let actual = context.get(&demand.key).filter(|value| !bare(value).is_null())?;
            if let Some(slot) = &demand.slot {
                let text = actual.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
                let value = bare(actual).clone();
                slots.entry(slot.clone()).or_insert_with(|| implied(value, text, Origin::Circumstances));
            }
        }
        let count = |number: i32| number.unsigned_abs();
        Some(Understood {
            intent: self.grammar.intents.get(block.intent)?.clone(),
            slots,
            captures,
            response: block.response.clone(),
            combination: block.metadata.get("slot_combination").and_then(Value::as_str).map(str::to_owned),
            metadata: block.metadata.clone(),
            template: sentence.template.clone(),
            score: Score {
                name_chars: count(path.worth.name),
                wildcards: count(path.worth.wildcards),
                literal_chars: count(path.worth.literal),
                wildcard_chars: count(path.worth.wild),
            },
        })
    }

    /// What one list took, with what it adds to the context.
    fn slot(
        &self,
        taken: &Taken,
        block: &Block,
        heard: &Heard,
        lattice: &Lattice<'_>,
        missing: &[&Demand],
        context: &mut Context,
    ) -> Option<Slot> {
        let text = heard.said(taken.start, taken.end);
        let slot =
            |value: Value, text: String| Slot { value, text, origin: Origin::List, ids: Vec::new(), metadata: None };
        match taken.what {
            What::Anything => Some(Slot { origin: Origin::Wildcard, ..slot(Value::String(text.clone()), text) }),
            What::Value(list, Found::Number(number)) => Some(slot(lattice.range(list)?.value(number), text)),
            What::Value(_, Found::Value(value)) => {
                let value = lattice.value(value)?;
                context.extend(value.context.clone());
                let out = value.out.clone().unwrap_or_else(|| Value::String(text.clone()));
                Some(Slot { metadata: value.metadata.clone(), ..slot(out, text) })
            }
            What::Value(_, Found::Home(group)) => {
                let fitting: Vec<&Named> =
                    lattice.vocabulary().group(group).filter(|named| block.demands.allow(&named.context)).collect();
                let brings = |named: &&&Named| missing.iter().all(|demand| named.context.contains_key(&demand.key));
                let bringing: Vec<&Named> = fitting.iter().filter(brings).copied().collect();
                let candidates = if bringing.is_empty() { fitting } else { bringing };
                let first = candidates.first()?;
                context.extend(first.context.clone());
                let mut ids: Vec<String> = Vec::new();
                for candidate in &candidates {
                    if !ids.contains(&candidate.value) {
                        ids.push(candidate.value.clone());
                    }
                }
                Some(Slot { ids, ..slot(Value::String(first.text.clone()), text) })
            }
        }
    }

    /// The best first; of equals, by intent, then in the grammar's order.
    fn finish(self) -> Vec<Understood> {
        let mut found: Vec<Understood> = self.found.into_values().collect();
        found.sort_by(|one, other| {
            one.score.rank().cmp(&other.score.rank()).then_with(|| one.intent.cmp(&other.intent))
        });
        found
    }
}

fn implied(value: Value, text: String, origin: Origin) -> Slot {
    Slot { value, text, origin, ids: Vec::new(), metadata: None }
}

fn says_one(heard: &Heard, keywords: &[String]) -> bool {
    let text: String = heard.folded().iter().collect();
    keywords.iter().any(|keyword| text.split(' ').any(|word| word == keyword.to_lowercase()))
}
