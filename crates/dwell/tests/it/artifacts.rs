//! Artifacts: files that turns save beside the conversation. They are created, listed, downloaded,
//! shown, limited and removed.

use std::fs;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RestClient, RunningServer, ToolCall};

use crate::{
    harness::{last, results, steps, told},
    owners::add,
    program, started,
};

fn made() -> [ToolCall; 3] {
    [
        ToolCall::new(
            "c1",
            "report_save",
            json!({
                "title": "Heat pumps", "format": "html",
                "sections": [{ "heading": "Findings", "text": "They **work** [1]. <script>alert(1)</script>" }],
                "sources": [{ "mark": "1", "title": "A study", "source": "https://example.org/study" }],
            }),
        ),
        ToolCall::new(
            "c2",
            "table_save",
            json!({ "name": "Preise für Öl", "columns": ["what", "price"], "rows": [["tea, green", 2.5], ["=1+1", null]] }),
        ),
        ToolCall::new(
            "c3",
            "plot_draw",
            json!({ "title": "Power", "kind": "bar", "labels": ["a", "b"], "series": [{ "name": "kWh", "values": [1, 2] }] }),
        ),
    ]
}

/// A session that has created a report, a table and a plot; returns the artifacts, newest first.
async fn with_three(model: &ModelServer, rest: &RestClient) -> (String, Vec<Value>) {
    let session = rest.session().await;
    model.push(Reply::tool_calls(made()));
    model.push(Reply::text("All three are kept."));
    let turn = told(rest, &session, json!({ "message": "Make a report, a table and a plot of it." })).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    assert!(steps(&turn, "tool_result").iter().all(|result| result["status"] == "ok"), "{turn}");
    assert_eq!(turn["response"]["artifacts"].as_array().unwrap().len(), 3);
    let page = rest.get("/api/v1/artifacts").await.ok();
    (session, page["data"].as_array().unwrap().clone())
}

fn of<'a>(all: &'a [Value], name: &str) -> &'a Value {
    all.iter().find(|artifact| artifact["name"] == name).unwrap_or_else(|| panic!("{name} of {all:?}"))
}

fn id(artifact: &Value) -> &str {
    artifact["artifact_id"].as_str().unwrap()
}

async fn downloaded(server: &RunningServer, id: &str) -> (reqwest::header::HeaderMap, Vec<u8>) {
    let url = format!("{}/api/v1/artifacts/{id}", server.url());
    let answer = reqwest::Client::new().get(&url).bearer_auth("test-token-0123456789").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    (answer.headers().clone(), answer.bytes().await.unwrap().into())
}

#[tokio::test]
async fn a_report_a_table_and_a_plot_are_listed_and_downloaded() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (session, all) = with_three(&model, &rest).await;
    assert_eq!(rest.get(&format!("/api/v1/sessions/{session}/artifacts")).await.ok()["data"], json!(all));
    for (name, media_type) in
        [("heat-pumps.html", "text/html"), ("Preise für Öl.csv", "text/csv"), ("power.svg", "image/svg+xml")]
    {
        let artifact = of(&all, name);
        let (headers, bytes) = downloaded(&server, id(artifact)).await;
        assert_eq!(
            (&headers["content-type"], &artifact["media_type"]),
            (&media_type.parse().unwrap(), &json!(media_type))
        );
        assert_eq!(artifact["bytes"], bytes.len());
        assert!(headers["content-security-policy"].to_str().unwrap().contains("sandbox"));
    }
    let (headers, table) = downloaded(&server, id(of(&all, "Preise für Öl.csv"))).await;
    assert_eq!(headers["content-disposition"], "attachment; filename*=UTF-8''Preise%20f%C3%BCr%20%C3%96l.csv");
    assert_eq!(table, b"what,price\r\n\"tea, green\",2.5\r\n'=1+1,\r\n");
    let (_, report) = downloaded(&server, id(of(&all, "heat-pumps.html"))).await;
    let report = String::from_utf8(report).unwrap();
    assert!(report.contains("<strong>work</strong>") && !report.contains("<script"), "{report}");
    let (_, plot) = downloaded(&server, id(of(&all, "power.svg"))).await;
    assert!(plot.starts_with(b"<svg xmlns="));
    // One artifact a page, each once.
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = rest.get(&format!("/api/v1/artifacts?limit=1{cursor}")).await.ok();
        seen.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, all);
    assert_eq!(rest.get("/api/v1/artifacts?cursor=x").await.code(400), "invalid_request");
}

