//! The example configuration of Prometheus and the alert rules. That their metrics exist is tested
//! where the metrics are, in `crates/telemetry`.

use serde_json::json;

use super::{documents, folder, installed};

#[test]
fn prometheus_asks_the_path_and_port_of_the_server_with_its_own_token() {
    let config = &documents("prometheus/prometheus.yml")[0];
    let job = &config["scrape_configs"][0];
    assert_eq!(job["metrics_path"], "/metrics");
    assert_eq!(job["static_configs"][0]["targets"], json!(["127.0.0.1:7437"]), "the default of `server.listen`");
    assert_eq!(job["authorization"]["type"], "Bearer");
    assert_eq!(config["rule_files"], json!(["rules.yml"]));
}

#[test]
fn every_alert_has_a_name_an_expression_and_says_what_it_means() {
    let rules = &documents("prometheus/rules.yml")[0]["groups"][0]["rules"];
    for rule in rules.as_array().unwrap() {
        for place in ["/alert", "/expr", "/labels/severity", "/annotations/summary", "/annotations/description"] {
            assert!(rule.pointer(place).is_some_and(|value| value.is_string()), "{place} in {rule}");
        }
    }
}

#[test]
fn prometheus_accepts_its_files_where_it_is_installed() {
    let Some(promtool) = installed("promtool") else { return };
    let scratch = tempfile::tempdir().unwrap();
    for name in ["prometheus.yml", "rules.yml"] {
        std::fs::copy(folder().join("prometheus").join(name), scratch.path().join(name)).unwrap();
    }
    std::fs::write(scratch.path().join("dwell-scrape-token"), "token").unwrap();
    let checked = std::process::Command::new(promtool)
        .args(["check", "config", "prometheus.yml"])
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(
        checked.status.success(),
        "{}{}",
        String::from_utf8_lossy(&checked.stdout),
        String::from_utf8_lossy(&checked.stderr)
    );
}
