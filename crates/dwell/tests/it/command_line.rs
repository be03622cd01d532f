//! The command line: its output and its exit codes.

use serde_json::Value;
use testkit::Reply;

use crate::{program, started};

#[tokio::test]
async fn exit_codes_tell_what_went_wrong() {
    let program = program();
    assert_eq!(program.run(&["serve", "--colour"]).await.code(), 2, "wrong usage");
    let none = program.run(&["ask", "anyone?"]).await;
    assert_eq!(none.code(), 3, "no server");
    assert!(none.stderr.contains("start one with `dwell serve`"), "{}", none.stderr);
    let gone = program.run(&["sessions", "list", "--url", "http://127.0.0.1:9"]).await;
    assert_eq!(gone.code(), 3);

    let (model, program, server) = started().await;
    let wrong = program.command(&["sessions", "list"]).env("DWELL_TOKEN", "wrong").output().await.unwrap();
    assert_eq!(wrong.status.code(), Some(4), "refused");
    let wrong = program.command(&["ask", "hi"]).env("DWELL_TOKEN", "wrong").output().await.unwrap();
    assert_eq!(wrong.status.code(), Some(4), "refused on the WebSocket too");
    model.push(Reply::status(400).error_message("no such model"));
    let failed = program.run(&["ask", "hi"]).await;
    assert_eq!(failed.code(), 1, "failed");
    assert!(failed.stderr.contains("no such model"), "{}", failed.stderr);
    // A name that no session has.
    assert_eq!(program.run(&["sessions", "show", "nonsense"]).await.code(), 1);
    assert_eq!(program.run(&["sessions", "show", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]).await.code(), 1);
    drop(server);
}

#[tokio::test]
async fn sessions_are_listed_shown_and_ended() {
    let (_model, program, _server) = started().await;
    assert_eq!(program.run(&["sessions", "list"]).await.stdout, "no sessions yet\n");
    program.run(&["ask", "--session", "kitchen", "Is the oven on?"]).await;
    let list = program.run(&["sessions", "list"]).await.stdout;
    assert!(list.contains("kitchen") && list.contains("active") && list.contains("1 turns"), "{list}");

    let json = program.run(&["sessions", "list", "--json"]).await.stdout;
    let page: Value = serde_json::from_str(&json).unwrap();
    let id = page["data"][0]["session_id"].as_str().unwrap();
    let shown = program.run(&["sessions", "show", id]).await.stdout;
    assert!(shown.contains("> Is the oven on?\nYou said: Is the oven on?\n"), "{shown}");
    let ended = program.run(&["sessions", "end", id, "--reason", "dinner & done"]).await;
    assert_eq!((ended.code(), ended.stdout), (0, format!("ended {id}\n")));
    let shown = program.run(&["sessions", "show", id, "--json"]).await.stdout;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (shown["session"]["status"].as_str(), shown["turns"].as_array().map(Vec::len)),
        (Some("ended"), Some(1))
    );
}

#[tokio::test]
async fn config_says_where_each_value_comes_from() {
    let program = program().with("OPENAI_API_KEY", "sk-secret").with("DWELL_LOG_FILTER", "warn");
    let file = program.folder().join("my.toml");
    std::fs::write(&file, "[agents]\nmax = 7\n\n[log]\nfilter = \"debug\"\n").unwrap();
    let path = file.to_str().unwrap();
    let shown = program.run(&["config", "--json", "--config", path]).await.stdout;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let source = |key: &str| shown["settings"][key]["source"].as_str().unwrap().to_owned();
    assert_eq!(source("agents.max"), path);
    assert_eq!(source("log.filter"), "environment DWELL_LOG_FILTER", "the environment goes over the file");
    assert_eq!(source("data.dir"), "flag --data");
    assert_eq!(source("server.listen"), "default");
    assert_eq!(source("openai.api_key"), "environment OPENAI_API_KEY");
    let plain = program.run(&["config", "--config", path]).await.stdout;
    assert!(!plain.contains("sk-secret") && plain.contains("(set, not shown)"), "{plain}");
    assert!(plain.contains("agents.max = 7"), "{plain}");
}

