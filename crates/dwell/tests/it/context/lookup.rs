//! Tool selection: the model is offered a small core set and the tools that are likely for the
//! turn. It finds the other tools by searching.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use super::super::{
    harness::{session_with, shown, steps, told},
    started_with_home,
};

fn tokens(request: &testkit::Request) -> u64 {
    request.tools().iter().map(|tool| model::count(&tool["function"].to_string())).sum()
}

#[tokio::test]
async fn a_plain_question_is_told_of_a_few_tools_and_a_likely_one_is_added_at_the_end() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "What is the capital of Portugal?" })).await;
    told(&rest, &session, json!({ "message": "Draw a bar chart of 3, 5 and 8." })).await;
    told(&rest, &session, json!({ "message": "And what is the capital of Spain?" })).await;
    let requests = model.requests();
    let [plain, drawing, after] = &requests[..] else { panic!("{} requests", requests.len()) };
    assert!(tokens(plain) <= 1_500, "{} tokens: {:?}", tokens(plain), shown(plain));
    let core = shown(plain);
    for name in ["current_time", "calculator", "call_service", "find_tools", "use_tool"] {
        assert!(core.iter().any(|own| own == name), "{name} is not among {core:?}");
    }
    assert!(!core.contains(&"plot_draw".to_owned()), "{core:?}");
    assert!(shown(drawing).contains(&"plot_draw".to_owned()), "{:?}", shown(drawing));
    assert_eq!(shown(drawing)[..core.len()], core[..], "what is likely is added at the end");
    assert_eq!(shown(after), shown(drawing), "what was likely in the conversation stays, so that the beginning does");
}

#[tokio::test]
async fn a_tool_is_looked_up_and_used_and_the_tools_that_are_told_stay_the_same() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let chart =
        json!({ "title": "Rain", "kind": "bar", "labels": ["Mon"], "series": [{ "name": "mm", "values": [3] }] });
    model.push(Reply::tool_calls([ToolCall::new("c1", "find_tools", json!({ "query": "draw a plot" }))]));
    model.push(Reply::tool_calls([ToolCall::new(
        "c2",
        "use_tool",
        json!({ "name": "plot_draw", "arguments": chart }),
    )]));
    model.push(Reply::text("Here it is."));
    let turn = told(&rest, &session, json!({ "message": "Regenmengen bitte als Bild." })).await;
    assert_eq!(turn["response"]["message"], "Here it is.");
    assert_eq!(turn["response"]["artifacts"].as_array().unwrap().len(), 1, "{turn}");

    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    assert!(!shown(&requests[0]).contains(&"plot_draw".to_owned()));
    assert_eq!((shown(&requests[0]), shown(&requests[0])), (shown(&requests[1]), shown(&requests[2])));
    let messages = requests[2].messages();
    let found = messages.iter().find(|message| message["tool_call_id"] == "c1").unwrap()["content"].to_string();
    assert!(found.contains("plot_draw: Draws numbers") && found.contains("scatter"), "{found}");
    let called: Vec<&Value> = messages.iter().filter_map(|message| message["tool_calls"].get(0)).collect();
    assert_eq!(called[1]["function"]["name"], "use_tool", "the model sees what it wrote");
    assert_eq!(model.violations(), Vec::<String>::new());

    // Clients see a call of the tool itself.
    assert_eq!(steps(&turn, "tool_call")[0]["tool"], "plot_draw");
}

#[tokio::test]
async fn what_policy_forbids_cannot_be_looked_up_and_a_wrong_name_is_told() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "policy": { "deny": ["plot_draw"] } })).await;
    model.push(Reply::tool_calls([
        ToolCall::new("c1", "find_tools", json!({ "names": ["plot_draw", "report_save"] })),
        ToolCall::new("c2", "use_tool", json!({ "name": "plot_draw", "arguments": {} })),
        ToolCall::new("c3", "use_tool", json!({ "arguments": {} })),
        ToolCall::new("c4", "find_tools", json!({})),
    ]));
    model.push(Reply::text("I cannot."));
    told(&rest, &session, json!({ "message": "Please draw me a plot of the rain." })).await;
    let result = |id: &str| {
        let requests = model.requests();
        let mut messages = requests[1].messages().iter();
        messages.find(|message| message["tool_call_id"] == id).unwrap()["content"].as_str().unwrap().to_owned()
    };
    assert!(
        result("c1").starts_with("There is no plot_draw.\nCall these with use_tool:\n\nreport_save:"),
        "{}",
        result("c1")
    );
    assert!(result("c2").contains("refused"), "{}", result("c2"));
    assert!(result("c3").contains("`name` is missing"), "{}", result("c3"));
    assert!(result("c4").contains("give `names`"), "{}", result("c4"));
}

#[tokio::test]
async fn a_session_can_pin_the_tools_it_is_told_of() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "pinned_tools": ["window_*"] })).await;
    told(&rest, &session, json!({ "message": "Draw a bar chart of 3, 5 and 8." })).await;
    let pinned = ["window_change", "window_close", "window_open", "find_tools", "use_tool"];
    assert_eq!(shown(&model.requests()[0]), pinned);
    let path = format!("/api/v1/sessions/{session}");
    rest.call(Method::PATCH, &path, Some(json!({ "pinned_tools": [] })), &[]).await.ok();
    told(&rest, &session, json!({ "message": "Hello there" })).await;
    assert!(shown(&model.requests()[1]).contains(&"calculator".to_owned()));
}
