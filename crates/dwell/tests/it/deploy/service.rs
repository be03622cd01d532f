//! The systemd unit, and the settings that the Debian package installs.

use std::process::Command;

use super::{folder, installed, read};
use crate::program;

/// Directives without which the unit would be less confined than it says.
const CONFINED: [&str; 8] = [
    "User=dwell",
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "CapabilityBoundingSet=",
    "PrivateTmp=yes",
    "MemoryDenyWriteExecute=yes",
    "SystemCallFilter=@system-service",
];
/// What systemd's own judgement of the unit may be: 0 is closed, 10 is open.
const EXPOSURE_MAX: f32 = 2.0;

#[test]
fn the_unit_is_confined() {
    let unit = read("systemd/dwell.service");
    for line in CONFINED {
        assert!(unit.lines().any(|found| found == line), "the unit lacks {line}");
    }
    let Some(analyze) = installed("systemd-analyze") else { return };
    let judged = Command::new(analyze)
        .args(["security", "--offline=yes", "--no-pager"])
        .arg(folder().join("systemd/dwell.service"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&judged.stdout);
    let level = said.lines().rev().find_map(|line| line.split_once("dwell.service: ")).map(|(_, level)| level);
    let level: f32 = level.and_then(|level| level.split_whitespace().next()?.parse().ok()).unwrap_or_else(|| {
        panic!("systemd-analyze says: {said}{}", String::from_utf8_lossy(&judged.stderr));
    });
    assert!(level <= EXPOSURE_MAX, "its exposure is {level}");
}

#[tokio::test]
async fn the_command_of_the_unit_starts_the_server_with_the_package_settings() {
    let unit = read("systemd/dwell.service");
    let command = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let words: Vec<&str> = command.split_whitespace().collect();
    assert_eq!(words, ["/usr/bin/dwell", "serve", "--config", "/etc/dwell/config.toml"]);
    let settings = folder().join("debian/config.toml");
    let server = program().start_with(&["--config", settings.to_str().unwrap()]).await;
    assert_eq!(server.rest().get("/readyz").await.ok()["status"], "ok");

    // What is commented out there are settings as well.
    let text = read("debian/config.toml");
    let all = text.lines().skip(3).map(|line| line.trim_start_matches("# ").to_owned());
    let all = all.filter(|line| line.starts_with('[') || line.contains(" = ")).collect::<Vec<_>>().join("\n");
    let program = program();
    let file = program.folder().join("all.toml");
    std::fs::write(&file, &all).unwrap();
    let shown = program.run(&["config", "--config", file.to_str().unwrap()]).await;
    assert!(shown.status.success() && all.contains("every_hours"), "{}\n{all}", shown.stderr);
}

#[test]
fn scripts_of_the_package_are_shell() {
    for script in ["postinst", "prerm", "postrm"] {
        let checked = Command::new("sh").arg("-n").arg(folder().join("debian").join(script)).output().unwrap();
        assert!(checked.status.success(), "{script}: {}", String::from_utf8_lossy(&checked.stderr));
    }
}
