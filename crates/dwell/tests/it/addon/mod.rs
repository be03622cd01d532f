//! The add-on for Home Assistant: its files are what the Supervisor takes, and its script starts
//! the program with the options.

mod files;

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::Supervisor;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

/// How long the script may take to start the program.
const PATIENCE: Duration = Duration::from_secs(60);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/home-assistant-addon")
}

#[tokio::test]
async fn the_script_starts_the_program_with_the_options() {
    let data = TempDir::new().unwrap();
    let options = json!({
        "model": "", "openai_api_key": "sk-secret-of-the-options", "openai_base_url": "http://127.0.0.1:9/v1",
        "speech_to_text": "tcp://core-whisper:10300", "text_to_speech": null, "language": "de",
        "satellites": [
            { "name": "kitchen \"one\"", "uri": "tcp://127.0.0.1:9", "area": "Küche" },
            { "name": "attic", "uri": "tcp://127.0.0.1:9", "area": null },
        ],
        "approve_by_voice": true, "wyoming_peers": ["192.168.1.0/24"], "log_level": "debug",
    });
    std::fs::write(data.path().join("options.json"), options.to_string()).unwrap();
    let mut supervisor = Supervisor::start().await;
    let mut script = Command::new("bash");
    script.arg(folder().join("dwell/run.sh")).env_clear().kill_on_drop(true);
    script.env("PATH", env!("PATH")).env("HOME", data.path()).env("SUPERVISOR_TOKEN", "token-of-the-supervisor");
    script.env("ADDON_DATA", data.path()).env("ADDON_SUPERVISOR", supervisor.url()).env("ADDON_INGRESS", "127.0.0.1");
    script.env("ADDON_LISTEN", "127.0.0.1:0").env("ADDON_WYOMING_LISTEN", "127.0.0.1:0");
    script.env("ADDON_PROGRAM", env!("CARGO_BIN_EXE_dwell"));
    let mut program = script.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let listening = tokio::time::timeout(PATIENCE, async {
        loop {
            let line = lines.next_line().await.unwrap().expect("the program starts");
            if let Some(url) = line.strip_prefix("listening on ") {
                return url.to_owned();
            }
        }
    });
    let listening = listening.await.expect("the program starts in time");

    let client = reqwest::Client::new();
    let settings = client.get(format!("{listening}/api/v1/config")).header("x-ingress-path", "/api/hassio_ingress/a");
    let settings: Value = settings.send().await.unwrap().json().await.unwrap();
    let all = settings["data"].as_array().unwrap_or_else(|| panic!("{settings}"));
    let value = |key: &str| all.iter().find(|setting| setting["key"] == key).unwrap()["value"].to_string();
    for (key, expected) in [
        ("voice.speech_to_text", "tcp://core-whisper:10300"),
        ("voice.language", "de"),
        ("wyoming.approve", "true"),
        ("wyoming.peers", "192.168.1.0/24"),
        ("wyoming.peers", "172.30.32.1"),
        ("log.filter", "debug"),
        ("voice.satellites", "Küche"),
        ("voice.satellites", "attic"),
        ("home.url", "/core"),
        ("server.ingress", "127.0.0.1"),
    ] {
        assert!(value(key).contains(expected), "{key} is {}", value(key));
    }
    assert!(!settings.to_string().contains("sk-secret-of-the-options"));
    assert!(data.path().join("dwell/token").is_file(), "its data is in the add-on's folder");

    let (token, discovery) = supervisor.discovery().await;
    assert_eq!((token.as_str(), &discovery["service"]), ("Bearer token-of-the-supervisor", &json!("wyoming")));
    assert!(discovery["config"]["uri"].as_str().unwrap().ends_with(":10700"), "{discovery}");
}
