//! The lists of a grammar: values, ranges of numbers, words of any kind, and those that the home fills.

mod expand;
mod range;

pub(crate) use expand::expand;
pub(crate) use range::{Range, Tenths};

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::context::Context;
use crate::error::Problem;
use crate::numbers::Numbers;
use crate::trie::Trie;

/// Which list, in the whole grammar.
pub(crate) type ListId = u16;

/// What a list holds.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// Values, those of the grammar and those of the home.
    Values,
    Range(Range),
    /// Words of any kind.
    Wildcard,
}

/// A value of a list.
#[derive(Debug, Clone)]
pub(crate) struct ListValue {
    pub list: ListId,
    /// What goes into the slot; what was said, if absent.
    pub out: Option<Value>,
    pub context: Context,
    pub metadata: Option<Value>,
}

/// All lists of a grammar.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    kinds: Vec<Kind>,
    /// Those that the home may add to.
    shared: FxHashMap<String, ListId>,
    pub values: Vec<ListValue>,
    pub texts: Trie<u32>,
    pub numbers: Numbers,
}

impl Lists {
    /// Adds a list; one that is `shared` by all sentences can also be filled by the home.
    pub(crate) fn add(&mut self, kind: Kind, shared: Option<&str>) -> Result<ListId, Problem> {
        let id = ListId::try_from(self.kinds.len()).map_err(|_| Problem::TooLarge)?;
        if let Kind::Range(range) = &kind {
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

    pub(crate) fn kind(&self, list: ListId) -> Option<&Kind> {
        self.kinds.get(usize::from(list))
    }

    pub(crate) fn range(&self, list: ListId) -> Option<&Range> {
        match self.kind(list)? {
            Kind::Range(range) => Some(range),
            _ => None,
        }
    }
}
