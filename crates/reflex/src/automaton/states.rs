//! Sets of nodes, found once and remembered.
//!
//! Where a text stands is a handful of sets that go on independently of each other, not one set of everything: what words of
//! any kind go through is kept apart from what follows them, so that the sets stay few and are soon all known.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Automaton, Node, NodeId, SentenceId};
use crate::lists::ListId;

/// A set of nodes, by its place.
pub(crate) type StateId = u32;

/// The set of no nodes.
pub(crate) const NOWHERE: StateId = 0;

/// Nodes in all sets together; past it, all are forgotten before the next text.
const MOST_NODES: usize = 2_000_000;
/// Steps from set to set; likewise.
const MOST_STEPS: usize = 500_000;

/// A set of nodes, with those that take something sorted by what they take.
#[derive(Debug, Default)]
struct State {
    nodes: Arc<[NodeId]>,
    /// Characters and what follows them.
    chars: Box<[(char, NodeId)]>,
    /// What follows a required space.
    spaces: Box<[NodeId]>,
    /// What follows a space that may be missing.
    gaps: Box<[NodeId]>,
    /// Where words of any kind begin, and where they go on.
    wilds: Box<[NodeId]>,
    insides: Box<[NodeId]>,
    lists: Vec<Exit>,
    ended: Option<Arc<[SentenceId]>>,
}

/// Where the value of a list leads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exit {
    pub list: ListId,
    pub is_fresh: bool,
    /// Known once it was asked for.
    to: Option<Reached>,
}

/// What was reached: nodes inside words of any kind, and all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    inside: StateId,
    others: StateId,
}

/// Where a text stands: sets of nodes, none of them empty, no two the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standing(Vec<StateId>);

impl Standing {
    pub(crate) fn sets(&self) -> &[StateId] {
        &self.0
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn add(&mut self, reached: Reached) {
        for id in [reached.others, reached.inside] {
            if id != NOWHERE && !self.0.contains(&id) {
                self.0.push(id);
            }
        }
    }
}

/// The sets that have been seen, and how they follow each other.
#[derive(Debug)]
pub(crate) struct States {
    states: Vec<State>,
    ids: FxHashMap<Arc<[NodeId]>, StateId>,
    steps: FxHashMap<(StateId, char), Reached>,
    start: Option<Reached>,
    nodes: usize,
    /// When each node was last seen.
    seen: Vec<u32>,
    now: u32,
    waiting: Vec<NodeId>,
}

impl Default for States {
    fn default() -> Self {
        Self {
            states: vec![State::default()],
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            start: None,
            nodes: 0,
            seen: Vec::new(),
            now: 0,
            waiting: Vec::new(),
        }
    }
}

impl States {
    /// Before a text: what was remembered is forgotten if it is too much.
    pub(crate) fn make_room(&mut self) {
        if self.nodes > MOST_NODES || self.steps.len() > MOST_STEPS {
            *self = Self::default();
        }
    }

    pub(crate) fn start(&mut self, automaton: &Automaton) -> Reached {
        if let Some(start) = self.start {
            return start;
        }
        let start = self.closure(automaton, &automaton.starts);
        self.start = Some(start);
        start
    }

    /// What a character leads to.
    pub(crate) fn step(&mut self, automaton: &Automaton, from: StateId, next: char) -> Reached {
        if let Some(&to) = self.steps.get(&(from, next)) {
            return to;
        }
        let mut seeds = Vec::new();
        if let Some(state) = self.states.get(from as usize) {
            let first = state.chars.partition_point(|&(character, _)| character < next);
            let same =
                state.chars.get(first..).unwrap_or_default().iter().take_while(|(character, _)| *character == next);
            seeds.extend(same.map(|&(_, follows)| follows));
            if matches!(next, ' ' | '-' | '_') {
                seeds.extend_from_slice(&state.spaces);
            }
            if next == ' ' {
                seeds.extend_from_slice(&state.gaps);
                seeds.extend(state.insides.iter().filter_map(|&id| match automaton.node(id) {
                    Some(Node::Inside { fresh, .. }) => Some(fresh),
                    _ => None,
                }));
            } else {
                seeds.extend_from_slice(&state.wilds);
            }
            seeds.extend_from_slice(&state.insides);
        }
        let to = self.closure(automaton, &seeds);
        self.steps.insert((from, next), to);
        to
    }

    /// The lists whose values lead on from here.
    pub(crate) fn exits(&self, from: StateId) -> &[Exit] {
        self.states.get(from as usize).map(|state| state.lists.as_slice()).unwrap_or_default()
    }

