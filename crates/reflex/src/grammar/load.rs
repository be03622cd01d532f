//! Builds a grammar from a file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use super::{Block, Grammar, Placement, Sentence};
use crate::automaton::Automaton;
use crate::automaton::build::{Builder, NameScope};
use crate::automaton::states::StateCache;
use crate::context::{ContextRule, ContextRules};
use crate::error::{GrammarError, GrammarProblem, GrammarWarning};
use crate::lists::{self, ListId, ListKind, ListValue, NumberRange, SlotLists};
use crate::skip::SkipWords;
use crate::source;
use crate::template::{self, TemplatePart};

pub(super) fn load(json: &str) -> Result<Grammar, GrammarError> {
    of_parts(serde_json::from_str::<source::GrammarFile>(json)?.parts()?)
}

/// One section of sentences.
pub(super) fn section(value: serde_json::Value) -> Result<source::GrammarSection, GrammarError> {
    Ok(serde_json::from_value(value)?)
}

/// A language with further sections, which see its lists and rules.
pub(super) fn with_further(
    file: Option<&str>,
    language: &str,
    further: Vec<serde_json::Value>,
) -> Result<Grammar, GrammarError> {
    let mut parts = match file {
        Some(json) => serde_json::from_str::<source::GrammarFile>(json)?.parts()?,
        None => super::built_in::part(language).transpose()?.into_iter().collect(),
    };
    let further = further.into_iter().map(section).collect::<Result<Vec<_>, _>>()?;
    // Sections of one language see each other's lists and rules, the own ones first.
    let rules: Vec<_> = parts.iter().chain(&further).map(|part| part.expansion_rules.clone()).collect();
    let lists: Vec<_> = parts.iter().chain(&further).map(|part| part.lists.clone()).collect();
    parts.extend(further.into_iter().map(|mut part| {
        for (name, rule) in rules.iter().flatten() {
            part.expansion_rules.entry(name.clone()).or_insert_with(|| rule.clone());
        }
        for (name, list) in lists.iter().flatten() {
            part.lists.entry(name.clone()).or_insert_with(|| list.clone());
        }
        part
    }));
    of_parts(parts)
}

pub(super) fn of_parts(parts: Vec<source::GrammarSection>) -> Result<Grammar, GrammarError> {
    let language = parts.first().map(|part| part.language.clone()).ok_or(GrammarError::Empty)?;
    let is_unspaced = parts.iter().any(|part| part.settings.ignore_whitespace);
    let skip_words = SkipWords::new(parts.iter().flat_map(|part| &part.skip_words).map(String::as_str), !is_unspaced);
    let mut intents: Vec<String> = parts.iter().flat_map(|part| part.intents.keys().cloned()).collect();
    intents.sort_unstable();
    intents.dedup();

    let mut loader = Loader { intents, is_unspaced, ..Loader::default() };
    for part in parts {
        loader.part(part)?;
    }
    if loader.sentences.is_empty() {
        return Err(loader
            .warnings
            .into_iter()
            .next()
            .map_or(GrammarError::Empty, |first| GrammarError::Unusable(Box::new(first))));
    }
    Ok(Grammar {
        language,
        intents: loader.intents,
        warnings: loader.warnings,
        blocks: loader.blocks,
        sentences: loader.sentences,
        automaton: loader.automaton,
        lists: loader.lists,
        skip_words,
        is_unspaced,
        states: Mutex::new(StateCache::default()),
        known: OnceLock::new(),
    })
}

#[derive(Default)]
struct Loader {
    intents: Vec<String>,
    is_unspaced: bool,
    warnings: Vec<GrammarWarning>,
    blocks: Vec<Block>,
    sentences: Vec<Sentence>,
    automaton: Automaton,
    lists: SlotLists,
}

type ExpansionRules = BTreeMap<String, TemplatePart>;
type ListIds = BTreeMap<String, ListId>;

impl Loader {
    fn warn(&mut self, place: impl Into<String>, template: &str, problem: impl Into<GrammarProblem>) {
        self.warnings.push(GrammarWarning {
            place: place.into(),
            template: template.to_owned(),
            problem: problem.into(),
        });
    }

    fn part(&mut self, part: source::GrammarSection) -> Result<(), GrammarError> {
        self.lists.numbers.speak(&part.language);
        let rules = self.rules("expansion rules", &part.expansion_rules);
        let lists = self.add_lists("lists", part.lists, &rules, true);
        for (name, intent) in part.intents {
            let index = self.intents.binary_search(&name).map_err(|_| GrammarError::Empty)?;
            for block in intent.data {
                self.block(&name, index, block, &rules, &lists);
            }
        }
        Ok(())
    }

    fn rules(&mut self, place: &str, texts: &BTreeMap<String, String>) -> ExpansionRules {
        let mut rules = ExpansionRules::new();
        for (name, text) in texts {
            match template::parse(text) {
                Ok(part) => {
                    rules.insert(name.clone(), part);
                }
                // A rule may be empty.
                Err(template::TemplateError::Empty) => {
                    rules.insert(name.clone(), TemplatePart::nothing());
                }
                Err(error) => self.warn(format!("{place}, <{name}>"), text, error),
            }
        }
        rules
    }

