//! The prompt section about the home: a map of its areas, the entities that the conversation is
//! about, and later only the changes. It never lists every entity: a home has thousands, and a
//! question needs a few.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
};

use ports::{HomeContext, HomeSection};
use protocol::{EntityBase, ends};

use crate::{
    index::{EntityHit, EntityQuery, EntitySnapshot, HomeIndex, plain},
    port::{ConnectionStatus, EntityState, HomePort},
};

/// The number of bytes of a message that are searched, from its beginning and its end.
const MESSAGE_BYTES_MAX: usize = 4 * 1024;

/// The number of entities that a message needs, at most.
const NEEDED_MAX: usize = 16;
/// The number of areas that a message may name.
const AREAS_MAX: usize = 4;
/// The minimum score of an entity to be included for a message.
const FIT_MIN: f32 = 0.4;
/// The number of changes after which a new list is made.
const NEWS_MAX: usize = 24;
/// The longest map, in characters. A longer one lists areas by name only, and an even longer one
/// counts them.
const MAP_CHARS_MAX: usize = 3_600;
/// The number of characters kept of a name or a state.
const WORD_CHARS_MAX: usize = 60;
/// The number of characters kept of the reason why the home cannot be reached.
const REASON_CHARS_MAX: usize = 200;
/// The number of characters kept of a unit.
const UNIT_CHARS_MAX: usize = 8;
/// Words that make a message about the home even if it names nothing in it.
const ABOUT_HOME: &[&str] = &[
    "automation",
    "automations",
    "device",
    "devices",
    "entities",
    "entity",
    "heating",
    "home",
    "house",
    "lamp",
    "lamps",
    "light",
    "lights",
    "room",
    "rooms",
    "sensor",
    "sensors",
    "thermostat",
];

/// Describes the home to a model.
pub struct LiveHomeContext {
    home: Arc<dyn HomePort>,
    /// The map, with the revision of the names it was made from.
    map: Mutex<Option<(u64, Arc<str>)>>,
}

impl LiveHomeContext {
    /// The context of a home.
    pub fn new(home: Arc<dyn HomePort>) -> Self {
        Self { home, map: Mutex::default() }
    }
}

impl HomeContext for LiveHomeContext {
    fn section(&self, message: &str, told: Option<&EntityBase>) -> Option<HomeSection> {
        let index = self.home.index();
        let message = &ends(message, MESSAGE_BYTES_MAX);
        let needed = needed(index, message);
        if told.is_none() && needed.is_empty() && !is_about_home(message) {
            return None;
        }
        let map = self.map();
        if let Some(told) = told.filter(|told| told.text.starts_with(&*map)) {
            let news = news(index, told, &needed);
            if news.len() <= NEWS_MAX {
                return Some(HomeSection { base: told.clone(), news: self.in_words(&news) });
            }
        }
        let listed: Vec<&EntitySnapshot> = needed.iter().map(|hit| &hit.snapshot).collect();
        let mut text = map.to_string();
        if !listed.is_empty() {
            text.push_str("\nStates of some entities when this list was made:");
        }
        for snapshot in &listed {
            let _ = write!(text, "\n{}", line(snapshot));
        }
        let states = listed.iter().map(|it| (it.entity.id.to_string(), word(it))).collect();
        Some(HomeSection { base: EntityBase { text, states }, news: self.in_words(&[]) })
    }
}

impl LiveHomeContext {
    /// The changes as text, with a note if the home cannot be reached.
    fn in_words(&self, news: &[String]) -> String {
        let lines = news.join("\n");
        match self.home.about().connection {
            ConnectionStatus::Connected { .. } if news.is_empty() => String::new(),
            ConnectionStatus::Connected { .. } => {
                format!("In the home, as it stands now (all else is as in the list):\n{lines}")
            }
            ConnectionStatus::Reconnecting { why, .. } | ConnectionStatus::Refused { why } => {
                let why = short(&why, REASON_CHARS_MAX);
                format!("The home cannot be reached right now ({why}); what is known of it is from before.\n{lines}")
            }
        }
    }

