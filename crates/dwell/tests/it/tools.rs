//! The tool loop: which tools the model is offered, what it calls, and which results it gets.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, ToolCall};

use crate::{
    harness::{ToolHarness, call, calls, harness, harness_with, last, results, shown, steps, told},
    started_with_home,
};

/// Offered only where there is a library.
const LIBRARY_SEARCH: &str = "library_search";

const BUILT_IN: [&str; 44] = [
    "analyze_errors",
    "app_command",
    "app_query",
    "artifact_list",
    "artifact_read",
    "artifact_save",
    "artifact_show",
    "ask_user",
    "calculator",
    "call_service",
    "change_automation",
    "create_automation",
    "current_time",
    "date_math",
    "desktop_look",
    "desktop_replay",
    "diagnose_entity",
    "get_errors",
    "get_history",
    "get_logbook",
    "get_state",
    LIBRARY_SEARCH,
    "list_automations",
    "memory_correct",
    "memory_forget",
    "memory_profile",
    "memory_search",
    "notify",
    "page_read",
    "pin",
    "plot_draw",
    "report_save",
    "research",
    "schedule_cancel",
    "schedule_create",
    "schedule_list",
    "schedule_timers",
    "schedule_update",
    "search_entities",
    "table_save",
    "unpin",
    "window_change",
    "window_close",
    "window_open",
];

/// Checks that no request would be refused by a strict provider.
fn assert_in_order(model: &ModelServer) {
    assert_eq!(model.violations(), Vec::<String>::new());
}

fn sum(id: &str, expression: &str) -> ToolCall {
    ToolCall::new(id, "calculator", json!({ "expression": expression }))
}

#[tokio::test]
async fn the_tools_are_listed_with_what_they_take_do_and_touch() {
    let (model, program, server) = started_with_home().await;
    let page = server.rest().get("/api/v1/tools").await.ok();
    let tools = page["data"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, BUILT_IN);
    for tool in tools {
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
        assert!(!tool["description"].as_str().unwrap().is_empty() && tool["enabled"] == true, "{tool}");
        // Only calls of the home's tool can be verified afterwards.
        let of_home = (tool["name"] == "call_service").then_some("verifiable");
        // Another time relative to now cannot be set twice: after a crash a person is asked.
        let name = tool["name"].as_str().unwrap();
        let of_plans = ["schedule_timers", "schedule_update"].contains(&name).then_some("at_most_once");
        let effects = ["pure", "idempotent"].into_iter().chain(of_home).chain(of_plans);
        assert!(effects.into_iter().any(|effect| tool["effect"] == effect), "{tool}");
        let safety = if tool["name"] == "page_read" { &["sends"][..] } else { &["observes", "keeps"] };
        assert!(safety.contains(&tool["safety"].as_str().unwrap()), "{tool}");
    }
    let printed = program.run(&["tools"]).await.stdout;
    assert!(BUILT_IN.iter().all(|name| printed.contains(name)), "{printed}");
    assert_in_order(&model);
}

#[tokio::test]
async fn the_model_calls_a_tool_and_answers_from_its_result() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    model.push(Reply::text("Let me see. ").then_tool_calls([sum("c1", "6 * 7")]));
    model.push(Reply::text("It is 42."));
    let turn = told(&rest, &rest.session().await, json!({ "message": "How many legs have seven flies?" })).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("Let me see. \n\nIt is 42.")));
    let kinds: Vec<&Value> = turn["steps"].as_array().unwrap().iter().map(|step| &step["type"]).collect();
    assert_eq!(kinds, ["plan", "tool_call", "tool_result"]);
    assert_eq!(steps(&turn, "tool_call")[0]["arguments"], json!({ "expression": "6 * 7" }));
    assert_eq!(steps(&turn, "tool_result")[0]["status"], "ok");

    let requests = model.requests();
    let core = shown(&requests[0]);
    assert!(
        ["calculator", "current_time", "find_tools"].iter().all(|name| core.iter().any(|own| own == name)),
        "{core:?}"
    );
    let asked = requests[1].messages().iter().find(|message| message["role"] == "assistant").unwrap();
    assert_eq!((&asked["content"], &asked["tool_calls"][0]["id"]), (&json!("Let me see. "), &json!("c1")));
    assert!(results(&requests[1])[0].1.contains("\"42\""), "{:?}", results(&requests[1]));
    assert_in_order(&model);
}

