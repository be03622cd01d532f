//! The lists of a grammar: values, number ranges, wildcards, and lists that the home fills.

mod expand;
mod range;

pub(crate) use expand::expand;
pub(crate) use range::{NumberRange, Tenths};

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::context::ContextMap;
use crate::error::GrammarProblem;
use crate::numbers::NumberWords;
use crate::trie::Trie;

/// A list, by its index in the grammar.
pub(crate) type ListId = u16;

/// The kind of a list.
#[derive(Debug, Clone)]
pub(crate) enum ListKind {
    /// Values of the grammar and of the home.
    Values,
    Range(NumberRange),
    /// A wildcard: any text.
    Wildcard,
}

/// A value of a list.
#[derive(Debug, Clone)]
pub(crate) struct ListValue {
    pub list: ListId,
    /// The value of the slot; the matched text if absent.
    pub out: Option<Value>,
    pub context: ContextMap,
    pub metadata: Option<Value>,
}

/// All lists of a grammar.
#[derive(Debug, Default)]
pub(crate) struct SlotLists {
    kinds: Vec<ListKind>,
    /// The lists that the home may add to.
    shared: FxHashMap<String, ListId>,
    pub values: Vec<ListValue>,
    pub texts: Trie<u32>,
    pub numbers: NumberWords,
}

impl SlotLists {
    /// Adds a list. A `shared` list is available to all sentences and can be filled by the home.
    pub(crate) fn add(&mut self, kind: ListKind, shared: Option<&str>) -> Result<ListId, GrammarProblem> {
        let id = ListId::try_from(self.kinds.len()).map_err(|_| GrammarProblem::TooLarge)?;
        if let ListKind::Range(range) = &kind {
            self.numbers.learn(range);
        }
        self.kinds.push(kind);
        if let Some(name) = shared {
            self.shared.entry(name.to_owned()).or_insert(id);
        }
        Ok(id)
    }

    pub(crate) fn add_value(&mut self, value: ListValue, texts: &[Vec<char>]) {
        let index = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.push(value);
        for text in texts {
            self.texts.insert(text.iter().copied(), index);
        }
    }

    pub(crate) fn shared(&self, name: &str) -> Option<ListId> {
        self.shared.get(name).copied()
    }

    pub(crate) fn kind(&self, list: ListId) -> Option<&ListKind> {
        self.kinds.get(usize::from(list))
    }

    pub(crate) fn range(&self, list: ListId) -> Option<&NumberRange> {
        match self.kind(list)? {
            ListKind::Range(range) => Some(range),
            _ => None,
        }
    }
}
