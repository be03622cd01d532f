//! Makes the automaton from templates.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Automaton, Node, NodeId, SentenceId, SlotName};
use crate::error::Problem;
use crate::lists::{Kind, ListId, Lists, Range};
use crate::template::{ListPart, Part};

/// More items in any order would be too many orders.
pub(crate) const MOST_ORDERED: usize = 6;
/// Rules within rules.
const DEEPEST_RULES: usize = 24;
/// Parts looked at for one sentence; the largest of any language needs a few thousand.
const MOST_PARTS: usize = 100_000;
/// Nodes of a whole grammar.
const MOST_NODES: usize = 8_000_000;

/// What the names in a sentence mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub rules: &'a BTreeMap<String, Part>,
    pub local_rules: &'a BTreeMap<String, Part>,
    pub local_lists: &'a BTreeMap<String, ListId>,
    /// Lists of the part of the file that the sentence is in.
    pub part_lists: &'a BTreeMap<String, ListId>,
    /// Spaces mean nothing.
    pub is_unspaced: bool,
}

impl<'a> Scope<'a> {
    pub(crate) fn rule(&self, name: &str) -> Option<&'a Part> {
        self.local_rules.get(name).or_else(|| self.rules.get(name))
    }

    /// The list that is meant; a name that nobody knows is a list that the home fills.
    pub(crate) fn list(&self, name: &str, lists: &mut Lists) -> Result<ListId, Problem> {
        let known = self.local_lists.get(name).or_else(|| self.part_lists.get(name)).copied();
        match known.or_else(|| lists.shared(name)) {
            Some(list) => Ok(list),
            None => match Range::inline(name) {
                Some(range) => lists.add(Kind::Range(range), Some(name)),
                None => lists.add(Kind::Values, Some(name)),
            },
        }
    }
}

/// Where a part leads: in the middle of a word, and where a word may begin, so that spaces may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ends {
    joined: NodeId,
    fresh: NodeId,
}

/// Adds sentences to an automaton.
pub(crate) struct Builder<'a> {
    automaton: &'a mut Automaton,
    lists: &'a mut Lists,
    scope: Scope<'a>,
    known: FxHashMap<Node, NodeId>,
    forks: FxHashMap<Vec<NodeId>, NodeId>,
    parts: usize,
    rules: Vec<&'a str>,
}