#[tokio::test]
async fn calls_of_one_round_run_side_by_side_and_are_answered_in_their_order() {
    let parallel = |tool: &mut testkit::ToolServerTool| tool.more.push_str("parallel = true");
    let ToolHarness { model, tool_server, server, program: _program } = harness_with(parallel, |program| program).await;
    let rest = server.rest();
    tool_server.hold("look_at_sky");
    model.push(Reply::tool_calls(["a", "b", "c"].map(|id| call(id, "look_at_sky", id))));
    let turn = rest.send(&rest.session().await, "Look three times at the sky.").await;
    tool_server.until(|tool_server| tool_server.waiting("look_at_sky") == 3).await;
    tool_server.release("look_at_sky");
    assert_eq!(rest.ended(&turn).await["status"], "completed");
    let told = results(&last(&model));
    assert_eq!(told.len(), 3);
    for ((id, content), expected) in told.iter().zip(["a", "b", "c"]) {
        let content: Value = serde_json::from_str(content).unwrap();
        assert_eq!((id.as_str(), content["note"].as_str().unwrap()), (expected, expected));
    }
    assert_in_order(&model);
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_put_right() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    model.push(Reply::tool_calls([ToolCall::new("c1", "calculatr", json!({ "expression": "1" }))]));
    let turn = told(&rest, &rest.session().await, json!({ "message": "Work it out for me, would you?" })).await;
    assert_eq!((&turn["status"], &steps(&turn, "tool_result")[0]["status"]), (&json!("completed"), &json!("error")));
    let (_, content) = results(&last(&model)).pop().unwrap();
    assert!(content.contains("no tool `calculatr`") && content.contains("did you mean `calculator`"), "{content}");
    assert!(steps(&turn, "tool_call").is_empty(), "nothing ran");
    assert_in_order(&model);
}

