//! The files of the add-on, checked against what the Supervisor documents.

use std::collections::BTreeSet;

use serde_json::Value;

use super::folder;

/// The fields of an add-on's `config.yaml`.
const FIELDS: &[&str] = &[
    "advanced",
    "apparmor",
    "arch",
    "audio",
    "auth_api",
    "backup",
    "backup_exclude",
    "backup_post",
    "backup_pre",
    "boot",
    "breaking_versions",
    "description",
    "devices",
    "devicetree",
    "discovery",
    "docker_api",
    "environment",
    "full_access",
    "gpio",
    "hassio_api",
    "hassio_role",
    "homeassistant",
    "homeassistant_api",
    "host_dbus",
    "host_ipc",
    "host_network",
    "host_pid",
    "host_uts",
    "image",
    "ingress",
    "ingress_entry",
    "ingress_port",
    "ingress_stream",
    "init",
    "journald",
    "kernel_modules",
    "legacy",
    "machine",
    "map",
    "name",
    "options",
    "panel_admin",
    "panel_icon",
    "panel_title",
    "ports",
    "ports_description",
    "privileged",
    "realtime",
    "schema",
    "services",
    "slug",
    "stage",
    "startup",
    "stdin",
    "timeout",
    "tmpfs",
    "uart",
    "udev",
    "ulimits",
    "url",
    "usb",
    "version",
    "video",
    "watchdog",
    "webui",
];
/// The types of options, without what follows in parentheses.
const TYPES: &[&str] = &["str", "bool", "int", "float", "email", "url", "password", "port", "match", "list", "device"];

fn yaml(path: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_yaml_ng::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Whether a schema has only types that there are.
fn is_schema(value: &Value) -> bool {
    match value {
        Value::String(kind) => {
            let kind = kind.trim_end_matches('?');
            TYPES.contains(&kind.split_once('(').map_or(kind, |(kind, _)| kind))
        }
        Value::Array(all) => !all.is_empty() && all.iter().all(is_schema),
        Value::Object(all) => all.values().all(is_schema),
        _ => false,
    }
}

#[test]
fn the_configuration_has_known_fields_and_agrees_with_itself() {
    let config = yaml("dwell/config.yaml");
    let unknown: Vec<&str> = keys(&config).into_iter().filter(|key| !FIELDS.contains(key)).collect();
    assert_eq!(unknown, Vec::<&str>::new());
    for required in ["name", "version", "slug", "description", "arch"] {
        assert!(!config[required].is_null(), "{required}");
    }
    assert_eq!(config["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(config["slug"], "dwell", "as its folder is called");
    let arch = config["arch"].as_array().unwrap();
    let script = std::fs::read_to_string(folder().join("prepare.sh")).unwrap();
    assert!(arch.iter().all(|arch| script.contains(&format!("arch={}", arch.as_str().unwrap()))), "{arch:?}");
    assert_eq!(config["discovery"], serde_json::json!(["wyoming"]));
    assert!(config["ingress"] == true && config["homeassistant_api"] == true);

    assert_eq!(keys(&config["options"]), keys(&config["schema"]), "every option has a type and a default");
    assert!(is_schema(&config["schema"]), "{}", config["schema"]);
    assert_eq!(keys(&config["ports"]), keys(&config["ports_description"]));
    let run = std::fs::read_to_string(folder().join("dwell/run.sh")).unwrap();
    assert!(run.contains(&format!("0.0.0.0:{}", config["ingress_port"])), "ingress finds the server");
    let port = keys(&config["ports"]).into_iter().next().unwrap().trim_end_matches("/tcp").to_owned();
    assert!(run.contains(&format!("wyoming_port={port}")));
    for option in keys(&config["options"]) {
        let is_read = run.lines().any(|line| {
            line.ends_with(&format!(" {option}"))
                || line.contains(&format!("option {option})"))
                || line.contains(&format!(".{option} "))
        });
        assert!(is_read, "run.sh does not read `{option}`");
    }
}

#[test]
fn every_option_is_explained_in_every_language() {
    let config = yaml("dwell/config.yaml");
    let mut languages = 0;
    for file in std::fs::read_dir(folder().join("dwell/translations")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let words = yaml(&format!("dwell/translations/{name}"));
        assert_eq!(keys(&words["configuration"]), keys(&config["options"]), "{name}");
        assert!(
            words["configuration"].as_object().unwrap().values().all(|option| option["name"].is_string()),
            "{name}"
        );
        assert_eq!(keys(&words["network"]), keys(&config["ports"]), "{name}");
        languages += 1;
    }
    assert!(languages >= 2);
    assert!(yaml("repository.yaml")["name"].is_string());
}

#[test]
fn the_image_is_made_of_files_that_are_there() {
    let folder = folder().join("dwell");
    let docker = std::fs::read_to_string(folder.join("Dockerfile")).unwrap();
    let copied: Vec<&str> = docker
        .lines()
        .filter_map(|line| line.strip_prefix("COPY ")?.split(' ').next())
        .filter(|path| !path.starts_with("bin/"))
        .collect();
    assert_eq!(copied, ["run.sh"]);
    assert!(copied.iter().all(|path| folder.join(path).is_file()));
    let icon = std::fs::read(folder.join("icon.png")).unwrap();
    let side = |at: usize| u32::from_be_bytes(icon[at..at + 4].try_into().unwrap());
    assert_eq!((&icon[1..4], side(16), side(20)), (&b"PNG"[..], 128, 128));
    assert!(folder.join("DOCS.md").is_file());
}