impl<'a> Builder<'a> {
    /// Adds one sentence and says where it begins. A sentence that cannot be used leaves nothing that leads anywhere.
    pub(crate) fn add(
        automaton: &'a mut Automaton,
        lists: &'a mut Lists,
        scope: Scope<'a>,
        sentence: SentenceId,
        part: &'a Part,
    ) -> Result<NodeId, Problem> {
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

    fn sentence(&mut self, sentence: SentenceId, part: &'a Part) -> Result<NodeId, Problem> {
        let accept = self.node(Node::Accept(sentence))?;
        let start = self.part(part, Ends { joined: accept, fresh: accept })?.fresh;
        if self.is_wordless(start) { Err(Problem::Wordless) } else { Ok(start) }
    }

    /// Whether the sentence ends without having taken a word.
    fn is_wordless(&self, start: NodeId) -> bool {
        self.reached(start, true).any(|node| matches!(node, Node::Accept(_)))
    }

    /// Whether something other than a space may follow at once.
    fn takes_letters(&self, start: NodeId) -> bool {
        self.reached(start, false).any(|node| !matches!(node, Node::Accept(_) | Node::Space(_)))
    }

    /// The nodes that are reached without taking anything, or nothing but spaces.
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

    fn node(&mut self, node: Node) -> Result<NodeId, Problem> {
        if let Some(&known) = self.known.get(&node) {
            return Ok(known);
        }
        let id = self.next_id()?;
        self.automaton.nodes.push(node);
        self.known.insert(node, id);
        Ok(id)
    }

    fn next_id(&self) -> Result<NodeId, Problem> {
        let length = self.automaton.nodes.len();
        NodeId::try_from(length).ok().filter(|_| length < MOST_NODES).ok_or(Problem::TooLarge)
    }

    fn fork(&mut self, mut targets: Vec<NodeId>) -> Result<NodeId, Problem> {
        targets.sort_unstable_by(|one, other| other.cmp(one));
        targets.dedup();
        if let [only] = targets.as_slice() {
            return Ok(*only);
        }
        if let Some(&known) = self.forks.get(&targets) {
            return Ok(known);
        }
        let start = u32::try_from(self.automaton.targets.len()).map_err(|_| Problem::TooLarge)?;
        let length = u32::try_from(targets.len()).map_err(|_| Problem::TooLarge)?;
        let id = self.next_id()?;
        self.automaton.nodes.push(Node::Fork(start, length));
        self.automaton.targets.extend_from_slice(&targets);
        self.forks.insert(targets, id);
        Ok(id)
    }

    fn part(&mut self, part: &'a Part, next: Ends) -> Result<Ends, Problem> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(Problem::TooLarge);
        }
        match part {
            Part::Text(text) => self.text(text, next),
            Part::Sequence(parts) => parts.iter().rev().try_fold(next, |next, part| self.part(part, next)),
            Part::Either(parts) => {
                let ends = parts.iter().map(|part| self.part(part, next)).collect::<Result<Vec<_>, _>>()?;
                self.either(&ends)
            }
            Part::AnyOrder(parts) => self.any_order(parts, next),
            Part::List(list) => self.list(list, next),
            Part::Rule(name) => {
                let rule = self.scope.rule(name).ok_or_else(|| Problem::MissingRule(name.clone()))?;
                if self.rules.contains(&name.as_str()) || self.rules.len() >= DEEPEST_RULES {
                    return Err(Problem::EndlessRule(name.clone()));
                }
                self.rules.push(name);
                let ends = self.part(rule, next);
                self.rules.pop();
                ends
            }
        }
    }

    fn either(&mut self, ends: &[Ends]) -> Result<Ends, Problem> {
        let joined = self.fork(ends.iter().map(|ends| ends.joined).collect())?;
        let fresh = self.fork(ends.iter().map(|ends| ends.fresh).collect())?;
        Ok(Ends { joined, fresh })
    }

    /// For every set of items that have been said, what may follow: far fewer than there are orders.
    fn any_order(&mut self, parts: &'a [Part], next: Ends) -> Result<Ends, Problem> {
        let count = parts.len();
        if count > MOST_ORDERED {
            return Err(Problem::TooManyOrders(count, MOST_ORDERED));
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

    /// Where a word may begin, spaces before it may be missing from the text or from the template.
    fn text(&mut self, text: &str, next: Ends) -> Result<Ends, Problem> {
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
        Ok(Ends { joined, fresh })
    }

    fn list(&mut self, part: &ListPart, next: Ends) -> Result<Ends, Problem> {
        let list = self.scope.list(&part.list, self.lists)?;
        let slot = self.slot(part)?;
        if matches!(self.lists.kind(list), Some(Kind::Wildcard)) {
            let joined = self.takes_letters(next.joined).then_some(next.joined);
            let inside = self.node(Node::Inside { joined, fresh: next.fresh })?;
            let wild = self.node(Node::Wild { slot, inside })?;
            return Ok(Ends { joined: wild, fresh: self.node(Node::Gap(wild))? });
        }
        // What a list leads to depends on what led to it, not on its value: names end as they please.
        let is_unspaced = self.scope.is_unspaced;
        let joined = self.node(Node::List { list, is_fresh: is_unspaced, slot, next: next.joined })?;
        let fresh = self.node(Node::List { list, is_fresh: true, slot, next: next.fresh })?;
        Ok(Ends { joined, fresh })
    }

    fn slot(&mut self, part: &ListPart) -> Result<u16, Problem> {
        let slot = SlotName { name: part.slot.clone(), is_capture: part.is_capture };
        let known = self.automaton.slots.iter().position(|known| *known == slot);
        let index = known.unwrap_or_else(|| {
            self.automaton.slots.push(slot);
            self.automaton.slots.len() - 1
        });
        u16::try_from(index).map_err(|_| Problem::TooLarge)
    }
}
