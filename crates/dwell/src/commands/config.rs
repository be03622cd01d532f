//! `dwell config`: every setting, its value, and where that comes from.

use serde_json::json;

use crate::{
    command_error::CommandError,
    config::{LoadedConfig, variables_of},
    print_json,
};

pub(crate) fn run(loaded: &LoadedConfig) -> Result<(), CommandError> {
    if loaded.config.output.json {
        let settings: serde_json::Map<_, _> = loaded
            .values
            .iter()
            .map(|(key, (value, source))| {
                let setting = json!({ "value": value, "source": source.to_string(), "variables": variables_of(key) });
                (key.clone(), setting)
            })
            .collect();
        return print_json(&json!({ "file": loaded.file, "settings": settings }));
    }
    if let Some(file) = &loaded.file {
        let state = if file.exists() { "" } else { " (does not exist)" };
        println!("# file: {}{state}", file.display());
    }
    let width = loaded.values.iter().map(|(key, (value, _))| key.len() + value.to_string().len()).max().unwrap_or(0);
    for (key, (value, source)) in &loaded.values {
        let setting = format!("{key} = {value}");
        println!("{setting:0$}  # {source}", width.min(70) + 3);
    }
    Ok(())
}
