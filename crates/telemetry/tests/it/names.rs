//! The names of all metrics: those that the program has, those that the documentation lists, and
//! those that the dashboard and the alert rules use.

use std::{collections::BTreeSet, path::Path, sync::Arc, time::Duration};

use observe::{Gauges, Measurement, Meter, TokenUsage};
use serde_json::Value;
use telemetry::{ExportCounters, Metrics};
use testkit::MetricsText;

/// A page on which every metric has a sample.
fn page() -> MetricsText {
    let metrics = Metrics::new("0.0.0", 1.5, Some(&Arc::new(ExportCounters::default())));
    let took = Duration::from_millis(30);
    let usage = TokenUsage { input: 3, output: 2, cached: 1, cost_micros: 250_000 };
    for measurement in [
        Measurement::TurnAccepted,
        Measurement::TurnPlanned { turn_id: 1, way: "tool_loop" },
        Measurement::FirstText { after: took },
        Measurement::TurnEnded { turn_id: 1, outcome: "failed", error: Some("model_failed"), took },
        Measurement::TurnEnded { turn_id: 2, outcome: "cancelled", error: None, took },
        Measurement::ModelCall { provider: "openai", purpose: "turn", error: None, usage },
        Measurement::ModelCall { provider: "openai", purpose: "turn", error: Some("model_cut_off"), usage },
        Measurement::ModelTime { provider: "openai", took },
        Measurement::ToolCall { tool: "calculator", kind: "built_in", outcome: "ok", took: Some(took) },
        Measurement::ApprovalAsked,
        Measurement::ApprovalAnswered { decision: "once" },
        Measurement::ScheduleFired,
        Measurement::Commit { target: "log", flush: took },
        Measurement::Commit { target: "database", flush: took },
        Measurement::Batch { writes: 2, events: 5 },
        Measurement::Leases(4),
        Measurement::FollowerRead { lag: took },
    ] {
        metrics.measure(measurement);
    }
    MetricsText::parse(&metrics.render(&Gauges { running_turns: 7, ..Gauges::default() }))
}

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of metrics in an expression of Prometheus.
fn names_in(expression: &str) -> BTreeSet<String> {
    let words = expression.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_' || char == ':'));
    let is_metric = |word: &&str| word.starts_with("dwell_") || word.starts_with("process_");
    words.filter(is_metric).map(str::to_owned).collect()
}

/// The expressions of a dashboard, wherever they are.
fn expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("expr").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| expressions(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, found)),
        _ => {}
    }
}

#[test]
fn numbers_are_as_they_were_measured() {
    let page = page();
    let turns = |outcome, way| page.value("dwell_turns_total", &[("outcome", outcome), ("way", way)]);
    assert_eq!(turns("failed", "tool_loop"), Some(1.0), "it remembers the way");
    assert_eq!(turns("cancelled", "none"), Some(1.0), "a turn may end before it has a way");
    assert_eq!(page.value("dwell_turn_errors_total", &[("code", "model_failed")]), Some(1.0));
    assert_eq!(page.value("dwell_tokens_total", &[("provider", "openai"), ("direction", "input")]), Some(6.0));
    assert_eq!(page.value("dwell_cost_dollars_total", &[("provider", "openai")]), Some(0.5));
    assert_eq!(page.value("dwell_journal_batch_events_sum", &[]), Some(5.0));
    assert_eq!(page.value("dwell_journal_flush_seconds_count", &[]), Some(2.0));
    assert_eq!(page.value("dwell_journal_leases", &[]), Some(4.0));
    assert_eq!(page.value("dwell_turns_running", &[]), Some(7.0));
    assert_eq!(page.value("dwell_build_info", &[("version", "0.0.0")]), Some(1.0));
    assert_eq!(page.value("process_start_time_seconds", &[]), Some(1.5));
    assert!(page.value("process_resident_memory_bytes", &[]).unwrap() > 0.0);
    assert!(page.0.values().all(|family| family.help.len() > 5), "each says what it means");
}

#[test]
fn the_dashboard_and_the_rules_use_metrics_that_exist() {
    let known = page().sample_names();
    let dashboard: Value = serde_json::from_str(&file("deploy/grafana/dwell.json")).unwrap();
    let mut used = Vec::new();
    expressions(&dashboard, &mut used);
    assert!(used.len() > 10, "{used:?}");
    let rules = file("deploy/prometheus/rules.yml");
    used.extend(rules.lines().filter(|line| line.trim_start().starts_with("expr:")).map(str::to_owned));
    for expression in used {
        let names = names_in(&expression);
        let missing: Vec<&String> = names.difference(&known).collect();
        assert!(missing.is_empty(), "{missing:?} in {expression}");
    }
}

#[test]
fn the_documentation_lists_all_metrics_and_no_others() {
    let text = file("docs/how-to/watch.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<String> =
        rows.filter(|name| name.starts_with("dwell_") || name.starts_with("process_")).map(str::to_owned).collect();
    let known = page().0.into_iter().map(|(name, family)| match family.kind.as_str() {
        "counter" => format!("{name}_total"),
        "info" => format!("{name}_info"),
        _ => name,
    });
    assert_eq!(listed, known.collect());
}
