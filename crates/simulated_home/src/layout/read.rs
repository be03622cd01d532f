//! Reads the description from the files in `data/`.

use std::collections::BTreeMap;

use home::{Area, Device, Floor, ServiceDescription};
use serde::{Deserialize, de::Error as _};
use serde_json::Value;
use toml::{Table, de::Error};

use super::{HomeLayout, Problem, SimulatedEntity};

const KINDS: &str = include_str!("../../data/kinds.toml");
const PLACES: &str = include_str!("../../data/places.toml");
const PROBLEMS: &str = include_str!("../../data/problems.toml");
const SERVICES: &str = include_str!("../../data/services.toml");
const ENTITIES: [&str; 3] = [
    include_str!("../../data/ground.toml"),
    include_str!("../../data/upper.toml"),
    include_str!("../../data/outside.toml"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacesFile {
    floors: Vec<Floor>,
    areas: Vec<Area>,
    devices: Vec<Device>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntitiesFile {
    entities: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemsFile {
    problems: Vec<Problem>,
    integration_trouble: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServicesFile {
    services: Vec<ServiceRow>,
    tracks: Vec<String>,
    colours: BTreeMap<String, [u8; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServiceRow {
    name: String,
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default)]
    responds: bool,
}

pub(super) fn read() -> Result<HomeLayout, Error> {
    let kinds: Table = toml::from_str(KINDS)?;
    let mut entities = Vec::new();
    for text in ENTITIES {
        let file: EntitiesFile = toml::from_str(text)?;
        for own in file.entities {
            entities.push(entity(&kinds, own)?);
        }
    }
    entities.sort_by(|one, two| one.id.cmp(&two.id));
    let PlacesFile { floors, areas, devices } = toml::from_str(PLACES)?;
    let ProblemsFile { problems, integration_trouble } = toml::from_str(PROBLEMS)?;
    let ServicesFile { services, tracks, colours } = toml::from_str(SERVICES)?;
    let mut services = services.into_iter().map(service).collect::<Result<Vec<_>, Error>>()?;
    let scripts = entities.iter().filter(|entity| entity.domain() == "script");
    services.extend(scripts.map(|script| ServiceDescription {
        domain: script.domain().to_owned(),
        name: script.id.object().to_owned(),
        fields: Vec::new(),
        responds: false,
    }));
    Ok(HomeLayout { floors, areas, devices, entities, services, tracks, colours, problems, integration_trouble })
}

/// An entity: what its kind says, and over it what is its own.
fn entity(kinds: &Table, mut own: Table) -> Result<SimulatedEntity, Error> {
    let mut whole = match own.remove("kind") {
        None => Table::new(),
        Some(kind) => {
            let known = kind.as_str().and_then(|kind| kinds.get(kind)?.as_table());
            known.cloned().ok_or_else(|| Error::custom(format!("{kind} is no kind of entities")))?
        }
    };
    for (key, value) in own {
        match (whole.get_mut(&key), value) {
            (Some(toml::Value::Table(known)), toml::Value::Table(more)) if key == "attributes" => known.extend(more),
            (_, value) => {
                whole.insert(key, value);
            }
        }
    }
    let mut entity: SimulatedEntity = whole.try_into()?;
    for name in &entity.null_attributes {
        entity.attributes.insert(name.clone(), Value::Null);
    }
    Ok(entity)
}

fn service(row: ServiceRow) -> Result<ServiceDescription, Error> {
    let name = row.name.split_once('.');
    let (domain, name) = name.ok_or_else(|| Error::custom(format!("`{}` has no domain", row.name)))?;
    let (domain, name) = (domain.to_owned(), name.to_owned());
    Ok(ServiceDescription { domain, name, fields: row.fields, responds: row.responds })
}
