//! The people, places and things behind the names in facts.
//!
//! A fact that says "my sister's name is Maria" makes "sister" and "Maria" one. What a word such as
//! "boss" stands for depends on the time, so it is resolved for the time of each fact.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{GraphNode, NodeKind, Timestamp};

use super::{
    reading::{FactReading, NamedSubject, Object, Subject},
    timeline::FactAsKnown,
    words,
};

/// The id of the user's node.
const USER: &str = "user";
/// The user's label while no name is known.
const UNNAMED_USER: &str = "You";
/// The keys of the user's name.
const NAME_KEYS: &[&str] = &["name", "full name", "first name"];

/// The entities of a graph.
#[derive(Debug)]
pub(super) struct Entities {
    /// The user comes first.
    list: Vec<Entity>,
    ids: BTreeSet<String>,
    /// Who a relation of the user stood for, oldest first.
    bearers: BTreeMap<String, Vec<RelationBearer>>,
    /// Subjects that are things, by name.
    things: BTreeSet<String>,
}

/// A person, a place or a thing.
#[derive(Debug)]
struct Entity {
    id: String,
    kind: NodeKind,
    label: String,
    /// Its names in small letters.
    names: BTreeSet<String>,
    aliases: BTreeSet<String>,
    /// What it cannot be beside another: a daughter is no sister.
    role: Option<String>,
    relation: Option<String>,
}

/// The one that a relation stood for, and when.
#[derive(Debug)]
struct RelationBearer {
    entity: usize,
    from: Timestamp,
    until: Option<Timestamp>,
    /// Whether no other was named with it: of two daughters neither is "my daughter".
    is_alone: bool,
}

impl Entities {
    /// The user, and all people and animals whose names are stated; a relation belongs to the one
    /// who has it at `as_of`.
    pub(super) fn of(known: &[FactAsKnown], readings: &[FactReading], as_of: Timestamp) -> Self {
        let user = Entity::new(USER.to_owned(), NodeKind::User, UNNAMED_USER);
        let ids = BTreeSet::from([USER.to_owned()]);
        let mut entities = Self { list: vec![user], ids, bearers: BTreeMap::new(), things: things(readings) };
        // Text that is not trusted names no one: it could make one person of two.
        let named = known.iter().zip(readings).filter(|(known, _)| !known.is_wrong && known.fact.origin.is_trusted());
        for (known, reading) in named {
            match &reading.object {
                Object::Relatives { relation, names } => entities.name_relatives(known, reading, relation, names),
                _ if reading.subject == Subject::User && NAME_KEYS.contains(&reading.attribute.as_str()) => {
                    entities.name_user(&known.fact.value);
                }
                _ => {}
            }
        }
        entities.give_relations(as_of);
        entities
    }

    /// The node that a fact is about, and the nodes that its value names: a value without any has
    /// one end that is none.
    pub(super) fn ends(&mut self, known: &FactAsKnown, reading: &FactReading) -> (String, Vec<Option<String>>) {
        let from = match &reading.subject {
            Subject::User => 0,
            Subject::Relation(relation) => self.bearer(relation, known.fact.valid_from),
            Subject::Name(named) => self.subject(named),
        };
        let is_named = !known.is_wrong && known.fact.origin.is_trusted();
        let ends = match &reading.object {
            Object::Relatives { relation, names } if is_named => {
                let kind = words::kind_of_relation(relation);
                let role = words::role(relation).filter(|_| from == 0);
                names.iter().map(|name| self.entity(kind, name, role)).collect()
            }
            Object::Named { kind, names } => names.iter().map(|name| self.entity(*kind, name, None)).collect(),
            Object::Own(thing) if from == 0 => vec![self.own_thing(thing)],
            Object::Text if from == 0 && self.things.contains(&reading.attribute) => {
                vec![self.own_thing(&reading.attribute)]
            }
            _ => Vec::new(),
        };
        let id = |entity: usize| self.list.get(entity).map(|entity| entity.id.clone());
        let ends: Vec<Option<String>> = ends.into_iter().map(id).collect();
        (id(from).unwrap_or_else(|| USER.to_owned()), if ends.is_empty() { vec![None] } else { ends })
    }

