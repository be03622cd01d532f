//! Builds the automaton from templates.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Automaton, Node, NodeId, SentenceId, SlotName};
use crate::error::GrammarProblem;
use crate::lists::{ListId, ListKind, NumberRange, SlotLists};
use crate::template::{ListPart, TemplatePart};

/// Larger permutations would have too many orders.
pub(crate) const MOST_ORDERED: usize = 6;
/// The nesting depth of rules.
const DEEPEST_RULES: usize = 24;
/// The number of parts visited for one sentence; the largest of any language needs a few thousand.
const MOST_PARTS: usize = 100_000;
/// The number of nodes of a whole grammar.
const MOST_NODES: usize = 8_000_000;

/// The lists and rules that the names in a sentence refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameScope<'a> {
    pub rules: &'a BTreeMap<String, TemplatePart>,
    pub local_rules: &'a BTreeMap<String, TemplatePart>,
    pub local_lists: &'a BTreeMap<String, ListId>,
    /// The lists of the file section that the sentence is in.
    pub part_lists: &'a BTreeMap<String, ListId>,
    /// Whether spaces are insignificant.
    pub is_unspaced: bool,
}

impl<'a> NameScope<'a> {
    pub(crate) fn rule(&self, name: &str) -> Option<&'a TemplatePart> {
        self.local_rules.get(name).or_else(|| self.rules.get(name))
    }

    /// The list of that name. An unknown name is a list that the home fills.
    pub(crate) fn list(&self, name: &str, lists: &mut SlotLists) -> Result<ListId, GrammarProblem> {
        let known = self.local_lists.get(name).or_else(|| self.part_lists.get(name)).copied();
        match known.or_else(|| lists.shared(name)) {
            Some(list) => Ok(list),
            None => match NumberRange::inline(name) {
                Some(range) => lists.add(ListKind::Range(range), Some(name)),
                None => lists.add(ListKind::Values, Some(name)),
            },
        }
    }
}

/// The successors of a part: within a word, and at the start of a word, where spaces may be
/// missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PartExits {
    joined: NodeId,
    fresh: NodeId,
}

/// Adds sentences to an automaton.
pub(crate) struct Builder<'a> {
    automaton: &'a mut Automaton,
    lists: &'a mut SlotLists,
    scope: NameScope<'a>,
    known: FxHashMap<Node, NodeId>,
    forks: FxHashMap<Vec<NodeId>, NodeId>,
    parts: usize,
    rules: Vec<&'a str>,
}

impl<'a> Builder<'a> {
    /// Adds one sentence and returns its start node. An invalid sentence leaves no reachable nodes.
    pub(crate) fn add(
        automaton: &'a mut Automaton,
        lists: &'a mut SlotLists,
        scope: NameScope<'a>,
        sentence: SentenceId,
        part: &'a TemplatePart,
    ) -> Result<NodeId, GrammarProblem> {
        let (nodes, targets) = (automaton.nodes.len(), automaton.targets.len());
        let mut builder = Self {
            automaton,
            lists,
            scope,
            known: FxHashMap::default(),
            forks: FxHashMap::default(),
            parts: 0,
            rules: Vec::new(),
        };
        let built = builder.sentence(sentence, part);
        if built.is_err() {
            builder.automaton.nodes.truncate(nodes);
            builder.automaton.targets.truncate(targets);
        }
        built
    }

    fn sentence(&mut self, sentence: SentenceId, part: &'a TemplatePart) -> Result<NodeId, GrammarProblem> {
        let accept = self.node(Node::Accept(sentence))?;
        let start = self.part(part, PartExits { joined: accept, fresh: accept })?.fresh;
        if self.is_wordless(start) { Err(GrammarProblem::Wordless) } else { Ok(start) }
    }

    /// Whether the sentence can end without consuming a word.
    fn is_wordless(&self, start: NodeId) -> bool {
        self.reached(start, true).any(|node| matches!(node, Node::Accept(_)))
    }

    /// Whether something other than a space may follow immediately.
    fn takes_letters(&self, start: NodeId) -> bool {
        self.reached(start, false).any(|node| !matches!(node, Node::Accept(_) | Node::Space(_)))
    }

    /// The nodes reachable without consuming anything, or only spaces.
    fn reached(&self, start: NodeId, is_through_spaces: bool) -> impl Iterator<Item = Node> {
        let mut waiting = vec![start];
        let mut seen = FxHashSet::default();
        std::iter::from_fn(move || {
            while let Some(id) = waiting.pop() {
                if !seen.insert(id) {
                    continue;
                }
                match self.automaton.node(id)? {
                    Node::Gap(next) => waiting.push(next),
                    Node::Space(next) if is_through_spaces => waiting.push(next),
                    Node::Fork(from, length) => waiting.extend(self.automaton.fork(from, length)),
                    node => return Some(node),
                }
            }
            None
        })
    }

    fn node(&mut self, node: Node) -> Result<NodeId, GrammarProblem> {
        if let Some(&known) = self.known.get(&node) {
            return Ok(known);
        }
        let id = self.next_id()?;
        self.automaton.nodes.push(node);
        self.known.insert(node, id);
        Ok(id)
    }

    fn next_id(&self) -> Result<NodeId, GrammarProblem> {
        let length = self.automaton.nodes.len();
        NodeId::try_from(length).ok().filter(|_| length < MOST_NODES).ok_or(GrammarProblem::TooLarge)
    }

