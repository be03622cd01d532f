//! Configuration: one typed tree, filled by defaults < file < environment < flags.
//!
//! `defaults.toml` is the list of all settings; other keys do not exist. Every value remembers
//! where it came from, so that `dwell config` can say so.

mod embedding;
mod environment;
mod hidden;
mod layers;
mod providers;
mod setup_file;
mod tls;
mod tree;
mod watching;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;
pub(crate) use embedding::find_model;
pub(crate) use environment::get as variable;
use layers::ConfigLayers;
pub(crate) use layers::ValueSource;
use protocol::SettingView;
pub(crate) use providers::ProviderChoice;
pub(crate) use setup_file::{SETUP_FILE, write_setup_file};
pub(crate) use tree::{Config, LogConfig, LogFormat, OpenBrowser, VoiceConfig};

use crate::cli::Cli;

const DEFAULTS: &str = include_str!("defaults.toml");

/// The configuration and where each value came from.
pub(crate) struct LoadedConfig {
    pub(crate) config: Config,
    /// By key: the value as it is shown, and its source.
    pub(crate) values: BTreeMap<String, (toml::Value, ValueSource)>,
    /// The file that was read, or would be if it existed.
    pub(crate) file: Option<PathBuf>,
}

/// Reads all layers. The error says which of them is wrong, where, and why.
pub(crate) fn load(cli: &Cli) -> Result<LoadedConfig, String> {
    let mut layers = ConfigLayers::new(DEFAULTS)?;
    let (file, is_named) = config_file(cli)?;
    if let Some(path) = &file {
        layers.add_file(path, is_named)?;
    }
    for (name, key) in environment::names(layers.keys()) {
        if let Some(value) = environment::get(&name)? {
            layers.set_text(&key, &value, ValueSource::Environment(name))?;
        }
    }
    let flags = [
        ("data.dir", "--data", cli.data.as_ref().map(|path| path.display().to_string())),
        ("server.listen", "--listen", cli.command.listen().map(str::to_owned)),
        ("client.url", "--url", cli.command.url().map(str::to_owned)),
        ("client.ca", "--ca", cli.ca.as_ref().map(|path| path.display().to_string())),
    ];
    for (key, flag, value) in flags {
        if let Some(value) = value {
            layers.set_text(key, &value, ValueSource::Flag(flag))?;
        }
    }
    if layers.is_blank("data.dir") {
        let folder = project_dirs().map(|dirs| dirs.data_dir().display().to_string());
        let folder = folder.ok_or("there is no home folder for the data; use --data DIR")?;
        layers.set_text("data.dir", &folder, ValueSource::Default)?;
    }
    let setup_file = layers.text("data.dir").map(|folder| Path::new(folder).join(SETUP_FILE));
    if let Some(path) = setup_file {
        layers.add_below(&path)?;
    }
    let mut config: Config = layers.read()?;
    config.output = cli.output();
    let mut values = layers.values();
    config.secrets = hidden::hide(&mut values, &config)?;
    config.shown = shown(&values)?;
    let given = values.iter().filter(|(_, (_, source))| *source != ValueSource::Default);
    config.given = given.map(|(key, _)| key.clone()).collect();
    Ok(LoadedConfig { config, values, file })
}

/// The environment variables of a setting, in rising order of precedence.
pub(crate) fn variables_of(key: &str) -> Vec<String> {
    if layers::is_file_only(key) { Vec::new() } else { environment::names_of(key) }
}

/// The settings that the operator can read while the server runs.
fn shown(values: &BTreeMap<String, (toml::Value, ValueSource)>) -> Result<Vec<SettingView>, String> {
    let shown = values.iter().map(|(key, (value, source))| {
        let value = serde_json::to_value(value).map_err(|error| format!("`{key}` cannot be shown: {error}"))?;
        Ok(SettingView { key: key.clone(), value, from: source.to_string() })
    });
    shown.collect()
}

/// The configuration file, and whether it was named explicitly, in which case it has to exist.
fn config_file(cli: &Cli) -> Result<(Option<PathBuf>, bool), String> {
    let named = match &cli.config {
        Some(path) => Some(path.clone()),
        None => environment::get(environment::CONFIG)?.map(PathBuf::from),
    };
    let is_named = named.is_some();
    Ok((named.or_else(|| project_dirs().map(|dirs| dirs.config_dir().join("config.toml"))), is_named))
}

fn project_dirs() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "dwell")
}