#[tokio::test]
async fn an_artifact_is_opened_in_a_window() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (session, all) = with_three(&model, &rest).await;
    let plot = of(&all, "power.svg");
    model.push(Reply::tool_calls([
        ToolCall::new("c1", "artifact_show", json!({ "artifact_id": id(plot), "title": "Power" })),
        ToolCall::new("c2", "artifact_show", json!({ "name": "nowhere.md" })),
    ]));
    model.push(Reply::text("There it is."));
    let turn = told(&rest, &session, json!({ "message": "Show me the plot on the desktop." })).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let desktop = rest.get(&format!("/api/v1/sessions/{session}/desktop")).await.ok();
    let [window] = desktop["windows"].as_array().unwrap().as_slice() else { panic!("{desktop}") };
    let content = json!({
        "type": "artifact", "artifact_id": id(plot), "name": "power.svg", "media_type": "image/svg+xml",
    });
    assert_eq!((&window["title"], &window["content"]), (&json!("Power"), &content));
    let refused = results(&last(&model)).pop().unwrap().1;
    assert!(refused.contains("no artifact named `nowhere.md`"), "{refused}");
}

#[tokio::test]
async fn the_offline_model_shows_one_by_its_id() {
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "Save this as notes.md: Buy milk." })).await;
    let all = rest.get("/api/v1/artifacts").await.ok();
    let message = format!("Show me artifact {}.", id(&all["data"][0]));
    let turn = told(&rest, &session, json!({ "message": message })).await;
    assert!(turn["text"].as_str().unwrap().contains("is open in a window"), "{turn}");
    let desktop = rest.get(&format!("/api/v1/sessions/{session}/desktop")).await.ok();
    assert_eq!(desktop["windows"][0]["content"]["name"], "notes.md", "{desktop}");
}

#[tokio::test]
async fn another_owner_finds_nothing_of_it() {
    let (model, program, server) = started().await;
    let (session, all) = with_three(&model, &server.rest()).await;
    let bob = server.rest_as(Some(&add(&program, "bob").await));
    for artifact in &all {
        let path = format!("/api/v1/artifacts/{}", id(artifact));
        assert_eq!(bob.get(&path).await.code(404), "not_found");
        assert_eq!(bob.call(Method::DELETE, &path, None, &[]).await.code(404), "not_found");
    }
    assert_eq!(bob.get("/api/v1/artifacts").await.ok()["data"], json!([]));
    assert_eq!(bob.get(&format!("/api/v1/sessions/{session}/artifacts")).await.status, 404);
    // Bob's agent cannot read it either, although it knows the id.
    let his = bob.session().await;
    for tool in ["artifact_show", "artifact_read"] {
        model.push(Reply::tool_calls([ToolCall::new("c1", tool, json!({ "artifact_id": id(&all[0]) }))]));
        model.push(Reply::text("There is none."));
        let turn = told(&bob, &his, json!({ "message": "Please look at that artifact for me." })).await;
        let result = steps(&turn, "tool_result")[0];
        assert_eq!(result["status"], "error", "{result}");
        assert!(result["content"].as_str().unwrap().contains("there is no artifact"), "{result}");
    }
    assert_eq!(bob.get(&format!("/api/v1/sessions/{his}/desktop")).await.ok()["windows"], json!([]));
    assert_eq!(server.rest().get("/api/v1/artifacts").await.ok()["data"], json!(all), "and nothing has come of it");
}

#[tokio::test]
async fn past_the_limit_it_is_said_what_to_remove_and_removing_makes_room() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model).with("DWELL_ARTIFACTS_OWNER_BYTES_MAX", "100");
    let server = program.start().await;
    let (rest, save) = (server.rest(), |content: String| {
        model.push(Reply::tool_calls([ToolCall::new(
            "c1",
            "artifact_save",
            json!({ "name": "a.txt", "content": content }),
        )]));
        model.push(Reply::text("Let us see."));
    });
    let session = rest.session().await;
    save("x".repeat(90));
    let kept = told(&rest, &session, json!({ "message": "Make the first file of these numbers." })).await;
    assert_eq!(steps(&kept, "tool_result")[0]["status"], "ok", "{kept}");
    save("x".repeat(11));
    let full = told(&rest, &session, json!({ "message": "Make the second file of those numbers." })).await;
    let why = steps(&full, "tool_result")[0]["content"].as_str().unwrap();
    let first = rest.get("/api/v1/artifacts").await.ok()["data"][0]["artifact_id"].as_str().unwrap().to_owned();
    assert!(why.contains("more than 100 bytes") && why.contains("10 are left") && why.contains(&first), "{why}");

    let path = format!("/api/v1/artifacts/{first}");
    assert_eq!(rest.call(Method::DELETE, &path, None, &[]).await.status, 204);
    assert_eq!(rest.call(Method::DELETE, &path, None, &[]).await.code(404), "not_found");
    save("x".repeat(11));
    let kept = told(&rest, &session, json!({ "message": "Make the second file again, now that there is room." })).await;
    assert_eq!(steps(&kept, "tool_result")[0]["status"], "ok", "{kept}");
}

