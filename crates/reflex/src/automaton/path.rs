//! Finds the best way through one sentence: which words fill which slots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Automaton, Node, NodeId};
use crate::lattice::{Found, Lattice};
use crate::lists::ListId;

/// How good a way is. The first that differs decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Worth {
    /// Values that bring what the sentence demands; counted only where it would else be missing.
    pub brought: i32,
    /// Characters in the name of an entity.
    pub name: i32,
    /// Lists of words of any kind, negative.
    pub wildcards: i32,
    /// Characters that the sentence itself has.
    pub literal: i32,
    /// Characters in words of any kind, negative.
    pub wild: i32,
}

/// What one list took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    pub slot: u16,
    pub start: usize,
    pub end: usize,
    pub what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Value(ListId, Found),
    Anything,
}

/// The best way through a sentence.
#[derive(Debug)]
pub(crate) struct Path {
    pub worth: Worth,
    pub taken: Vec<Taken>,
}

/// Whether a value may be used in this sentence, and whether it brings something that is demanded.
pub(crate) enum Verdict {
    No,
    Plain,
    Brings,
}

#[derive(Debug, Clone, Copy)]
enum Move {
    Free,
    List(Taken),
    WildFirst(u16),
    WildMore,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    at: usize,
    node: NodeId,
    worth: Worth,
    parent: Option<usize>,
    by: Move,
}

struct Search {
    steps: Vec<Step>,
    best: FxHashMap<(usize, NodeId), usize>,
    /// The first place first; there, the largest node, whose ways all have been seen.
    waiting: BinaryHeap<(Reverse<usize>, NodeId)>,
}

impl Search {
    /// With room for most sentences, so that it seldom has to grow.
    fn new() -> Self {
        const ROOM: usize = 224;
        Self {
            steps: Vec::with_capacity(ROOM),
            best: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            waiting: BinaryHeap::with_capacity(ROOM),
        }
    }

    fn reach(&mut self, step: Step) {
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

/// The best way from `start` to the end of the sentence, if values that `judge` refuses are not used.
pub(crate) fn best(
    automaton: &Automaton,
    lattice: &mut Lattice<'_>,
    start: NodeId,
    name_slot: Option<u16>,
    mut judge: impl FnMut(What) -> Verdict,
) -> Option<Path> {
    let text = lattice.text();
    let mut search = Search::new();
    search.reach(Step { at: 0, node: start, worth: Worth::default(), parent: None, by: Move::Free });
    while let Some((Reverse(at), id)) = search.waiting.pop() {
        let index = *search.best.get(&(at, id))?;
        let from = *search.steps.get(index)?;
        let next = text.get(at).copied();
        let mut go = |at: usize, node: NodeId, worth: Worth, by: Move| {
            search.reach(Step { at, node, worth, parent: Some(index), by });
        };
        let worth = from.worth;
        match automaton.node(id)? {
            Node::Char(character, follows) => {
                if next == Some(character) {
                    go(at + 1, follows, Worth { literal: worth.literal + 1, ..worth }, Move::Free);
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
                    let what = What::Value(list, found);
                    let brought = match judge(what) {
                        Verdict::No => return,
                        Verdict::Plain => 0,
                        Verdict::Brings => 1,
                    };
                    let name = if Some(slot) == name_slot { i32::try_from(end - start).unwrap_or(0) } else { 0 };
                    let worth = Worth { brought: worth.brought + brought, name: worth.name + name, ..worth };
                    go(end, follows, worth, Move::List(Taken { slot, start, end, what }));
                });
            }
            Node::Wild { slot, inside } => {
                if next.is_some_and(|next| next != ' ') {
                    let worth = Worth { wildcards: worth.wildcards - 1, wild: worth.wild - 1, ..worth };
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
                        go(at + 1, id, Worth { wild: worth.wild - 1, ..worth }, Move::WildMore);
                    }
                    None => go(at, fresh, worth, Move::Free),
                }
            }
            Node::Accept(_) => {
                if next.is_none() {
                    return Some(Path { worth, taken: taken(&search.steps, index) });
                }
            }
        }
    }
    None
}

/// What was taken on the way to a step, first to last.
fn taken(steps: &[Step], last: usize) -> Vec<Taken> {
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
                taken.push(Taken { slot, start: step.at.saturating_sub(1), end, what: What::Anything });
            }
        }
        index = step.parent;
    }
    taken.reverse();
    taken
}
