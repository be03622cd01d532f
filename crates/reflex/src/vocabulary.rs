//! The names of a home.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::context::ContextMap;
use crate::frames::NamesByLanguage;
use crate::fuzzy::KnownWords;
use crate::sensitive::SensitiveTable;
use crate::text::NormalizedText;
use crate::trie::Trie;

/// The list of a grammar that a name belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SlotList {
    /// `{name}`: entities.
    Name,
    /// `{area}`.
    Area,
    /// `{floor}`.
    Floor,
    /// Another list by its name.
    Other(String),
}

impl SlotList {
    /// The name of the list in templates.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Name => "name",
            Self::Area => "area",
            Self::Floor => "floor",
            Self::Other(name) => name,
        }
    }
}

/// Something in the home that has a name. An item with several names occurs once for each.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedItem {
    /// The name; plain text, not a template.
    pub text: String,
    /// What has the name, such as an entity id.
    pub value: String,
    /// Which list it belongs to.
    pub list: SlotList,
    /// The context for sentence rules, such as its `domain`.
    pub context: ContextMap,
}

/// All names of a home, compiled for matching. It is rebuilt when the home changes; grammars stay.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    named: Vec<NamedItem>,
    lists: Vec<String>,
    /// The list and the index in `groups` of each name.
    names: Trie<(u16, u32)>,
    /// The items of one list with the same name.
    groups: Vec<Vec<u32>>,
    /// The words of all names, computed on first use.
    known: OnceLock<KnownWords>,
    /// The names for frames in each language, computed on first use.
    frames: NamesByLanguage,
    /// What is sensitive in this home, if it is not the built-in table.
    sensitive: Option<Arc<SensitiveTable>>,
}

impl Vocabulary {
    /// The names of a home. Names without a letter are skipped.
    pub fn new(named: impl IntoIterator<Item = NamedItem>) -> Self {
        let mut vocabulary = Self::default();
        let mut places: FxHashMap<(u16, Vec<char>), u32> = FxHashMap::default();
        for named in named {
            let folded = NormalizedText::new(&named.text).folded().to_vec();
            if folded.is_empty() {
                continue;
            }
            let list = vocabulary.list(named.list.as_str());
            let index = count(vocabulary.named.len());
            vocabulary.named.push(named);
            let fresh = count(vocabulary.groups.len());
            let place = *places.entry((list, folded.clone())).or_insert(fresh);
            if place == fresh {
                vocabulary.groups.push(Vec::new());
                let apart = folded.iter().map(|&next| if matches!(next, '-' | '_') { ' ' } else { next });
                vocabulary.names.insert(apart, (list, place));
                vocabulary.names.insert(folded.iter().copied(), (list, place));
            }
            if let Some(group) = vocabulary.groups.get_mut(place as usize) {
                group.push(index);
            }
        }
        vocabulary
    }

    /// The same names in a home where other things are sensitive.
    pub fn with_sensitive(mut self, table: Arc<SensitiveTable>) -> Self {
        self.sensitive = Some(table);
        self
    }

    /// What is sensitive in this home.
    pub(crate) fn sensitive(&self) -> Arc<SensitiveTable> {
        self.sensitive.clone().unwrap_or_else(SensitiveTable::built_in)
    }

    fn list(&mut self, name: &str) -> u16 {
        let known = self.lists.iter().position(|list| list == name);
        let index = known.unwrap_or_else(|| {
            self.lists.push(name.to_owned());
            self.lists.len() - 1
        });
        u16::try_from(index).unwrap_or(u16::MAX)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.named.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// All names, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &NamedItem> {
        self.named.iter()
    }

    /// The words of all names.
    pub(crate) fn known(&self) -> &KnownWords {
        self.known.get_or_init(|| KnownWords::of_texts(self.named.iter().map(|named| named.text.as_str())))
    }

    /// Whether the home has another word in its names that may be meant by a misspelled one.
    pub fn has_nearer_name(&self, said: &str, meant: &str) -> bool {
        let folded = |text: &str| NormalizedText::new(text).folded().to_vec();
        let (said, meant) = (folded(said), folded(meant));
        let mut is_other = false;
        self.known().within_one(&said, |word| is_other |= word != meant.as_slice());
        is_other
    }

    pub(crate) const fn frames(&self) -> &NamesByLanguage {
        &self.frames
    }

    pub(crate) fn lists(&self) -> &[String] {
        &self.lists
    }

    /// Calls back for all names at the start of `text`: length, list, group.
    pub(crate) fn prefixes(&self, text: &[char], mut tell: impl FnMut(usize, u16, u32)) {
        self.names.prefixes(text, |length, found| found.iter().for_each(|&(list, group)| tell(length, list, group)));
    }

    /// All items with one name.
    pub(crate) fn group(&self, group: u32) -> impl Iterator<Item = &NamedItem> {
        let group = self.groups.get(group as usize).map(Vec::as_slice).unwrap_or_default();
        group.iter().filter_map(|&index| self.named.get(index as usize))
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
