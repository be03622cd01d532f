//! `dwell schedules`, `dwell alerts` and the alerts of `dwell chat`.

use std::process::Stdio;

use serde_json::{Value, json};
use testkit::{Program, RestClient};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader, Lines};

use crate::started;

/// What a command prints; it has to succeed.
async fn run(program: &Program, arguments: &[&str]) -> String {
    let output = program.command(arguments).env("TZ", "Europe/Berlin").output().await.unwrap();
    let (printed, complaints) = (output.stdout, String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{arguments:?}: {complaints}");
    String::from_utf8(printed).unwrap()
}

async fn run_json(program: &Program, arguments: &[&str]) -> Value {
    serde_json::from_str(&run(program, &both(arguments, &["--json"])).await).unwrap()
}

/// The arguments of a command in two parts.
fn both<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

/// The exit code of a command and its complaint.
async fn refused(program: &Program, arguments: &[&str]) -> (i32, String) {
    let output = program.run(arguments).await;
    (output.code(), output.stderr)
}

/// The next line that contains a text.
async fn line_with<R: AsyncRead + Unpin>(lines: &mut Lines<BufReader<R>>, part: &str) -> String {
    loop {
        let line = lines.next_line().await.unwrap().unwrap_or_else(|| panic!("it ended without `{part}`"));
        if line.contains(part) {
            return line;
        }
    }
}

#[tokio::test]
async fn schedules_are_planned_listed_and_changed() {
    let (_model, program, server) = started().await;
    assert_eq!(run(&program, &["schedules"]).await, "nothing is planned\n");

    let weekdays = ["--cron", "0 7 * * 1-5", "--zone", "Europe/Berlin"];
    let preview = run(&program, &both(&["schedules", "preview", "--runs", "3"], &weekdays)).await;
    assert_eq!(preview.matches(" 07:00:00 CE").count(), 3, "{preview}");
    let weather = ["schedules", "add", "--message", "how is the weather?", "--name", "weather", "--session", "kitchen"];
    let added = run(&program, &both(&weather, &weekdays)).await;
    assert!(added.starts_with("planned ") && added.matches(" 07:00:00 CE").count() == 5, "{added}");
    let ends =
        ["--rrule", "FREQ=MONTHLY;BYMONTHDAY=-1", "--start", "2026-01-01 09:30", "--runs", "2", "--late", "skip"];
    let rent = run_json(&program, &both(&["schedules", "add", "--remind", "pay the rent"], &ends)).await;
    assert_eq!((&rent["runs_max"], &rent["catch_up"]["policy"]), (&json!(2), &json!("skip")));
    let rent = rent["schedule_id"].as_str().unwrap();
    let call = ["--call", "calculator", r#"{"expression": "6*7"}"#, "--at", "2036-01-02 07:00", "--name", "sum"];
    run(&program, &both(&["schedules", "add", "--zone", "Europe/Berlin"], &call)).await;

    let list = run(&program, &["schedules"]).await;
    let line =
        |part: &str| list.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{list}")).to_owned();
    assert!(line("how is the weather?").starts_with("weather ") && line("weather").contains("cron 0 7 * * 1-5"));
    assert!(line("pay the rent").starts_with(rent), "without a name it has its id: {list}");
    assert!(line("calculator").contains("Wed 2036-01-02 07:00:00 CET"), "on the terminal's clock: {list}");

    run(&program, &["schedules", "pause", "weather"]).await;
    let shown = run(&program, &["schedules", "show", "weather"]).await;
    assert!(shown.contains("paused") && shown.contains("no further run"), "{shown}");
    run(&program, &["schedules", "resume", "weather"]).await;
    let changed = run_json(&program, &["schedules", "change", "weather", "--name", "sun", "--cron", "0 8 * * *"]).await;
    assert_eq!((&changed["name"], &changed["zone"]), (&json!("sun"), &json!("Europe/Berlin")));
    run(&program, &["schedules", "run", "sum"]).await;
    let sum = run_json(&program, &["schedules", "show", "sum"]).await;
    assert_eq!(sum["runs"], 1, "{sum}");
    assert!(run(&program, &["schedules", "cancel", "sum"]).await.starts_with("cancelled "));
    assert!(!run(&program, &["schedules"]).await.contains("calculator"));
    assert!(run(&program, &["schedules", "--all"]).await.contains("cancelled"));

    mistakes_are_explained(&program, &server.rest()).await;
}

async fn mistakes_are_explained(program: &Program, rest: &RestClient) {
    let add = ["schedules", "add"];
    for (arguments, part) in [
        (&["--remind", "x"][..], "say when it runs"),
        (&["--in", "5m"], "say what it does"),
        (&["--remind", "x", "--in", "soon"], "write it as 90s, 10m"),
        (&["--remind", "x", "--at", "tomorrow"], "2026-11-19 07:00"),
        (&["--remind", "x", "--at", "2020-01-01 07:00"], "in the past"),
        (&["--remind", "x", "--cron", "every day"], "not a cron expression"),
        (&["--remind", "x", "--in", "5m", "--zone", "Mars"], "not a time zone"),
        (&["--remind", "x", "--in", "5m", "--late", "never"], "run_late:1h, skip or once"),
        (&["--call", "calculator", "6*7", "--in", "5m"], "no JSON object"),
        (&["--remind", "x", "--message", "y", "--in", "5m"], "cannot be used with"),
    ] {
        let (code, complaint) = refused(program, &both(&add, arguments)).await;
        assert!(code != 0 && complaint.contains(part), "{arguments:?}: {code} {complaint}");
    }
    let (code, complaint) = refused(program, &["schedules", "show", "moon"]).await;
    assert!(code == 1 && complaint.contains("no schedule `moon`"), "{complaint}");
    assert_eq!(refused(program, &["schedules", "change", "sun"]).await.0, 2, "nothing to change");
    assert_eq!(refused(program, &["schedules", "--all", "pause", "sun"]).await.0, 2);

    let twin = json!({ "name": "sun", "when": { "kind": "after", "after_ms": 3_600_000 },
        "action": { "do": "remind", "text": "look up" } });
    let twin = rest.post("/api/v1/schedules", twin).await.ok();
    let (code, complaint) = refused(program, &["schedules", "cancel", "sun"]).await;
    assert!(code == 2 && complaint.contains("2 schedules are called `sun`"), "{complaint}");
    assert!(complaint.contains(twin["schedule_id"].as_str().unwrap()), "it names the candidates: {complaint}");
}

#[tokio::test]
async fn alerts_are_shown_as_they_are_raised_and_each_once() {
    let (_model, program, server) = started().await;
    assert_eq!(run(&program, &["alerts"]).await, "no alerts yet\n");
    let follow = |json: &str| {
        let mut command = program.command(&["alerts", "--follow"]);
        if !json.is_empty() {
            command.arg(json);
        }
        command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap()
    };
    let (mut plain, mut as_json) = (follow(""), follow("--json"));
    let mut plain_lines = BufReader::new(plain.stdout.take().unwrap()).lines();
    let mut json_lines = BufReader::new(as_json.stdout.take().unwrap()).lines();
    let mut chat = program.command(&["chat"]);
    let mut chat = chat.stdin(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut remarks = BufReader::new(chat.stderr.take().unwrap()).lines();
    line_with(&mut remarks, "conversation terminal").await;

    // The others may begin to follow a little later: reminders come until each has shown one.
    let remind = ["schedules", "add", "--name", "pizza", "--in", "1ms", "--remind"];
    let (shown, first) = loop {
        run(&program, &both(&remind, &["take the pizza out"])).await;
        let lines = async { (plain_lines.next_line().await, json_lines.next_line().await) };
        if let Ok((shown, first)) = tokio::time::timeout(std::time::Duration::from_secs(5), lines).await {
            break (shown.unwrap().unwrap(), first.unwrap().unwrap());
        }
    };
    assert!(shown.contains("reminder: pizza: take the pizza out"), "{shown}");
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&first["kind"], &first["title"]), (&json!("reminder"), &json!("pizza")));
    line_with(&mut remarks, "[reminder: pizza: take the pizza out]").await;

    // The one that is raised while the server restarts is shown afterwards.
    let snoozed = first["schedule_id"].as_str().unwrap();
    run(&program, &["schedules", "snooze", snoozed, "--in", "1s"]).await;
    run(&program, &both(&remind[..4], &["--in", "1s", "--remind", "eat it"])).await;
    server.kill().await;
    let server = program.start().await;
    line_with(&mut plain_lines, "eat it").await;
    line_with(&mut remarks, "eat it").await;
    chat.stdin.take().unwrap().write_all(b"hello\n/quit\n").await.unwrap();
    assert!(chat.wait().await.unwrap().success());

    let listed = run(&program, &["alerts", "--limit", "1"]).await;
    assert!(listed.lines().count() == 1 && listed.contains("  new "), "{listed}");
    let id = listed.split(' ').next().unwrap();
    assert_eq!(run(&program, &["alerts", "seen", id]).await, format!("seen {id}\n"));
    let page = run_json(&program, &["alerts"]).await;
    assert_eq!((&page["data"][0]["alert_id"], &page["data"][0]["seen"]), (&json!(id), &json!(true)));
    assert_eq!(refused(&program, &["alerts", "seen", "nonsense"]).await.0, 2);

    let pid = plain.id().unwrap();
    tokio::process::Command::new("sh").arg("-c").arg(format!("kill -INT {pid}")).status().await.unwrap();
    assert!(plain.wait().await.unwrap().success(), "Ctrl-C ends it");
    drop(server);
}
