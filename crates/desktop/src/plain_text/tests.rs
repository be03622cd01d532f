use protocol::WindowContent;
use serde_json::json;

use super::*;

fn content(value: serde_json::Value) -> WindowContent {
    serde_json::from_value(value).unwrap()
}

#[test]
fn contents_are_told_as_plain_text() {
    for (value, expected) in [
        (json!({"type": "markdown", "text": "# A\nb"}), "# A\nb"),
        (
            json!({"type": "html", "html":
                "<h1>Fruit</h1><ul><li>An <b>apple</b></li><li><a href=\"https://x.org/\">More</a></li></ul>\n<pre>a\n  b</pre>\
                 <table><tbody><tr><td>1</td><td>2</td></tr></tbody></table>1 &lt; 2<img alt=\"a pear\">"}),
            "Fruit\n- An apple\n- More (https://x.org/)\na\n  b\n1 | 2\n1 < 2[picture: a pear]",
        ),
        (json!({"type": "table", "columns": ["a", "b"], "rows": [["x", 1], [true, null]]}), "a | b\nx | 1\nyes | "),
        (
            json!({"type": "chart", "kind": "bar", "labels": ["Mo", "Tu"],
                "series": [{"name": "in", "values": [1, 2.5]}, {"name": "out", "values": [0, -1]}]}),
            "bar chart\nMo: in 1, out 0\nTu: in 2.5, out -1",
        ),
        (json!({"type": "app", "app": "timer", "params": {"seconds": 60}}), "app timer, opened with {\"seconds\":60}"),
    ] {
        assert_eq!(content_as_text(&content(value), 1_000), expected.trim_end());
    }
}

#[test]
fn a_layout_is_told_line_by_line() {
    let layout = content(json!({"type": "components", "components": [
        {"type": "text", "text": "Who?"},
        {"type": "form", "name": "who", "components": [
            {"type": "input", "name": "name", "label": "Name", "value": "Ada"},
            {"type": "select", "name": "colour", "options": [{"value": "r", "label": "red"}, {"value": "b", "label": "blue"}], "value": "b"},
            {"type": "columns", "columns": [
                [{"type": "checkbox", "name": "ok", "label": "Really", "checked": true}],
                [{"type": "button", "label": "Send", "action": "send"}],
            ]},
        ]},
        {"type": "progress", "percent": 12.5},
        {"type": "badge", "text": "new"},
    ]}));
    let expected = "Who?\nform who:\n  input name \"Name\": Ada\n  select colour: b (of r, b)\n  2 columns:\n    \
                    checkbox ok \"Really\": yes\n    button \"Send\" (send)\nprogress : 12.5 %\n[new]";
    assert_eq!(content_as_text(&layout, 1_000), expected);
}

#[test]
fn no_more_is_told_than_there_is_room_for() {
    let rows: Vec<_> = (0..100).map(|n| json!([n, "some words"])).collect();
    let table = content(json!({"type": "table", "columns": ["n", "words"], "rows": rows}));
    let told = content_as_text(&table, 80);
    assert!(told.chars().count() <= 80, "{told}");
    assert!(told.ends_with("more rows"), "{told}");
    let text = content(json!({"type": "text", "text": "äöü".repeat(100)}));
    for chars_max in [0, 1, 2, 50] {
        assert_eq!(content_as_text(&text, chars_max).chars().count(), chars_max);
    }
}
