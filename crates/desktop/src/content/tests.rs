use protocol::WindowContent;
use serde_json::{Value, json};

use super::*;

fn checked(content: Value) -> Result<WindowContent, String> {
    check(read(content)?)
}

fn refusal(content: Value) -> String {
    checked(content).unwrap_err()
}

#[test]
fn a_table_is_as_wide_as_its_head() {
    let table = |columns: Value, rows: Value| json!({"type": "table", "columns": columns, "rows": rows});
    checked(table(json!(["a", "b"]), json!([["x", 1], [true, null]]))).unwrap();
    checked(table(json!(["a"]), json!([]))).unwrap();
    for (columns, rows, why) in [
        (json!([]), json!([]), "content.columns: there are 0"),
        (json!(vec!["a"; 33]), json!([]), "content.columns: there are 33"),
        (json!(["a"]), json!(vec![vec![1]; 1_001]), "content.rows: there are 1001"),
        (json!(["a", "b"]), json!([[1, 2], [1]]), "content.rows[1]: has 1 cells, and there are 2 columns"),
        (json!(["a"]), json!([[{"b": 1}]]), "content.rows[0][0]: a cell is a text"),
        (json!(["a"]), json!([["x".repeat(2_001)]]), "content.rows[0][0]: has 2001 characters"),
    ] {
        let refusal = refusal(table(columns, rows));
        assert!(refusal.contains(why), "{refusal}");
    }
}

#[test]
fn a_chart_has_a_number_for_each_label() {
    let chart = |kind: &str, labels: Value, values: Vec<Value>| {
        let series: Vec<Value> = values.into_iter().map(|values| json!({"name": "n", "values": values})).collect();
        json!({"type": "chart", "kind": kind, "labels": labels, "series": series})
    };
    checked(chart("line", json!(["a", "b"]), vec![json!([1, -2.5]), json!([0, 0])])).unwrap();
    checked(chart("pie", json!(["a", "b"]), vec![json!([1, 0])])).unwrap();
    for (content, why) in [
        (chart("bar", json!([]), vec![]), "content.series: there are 0"),
        (chart("bar", json!([]), vec![json!([]); 17]), "content.series: there are 17"),
        (chart("bar", json!(vec!["a"; 501]), vec![json!([])]), "content.labels: there are 501"),
        (chart("bar", json!(["a"]), vec![json!([1]), json!([])]), "content.series[1].values: there are 0"),
        (chart("pie", json!(["a"]), vec![json!([1]), json!([1])]), "and a pie has one"),
        (chart("pie", json!(["a"]), vec![json!([-1])]), "content.series[0].values[0]: is negative"),
    ] {
        let refusal = refusal(content);
        assert!(refusal.contains(why), "{refusal}");
    }
    let series = vec![protocol::Series { name: String::new(), values: vec![f64::NAN] }];
    let chart = protocol::Chart { kind: protocol::ChartKind::Bar, labels: vec![String::new()], series };
    assert!(check(WindowContent::Chart(chart)).unwrap_err().contains("finite"));
}

#[test]
fn a_layout_keeps_its_rules() {
    let layout = |components: Value| json!({"type": "components", "components": components});
    let input = json!({"type": "input", "name": "a"});
    let nested =
        |depth: usize| (1..depth).fold(input.clone(), |inner, _| json!({"type": "columns", "columns": [[inner]]}));
    let form = |name: &str, components: Value| json!({"type": "form", "name": name, "components": components});
    checked(layout(json!([nested(4), form("f", json!([{"type": "button", "label": "Go", "action": "go"}]))]))).unwrap();
    checked(layout(json!([{"type": "image", "source": "data:image/png;base64,iVBORw0KGgo="}]))).unwrap();
    for (components, why) in [
        (
            json!([nested(5)]),
            "components[0].columns[0][0].columns[0][0].columns[0][0].columns[0]: components can be nested at most 4",
        ),
        (json!(vec![json!({"type": "badge", "text": "a"}); 201]), "content.components: there are more than 200"),
        (json!([input, form("f", json!([input]))]), "components[1].components[0].name: there are two fields named `a`"),
        (json!([form("f", json!([])), form("f", json!([]))]), "two forms named `f`"),
        (
            json!([form("f", json!([form("g", json!([]))]))]),
            "components[0].components[0]: a form cannot contain a form",
        ),
        (json!([{"type": "input", "name": " "}]), "components[0].name: has 1 to 64 characters"),
        (json!([{"type": "select", "name": "s", "options": []}]), "components[0].options: there are 0"),
        (json!([{"type": "select", "name": "s", "options": ["a"], "value": "b"}]), "`b` is not one of the options"),
        (json!([{"type": "select", "name": "s", "options": ["a", "a"]}]), "`a` is listed twice"),
        (json!([{"type": "progress", "percent": 100.1}]), "components[0].percent: is a number from 0 to 100"),
        (json!([{"type": "image", "source": "https://x.org/a.png"}]), "components[0].source: is `artifact:ID`"),
        (json!([{"type": "columns", "columns": vec![json!([]); 7]}]), "components[0].columns: there are 7"),
        (json!([{"type": "button", "label": "Go", "action": ""}]), "components[0].action: has 1 to 64"),
    ] {
        let refusal = refusal(layout(components));
        assert!(refusal.contains(why), "{refusal}");
    }
    for columns in [0, 5] {
        let refusal = refusal(json!({"type": "components", "columns": columns, "components": []}));
        assert!(refusal.contains("content.columns"), "{refusal}");
    }
    let percent = protocol::Component::Progress { label: String::new(), percent: f64::NAN };
    let layout = protocol::Layout { columns: 1, components: vec![percent] };
    assert!(check(WindowContent::Components(layout)).is_err());
}

