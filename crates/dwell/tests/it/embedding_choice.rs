//! Embedding models as a choice: the list, wrong names, and another model on an existing data
//! folder. Tests with real models print that they were skipped where these are not on this machine.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use testkit::{Program, RestClient};

use crate::program;

const ENGLISH: &str = "all-minilm-l6-v2-int8";
const MULTILINGUAL: &str = "use-multilingual-v3";

/// Puts a model into the data folder as `dwell setup` does; false where it is not on this machine.
#[allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests are told where the models are, and say if not"
)]
fn install(program: &Program, name: &str) -> bool {
    let models = std::env::var_os("DWELL_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models"), PathBuf::from);
    let Ok(files) = fs::read_dir(models.join(name)) else {
        eprintln!("SKIPPED: there is no model {name} in {}; `dwell setup --model` fetches it", models.display());
        return false;
    };
    let to = program.folder().join("models").join(name);
    fs::create_dir_all(&to).unwrap();
    for file in files {
        let path = file.unwrap().path();
        std::os::unix::fs::symlink(fs::canonicalize(&path).unwrap(), to.join(path.file_name().unwrap())).unwrap();
    }
    true
}

async fn settle(rest: &RestClient) -> Value {
    rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 60_000 })).await.ok()
}

/// The texts that are found by meaning alone, the best first.
async fn found(rest: &RestClient, query: &str) -> Vec<String> {
    let body = json!({ "query": query, "mode": "semantic", "levels": ["entry"] });
    let found = rest.post("/api/v1/memories/search", body).await.ok();
    assert!(found.get("notices").is_none(), "{found}");
    let items = found["items"].as_array().unwrap().iter();
    items.map(|item| item["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_models_are_listed_and_a_wrong_name_names_them() {
    let program = program();
    let listed = program.run(&["setup", "--list"]).await;
    assert_eq!(listed.code(), 0, "{}", listed.stderr);
    for part in ["all-minilm-l6-v2  (chosen, not installed)", ENGLISH, MULTILINGUAL, "32 MB", "German", "Apache-2.0"] {
        assert!(listed.stdout.contains(part), "{part}: {}", listed.stdout);
    }
    let wrong = program.run(&["setup", "--model", "bert"]).await;
    assert_eq!(wrong.code(), 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("`bert`") && wrong.stderr.contains(MULTILINGUAL), "{}", wrong.stderr);
    let program = program.with("DWELL_MEMORY_EMBEDDING", "bert");
    let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert_ne!(refused.code(), 0);
    for part in ["`memory.embedding` is wrong", "`bert`", MULTILINGUAL] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
}

#[tokio::test]
async fn another_model_embeds_what_is_stored_anew() {
    let program = program();
    if !install(&program, ENGLISH) || !install(&program, MULTILINGUAL) {
        return;
    }
    let choose = async |name: &str| {
        let chosen = program.run(&["setup", "--model", name]).await;
        assert_eq!(chosen.code(), 0, "{}", chosen.stderr);
        assert!(chosen.stdout.contains("already") && chosen.stdout.contains("next start"), "{}", chosen.stdout);
        let listed = program.run(&["setup", "--list"]).await.stdout;
        assert!(listed.contains(&format!("{name}  (installed, in use)")), "{listed}");
    };
    let statements = [
        "Meine Schwester Clara wohnt in Lissabon.",
        "Ich bin gegen Erdnüsse allergisch.",
        "Das Auto muss am Donnerstag in die Werkstatt.",
        "Ich spiele Cello in einem Laienorchester.",
        "I work as a nurse in a hospital.",
    ];
    choose(ENGLISH).await;
    let server = program.start().await;
    let rest = server.rest();
    let vault = rest.post("/api/v1/vaults", json!({ "title": "notes" })).await.ok();
    let vault = format!("/api/v1/vaults/{}/memories", vault["vault_id"].as_str().unwrap());
    let memory = rest.post(&vault, json!({ "title": "notes" })).await.ok();
    let path = format!("{vault}/{}/entries", memory["memory_id"].as_str().unwrap());
    for statement in statements {
        rest.post(&path, json!({ "raw_entry": statement })).await.ok();
    }
    settle(&rest).await;
    assert_eq!(found(&rest, "What is my profession?").await[0], statements[4]);
    assert!(rest.get("/v1/models").await.ok().to_string().contains(ENGLISH));
    assert_eq!(server.stop().await.code(), Some(0));

    choose(MULTILINGUAL).await;
    let server = program.start().await;
    let rest = server.rest();
    settle(&rest).await;
    for (question, statement) in [
        ("Which food makes me ill?", 1),
        ("When is the vehicle repaired?", 2),
        ("De quel instrument est-ce que je joue ?", 3),
        ("¿Cuál es mi profesión?", 4),
    ] {
        assert_eq!(found(&rest, question).await[0], statements[statement], "{question}");
    }
    let vector = rest.post("/v1/embeddings", json!({ "model": MULTILINGUAL, "input": "hello" })).await.ok();
    assert_eq!(vector["data"][0]["embedding"].as_array().unwrap().len(), 512);
    let other = rest.post("/api/embed", json!({ "model": "all-minilm", "input": "hello" })).await;
    assert_eq!(other.status, 404, "the name of another model: {}", other.body);
    assert_eq!(server.stop().await.code(), Some(0));

    choose(ENGLISH).await;
    let server = program.start().await;
    let rest = server.rest();
    settle(&rest).await;
    assert_eq!(found(&rest, "What is my profession?").await[0], statements[4], "and back again");
}