    /// Where a list leads, by its place in `exits`.
    pub(crate) fn leave(&mut self, automaton: &Automaton, from: StateId, place: usize) -> Reached {
        let Some(state) = self.states.get(from as usize) else { return Reached::default() };
        let Some(&exit) = state.lists.get(place) else { return Reached::default() };
        if let Some(to) = exit.to {
            return to;
        }
        let follows = |&id: &NodeId| match automaton.node(id) {
            Some(Node::List { list, is_fresh, next, .. }) if list == exit.list && is_fresh == exit.is_fresh => {
                Some(next)
            }
            _ => None,
        };
        let seeds: Vec<NodeId> = state.nodes.iter().filter_map(follows).collect();
        let to = self.closure(automaton, &seeds);
        if let Some(exit) = self.states.get_mut(from as usize).and_then(|state| state.lists.get_mut(place)) {
            exit.to = Some(to);
        }
        to
    }

    /// The sentences that are complete where the text ends.
    pub(crate) fn ended(&mut self, automaton: &Automaton, at: StateId) -> Arc<[SentenceId]> {
        let Some(state) = self.states.get(at as usize) else { return Arc::default() };
        if let Some(ended) = &state.ended {
            return Arc::clone(ended);
        }
        let nodes = Arc::clone(&state.nodes);
        self.begin(automaton);
        self.waiting.extend_from_slice(&nodes);
        let mut ended = Vec::new();
        while let Some(id) = self.take() {
            match automaton.node(id) {
                Some(Node::Space(next) | Node::Gap(next)) => self.waiting.push(next),
                Some(Node::Fork(start, length)) => self.waiting.extend_from_slice(automaton.fork(start, length)),
                Some(Node::Inside { joined, fresh }) => self.waiting.extend(joined.into_iter().chain([fresh])),
                Some(Node::Accept(sentence)) => ended.push(sentence),
                _ => {}
            }
        }
        ended.sort_unstable();
        let ended: Arc<[SentenceId]> = ended.into();
        if let Some(state) = self.states.get_mut(at as usize) {
            state.ended = Some(Arc::clone(&ended));
        }
        ended
    }

    fn begin(&mut self, automaton: &Automaton) {
        self.seen.resize(automaton.nodes.len(), 0);
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.seen.fill(0);
            self.now = 1;
        }
        self.waiting.clear();
    }

    /// The next node that has not been seen.
    fn take(&mut self) -> Option<NodeId> {
        while let Some(id) = self.waiting.pop() {
            if let Some(seen) = self.seen.get_mut(id as usize)
                && *seen != self.now
            {
                *seen = self.now;
                return Some(id);
            }
        }
        None
    }

    /// All nodes that are reached from these without taking anything.
    fn closure(&mut self, automaton: &Automaton, seeds: &[NodeId]) -> Reached {
        self.begin(automaton);
        self.waiting.extend_from_slice(seeds);
        let (mut inside, mut others) = (Vec::new(), Vec::new());
        while let Some(id) = self.take() {
            match automaton.node(id) {
                Some(Node::Fork(start, length)) => self.waiting.extend_from_slice(automaton.fork(start, length)),
                Some(Node::Gap(next)) => {
                    others.push(id);
                    self.waiting.push(next);
                }
                Some(Node::Inside { joined, .. }) => {
                    inside.push(id);
                    self.waiting.extend(joined);
                }
                Some(_) => others.push(id),
                None => {}
            }
        }
        Reached { inside: self.intern(automaton, inside), others: self.intern(automaton, others) }
    }

    fn intern(&mut self, automaton: &Automaton, mut nodes: Vec<NodeId>) -> StateId {
        if nodes.is_empty() {
            return NOWHERE;
        }
        nodes.sort_unstable();
        if let Some(&known) = self.ids.get(nodes.as_slice()) {
            return known;
        }
        let nodes: Arc<[NodeId]> = nodes.into();
        let id = StateId::try_from(self.states.len()).unwrap_or(NOWHERE);
        self.nodes += nodes.len();
        self.states.push(State::new(automaton, Arc::clone(&nodes)));
        self.ids.insert(nodes, id);
        id
    }
}

impl State {
    fn new(automaton: &Automaton, nodes: Arc<[NodeId]>) -> Self {
        let (mut chars, mut spaces, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let (mut wilds, mut insides, mut lists) = (Vec::new(), Vec::new(), Vec::new());
        for &id in nodes.iter() {
            match automaton.node(id) {
                Some(Node::Char(character, next)) => chars.push((character, next)),
                Some(Node::Space(next)) => spaces.push(next),
                Some(Node::Gap(next)) => gaps.push(next),
                Some(Node::Wild { inside, .. }) => wilds.push(inside),
                Some(Node::Inside { .. }) => insides.push(id),
                Some(Node::List { list, is_fresh, .. }) => lists.push((list, is_fresh)),
                Some(Node::Accept(_) | Node::Fork(..)) | None => {}
            }
        }
        chars.sort_unstable();
        lists.sort_unstable();
        lists.dedup();
        Self {
            nodes,
            chars: chars.into(),
            spaces: spaces.into(),
            gaps: gaps.into(),
            wilds: wilds.into(),
            insides: insides.into(),
            lists: lists.into_iter().map(|(list, is_fresh)| Exit { list, is_fresh, to: None }).collect(),
            ended: None,
        }
    }
}
