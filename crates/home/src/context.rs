//! What a model is told of the home: a map of its areas, the entities that the conversation is about, and later only what
//! has changed. Never every entity: a home has thousands, and a question needs a handful.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
};

use protocol::{EntityBase, ends};
use tools::{Senses, Surroundings};

use crate::{
    house::{Connection, House, State},
    index::{Hit, Index, Query, Standing, plain},
};

/// Bytes of a message that are looked at: what it is about is said at its beginning or at its end.
const MESSAGE_BYTES_MAX: usize = 4 * 1024;

/// Entities that a message needs, at most.
const NEEDED_MAX: usize = 16;
/// How well an entity must fit a message to be told with it.
const FIT_MIN: f32 = 0.4;
/// How much news there may be until the list is better made anew.
const NEWS_MAX: usize = 24;
/// Characters of the map; past it, areas are told by name alone, and past that they are counted.
const MAP_CHARS_MAX: usize = 3_600;
/// Characters of a name or a state; whatever is longer is no name.
const WORD_CHARS_MAX: usize = 60;
/// Characters of a unit.
const UNIT_CHARS_MAX: usize = 8;
/// Words by which a message is about the home though it names nothing in it.
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

/// Knows of the home.
pub struct HomeSenses {
    house: Arc<dyn House>,
    /// The map, of one revision of the names in the home.
    map: Mutex<Option<(u64, Arc<str>)>>,
}

impl HomeSenses {
    /// For a home.
    pub fn new(house: Arc<dyn House>) -> Self {
        Self { house, map: Mutex::default() }
    }
}

impl Senses for HomeSenses {
    fn sense(&self, message: &str, told: Option<&EntityBase>) -> Option<Surroundings> {
        let index = self.house.index();
        let message = &ends(message, MESSAGE_BYTES_MAX);
        let needed = needed(index, message);
        if told.is_none() && needed.is_empty() && !is_about_home(message) {
            return None;
        }
        let map = self.map();
        if let Some(told) = told.filter(|told| told.text.starts_with(&*map)) {
            let news = news(index, told, &needed);
            if news.len() <= NEWS_MAX {
                return Some(Surroundings { base: told.clone(), news: self.in_words(&news) });
            }
        }
        let listed: Vec<&Standing> = needed.iter().map(|hit| &hit.standing).collect();
        let mut text = map.to_string();
        if !listed.is_empty() {
            text.push_str("\nHow some of it stood when this list was made:");
        }
        for standing in &listed {
            let _ = write!(text, "\n{}", line(standing));
        }
        let states = listed.iter().map(|it| (it.entity.id.to_string(), word(it))).collect();
        Some(Surroundings { base: EntityBase { text, states }, news: self.in_words(&[]) })
    }
}

impl HomeSenses {
    /// What is new, and whether it can be known at all.
    fn in_words(&self, news: &[String]) -> String {
        let lines = news.join("\n");
        match self.house.about().connection {
            Connection::Connected { .. } if news.is_empty() => String::new(),
            Connection::Connected { .. } => {
                format!("In the home, as it stands now (all else is as in the list):\n{lines}")
            }
            Connection::Reconnecting { .. } | Connection::Refused { .. } => {
                format!("The home cannot be reached right now; what is known of it is from before.\n{lines}")
            }
        }
    }

    /// The areas and what is in them, by kind; made anew when something has another name or place.
    fn map(&self) -> Arc<str> {
        let revision = self.house.index().revision();
        let mut known = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((of, map)) if *of == revision => map.clone(),
            _ => known.insert((revision, self.draw_map().into())).1.clone(),
        }
    }

    fn draw_map(&self) -> String {
        let about = self.house.about();
        let all: Vec<Standing> = self.house.index().matching(|entity| entity.exposed && !entity.auxiliary);
        let simulated = if about.simulated { "simulated home" } else { "home" };
        let mut text = format!(
            "The user's {simulated} has entities: `search_entities` finds them, `get_state` tells how they stand, \
             `call_service` acts on them."
        );
        let mut areas: BTreeMap<(Option<i32>, String), BTreeMap<&str, usize>> = BTreeMap::new();
        let mut nowhere: BTreeMap<&str, usize> = BTreeMap::new();
        for standing in &all {
            let domain = standing.entity.id.domain();
            let kinds = match &standing.area {
                Some(area) => {
                    let level = standing.floor.as_ref().and_then(|floor| floor.level);
                    let floor = standing.floor.as_ref().map(|floor| format!(", {}", short(&floor.name)));
                    let name = format!("{} ({}{})", short(&area.name), area.id, floor.unwrap_or_default());
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

/// The entities that a message speaks of: what fits its words, and what is in the area that it names.
fn needed(index: &Index, message: &str) -> Vec<Hit> {
    let query = Query { text: message.to_owned(), limit: NEEDED_MAX, ..Query::default() };
    let mut needed = index.search(&query);
    needed.retain(|hit| hit.score >= FIT_MIN);
    let said = format!(" {} ", plain(message));
    let is_said = |name: &String| said.contains(&format!(" {} ", plain(name)));
    if let Some(area) =
        index.areas().into_iter().find(|area| std::iter::once(&area.name).chain(&area.aliases).any(is_said))
    {
        let there = index.search(&Query { area: Some(area.id.clone()), ..query });
        needed.extend(there.into_iter().filter(|hit| !hit.standing.entity.auxiliary));
    }
    let mut seen = BTreeSet::new();
    needed.retain(|hit| seen.insert(hit.standing.entity.id.clone()));
    needed.truncate(NEEDED_MAX);
    needed
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

/// What has changed of what was told, and what this message needs beyond it.
fn news(index: &Index, told: &EntityBase, needed: &[Hit]) -> Vec<String> {
    let mut news = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (id, was) in &told.states {
        seen.insert(id);
        let now = id.parse().ok().and_then(|id| index.get(&id));
        match now {
            Some(standing) if word(&standing) != *was => news.push(format!("{} (was {was})", line(&standing))),
            Some(_) => {}
            None => news.push(format!("- {id} is gone")),
        }
    }
    let beyond = needed.iter().filter(|hit| !seen.contains(hit.standing.entity.id.as_str()));
    news.extend(beyond.map(|hit| line(&hit.standing)));
    news
}

fn line(standing: &Standing) -> String {
    let area = standing.area.as_ref().map(|area| format!(", {}", short(&area.name))).unwrap_or_default();
    format!("- {} \"{}\"{area}: {}", standing.entity.id, short(&standing.entity.name), word(standing))
}

fn word(standing: &Standing) -> String {
    let Some(state) = &standing.state else { return State::UNKNOWN.to_owned() };
    let unit = state.text("unit_of_measurement").filter(|unit| unit.chars().count() <= UNIT_CHARS_MAX);
    let unit = unit.filter(|_| state.is_known()).map(|unit| format!(" {}", short(unit))).unwrap_or_default();
    match state.number("brightness") {
        Some(brightness) if state.state == "on" => format!("on at {} %", (brightness / 2.55).round()),
        _ => format!("{}{unit}", state.plain_word()),
    }
}

/// Names and states come from the home: one line, no more than a name needs.
fn short(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(WORD_CHARS_MAX).collect()
}
