//! The state cache: sets of nodes, computed once.
//!
//! A position in the text is a few independent sets, not one set of all nodes. Nodes within
//! wildcards are kept apart from what follows them, so that the number of different sets stays
//! small.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Automaton, Node, NodeId, SentenceId};
use crate::lists::ListId;

/// A set of nodes, by its index.
pub(crate) type StateId = u32;

/// The empty set.
pub(crate) const NOWHERE: StateId = 0;

/// The total number of nodes in all sets; above it, the cache is cleared before the next text.
const MOST_NODES: usize = 2_000_000;
/// The number of transitions; above it, the cache is cleared as well.
const MOST_STEPS: usize = 500_000;

/// A set of nodes, grouped by what they consume.
#[derive(Debug, Default)]
struct CachedState {
    nodes: Arc<[NodeId]>,
    /// Characters and their successors.
    chars: Box<[(char, NodeId)]>,
    /// The successors of a required space.
    spaces: Box<[NodeId]>,
    /// The successors of an optional space.
    gaps: Box<[NodeId]>,
    /// Wildcards that begin or continue.
    wilds: Box<[NodeId]>,
    insides: Box<[NodeId]>,
    lists: Vec<Exit>,
    ended: Option<Arc<[SentenceId]>>,
}

/// The transition for the value of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exit {
    pub list: ListId,
    pub is_fresh: bool,
    /// Computed on first use.
    to: Option<NextStates>,
}

/// The reached nodes: those inside wildcards, and all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct NextStates {
    inside: StateId,
    others: StateId,
}

/// The active states at a position: non-empty, distinct sets of nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActiveStates(Vec<StateId>);

impl ActiveStates {
    pub(crate) fn sets(&self) -> &[StateId] {
        &self.0
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn add(&mut self, reached: NextStates) {
        for id in [reached.others, reached.inside] {
            if id != NOWHERE && !self.0.contains(&id) {
                self.0.push(id);
            }
        }
    }
}

/// The known sets and their transitions.
#[derive(Debug)]
pub(crate) struct StateCache {
    states: Vec<CachedState>,
    ids: FxHashMap<Arc<[NodeId]>, StateId>,
    steps: FxHashMap<(StateId, char), NextStates>,
    start: Option<NextStates>,
    nodes: usize,
    /// When each node was last visited.
    seen: Vec<u32>,
    now: u32,
    waiting: Vec<NodeId>,
}

impl Default for StateCache {
    fn default() -> Self {
        Self {
            states: vec![CachedState::default()],
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

impl StateCache {
    /// Clears the cache before a text if it is too large.
    pub(crate) fn make_room(&mut self) {
        if self.nodes > MOST_NODES || self.steps.len() > MOST_STEPS {
            *self = Self::default();
        }
    }

    pub(crate) fn start(&mut self, automaton: &Automaton) -> NextStates {
        if let Some(start) = self.start {
            return start;
        }
        let start = self.closure(automaton, &automaton.starts);
        self.start = Some(start);
        start
    }

    /// The transition for a character.
    pub(crate) fn step(&mut self, automaton: &Automaton, from: StateId, next: char) -> NextStates {
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

    /// The lists whose values can follow.
    pub(crate) fn exits(&self, from: StateId) -> &[Exit] {
        self.states.get(from as usize).map(|state| state.lists.as_slice()).unwrap_or_default()
    }

    /// The transition for a list, by its index in `exits`.
    pub(crate) fn leave(&mut self, automaton: &Automaton, from: StateId, place: usize) -> NextStates {
        let Some(state) = self.states.get(from as usize) else { return NextStates::default() };
        let Some(&exit) = state.lists.get(place) else { return NextStates::default() };
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

    /// The sentences that are complete at the end of the text.
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

    /// The next unvisited node.
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

    /// All nodes reachable from these without consuming anything.
    fn closure(&mut self, automaton: &Automaton, seeds: &[NodeId]) -> NextStates {
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
        NextStates { inside: self.intern(automaton, inside), others: self.intern(automaton, others) }
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
        self.states.push(CachedState::new(automaton, Arc::clone(&nodes)));
        self.ids.insert(nodes, id);
        id
    }
}

impl CachedState {
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
