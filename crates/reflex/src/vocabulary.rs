//! The names of a home.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::context::Context;
use crate::forgiving::Known;
use crate::text::Heard;
use crate::trie::Trie;

/// The list of a grammar that a name belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum List {
    /// `{name}`: entities.
    Name,
    /// `{area}`.
    Area,
    /// `{floor}`.
    Floor,
    /// Another one by its name.
    Other(String),
}

impl List {
    /// As templates write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Name => "name",
            Self::Area => "area",
            Self::Floor => "floor",
            Self::Other(name) => name,
        }
    }
}

/// Something in the home that has a name. What has several names is given once for each.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// What it is called; plain text, not a template.
    pub text: String,
    /// What is called so, such as an entity's id.
    pub value: String,
    /// Which list it belongs to.
    pub list: List,
    /// What sentences may ask of it, such as its `domain`.
    pub context: Context,
}

/// All names of a home, ready to be found in what is said. It is made anew when the home changes; grammars stay.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    named: Vec<Named>,
    lists: Vec<String>,
    /// List and place in `groups`.
    names: Trie<(u16, u32)>,
    /// Those of one list that are called the same.
    groups: Vec<Vec<u32>>,
    /// The words of all names, once they were asked for.
    known: OnceLock<Known>,
}

impl Vocabulary {
    /// The names of a home. Those without a letter are left out.
    pub fn new(named: impl IntoIterator<Item = Named>) -> Self {
        let mut vocabulary = Self::default();
        let mut places: FxHashMap<(u16, Vec<char>), u32> = FxHashMap::default();
        for named in named {
            let folded = Heard::new(&named.text).folded().to_vec();
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// All names, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &Named> {
        self.named.iter()
    }

    /// The words of all names.
    pub(crate) fn known(&self) -> &Known {
        self.known.get_or_init(|| Known::of_texts(self.named.iter().map(|named| named.text.as_str())))
    }

    pub(crate) fn lists(&self) -> &[String] {
        &self.lists
    }

    /// Tells of all names at the start of `text`: length, list, group.
    pub(crate) fn prefixes(&self, text: &[char], mut tell: impl FnMut(usize, u16, u32)) {
        self.names.prefixes(text, |length, found| found.iter().for_each(|&(list, group)| tell(length, list, group)));
    }

    /// All that are called by one name.
    pub(crate) fn group(&self, group: u32) -> impl Iterator<Item = &Named> {
        let group = self.groups.get(group as usize).map(Vec::as_slice).unwrap_or_default();
        group.iter().filter_map(|&index| self.named.get(index as usize))
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