    fn fork(&mut self, mut targets: Vec<NodeId>) -> Result<NodeId, GrammarProblem> {
        targets.sort_unstable_by(|one, other| other.cmp(one));
        targets.dedup();
        if let [only] = targets.as_slice() {
            return Ok(*only);
        }
        if let Some(&known) = self.forks.get(&targets) {
            return Ok(known);
        }
        let start = u32::try_from(self.automaton.targets.len()).map_err(|_| GrammarProblem::TooLarge)?;
        let length = u32::try_from(targets.len()).map_err(|_| GrammarProblem::TooLarge)?;
        let id = self.next_id()?;
        self.automaton.nodes.push(Node::Fork(start, length));
        self.automaton.targets.extend_from_slice(&targets);
        self.forks.insert(targets, id);
        Ok(id)
    }

    fn part(&mut self, part: &'a TemplatePart, next: PartExits) -> Result<PartExits, GrammarProblem> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(GrammarProblem::TooLarge);
        }
        match part {
            TemplatePart::Text(text) => self.text(text, next),
            TemplatePart::Sequence(parts) => parts.iter().rev().try_fold(next, |next, part| self.part(part, next)),
            TemplatePart::Either(parts) => {
                let ends = parts.iter().map(|part| self.part(part, next)).collect::<Result<Vec<_>, _>>()?;
                self.either(&ends)
            }
            TemplatePart::AnyOrder(parts) => self.any_order(parts, next),
            TemplatePart::List(list) => self.list(list, next),
            TemplatePart::Rule(name) => {
                let rule = self.scope.rule(name).ok_or_else(|| GrammarProblem::MissingRule(name.clone()))?;
                if self.rules.contains(&name.as_str()) || self.rules.len() >= DEEPEST_RULES {
                    return Err(GrammarProblem::EndlessRule(name.clone()));
                }
                self.rules.push(name);
                let ends = self.part(rule, next);
                self.rules.pop();
                ends
            }
        }
    }

    fn either(&mut self, ends: &[PartExits]) -> Result<PartExits, GrammarProblem> {
        let joined = self.fork(ends.iter().map(|ends| ends.joined).collect())?;
        let fresh = self.fork(ends.iter().map(|ends| ends.fresh).collect())?;
        Ok(PartExits { joined, fresh })
    }

    /// One node for every set of items seen so far, which is far fewer than one for every order.
    fn any_order(&mut self, parts: &'a [TemplatePart], next: PartExits) -> Result<PartExits, GrammarProblem> {
        let count = parts.len();
        if count > MOST_ORDERED {
            return Err(GrammarProblem::TooManyOrders(count, MOST_ORDERED));
        }
        let all = (1usize << count) - 1;
        let mut after = vec![next; all + 1];
        for said in (0..all).rev() {
            let mut ends = Vec::new();
            for (index, part) in parts.iter().enumerate().filter(|(index, _)| said & (1 << index) == 0) {
                let rest = after.get(said | (1 << index)).copied().unwrap_or(next);
                ends.push(self.part(part, rest)?);
            }
            let entry = self.either(&ends)?;
            if let Some(place) = after.get_mut(said) {
                *place = entry;
            }
        }
        Ok(after.first().copied().unwrap_or(next))
    }

    /// At the start of a word, preceding spaces may be missing from the text or from the template.
    fn text(&mut self, text: &str, next: PartExits) -> Result<PartExits, GrammarProblem> {
        if text.is_empty() {
            return Ok(next);
        }
        let bare = text.trim_start();
        let is_word_end = text.ends_with([' ', '\'']);
        let mut body = if is_word_end { next.fresh } else { next.joined };
        for character in crate::text::fold(bare).collect::<Vec<_>>().into_iter().rev() {
            body = match character {
                ' ' if self.scope.is_unspaced => self.node(Node::Gap(body))?,
                ' ' => self.node(Node::Space(body))?,
                character => self.node(Node::Char(character, body))?,
            };
        }
        let fresh = self.node(Node::Gap(body))?;
        let joined = match (self.scope.is_unspaced, text.len() > bare.len()) {
            (true, _) => fresh,
            (false, true) => self.node(Node::Space(body))?,
            (false, false) => body,
        };
        Ok(PartExits { joined, fresh })
    }

    fn list(&mut self, part: &ListPart, next: PartExits) -> Result<PartExits, GrammarProblem> {
        let list = self.scope.list(&part.list, self.lists)?;
        let slot = self.slot(part)?;
        if matches!(self.lists.kind(list), Some(ListKind::Wildcard)) {
            let joined = self.takes_letters(next.joined).then_some(next.joined);
            let inside = self.node(Node::Inside { joined, fresh: next.fresh })?;
            let wild = self.node(Node::Wild { slot, inside })?;
            return Ok(PartExits { joined: wild, fresh: self.node(Node::Gap(wild))? });
        }
        // The successor of a list depends on the template and not on the value, since names can end
        // in any character.
        let is_unspaced = self.scope.is_unspaced;
        let joined = self.node(Node::List { list, is_fresh: is_unspaced, slot, next: next.joined })?;
        let fresh = self.node(Node::List { list, is_fresh: true, slot, next: next.fresh })?;
        Ok(PartExits { joined, fresh })
    }

    fn slot(&mut self, part: &ListPart) -> Result<u16, GrammarProblem> {
        let slot = SlotName { name: part.slot.clone(), is_capture: part.is_capture };
        let known = self.automaton.slots.iter().position(|known| *known == slot);
        let index = known.unwrap_or_else(|| {
            self.automaton.slots.push(slot);
            self.automaton.slots.len() - 1
        });
        u16::try_from(index).map_err(|_| GrammarProblem::TooLarge)
    }
}