    /// The areas and their contents by kind; rebuilt when a name or an area changes.
    fn map(&self) -> Arc<str> {
        let revision = self.home.index().revision();
        let mut known = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((of, map)) if *of == revision => map.clone(),
            _ => known.insert((revision, self.draw_map().into())).1.clone(),
        }
    }

    fn draw_map(&self) -> String {
        let about = self.home.about();
        let all: Vec<EntitySnapshot> = self.home.index().matching(|entity| entity.exposed && !entity.auxiliary);
        let simulated = if about.simulated { "simulated home" } else { "home" };
        let mut text = format!(
            "The user's {simulated} has entities: `search_entities` finds them, `get_state` reads their states, \
             `call_service` acts on them."
        );
        let mut areas: BTreeMap<(Option<i32>, String), BTreeMap<&str, usize>> = BTreeMap::new();
        let mut nowhere: BTreeMap<&str, usize> = BTreeMap::new();
        for snapshot in &all {
            let domain = snapshot.entity.id.domain();
            let kinds = match &snapshot.area {
                Some(area) => {
                    let level = snapshot.floor.as_ref().and_then(|floor| floor.level);
                    let floor = snapshot.floor.as_ref().map(|floor| format!(", {}", word_of(&floor.name)));
                    let name = format!("{} ({}{})", word_of(&area.name), area.id, floor.unwrap_or_default());
                    areas.entry((level, name)).or_default()
                }
                None => &mut nowhere,
            };
            *kinds.entry(domain).or_default() += 1;
        }
        let lines: Vec<String> =
            areas.iter().map(|((_, name), kinds)| format!("\n- {name}: {}", counted(kinds))).collect();
        let names: Vec<&str> = areas.keys().map(|(_, name)| name.as_str()).collect();
        if lines.iter().map(String::len).sum::<usize>() <= MAP_CHARS_MAX {
            text.extend(lines);
        } else {
            let mut told = String::from("\nAreas: ");
            let mut left = names.len();
            for name in &names {
                if told.len() + name.len() > MAP_CHARS_MAX {
                    break;
                }
                let _ = write!(told, "{}{name}", if left == names.len() { "" } else { "; " });
                left -= 1;
            }
            let more = if left > 0 { format!("; and {left} more") } else { String::new() };
            let _ = write!(text, "{told}{more}.");
        }
        if !nowhere.is_empty() {
            let _ = write!(text, "\n- in no area: {}", counted(&nowhere));
        }
        text
    }
}

/// The entities that a message mentions: those that match its words, and those in the areas that
/// it names.
fn needed(index: &HomeIndex, message: &str) -> Vec<EntityHit> {
    let query = EntityQuery { text: message.to_owned(), limit: NEEDED_MAX, ..EntityQuery::default() };
    let mut named = index.search(&query);
    named.retain(|hit| hit.score >= FIT_MIN);
    let said = format!(" {} ", plain(message));
    let is_said = |name: &String| said.contains(&format!(" {} ", plain(name)));
    let areas = index.areas();
    let areas = areas.iter().filter(|area| std::iter::once(&area.name).chain(&area.aliases).any(is_said));
    let mut lists = vec![named];
    for area in areas.take(AREAS_MAX) {
        let mut there = index.search(&EntityQuery { area: Some(area.id.clone()), ..query.clone() });
        there.retain(|hit| !hit.snapshot.entity.auxiliary);
        lists.push(there);
    }
    let mut needed = in_turns(lists);
    let mut seen = BTreeSet::new();
    needed.retain(|hit| seen.insert(hit.snapshot.entity.id.clone()));
    needed.truncate(NEEDED_MAX);
    needed
}

/// The items of several lists, one of each list after the other, so that none crowds out another.
fn in_turns(lists: Vec<Vec<EntityHit>>) -> Vec<EntityHit> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

fn is_about_home(message: &str) -> bool {
    plain(message).split(' ').any(|word| ABOUT_HOME.contains(&word))
}

fn counted(kinds: &BTreeMap<&str, usize>) -> String {
    let mut kinds: Vec<(&&str, &usize)> = kinds.iter().collect();
    kinds.sort_by(|one, two| two.1.cmp(one.1).then(one.0.cmp(two.0)));
    let words: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    words.join(", ")
}

/// The changes of the listed entities, and the entities that this message needs besides.
fn news(index: &HomeIndex, told: &EntityBase, needed: &[EntityHit]) -> Vec<String> {
    let mut news = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (id, was) in &told.states {
        seen.insert(id);
        let now = id.parse().ok().and_then(|id| index.get(&id));
        match now {
            Some(snapshot) if word(&snapshot) != *was => news.push(format!("{} (was {was})", line(&snapshot))),
            Some(_) => {}
            None => news.push(format!("- {id} is gone")),
        }
    }
    let beyond = needed.iter().filter(|hit| !seen.contains(hit.snapshot.entity.id.as_str()));
    news.extend(beyond.map(|hit| line(&hit.snapshot)));
    news
}

fn line(snapshot: &EntitySnapshot) -> String {
    let area = snapshot.area.as_ref().map(|area| format!(", {}", word_of(&area.name))).unwrap_or_default();
    format!("- {} \"{}\"{area}: {}", snapshot.entity.id, word_of(&snapshot.entity.name), word(snapshot))
}

fn word(snapshot: &EntitySnapshot) -> String {
    let Some(state) = &snapshot.state else { return EntityState::UNKNOWN.to_owned() };
    let unit = state.text("unit_of_measurement").filter(|unit| unit.chars().count() <= UNIT_CHARS_MAX);
    let unit = unit.filter(|_| state.is_known()).map(|unit| format!(" {}", word_of(unit))).unwrap_or_default();
    match state.number("brightness") {
        Some(brightness) if state.state == "on" => format!("on at {} %", (brightness / 2.55).round()),
        _ => format!("{}{unit}", state.plain_word()),
    }
}

/// Names and states come from the home: one line, truncated.
fn word_of(text: &str) -> String {
    short(text, WORD_CHARS_MAX)
}

fn short(text: &str, chars_max: usize) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(chars_max).collect()
}
