use protocol::PlannedCall;
use serde_json::json;

use super::*;

fn spec(name: &str, description: &str) -> ToolSpec {
    let input = json!({ "type": "object", "properties": { "x": { "type": "string" } } });
    ToolSpec::new(name, description, input)
}

fn names(tools: &[ToolSpec]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn tools() -> Vec<ToolSpec> {
    ["clock", "lamp", "plot", "report", "window"].map(|name| spec(name, "Does something.")).to_vec()
}

fn selection() -> Selection {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Selection { core: names(&["clock", "lamp"]), likely: names(&["window", "plot"]), ..Selection::default() }
}

#[test]
fn what_fits_is_shown_and_then_there_is_nothing_to_look_up() {
    assert_eq!(names(&selection().shown(&tools(), 64_000, |_| 10)), ["clock", "lamp", "plot", "report", "window"]);
}

#[test]
fn else_the_core_comes_first_then_looking_up_then_what_is_likely() {
    let shown = selection().shown(&tools(), 64_000, |_| 350);
    assert_eq!(names(&shown), ["clock", "lamp", FIND_TOOLS, USE_TOOL, "window", "plot"]);
    assert!(shown[2].description.contains("plot, report, window"), "{}", shown[2].description);
}

#[test]
fn in_a_small_window_what_became_likely_last_stays() {
    let shown = selection().shown(&tools(), 3_000, |_| 400);
    assert_eq!(names(&shown), [FIND_TOOLS, USE_TOOL, "plot"]);
}

#[test]
fn a_session_is_shown_what_it_has_pinned_and_can_look_up_the_rest() {
    let pinned = Selection { demanded: vec!["report".to_owned()], is_pinned: true, ..selection() };
    let pinned = Selection { likely: Vec::new(), ..pinned };
    assert_eq!(names(&pinned.shown(&tools(), 64_000, |_| 10)), ["report", FIND_TOOLS, USE_TOOL]);
}

#[test]
fn tools_are_found_by_name_and_by_words() {
    let tools = [spec("plot_draw", "Draws numbers as a chart."), spec("table_save", "Keeps rows as a file.")];
    let by_name = find(&tools, &json!({ "names": ["plot_draw", "none_such"] })).unwrap();
    assert!(by_name.contains("There is no none_such.") && by_name.contains("plot_draw: Draws numbers"), "{by_name}");
    assert!(by_name.contains("Arguments: {"), "{by_name}");
    let by_words = find(&tools, &json!({ "query": "draw a chart of my numbers" })).unwrap();
    assert!(by_words.contains("plot_draw:") && !by_words.contains("table_save:"), "{by_words}");
    assert!(find(&tools, &json!({ "names": "table" })).unwrap().contains("table_save:"), "nearly a name");
    assert!(find(&tools, &json!({ "query": "sing" })).unwrap().contains("There are: plot_draw, table_save."));
    assert!(find(&tools, &json!({})).unwrap_err().contains("`names`"));
}

#[test]
fn a_call_of_what_was_found_is_a_call_of_that_tool_and_is_told_as_it_was_made() {
    let planned = |tool: &str, arguments| PlannedCall {
        call_id: "call_1".to_owned(),
        tool: tool.to_owned(),
        arguments,
        signatures: Vec::new(),
        looked_up: false,
    };
    let wrapped = json!({ "name": "lamp", "arguments": { "on": true } });
    let call = unwrapped(planned(USE_TOOL, wrapped.clone()));
    assert_eq!((call.tool.as_str(), &call.arguments, call.looked_up), ("lamp", &json!({ "on": true }), true));
    assert_eq!(told_call(&call), (USE_TOOL.to_owned(), wrapped));
    let as_text = unwrapped(planned(USE_TOOL, json!({ "name": "lamp", "arguments": "{\"on\":true}" })));
    assert_eq!(as_text.arguments, json!({ "on": true }));
    let flat = unwrapped(planned(USE_TOOL, json!({ "name": "lamp", "on": true })));
    assert_eq!(flat.arguments, json!({ "on": true }));
    let nameless = unwrapped(planned(USE_TOOL, json!({ "on": true })));
    assert_eq!((nameless.tool.as_str(), nameless.looked_up), (USE_TOOL, false));
    assert_eq!(unwrapped(planned("lamp", json!({ "name": "x" }))).tool, "lamp");
}