#[tokio::test]
async fn arguments_that_cannot_be_read_or_do_not_fit_are_put_right() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    for (n, (arguments, part)) in [
        (r#"{"expression": "6 *"#, "JSON"),
        (r#"["6 * 7"]"#, "JSON object"),
        (r#"{"expresion": "6 * 7"}"#, "expression"),
        (r#"{"expression": 42}"#, "expression"),
    ]
    .into_iter()
    .enumerate()
    {
        model.push(Reply::tool_calls([ToolCall::new(format!("c{n}"), "calculator", arguments)]));
        let turn = told(&rest, &rest.session().await, json!({ "message": "Please work it out." })).await;
        let result = steps(&turn, "tool_result")[0].clone();
        assert_eq!((&turn["status"], &result["status"]), (&json!("completed"), &json!("error")), "{arguments}");
        assert!(result["content"].as_str().unwrap().contains(part), "{arguments}: {result}");
    }
    assert_in_order(&model);
}

#[tokio::test]
async fn two_calls_with_one_id_stay_two() {
    let (model, _program, server) = started_with_home().await;
    let rest = server.rest();
    model.push(Reply::tool_calls([sum("same", "1 + 1"), sum("same", "2 + 2")]));
    let turn = told(&rest, &rest.session().await, json!({ "message": "Work both out, please." })).await;
    assert_eq!(turn["status"], "completed");
    let told = results(&last(&model));
    assert!(told[0].0 != told[1].0 && told[0].1.contains("\"2\"") && told[1].1.contains("\"4\""), "{told:?}");
    assert_in_order(&model);
}

#[tokio::test]
async fn a_tool_that_fails_is_told_to_the_model_and_the_turn_goes_on() {
    let ToolHarness { model, tool_server, server, program: _program } = harness().await;
    let rest = server.rest();
    tool_server.fail("look_at_sky", 500);
    model.push(calls("c1", "look_at_sky", "now"));
    model.push(Reply::text("The sky cannot be seen."));
    let turn = told(&rest, &rest.session().await, json!({ "message": "Look at the sky for me." })).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("The sky cannot be seen.")));
    assert_eq!(steps(&turn, "tool_result")[0]["status"], "error");
    assert!(results(&last(&model))[0].1.contains("500"), "{:?}", results(&last(&model)));
    assert_in_order(&model);
}

#[tokio::test]
async fn a_large_result_is_an_artifact_that_only_its_owner_reads() {
    let ToolHarness { model, server, tool_server: _tool_server, program: _program } = harness().await;
    let rest = server.rest();
    let session = rest.session().await;
    let long = "cirrus and cumulus over the fjord, ".repeat(600);
    model.push(calls("c1", "look_at_sky", &long));
    let turn = told(&rest, &session, json!({ "message": "Describe the whole sky in detail." })).await;
    let result = steps(&turn, "tool_result")[0];
    let id = result["artifact_id"].as_str().unwrap();
    assert!(result["content"].as_str().unwrap().len() < 8 * 1024);
    assert!(results(&last(&model))[0].1.contains(&format!("artifact {id} has the full text")));
    assert_eq!(turn["response"]["artifacts"], json!([id]));
    assert_eq!(turn["response"]["suggestions"][0], format!("Show me artifact {id}."));

    let url = format!("{}/api/v1/artifacts/{id}", server.url());
    let answer = reqwest::Client::new().get(&url).bearer_auth("test-token-0123456789").send().await.unwrap();
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        (header("x-content-type-options"), header("content-disposition")),
        ("nosniff".into(), "attachment; filename*=UTF-8''look_at_sky.txt".into())
    );
    assert!(header("content-security-policy").contains("sandbox"));
    assert!(answer.text().await.unwrap().contains(&long));
    let listed = rest.get(&format!("/api/v1/sessions/{session}/artifacts")).await.ok();
    assert_eq!(listed["data"][0]["artifact_id"], id);

    for token in [None, Some("somebody-elses-token")] {
        let path = format!("/api/v1/artifacts/{id}");
        assert_eq!(server.rest_as(token).get(&path).await.code(401), "unauthorized");
    }
    let unknown = rest.get("/api/v1/artifacts/01ARZ3NDEKTSV4RRFFQ69G5FAV").await;
    assert_eq!(unknown.code(404), "not_found");
    assert_in_order(&model);
}

#[tokio::test]
async fn a_call_that_a_cancel_cuts_off_gets_a_result_and_the_conversation_goes_on() {
    let ToolHarness { model, tool_server, server, program: _program } = harness().await;
    let rest = server.rest();
    let session = rest.session().await;
    tool_server.hold("look_at_sky");
    model.push(Reply::tool_calls([call("c1", "look_at_sky", "one"), call("c2", "look_at_sky", "two")]));
    let turn = rest.send(&session, "Look at the sky twice.").await;
    tool_server.until(|tool_server| tool_server.waiting("look_at_sky") == 1).await;
    rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    let cut = rest.ended(&turn).await;
    assert_eq!(cut["status"], "cancelled");
    let closed: Vec<&Value> = steps(&cut, "tool_result").iter().map(|result| &result["status"]).collect();
    assert_eq!(closed, ["cancelled", "cancelled"]);

    let next = told(&rest, &session, json!({ "message": "What did you see so far?" })).await;
    assert_eq!(next["status"], "completed");
    assert_eq!(results(&last(&model)).len(), 2, "the model sees both calls with a result");
    assert_in_order(&model);
}
