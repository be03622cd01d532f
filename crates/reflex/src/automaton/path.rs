//! Finds the best path through one sentence: which words fill which slots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Automaton, Node, NodeId};
use crate::lattice::{Lattice, ValueMatch};
use crate::lists::ListId;

/// The score of a path. The first field that differs decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathScore {
    /// Values that satisfy a context rule of the sentence; counted only if the rule is not
    /// satisfied otherwise.
    pub brought: i32,
    /// Characters in the name of an entity.
    pub name: i32,
    /// The number of wildcards, negative.
    pub wildcards: i32,
    /// Characters of the sentence itself.
    pub literal: i32,
    /// Characters of wildcards, negative.
    pub wild: i32,
}

/// The match of one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListMatch {
    pub slot: u16,
    pub start: usize,
    pub end: usize,
    pub what: ListMatchValue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListMatchValue {
    Value(ListId, ValueMatch),
    Anything,
}

/// The best path through a sentence.
#[derive(Debug)]
pub(crate) struct Path {
    pub score: PathScore,
    pub list_matches: Vec<ListMatch>,
}

/// Whether a value may be used in this sentence, and whether it satisfies a context rule.
pub(crate) enum ValueFit {
    No,
    Plain,
    Brings,
}

#[derive(Debug, Clone, Copy)]
enum Move {
    Free,
    List(ListMatch),
    WildFirst(u16),
    WildMore,
}

#[derive(Debug, Clone, Copy)]
struct SearchStep {
    at: usize,
    node: NodeId,
    worth: PathScore,
    parent: Option<usize>,
    by: Move,
}

struct PathSearch {
    steps: Vec<SearchStep>,
    best: FxHashMap<(usize, NodeId), usize>,
    /// Ordered by position, then by the largest node, all of whose predecessors have been visited.
    waiting: BinaryHeap<(Reverse<usize>, NodeId)>,
}

impl PathSearch {
    /// Preallocated for most sentences.
    fn new() -> Self {
        const ROOM: usize = 224;
        Self {
            steps: Vec::with_capacity(ROOM),
            best: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            waiting: BinaryHeap::with_capacity(ROOM),
        }
    }

    fn reach(&mut self, step: SearchStep) {
        let fresh = self.steps.len();
        let index = *self.best.entry((step.at, step.node)).or_insert(fresh);
        if index == fresh {
            self.steps.push(step);
            self.waiting.push((Reverse(step.at), step.node));
        } else if let Some(known) = self.steps.get_mut(index)
            && known.worth < step.worth
        {
            *known = step;
        }
    }
}

/// The best path from `start` to the end of the sentence, without values that `judge` refuses.
pub(crate) fn best(
    automaton: &Automaton,
    lattice: &mut Lattice<'_>,
    start: NodeId,
    name_slot: Option<u16>,
    mut judge: impl FnMut(ListMatchValue) -> ValueFit,
) -> Option<Path> {
    let text = lattice.text();
    let mut search = PathSearch::new();
    search.reach(SearchStep { at: 0, node: start, worth: PathScore::default(), parent: None, by: Move::Free });
    while let Some((Reverse(at), id)) = search.waiting.pop() {
        let index = *search.best.get(&(at, id))?;
        let from = *search.steps.get(index)?;
        let next = text.get(at).copied();
        let mut go = |at: usize, node: NodeId, worth: PathScore, by: Move| {
            search.reach(SearchStep { at, node, worth, parent: Some(index), by });
        };
        let worth = from.worth;
        match automaton.node(id)? {
            Node::Char(character, follows) => {
                if next == Some(character) {
                    go(at + 1, follows, PathScore { literal: worth.literal + 1, ..worth }, Move::Free);
                }
            }
            Node::Space(follows) => match next {
                Some(' ' | '-' | '_') => go(at + 1, follows, worth, Move::Free),
                Some(_) => {}
                None => go(at, follows, worth, Move::Free),
            },
            Node::Gap(follows) => {
                go(at, follows, worth, Move::Free);
                if next == Some(' ') {
                    go(at + 1, follows, worth, Move::Free);
                }
            }
            Node::Fork(from, length) => {
                automaton.fork(from, length).iter().for_each(|&follows| go(at, follows, worth, Move::Free));
            }
            Node::List { list, is_fresh, slot, next: follows } => {
                lattice.each(at, list, is_fresh, |start, end, found| {
                    let what = ListMatchValue::Value(list, found);
                    let brought = match judge(what) {
                        ValueFit::No => return,
                        ValueFit::Plain => 0,
                        ValueFit::Brings => 1,
                    };
                    let name = if Some(slot) == name_slot { i32::try_from(end - start).unwrap_or(0) } else { 0 };
                    let worth = PathScore { brought: worth.brought + brought, name: worth.name + name, ..worth };
                    go(end, follows, worth, Move::List(ListMatch { slot, start, end, what }));
                });
            }
            Node::Wild { slot, inside } => {
                if next.is_some_and(|next| next != ' ') {
                    let worth = PathScore { wildcards: worth.wildcards - 1, wild: worth.wild - 1, ..worth };
                    go(at + 1, inside, worth, Move::WildFirst(slot));
                }
            }
            Node::Inside { joined, fresh } => {
                joined.into_iter().for_each(|joined| go(at, joined, worth, Move::Free));
                match next {
                    Some(next) => {
                        if next == ' ' {
                            go(at + 1, fresh, worth, Move::Free);
                        }
                        go(at + 1, id, PathScore { wild: worth.wild - 1, ..worth }, Move::WildMore);
                    }
                    None => go(at, fresh, worth, Move::Free),
                }
            }
            Node::Accept(_) => {
                if next.is_none() {
                    return Some(Path { score: worth, list_matches: taken(&search.steps, index) });
                }
            }
        }
    }
    None
}

/// The list matches on the way to a step, in order.
fn taken(steps: &[SearchStep], last: usize) -> Vec<ListMatch> {
    let mut taken = Vec::new();
    let mut wild_end = None;
    let mut index = Some(last);
    while let Some(step) = index.and_then(|index| steps.get(index)) {
        match step.by {
            Move::Free => {}
            Move::List(list) => taken.push(list),
            Move::WildMore => {
                wild_end.get_or_insert(step.at);
            }
            Move::WildFirst(slot) => {
                let end = wild_end.take().unwrap_or(step.at);
                taken.push(ListMatch { slot, start: step.at.saturating_sub(1), end, what: ListMatchValue::Anything });
            }
        }
        index = step.parent;
    }
    taken.reverse();
    taken
}
