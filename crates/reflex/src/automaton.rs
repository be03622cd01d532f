//! All sentences of a grammar as one automaton over characters.
//!
//! `build` makes it from templates, with rules written out where they are used. `states` walks it, many nodes at once, and
//! remembers the sets it has been in. `walk` reads a text with it: lists are spans of a lattice, so that a thousand names
//! cost no more than one. It says which sentences a text may be; `path` then finds how, for those few.

pub(crate) mod build;
pub(crate) mod path;
pub(crate) mod states;
pub(crate) mod walk;

use crate::lists::ListId;

pub(crate) use build::MOST_ORDERED;

/// A node, by its place. What follows a node was made before it: every arrow but a loop leads to a smaller number.
pub(crate) type NodeId = u32;

/// A sentence, by its place.
pub(crate) type SentenceId = u32;

/// What a node takes from the text, and what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// This character.
    Char(char, NodeId),
    /// A space, or what joins words instead; nothing at the end of the text.
    Space(NodeId),
    /// A space or nothing.
    Gap(NodeId),
    /// Nothing; one of these places in `targets` follows.
    Fork(u32, u32),
    /// A value of a list. Where a word may begin (`is_fresh`), a space may stand before it.
    List { list: ListId, is_fresh: bool, slot: u16, next: NodeId },
    /// The first character of words of any kind.
    Wild { slot: u16, inside: NodeId },
    /// More of them. They end with a space (`fresh`), or in the middle of a word if letters may follow there (`joined`).
    Inside { joined: Option<NodeId>, fresh: NodeId },
    /// The end of a sentence.
    Accept(SentenceId),
}

/// A slot that sentences fill.
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
    /// Where each sentence begins.
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
