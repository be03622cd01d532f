//! `dwell memory`: its output and its exit codes.

use serde_json::{Value, json};
use testkit::Program;

use super::{NOWHERE, entry, memory};
use crate::{program, started};

async fn run(program: &Program, arguments: &[&str]) -> testkit::CommandOutput {
    program.run(&[&["memory"], arguments].concat()).await
}

/// The output of a command that must succeed.
async fn printed(program: &Program, arguments: &[&str]) -> String {
    let finished = run(program, arguments).await;
    assert_eq!(finished.code(), 0, "{arguments:?}: {}", finished.stderr);
    finished.stdout
}

async fn json_of(program: &Program, arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(program, &[arguments, &["--json"]].concat()).await).unwrap()
}

#[tokio::test]
async fn the_profile_is_set_shown_corrected_and_forgotten() {
    let (_model, program, _server) = started().await;
    assert_eq!(printed(&program, &["profile"]).await, "the profile is empty\n");
    let set = printed(&program, &["set", "diet", "vegetarian", "--priority", "80"]).await;
    assert!(set.contains("80  diet: vegetarian"), "{set}");
    let line = json_of(&program, &["set", "diet", "vegan"]).await;
    let profile = printed(&program, &["profile"]).await;
    assert!(profile.contains("diet: vegan") && !profile.contains("vegetarian"), "{profile}");
    let history = printed(&program, &["history", "diet"]).await;
    let lines: Vec<&str> = history.lines().collect();
    assert!(lines[0].ends_with("diet: vegan") && lines[1].contains("diet: vegetarian  (until 20"), "{history}");

    let id = line["fact_id"].as_str().unwrap();
    let right = printed(&program, &["correct", id, "vegan", "at", "home"]).await;
    assert!(right.contains("vegan at home"), "{right}");
    let gone = printed(&program, &["forget", "--key", "diet", "--yes"]).await;
    assert!(gone.starts_with("forgotten: 3 items"), "{gone}");
    assert_eq!(run(&program, &["history", "diet"]).await.code(), 1, "there is nothing any more");
}

#[tokio::test]
async fn what_is_remembered_is_listed_and_found() {
    let (_model, program, server) = started().await;
    assert_eq!(printed(&program, &["list"]).await, "no memories yet\n");
    let memory = memory(&server.rest()).await;
    let one = entry(&server.rest(), &memory, 3, "The boiler is serviced by Hartmann.").await;
    entry(&server.rest(), &memory, 4, "The roses opened early.").await;
    let id = one["entry_id"].as_str().unwrap();
    let list = printed(&program, &["list", "--level", "entry"]).await;
    assert!(list.contains(&format!("{id}  2026-05-03  entry    user: The boiler is serviced by Hartmann.")), "{list}");
    assert_eq!(json_of(&program, &["list", "--limit", "1"]).await["items"].as_array().unwrap().len(), 1);

    let found = printed(&program, &["search", "who", "services", "the", "boiler?", "--mode", "lexical"]).await;
    assert!(found.lines().next().unwrap().contains("Hartmann"), "{found}");
    assert!(!found.contains("relevance"), "{found}");
    let explained = printed(&program, &["search", "boiler", "--scores"]).await;
    assert!(explained.contains("relevance") && explained.contains("(lexical "), "{explained}");
    assert_eq!(printed(&program, &["search", "zeppelin", "--mode", "lexical"]).await, "no results\n");

    let vaults = printed(&program, &["vaults"]).await;
    assert!(vaults.contains("  house\n") && vaults.contains("  garden\n"), "{vaults}");
    assert!(printed(&program, &["wait"]).await.starts_with("everything written so far can be found\n"));
    let audit = printed(&program, &["audit"]).await;
    assert!(audit.contains("     2  entry\n") && audit.contains("secrets: 0\n"), "{audit}");
    printed(&program, &["forget", id]).await;
    assert!(!printed(&program, &["list"]).await.contains("Hartmann"), "without a terminal it does not ask");
}

#[tokio::test]
async fn the_window_of_a_conversation_is_shown_by_name() {
    let (_model, program, _server) = started().await;
    program.run(&["ask", "--session", "kitchen", "Is the oven on?"]).await;
    let window = printed(&program, &["window", "kitchen"]).await;
    assert!(window.contains(" messages, ") && window.contains(" % used"), "{window}");
    assert!(json_of(&program, &["window", "kitchen"]).await["tokens"].as_u64().unwrap() > 0);
    assert_eq!(run(&program, &["window", "cellar"]).await.code(), 1);
}

#[tokio::test]
async fn files_go_in_and_come_out() {
    let (_model, program, _server) = started().await;
    let file = |name: &str| program.folder().join(name).to_str().unwrap().to_owned();
    let chat = [
        json!({ "role": "user", "content": "Where is the stopcock?" }),
        json!({ "role": "assistant", "content": "Below the stairs." }),
    ];
    std::fs::write(file("chat.jsonl"), format!("{}\n{}\n", chat[0], chat[1])).unwrap();
    let took = printed(&program, &["ingest", &file("chat.jsonl"), "--title", "stopcock", "--vault", "calls"]).await;
    assert!(took.starts_with("2 messages imported, 0 already known\n1 memories created"), "{took}");
    assert!(printed(&program, &["vaults"]).await.contains("  stopcock\n"));
    let again = json_of(&program, &["ingest", &file("chat.jsonl"), "--title", "stopcock", "--vault", "calls"]).await;
    assert_eq!((&again["entries"], &again["known"]), (&json!(0), &json!(2)), "{again}");

    let export = run(&program, &["export", &file("all.json")]).await;
    assert!(export.code() == 0 && export.stderr.contains("2 entries"), "{}", export.stderr);
    let archive: Value = serde_json::from_str(&printed(&program, &["export"]).await).unwrap();
    assert_eq!(archive["format"], "dwell.memory");
    let (_other_model, other, _other_server) = started().await;
    let new = printed(&other, &["import", &file("all.json")]).await;
    assert!(new.starts_with("new: 1 vaults, 1 memories, 2 entries"), "{new}");

    std::fs::write(file("diary.txt"), "my diary").unwrap();
    let unreadable = run(&program, &["ingest", &file("diary.txt")]).await;
    assert_eq!(unreadable.code(), 2);
    assert!(unreadable.stderr.contains("diary.txt"), "{}", unreadable.stderr);
    assert_eq!(run(&program, &["import", &file("diary.txt")]).await.code(), 2);
    assert_eq!(run(&program, &["import", &file("nowhere.json")]).await.code(), 2);
}

#[tokio::test]
async fn exit_codes_tell_what_went_wrong() {
    let none = program();
    assert_eq!(run(&none, &["list"]).await.code(), 3, "no server");
    let (_model, program, _server) = started().await;
    for usage in [
        &["search"][..],
        &["forget"],
        &["forget", "nonsense"],
        &["correct", "nonsense", "x"],
        &["set", "diet", "vegan", "--priority", "101"],
        &["list", "--level", "dream"],
    ] {
        assert_eq!(run(&program, usage).await.code(), 2, "{usage:?}");
    }
    for missing in [&["correct", NOWHERE, "x"][..], &["forget", NOWHERE], &["forget", "--key", "x"], &["history", "x"]]
    {
        assert_eq!(run(&program, missing).await.code(), 1, "{missing:?}");
    }
    let wrong = program.command(&["memory", "list"]).env("DWELL_TOKEN", "wrong").output().await.unwrap();
    assert_eq!(wrong.status.code(), Some(4), "refused");
}
