//! Embeddings over OpenAI's and Ollama's APIs. Tests with the model print that they were skipped
//! where it is not on this machine.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::{Program, RestClient};

use crate::{ollama::address, program, sdk::ClientScript};

const PATH: &str = "/v1/embeddings";
const MODEL: &str = "all-minilm-l6-v2";

/// The program with the embedding model, where the model is on this machine.
#[allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests are told where the models are, and say if not"
)]
pub(crate) fn with_embeddings() -> Option<Program> {
    let models = std::env::var_os("DWELL_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models"), PathBuf::from);
    let folder = models.join(MODEL);
    if !folder.join("model.safetensors").exists() {
        eprintln!("SKIPPED: there is no model in {}; `dwell setup --to` fetches it", models.display());
        return None;
    }
    Some(program().with("DWELL_MEMORY_EMBEDDING_DIR", folder.to_str().unwrap()))
}

fn numbers(vector: &Value) -> Vec<f64> {
    vector.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn likeness(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The status and the message of a refused request.
async fn refused(rest: &RestClient, path: &str, body: Value) -> (u16, String) {
    let answer = rest.post(path, body).await;
    let error = &answer.body["error"];
    let message = error["message"].as_str().or(error.as_str());
    (answer.status, message.unwrap_or_else(|| panic!("{}", answer.body)).to_owned())
}

#[tokio::test]
async fn without_a_model_the_answer_says_how_to_get_one() {
    let server = program().start().await;
    let rest = server.rest();
    for (path, body) in [
        (PATH, json!({ "model": MODEL, "input": "hello" })),
        ("/api/embed", json!({ "model": MODEL, "input": ["hello"] })),
        ("/api/embeddings", json!({ "model": MODEL, "prompt": "hello" })),
    ] {
        let (status, message) = refused(&rest, path, body).await;
        assert!(status == 404 && message.contains("dwell setup"), "{path}: {status} {message}");
    }
    for (what, body) in [
        ("tokens", json!({ "model": MODEL, "input": [1, 2, 3] })),
        ("tokens", json!({ "model": MODEL, "input": [[1, 2, 3]] })),
        ("`input`", json!({ "model": MODEL, "input": "" })),
        ("`input`", json!({ "model": MODEL, "input": { "text": "hello" } })),
        ("input", json!({ "model": MODEL })),
        ("`encoding_format`", json!({ "model": MODEL, "input": "hello", "encoding_format": "hex" })),
        ("`dimensions`", json!({ "model": MODEL, "input": "hello", "dimensions": 0 })),
    ] {
        let (status, message) = refused(&rest, PATH, body.clone()).await;
        assert!(status == 400 && message.contains(what), "{body}: {status} {message}");
    }
    let many = json!({ "model": MODEL, "input": vec!["hello"; 2_049] });
    assert_eq!(refused(&rest, PATH, many).await.0, 413);
}

#[tokio::test]
async fn texts_become_vectors_on_both_apis() {
    let Some(program) = with_embeddings() else { return };
    let server = program.start().await;
    let rest = server.rest();
    let texts = ["The cat sleeps on the sofa.", "A kitten naps on the couch.", "Interest rates rose again."];
    let answer = rest.post(PATH, json!({ "model": MODEL, "input": texts })).await.ok();
    assert_eq!((&answer["object"], &answer["model"]), (&json!("list"), &json!(MODEL)));
    let vectors: Vec<Vec<f64>> =
        answer["data"].as_array().unwrap().iter().map(|one| numbers(&one["embedding"])).collect();
    assert!(vectors.iter().all(|vector| vector.len() == 384 && (likeness(vector, vector) - 1.0).abs() < 1e-3));
    assert!(likeness(&vectors[0], &vectors[1]) > likeness(&vectors[0], &vectors[2]) + 0.2);
    assert_eq!(answer["data"][2]["index"], 2);
    let tokens = answer["usage"]["prompt_tokens"].as_u64().unwrap();
    assert!((20..40).contains(&tokens) && answer["usage"]["total_tokens"] == tokens, "{}", answer["usage"]);

    let one = |more: Value| {
        let mut body = json!({ "model": "dwell", "input": texts[0] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let short = rest.post(PATH, one(json!({ "dimensions": 64 }))).await.ok();
    let short = numbers(&short["data"][0]["embedding"]);
    assert!(short.len() == 64 && (likeness(&short, &short) - 1.0).abs() < 1e-3);
    let base64 = rest.post(PATH, one(json!({ "encoding_format": "base64" }))).await.ok();
    assert_eq!(base64["data"][0]["embedding"].as_str().unwrap().len(), 2_048, "384 numbers of four bytes");
    let (status, message) = refused(&rest, PATH, one(json!({ "dimensions": 1_536 }))).await;
    assert!(status == 400 && message.contains("384"), "{message}");
    let (status, message) = refused(&rest, PATH, json!({ "model": "text-embedding-3-small", "input": "x" })).await;
    assert!(status == 404 && message.contains(MODEL), "{message}");
    let long = "word ".repeat(400);
    let (status, message) = refused(&rest, PATH, json!({ "model": MODEL, "input": ["short", long] })).await;
    assert!(status == 400 && message.contains("text 1 has 402 tokens"), "{message}");
    let listed = rest.get("/v1/models").await.ok();
    assert!(listed["data"].as_array().unwrap().iter().any(|model| model["id"] == MODEL), "{listed}");
    assert_eq!(rest.get(&format!("/v1/models/{MODEL}")).await.ok()["context_length"], 256);

    let ollama = rest.post("/api/embed", json!({ "model": "all-minilm", "input": texts })).await.ok();
    assert_eq!(numbers(&ollama["embeddings"][0]), vectors[0]);
    assert_eq!((&ollama["prompt_eval_count"], &ollama["model"]), (&json!(tokens), &json!("all-minilm")));
    let old = rest.post("/api/embeddings", json!({ "model": MODEL, "prompt": texts[1] })).await.ok();
    assert_eq!(numbers(&old["embedding"]), vectors[1]);
    let cut = json!({ "model": MODEL, "input": long });
    assert_eq!(rest.post("/api/embed", cut).await.ok()["prompt_eval_count"], 256, "a long text is cut");
    let (status, message) =
        refused(&rest, "/api/embed", json!({ "model": MODEL, "input": long, "truncate": false })).await;
    assert!(status == 400 && message.contains("256"), "{message}");
    assert_eq!(rest.post("/api/embed", json!({ "model": MODEL, "input": "" })).await.ok()["embeddings"], json!([]));
    let shown = rest.post("/api/show", json!({ "model": MODEL })).await.ok();
    assert_eq!(shown["capabilities"], json!(["embedding"]));
    let ready = rest.get("/api/ps").await.ok();
    assert!(
        ready["models"].as_array().unwrap().iter().any(|model| model["name"] == format!("{MODEL}:latest")),
        "{ready}"
    );

    ClientScript::Python("openai_embeddings.py").run(&[server.url(), "test-token-0123456789"]).await;
    ClientScript::Python("ollama_embeddings.py").run(&[&address(&program).await]).await;
}
