//! What plots look like, and that they contain nothing active.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn plot(value: Value) -> Input {
    serde_json::from_value(value).unwrap()
}

fn drawn(value: Value) -> String {
    let input = plot(value);
    check(&input).unwrap();
    let svg = draw(&input);
    assert_eq!(well_formed(&svg), Ok(()), "{svg}");
    svg
}

/// A picture without its style sheet, which is the same in all of them.
fn body(svg: &str) -> String {
    let (before, after) = svg.split_once("<style>").unwrap();
    format!("{before}{}", after.split_once("</style>\n").unwrap().1)
}

#[test]
fn lines() {
    insta::assert_snapshot!(body(&drawn(json!({
        "title": "Power <used> & made", "kind": "line", "labels": ["Mon", "Tue", "Wed"], "x_title": "day", "y_title": "kWh",
        "series": [{"name": "used", "values": [12.5, 9, 14]}, {"name": "made", "values": [3, 21, 18.25]}],
    }))));
}

#[test]
fn bars() {
    insta::assert_snapshot!(body(&drawn(json!({
        "title": "Change", "kind": "bar", "labels": ["a", "b"], "series": [{"name": "n", "values": [1500000, -500000]}],
    }))));
}

#[test]
fn areas() {
    insta::assert_snapshot!(body(&drawn(json!({
        "title": "Stock", "kind": "area", "labels": ["1", "2", "3"], "series": [{"name": "n", "values": [0.1, 0.4, 0.3]}],
    }))));
}

#[test]
fn dots() {
    insta::assert_snapshot!(body(&drawn(json!({
        "title": "Heights", "kind": "scatter", "labels": ["1", "10", "4"], "series": [{"name": "n", "values": [2, 4, 8]}],
    }))));
}

#[test]
fn slices() {
    insta::assert_snapshot!(body(&drawn(json!({
        "title": "Shares", "kind": "pie", "labels": ["most", "some", "none"], "series": [{"name": "n", "values": [3, 1, 0]}],
    }))));
}

#[test]
fn the_same_numbers_make_the_same_bytes_and_colours_for_both_grounds() {
    let value = json!({"title": "t", "kind": "line", "labels": ["a"], "series": [{"name": "n", "values": [1]}]});
    let svg = drawn(value.clone());
    assert_eq!(svg, drawn(value));
    assert!(svg.contains("prefers-color-scheme:dark"));
}

#[test]
fn what_cannot_be_drawn_is_named() {
    let of = |kind: &str, labels: Value, series: Value| json!({"title": "t", "kind": kind, "labels": labels, "series": series});
    let row = |values: Value| json!({"name": "n", "values": values});
    for (wrong, expected) in [
        (json!({"title": " ", "kind": "bar", "labels": ["a"], "series": [row(json!([1]))]}), "`title` is empty"),
        (of("bar", json!([]), json!([row(json!([]))])), "`labels` and `series` have"),
        (of("bar", json!(["a", "b"]), json!([row(json!([1]))])), "series `n` has 1 values, and there are 2 labels"),
        (of("bar", json!(["a"]), json!(vec![row(json!([1])); 11])), "`series` has 11"),
        (of("line", json!(vec!["a"; 5_001]), json!([row(json!(vec![1; 5_001]))])), "there are 5001 numbers"),
        (of("bar", json!(["a".repeat(301)]), json!([row(json!([1]))])), "`aaaa"),
        (of("pie", json!(["a"]), json!([row(json!([1])), row(json!([1]))])), "a pie has one series, not 2"),
        (of("pie", json!(["a", "b"]), json!([row(json!([1, -1]))])), "a pie shows shares"),
        (of("pie", json!(["a"]), json!([row(json!([0]))])), "a pie shows shares"),
        (of("pie", json!(vec!["a"; 21]), json!([row(json!(vec![1; 21]))])), "a pie has at most 20 slices"),
    ] {
        let error = check(&plot(wrong)).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
    let mut broken = plot(of("bar", json!(["a"]), json!([row(json!([1]))])));
    broken.series[0].values[0] = f64::NAN;
    assert_eq!(check(&broken).unwrap_err(), "value 1 of series `n` is not a finite number");
}

/// Checks that elements are nested correctly, attributes are quoted, text is escaped, and nothing
/// is active.
fn well_formed(svg: &str) -> Result<(), String> {
    const ELEMENTS: [&str; 9] = ["svg", "title", "desc", "style", "rect", "path", "circle", "text", "g"];
    let mut open = Vec::new();
    for (n, part) in svg.split('<').enumerate() {
        if n == 0 {
            continue;
        }
        let (tag, text) = part.split_once('>').ok_or(format!("no end of `{part}`"))?;
        let entities = text
            .split('&')
            .skip(1)
            .all(|rest| ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|entity| rest.starts_with(entity)));
        if text.contains('>') || !entities || text.chars().any(|char| char.is_control() && char != '\n') {
            return Err(format!("bad text `{text}`"));
        }
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("`{name}` closes what is not open"));
            }
            continue;
        }
        let (tag, is_closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let name = tag.split(' ').next().unwrap_or_default();
        if !ELEMENTS.contains(&name) {
            return Err(format!("unknown element `{name}`"));
        }
        let parts: Vec<&str> = tag[name.len()..].split('"').collect();
        if parts.len().is_multiple_of(2) {
            return Err(format!("quotes of `{tag}`"));
        }
        for attribute in parts.iter().step_by(2).map(|part| part.trim()).filter(|part| !part.is_empty()) {
            let known = attribute.strip_suffix('=').ok_or(format!("attribute `{attribute}`"))?;
            if known.starts_with("on")
                || known.contains("href")
                || !known.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
            {
                return Err(format!("attribute `{attribute}`"));
            }
        }
        if !is_closed {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("left open: {open:?}")) }
}

fn any_text() -> impl Strategy<Value = String> {
    "(\\PC|[<>&\"'\\x00-\\x1f]|</text>|<script>|onload=|href=|]]>|&#0;){0,12}"
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        -1000.0..1000.0f64,
        Just(f64::MAX),
        Just(f64::MIN),
    ]
}

proptest! {
    #[test]
    fn any_numbers_and_any_words_make_a_picture_that_only_shows(
        title in any_text(),
        labels in prop::collection::vec(any_text(), 1..5),
        rows in prop::collection::vec((any_text(), prop::collection::vec(any_number(), 5)), 1..4),
        titles in prop::option::of(any_text()),
        which in 0..5usize,
    ) {
        let kind = [ChartKind::Line, ChartKind::Bar, ChartKind::Area, ChartKind::Scatter, ChartKind::Pie][which];
        let count = if kind == ChartKind::Pie { 1 } else { rows.len() };
        let series = rows.into_iter().take(count).map(|(name, values)| {
            let values = values.into_iter().take(labels.len());
            let values = values.map(|value| if kind == ChartKind::Pie { value.abs().max(1e-300) } else { value }).collect();
            Series { name, values }
        });
        let input = Input {
            name: None, title, kind, series: series.collect(), labels, x_title: titles.clone(), y_title: titles,
        };
        let svg = draw(&input);
        prop_assert_eq!(well_formed(&svg), Ok(()), "{}", svg);
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{}", svg);
        prop_assert!(!svg.to_lowercase().contains("<script"));
    }
}
