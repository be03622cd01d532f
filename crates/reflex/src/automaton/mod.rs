//! All sentences of a grammar as one automaton over characters.
//!
//! `build` makes it from templates, with expansion rules inlined. `states` simulates it with sets
//! of nodes and caches the sets. `walk` reads a text with it: list values are spans of a lattice,
//! so that a thousand names cost no more than one. It tells which sentences may match; `path` then
//! finds the slot values for those few.

pub(crate) mod build;
pub(crate) mod path;
pub(crate) mod states;
pub(crate) mod walk;

use crate::lists::ListId;

pub(crate) use build::MOST_ORDERED;

/// A node, by its index. The successors of a node were made before it: every edge but a loop leads
/// to a smaller index.
pub(crate) type NodeId = u32;

/// A sentence, by its index.
pub(crate) type SentenceId = u32;

/// What a node consumes of the text, and its successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// This character.
    Char(char, NodeId),
    /// A space, or a character that joins words; nothing at the end of the text.
    Space(NodeId),
    /// An optional space.
    Gap(NodeId),
    /// Nothing; the successors are a range of `targets`.
    Fork(u32, u32),
    /// A value of a list. At the start of a word (`is_fresh`), a space may precede it.
    List { list: ListId, is_fresh: bool, slot: u16, next: NodeId },
    /// The first character of a wildcard.
    Wild { slot: u16, inside: NodeId },
    /// Further characters of a wildcard. It ends with a space (`fresh`), or within a word if
    /// letters may follow there (`joined`).
    Inside { joined: Option<NodeId>, fresh: NodeId },
    /// The end of a sentence.
    Accept(SentenceId),
}

/// A slot that sentences can fill.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SlotName {
    pub name: String,
    pub is_capture: bool,
}

/// The whole automaton.
#[derive(Debug, Default)]
pub(crate) struct Automaton {
    pub nodes: Vec<Node>,
    pub targets: Vec<NodeId>,
    pub slots: Vec<SlotName>,
    /// The start node of each sentence.
    pub starts: Vec<NodeId>,
}

impl Automaton {
    pub(crate) fn node(&self, id: NodeId) -> Option<Node> {
        self.nodes.get(id as usize).copied()
    }

    pub(crate) fn fork(&self, start: u32, length: u32) -> &[NodeId] {
        self.targets.get(start as usize..(start + length) as usize).unwrap_or_default()
    }
}