    /// The nodes by their ids.
    pub(super) fn into_nodes(self) -> BTreeMap<String, GraphNode> {
        self.list.into_iter().map(|entity| (entity.id.clone(), entity.into_node())).collect()
    }

    fn name_user(&mut self, name: &str) {
        let Some(user) = self.list.first_mut() else { return };
        name.trim().clone_into(&mut user.label);
        user.names.insert(words::plain_name(name));
    }

    fn name_relatives(&mut self, known: &FactAsKnown, reading: &FactReading, relation: &str, names: &[String]) {
        let is_of_user = reading.subject == Subject::User;
        let role = words::role(relation).filter(|_| is_of_user);
        for name in names {
            let at = self.entity(words::kind_of_relation(relation), name, role);
            if is_of_user {
                let (from, until) = (known.fact.valid_from, known.fact.valid_until);
                let bearer = RelationBearer { entity: at, from, until, is_alone: names.len() == 1 };
                self.bearers.entry(relation.to_owned()).or_default().push(bearer);
            }
        }
    }

    /// Gives every relation to those who have it at a time, as what they are and as a name.
    fn give_relations(&mut self, as_of: Timestamp) {
        let mut given: Vec<(Timestamp, usize, String)> = Vec::new();
        for (relation, bearers) in &self.bearers {
            let present = present(bearers, relation, as_of);
            let has_it = |bearer: &&RelationBearer| words::is_lasting(relation) || present == Some(bearer.entity);
            given.extend(bearers.iter().filter(has_it).map(|bearer| (bearer.from, bearer.entity, relation.clone())));
        }
        // Of two relations the one that was said last is shown.
        given.sort();
        for (_, at, relation) in given {
            if let Some(entity) = self.list.get_mut(at) {
                entity.aliases.insert(relation.clone());
                entity.relation = Some(relation);
            }
        }
    }

    /// The one that a relation of the user stands for at a time.
    fn bearer(&mut self, relation: &str, at: Timestamp) -> usize {
        let bearers = self.bearers.get(relation).map(Vec::as_slice).unwrap_or_default();
        present(bearers, relation, at).unwrap_or_else(|| {
            let kind = words::kind_of_relation(relation);
            let at = self.position(|entity| entity.kind == kind && entity.names.contains(relation));
            let at = at.unwrap_or_else(|| self.add(kind, relation, words::role(relation)));
            self.list.get_mut(at).into_iter().for_each(|entity| entity.relation = Some(relation.to_owned()));
            at
        })
    }

    /// A subject that is given by its name.
    fn subject(&mut self, named: &NamedSubject) -> usize {
        let is_named = |entity: &Entity| entity.is_named(&named.plain);
        let is_being = |entity: &Entity| entity.kind <= NodeKind::Animal;
        let found = self.position(|entity| is_being(entity) && is_named(entity)).or_else(|| self.position(is_named));
        if let Some(found) = found {
            return found;
        }
        if named.is_person { self.add(NodeKind::Person, &named.label, None) } else { self.own_thing(&named.plain) }
    }

    /// Something of the user without a name of its own.
    fn own_thing(&mut self, thing: &str) -> usize {
        let at = self.position(|entity| entity.kind == NodeKind::Thing && entity.names.contains(thing));
        let at = at.unwrap_or_else(|| self.add(NodeKind::Thing, thing, None));
        self.list.get_mut(at).into_iter().for_each(|entity| entity.relation = Some(thing.to_owned()));
        at
    }