    fn add_lists(
        &mut self,
        place: &str,
        lists: BTreeMap<String, source::ListSource>,
        rules: &ExpansionRules,
        is_shared: bool,
    ) -> ListIds {
        let mut ids = ListIds::new();
        for (name, list) in lists {
            let place = format!("{place}, {{{name}}}");
            let kind = match (&list.values, &list.range, list.wildcard) {
                (Some(_), ..) => Ok(ListKind::Values),
                (None, Some(range), _) => NumberRange::new(range).map(ListKind::Range),
                (None, None, true) => Ok(ListKind::Wildcard),
                (None, None, false) => Err(GrammarProblem::UnknownList),
            };
            let added = kind.and_then(|kind| self.lists.add(kind, is_shared.then_some(name.as_str())));
            match added {
                Ok(id) => {
                    for value in list.values.into_iter().flatten() {
                        self.value(&place, id, value, rules);
                    }
                    ids.insert(name, id);
                }
                Err(problem) => self.warn(place, &name, problem),
            }
        }
        ids
    }

    fn value(&mut self, place: &str, list: ListId, value: source::ListValueSource, rules: &ExpansionRules) {
        let (text, out, context, metadata) = match value {
            source::ListValueSource::Text(text) => (text.clone(), Some(text), None, None),
            source::ListValueSource::Scalar(scalar) => {
                let text = scalar.into_text();
                (text.clone(), Some(text), None, None)
            }
            source::ListValueSource::Full { text, out, context, metadata } => {
                let value = ListValue { list, out, context: context.unwrap_or_default(), metadata };
                return self.template_value(place, &text.into_text(), value, rules);
            }
        };
        // A template among plain texts has no value but the matched text.
        let out = out.filter(|_| !text.contains(['(', ')', '{', '}', '<', '>', '[', ']', '|', '@']));
        let value = ListValue { list, out: out.map(Into::into), context: context.unwrap_or_default(), metadata };
        self.template_value(place, &text, value, rules);
    }

    fn template_value(&mut self, place: &str, text: &str, value: ListValue, rules: &ExpansionRules) {
        let texts = template::parse(text).map_err(GrammarProblem::from).and_then(|part| lists::expand(&part, rules));
        match texts {
            Ok(texts) => self.lists.add_value(value, &texts),
            Err(problem) => self.warn(place, text, problem),
        }
    }

    fn block(
        &mut self,
        intent: &str,
        index: usize,
        block: source::IntentData,
        rules: &ExpansionRules,
        lists: &ListIds,
    ) {
        let local_rules = self.rules(intent, &block.expansion_rules.unwrap_or_default());
        // Only local lists of the block are looked up in both, and few blocks have any.
        let has_local_lists = block.lists.as_ref().is_some_and(|lists| !lists.is_empty());
        let all_rules = match has_local_lists {
            true => Cow::Owned(rules.clone().into_iter().chain(local_rules.clone()).collect()),
            false => Cow::Borrowed(rules),
        };
        let local_lists = self.add_lists(intent, block.lists.unwrap_or_default(), &all_rules, false);
        let scope = NameScope {
            rules,
            local_rules: &local_rules,
            local_lists: &local_lists,
            part_lists: lists,
            is_unspaced: self.is_unspaced,
        };
        let demands = |context: Option<BTreeMap<String, serde_json::Value>>| {
            context.unwrap_or_default().iter().map(|(key, value)| ContextRule::new(key, value)).collect()
        };
        self.blocks.push(Block {
            intent: index,
            slots: block.slots,
            response: block.response,
            metadata: block.metadata.unwrap_or_default(),
            demands: ContextRules {
                requires: demands(block.requires_context),
                excludes: demands(block.excludes_context),
            },
            keywords: block.required_keywords,
        });
        for template in block.sentences {
            if let Err(problem) = self.sentence(&template, scope) {
                self.warn(intent, &template, problem);
            }
        }
    }

    fn sentence(&mut self, template: &str, scope: NameScope<'_>) -> Result<(), GrammarProblem> {
        let part = template::parse(template)?;
        let sentence = u32::try_from(self.sentences.len()).map_err(|_| GrammarProblem::TooLarge)?;
        let start = Builder::add(&mut self.automaton, &mut self.lists, scope, sentence, &part)?;
        let placement = self.placement(&part, scope)?;
        self.automaton.starts.push(start);
        self.sentences.push(Sentence { block: self.blocks.len() - 1, template: template.to_owned(), placement });
        Ok(())
    }

    fn placement(&mut self, part: &TemplatePart, scope: NameScope<'_>) -> Result<Placement, GrammarProblem> {
        let mut is_wild = |part: Option<&TemplatePart>| -> Result<bool, GrammarProblem> {
            let Some(TemplatePart::List(list)) = part else { return Ok(false) };
            let id = scope.list(&list.list, &mut self.lists)?;
            Ok(matches!(self.lists.kind(id), Some(ListKind::Wildcard)))
        };
        Ok(match part {
            TemplatePart::Sequence(parts) if is_wild(parts.first())? => Placement::First,
            TemplatePart::Sequence(parts) if is_wild(parts.last())? => Placement::Last,
            part if is_wild(Some(part))? => Placement::Whole,
            _ => Placement::Inner,
        })
    }
}