#[tokio::test]
async fn a_wrong_configuration_is_named_and_nothing_starts() {
    let program = program();
    let file = program.folder().join("my.toml");
    for (text, part) in [
        ("[limits]\nturnz_max = 7", "no setting `limits.turnz_max`"),
        ("[limits]\nturns_max = 7", "no setting `limits.turns_max`"),
        ("[agents]\nmax = \"many\"", "`agents.max` is a integer, not a string"),
        ("[agents]\nmax = 0", "nonzero"),
        ("[limits", "my.toml"),
        ("[limits]\nrequests_burst_max = 0", "requests_burst_max"),
        ("[log]\nformat = \"loud\"", "unknown variant `loud`"),
        ("[[alerts.channels]]\nkind = \"pigeon\"", "`pigeon`"),
        (
            "[[alerts.channels]]\nkind = \"ntfy\"\nserver = \"https://ntfy.sh\"",
            "the channel `ntfy` of `alerts.channels`",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        let refused = program.run(&["serve", "--config", file.to_str().unwrap()]).await;
        assert_eq!(refused.code(), 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    // What only a start can check.
    for (text, part) in [
        ("kind = \"home\"\nservice = \"notify.phone\"", "`kind` needs a home: `home.enabled` is off"),
        ("kind = \"ntfy\"\nserver = \"https://ntfy.sh\"\ntopic = \"env:NOT_SET\"", "`topic` names the environment"),
    ] {
        std::fs::write(&file, format!("[[alerts.channels]]\n{text}")).unwrap();
        let refused = program.run(&["serve", "--listen", "127.0.0.1:0", "--config", file.to_str().unwrap()]).await;
        assert!(refused.code() != 0 && refused.stderr.contains(part), "{}", refused.stderr);
    }
    let missing = program.run(&["serve", "--config", "/nowhere/x.toml"]).await;
    assert!(missing.code() == 2 && missing.stderr.contains("/nowhere/x.toml"), "{}", missing.stderr);
}

#[tokio::test]
async fn a_folder_in_use_and_a_foreign_journal_are_refused() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (_model, program, server) = started().await;
    let second = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(second.code(), 1);
    assert!(second.stderr.contains("in use by another Dwell"), "{}", second.stderr);
    assert!(second.stderr.contains(&server.pid().to_string()), "{}", second.stderr);
    server.stop().await;
    let journal = program.folder().join("journal.db");
    std::fs::write(&journal, "my diary").unwrap();
    let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(refused.code(), 1);
    assert!(refused.stderr.contains("is not a Dwell journal"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(journal).unwrap(), "my diary");
}

#[tokio::test]
async fn ctrl_c_cancels_the_answer() {
    let (model, program, server) = started().await;
    model.push(Reply::text("one two three").stall_after(1));
    let asking =
        program.command(&["ask", "--session", "c", "count"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    model.until(|model| model.in_flight() == 1).await;
    let pid = asking.id().unwrap();
    // Ctrl-C is sent only after the first words are printed.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    tokio::process::Command::new("sh").arg("-c").arg(format!("kill -INT {pid}")).status().await.unwrap();
    let output = asking.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    model.until(|model| model.aborted() == 1).await;
    let sessions = server.rest().get("/api/v1/sessions").await.ok();
    assert_eq!(sessions["data"][0]["stats"]["cancelled"], 1);
}

#[tokio::test]
async fn a_reader_that_leaves_early_is_no_crash() {
    let program = program();
    let mut listing = program.command(&["config"]);
    let mut listing =
        listing.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(listing.stdout.take());
    let output = listing.wait_with_output().await.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_ne!(output.status.code(), Some(101));
}