    /// The entity with a name, known or new.
    fn entity(&mut self, kind: NodeKind, name: &str, role: Option<&str>) -> usize {
        let plain = words::plain_name(name);
        let fits = |entity: &Entity| {
            let is_same_kind = entity.kind == kind || entity.kind == NodeKind::User && kind == NodeKind::Person;
            let goes_with = role.is_none() || entity.role.is_none() || entity.role.as_deref() == role;
            let is_user = entity.kind == NodeKind::User;
            is_same_kind && goes_with && !(is_user && role.is_some()) && entity.is_named(&plain)
        };
        let Some(at) = self.position(fits) else { return self.add(kind, name, role) };
        if let Some(entity) = self.list.get_mut(at) {
            entity.learn(name, plain, role);
        }
        at
    }

    fn position(&self, is_wanted: impl Fn(&Entity) -> bool) -> Option<usize> {
        self.list.iter().position(is_wanted)
    }

    fn add(&mut self, kind: NodeKind, name: &str, role: Option<&str>) -> usize {
        let plain = words::plain_name(name);
        let base = format!("{}:{plain}", kind_name(kind));
        let with_role = role.map(|role| format!("{base} ({role})"));
        let numbered = (2..).map(|number| format!("{base} {number}"));
        let ids = std::iter::once(base.clone()).chain(with_role).chain(numbered);
        let id = ids.into_iter().find(|id| !self.ids.contains(id)).unwrap_or(base);
        self.ids.insert(id.clone());
        let mut entity = Entity::new(id, kind, name.trim());
        entity.names.insert(plain);
        entity.role = role.map(str::to_owned);
        self.list.push(entity);
        self.list.len() - 1
    }
}

impl Entity {
    fn new(id: String, kind: NodeKind, label: &str) -> Self {
        let (names, aliases) = (BTreeSet::new(), BTreeSet::new());
        Self { id, kind, label: label.to_owned(), names, aliases, role: None, relation: None }
    }

    /// Whether this is one of its names, or the first of several.
    fn is_named(&self, plain: &str) -> bool {
        let is_being = self.kind <= NodeKind::Animal;
        let is_first_of =
            |long: &str, short: &str| is_being && long.strip_prefix(short).is_some_and(|rest| rest.starts_with(' '));
        self.names.iter().any(|name| name == plain || is_first_of(name, plain) || is_first_of(plain, name))
    }

    /// Takes a longer name, and what the one it names is.
    fn learn(&mut self, name: &str, plain: String, role: Option<&str>) {
        self.role = self.role.take().or_else(|| role.map(str::to_owned));
        if self.kind != NodeKind::User && !self.names.contains(&plain) {
            if plain.len() > self.label.len() {
                let shorter = std::mem::replace(&mut self.label, name.trim().to_owned());
                self.aliases.insert(shorter);
            } else {
                self.aliases.insert(name.trim().to_owned());
            }
        }
        self.names.insert(plain);
    }

    fn into_node(self) -> GraphNode {
        let Self { id, kind, label, aliases, relation, .. } = self;
        let aliases = aliases.into_iter().filter(|alias| *alias != label).collect();
        GraphNode { id, kind, label, aliases, relation, facts: 0 }
    }
}

/// The bearer of a relation at a time; none if the last one has lost it.
fn present(bearers: &[RelationBearer], relation: &str, at: Timestamp) -> Option<usize> {
    match bearers.iter().rev().find(|bearer| bearer.from <= at) {
        Some(bearer) => {
            let is_over = bearer.until.is_some_and(|until| until <= at) && !words::is_lasting(relation);
            (!is_over && bearer.is_alone).then_some(bearer.entity)
        }
        // What was said before the name was known is about the same one.
        None => bearers.first().filter(|bearer| bearer.is_alone).map(|bearer| bearer.entity),
    }
}

/// The names of subjects that are things.
fn things(readings: &[FactReading]) -> BTreeSet<String> {
    let things = readings.iter().filter_map(|reading| match &reading.subject {
        Subject::Name(named) if !named.is_person => Some(named.plain.clone()),
        _ => None,
    });
    things.collect()
}

const fn kind_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::User => "user",
        NodeKind::Person => "person",
        NodeKind::Animal => "animal",
        NodeKind::Place => "place",
        NodeKind::Thing => "thing",
    }
}
