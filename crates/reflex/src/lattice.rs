//! The positions of list values in a text, computed once for each start position.

use crate::lists::{ListId, ListValue, NumberRange, SlotLists, Tenths};
use crate::numbers::{self, Digits};
use crate::vocabulary::Vocabulary;

/// A list value in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueMatch {
    /// A value of the grammar, by its index.
    Value(u32),
    /// Names of the home, by the index of their group.
    Home(u32),
    Number(Tenths),
}

#[derive(Debug)]
struct ValueSpan {
    list: ListId,
    end: usize,
    found: ValueMatch,
}

/// The values that begin at one position.
#[derive(Debug)]
struct LatticePosition {
    spans: Vec<ValueSpan>,
    digits: Option<Digits>,
    words: Vec<(usize, Tenths)>,
}

/// A text with the positions of all list values.
pub(crate) struct Lattice<'a> {
    text: &'a [char],
    lists: &'a SlotLists,
    vocabulary: &'a Vocabulary,
    /// The grammar list of each list of the vocabulary.
    home: Vec<Option<ListId>>,
    places: Vec<Option<LatticePosition>>,
}

impl<'a> Lattice<'a> {
    pub(crate) fn new(text: &'a [char], lists: &'a SlotLists, vocabulary: &'a Vocabulary) -> Self {
        let home = vocabulary.lists().iter().map(|name| lists.shared(name)).collect();
        let places = std::iter::repeat_with(|| None).take(text.len()).collect();
        Self { text, lists, vocabulary, home, places }
    }

    pub(crate) fn text(&self) -> &'a [char] {
        self.text
    }

    pub(crate) fn value(&self, value: u32) -> Option<&'a ListValue> {
        self.lists.values.get(value as usize)
    }

    pub(crate) const fn vocabulary(&self) -> &'a Vocabulary {
        self.vocabulary
    }

    pub(crate) fn range(&self, list: ListId) -> Option<&'a NumberRange> {
        self.lists.range(list)
    }

    /// Calls back for each value of a list at a position: its start, its end and its value.
    pub(crate) fn each(
        &mut self,
        at: usize,
        list: ListId,
        is_fresh: bool,
        mut tell: impl FnMut(usize, usize, ValueMatch),
    ) {
        let range = self.lists.range(list);
        let has_space = self.text.get(at) == Some(&' ') && (is_fresh || range.is_some());
        for start in at..=at + usize::from(has_space) {
            let Some(place) = self.place(start) else { continue };
            match range {
                Some(range) => place.numbers(range, |end, number| tell(start, end, ValueMatch::Number(number))),
                None => {
                    let spans = place.spans.iter().filter(|span| span.list == list);
                    spans.for_each(|span| tell(start, span.end, span.found));
                }
            }
        }
    }

    fn place(&mut self, at: usize) -> Option<&LatticePosition> {
        let (text, lists, vocabulary) = (self.text, self.lists, self.vocabulary);
        let home = &self.home;
        let place = self.places.get_mut(at)?;
        Some(place.get_or_insert_with(|| {
            let rest = text.get(at..).unwrap_or_default();
            let mut spans = Vec::new();
            lists.texts.prefixes(rest, |length, values| {
                for &value in values {
                    if let Some(known) = lists.values.get(value as usize) {
                        spans.push(ValueSpan { list: known.list, end: at + length, found: ValueMatch::Value(value) });
                    }
                }
            });
            vocabulary.prefixes(rest, |length, list, group| {
                if let Some(&Some(list)) = home.get(usize::from(list)) {
                    spans.push(ValueSpan { list, end: at + length, found: ValueMatch::Home(group) });
                }
            });
            let mut words = Vec::new();
            lists.numbers.prefixes(rest, |length, number| words.push((at + length, number)));
            let digits = numbers::digits(rest).map(|digits| digits.moved(at));
            LatticePosition { spans, digits, words }
        }))
    }
}

impl LatticePosition {
    fn numbers(&self, range: &NumberRange, mut tell: impl FnMut(usize, Tenths)) {
        if let Some(digits) = self.digits {
            let fraction = digits.fraction.filter(|_| range.has_fractions());
            let (end, number) = fraction.unwrap_or((digits.whole.0, Some(digits.whole.1)));
            if let Some(number) = number.filter(|&number| range.digits && range.holds(number)) {
                tell(end, number);
            }
        } else if range.words {
            for &(end, number) in self.words.iter().filter(|(_, number)| range.holds(*number)) {
                tell(end, number);
            }
        }
    }
}
