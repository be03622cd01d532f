//! Configuration: one typed tree, filled by defaults < file < environment < flags.
//!
//! `defaults.toml` is the list of all settings; other keys do not exist. Every value remembers
//! where it came from, so that `dwell config` can say so.

mod cluster;
mod embedding;
mod environment;
mod hidden;
mod layers;
mod providers;
mod setup_file;
mod store;
mod tls;
mod tree;
mod voice;
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
pub(crate) use providers::{KeyNeeded, ProviderChoice, address_key, check_key};
pub(crate) use setup_file::{SETUP_FILE, SetupFile};
pub(crate) use store::resolve;
pub(crate) use tree::{Config, LogConfig, LogFormat, OpenBrowser};
pub(crate) use voice::VoiceConfig;

use crate::cli::Cli;

const DEFAULTS: &str = include_str!("defaults.toml");

/// The configuration and where each value came from.
pub(crate) struct LoadedConfig {
    pub(crate) config: Config,
    /// By key: the value as it is shown, and its source.
    pub(crate) values: SourcedValues,
    /// The file that was read, or would be if it existed.
    pub(crate) file: Option<PathBuf>,
}

/// Reads all layers. The error says which of them is wrong, where, and why.
pub(crate) fn load(cli: &Cli) -> Result<LoadedConfig, String> {
    let (file, is_named) = config_file(cli)?;
    let flags = [
        ("data.dir", "--data", cli.data.as_ref().map(|path| path.display().to_string())),
        ("server.listen", "--listen", cli.command.listen().map(str::to_owned)),
        ("client.url", "--url", cli.command.url().map(str::to_owned)),
        ("client.ca", "--ca", cli.ca.as_ref().map(|path| path.display().to_string())),
    ];
    let (mut config, values) = read(file.as_deref(), is_named, &flags, true)?;
    config.output = cli.output();
    config.file = file.clone();
    Ok(LoadedConfig { config, values, file })
}

/// Reads all layers again, for what may change while the server runs: the choice of models.
pub(crate) fn reload(file: Option<&Path>, data: &Path) -> Result<Config, String> {
    read_again(file, data, true)
}

/// The same without the setup file: what takes precedence over it.
pub(crate) fn reload_without_setup(file: Option<&Path>, data: &Path) -> Result<Config, String> {
    read_again(file, data, false)
}

fn read_again(file: Option<&Path>, data: &Path, has_setup: bool) -> Result<Config, String> {
    let flags = [("data.dir", "--data", Some(data.display().to_string()))];
    read(file, false, &flags, has_setup).map(|(config, _)| config)
}

/// By key: the value as it is shown, and its source.
type SourcedValues = BTreeMap<String, (toml::Value, ValueSource)>;

fn read(
    file: Option<&Path>,
    is_named: bool,
    flags: &[(&str, &'static str, Option<String>)],
    has_setup: bool,
) -> Result<(Config, SourcedValues), String> {
    let mut layers = ConfigLayers::new(DEFAULTS)?;
    if let Some(path) = file {
        layers.add_file(path, is_named)?;
    }
    for (name, key) in environment::names(layers.keys()) {
        if let Some(value) = environment::get(&name)? {
            layers.set_text(&key, &value, ValueSource::Environment(name))?;
        }
    }
    for (key, flag, value) in flags {
        if let Some(value) = value {
            layers.set_text(key, value, ValueSource::Flag(flag))?;
        }
    }
    if layers.is_blank("data.dir") {
        let folder = project_dirs().map(|dirs| dirs.data_dir().display().to_string());
        let folder = folder.ok_or("there is no home folder for the data; use --data DIR")?;
        layers.set_text("data.dir", &folder, ValueSource::Default)?;
    }
    let setup_file = layers.text("data.dir").map(|folder| Path::new(folder).join(SETUP_FILE));
    if let Some(path) = setup_file.filter(|_| has_setup) {
        layers.add_below(&path)?;
    }
    let mut config: Config = layers.read()?;
    let mut values = layers.values();
    config.secrets = hidden::hide(&mut values, &config)?;
    config.shown = shown(&values)?;
    let given = values.iter().filter(|(_, (_, source))| *source != ValueSource::Default);
    config.given = given.map(|(key, _)| key.clone()).collect();
    Ok((config, values))
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