#[test]
fn an_app_is_one_of_those_there_are() {
    checked(json!({"type": "app", "app": "timer"})).unwrap();
    checked(json!({"type": "app", "app": "notes", "params": {"title": "x"}})).unwrap();
    for (content, why) in [
        (json!({"type": "app", "app": "doom"}), "content.app: there is no app `doom`; there are timer, notes"),
        (json!({"type": "app", "app": "timer", "params": [1]}), "content.params: has to be an object"),
        (
            json!({"type": "app", "app": "timer", "params": {"a": "x".repeat(20_000)}}),
            "content.params: has 20008 bytes",
        ),
    ] {
        assert_eq!(refusal(content).find(why), Some(0));
    }
}

#[test]
fn texts_and_contents_have_a_length() {
    for kind in ["text", "markdown"] {
        let refusal = refusal(json!({"type": kind, "text": "x".repeat(TEXT_BYTES_MAX + 1)}));
        assert!(refusal.starts_with("content.text: has 61441 bytes"), "{refusal}");
    }
    for (html, why) in [
        ("x".repeat(98_305), "content.html: has 98305 bytes"),
        ("<b>".repeat(5_001), "content.html: has 5001 elements"),
        // A browser closes open elements: each paragraph opens all of them again.
        ("<p><b><i><u>".repeat(1_200), "content.html: has"),
    ] {
        let refusal = refusal(json!({"type": "html", "html": html}));
        assert!(refusal.starts_with(why), "{refusal}");
    }
    let rows = vec![vec!["x".repeat(2_000)]; 200];
    let refusal = refusal(json!({"type": "table", "columns": ["a"], "rows": rows}));
    assert!(refusal.contains("a window shows at most 65536"), "{refusal}");
}

#[test]
fn html_loses_what_could_act_and_keeps_what_can_be_read() {
    let clean = |html: &str| match check(WindowContent::Html { html: html.to_owned() }).unwrap() {
        WindowContent::Html { html } => html,
        other => panic!("{other:?}"),
    };
    for (html, expected) in [
        ("<h1 onclick=x() class=a id=b style=color:red>Hi</h1>", "<h1>Hi</h1>"),
        ("<p>a<script>alert(1)</script>b<style>p{}</style></p>", "<p>ab</p>"),
        ("<a href=javascript:alert(1)>a</a>", "<a rel=\"noopener noreferrer\">a</a>"),
        ("<a href=/rest/x>a</a>", "<a rel=\"noopener noreferrer\">a</a>"),
        (
            "<a href=https://x.org/ target=_top ping=https://y>a</a>",
            "<a href=\"https://x.org/\" rel=\"noopener noreferrer\">a</a>",
        ),
        ("<img src=https://x.org/a.png srcset=b alt=a>", "<img alt=\"a\">"),
        ("<img src=\"data:image/png;base64,iVBORw0KGgo=\">", "<img src=\"data:image/png;base64,iVBORw0KGgo=\">"),
        ("<img src=\"data:image/svg+xml;base64,PHN2Zz4=\">", "<img>"),
        ("<a href=\"data:image/png;base64,iVBORw0KGgo=\">a</a>", "<a rel=\"noopener noreferrer\">a</a>"),
        ("<form action=/x><input name=a><button>b</button></form>", "b"),
        ("<svg><a href=https://x><text>t</text></a></svg>u", "u"),
        (
            "<table background=https://x><tr><td colspan=2>1</td></tr></table>",
            "<table><tbody><tr><td colspan=\"2\">1</td></tr></tbody></table>",
        ),
    ] {
        assert_eq!(clean(html), expected);
    }
}