#[tokio::test]
async fn they_go_with_their_session() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::tool_calls([ToolCall::new("c1", "artifact_save", json!({ "name": "a.txt", "content": "x" }))]));
    model.push(Reply::text("It is kept."));
    let turn = rest.post("/api/v1/ask", json!({ "message": "Keep this for a moment." })).await.ok();
    assert_eq!(steps(&turn, "tool_result")[0]["status"], "ok", "{turn}");
    // A temporary session is removed after its answer.
    while rest.get("/api/v1/artifacts").await.ok()["data"] != json!([]) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_command_line_lists_gets_and_removes() {
    let (model, program, server) = started().await;
    let none = program.run(&["artifacts", "list"]).await;
    assert_eq!((none.code(), none.stdout.trim()), (0, "no artifacts yet"), "{}", none.stderr);
    let (session, all) = with_three(&model, &server.rest()).await;
    let printed = program.run(&["artifacts", "list"]).await.stdout;
    assert!(all.iter().all(|artifact| printed.contains(id(artifact))), "{printed}");
    assert!(printed.contains("Preise für Öl.csv") && printed.contains("image/svg+xml"), "{printed}");
    for arguments in [&["artifacts", "list", "--json"][..], &["artifacts", "list", "--session", &session, "--json"]] {
        assert_eq!(printed_json(&program, arguments).await["data"], json!(all));
    }
    let table = id(of(&all, "Preise für Öl.csv"));
    let (_, bytes) = downloaded(&server, table).await;
    let path = program.folder().join("prices.csv");
    let to = path.to_str().unwrap();
    let got = program.run(&["artifacts", "get", table, "--to", to]).await;
    assert_eq!((got.code(), fs::read(&path).unwrap()), (0, bytes.clone()), "{}", got.stderr);
    fs::write(&path, "mine").unwrap();
    let refused = program.run(&["artifacts", "get", table, "--to", to]).await;
    assert!(refused.code() != 0 && refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    program.run(&["artifacts", "get", table, "--to", to, "--force"]).await;
    assert_eq!(fs::read(&path).unwrap(), bytes);
    let shown = program.run(&["artifacts", "get", "Preise für Öl.csv", "--to", "-"]).await;
    assert_eq!(shown.stdout.as_bytes(), bytes, "by its name");

    let removed = program.run(&["artifacts", "remove", table]).await;
    assert_eq!((removed.code(), removed.stdout.trim()), (0, format!("removed {table}").as_str()), "{}", removed.stderr);
    for arguments in [["artifacts", "remove", table], ["artifacts", "get", table]] {
        assert_ne!(program.run(&arguments).await.code(), 0, "{arguments:?}");
    }
    let wrong = program.run(&["artifacts", "remove", "x"]).await;
    assert!(wrong.code() == 2 && wrong.stderr.contains("artifacts list"), "{}", wrong.stderr);
}

#[tokio::test]
async fn the_operator_sweeps() {
    let (model, program, server) = started().await;
    let (_, all) = with_three(&model, &server.rest()).await;
    let swept = program.run(&["sweep"]).await;
    assert_eq!(swept.stdout.trim(), "removed 0 artifacts (0 bytes) and 0 memories", "{}", swept.stderr);
    let nothing = json!({ "artifacts": 0, "bytes": 0, "memories": 0, "expired": 0, "archived": 0, "deleted": 0 });
    assert_eq!(printed_json(&program, &["sweep", "--json"]).await, nothing);
    assert_eq!(server.rest().get("/api/v1/artifacts").await.ok()["data"], json!(all), "they are young");
    let bob = server.rest_as(Some(&add(&program, "bob").await));
    assert_eq!(bob.post("/api/v1/sweep", json!({})).await.code(403), "forbidden");
}

async fn printed_json(program: &Program, arguments: &[&str]) -> Value {
    let finished = program.run(arguments).await;
    serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {}", finished.stderr))
}
