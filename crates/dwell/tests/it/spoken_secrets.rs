//! Secrets that a user states in plain words, and every secret of the configuration.

use serde_json::json;
use testkit::{ModelServer, Program, Reply};

use crate::{harness::last, program, started};

#[tokio::test]
async fn a_password_told_in_a_sentence_is_kept_nowhere() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let aws = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    let told = [
        ("By the way, my password is swordfish.", "swordfish"),
        ("The wifi password is Sommer2024!", "Sommer2024"),
        ("mein Passwort ist Geheim4711", "Geheim4711"),
        ("Das Kennwort für das WLAN lautet Gast-9876", "Gast-9876"),
        (&format!("for aws use AKIAIOSFODNN7EXAMPLE and {aws}"), aws),
    ];
    for (message, secret) in told {
        model.push(Reply::text(format!("I will not repeat that the password is {secret}.")));
        let turn = rest.send(&session, message).await;
        let turn = rest.ended(&turn).await;
        assert!(!turn.to_string().contains(secret) && turn.to_string().contains("[redacted"), "{turn}");
        assert!(!last(&model).raw().to_string().contains(secret), "{}", last(&model).raw());
    }
    // A message that only talks about a password is left unchanged.
    let message = "my password is too long, mein Passwort ist falsch";
    model.push(Reply::text("Then the password is wrong."));
    let turn = rest.send(&session, message).await;
    assert_eq!(rest.ended(&turn).await["text"], "Then the password is wrong.");
    assert!(last(&model).last_user().contains(message), "{}", last(&model).last_user());
    let export = rest.text(&format!("/api/v1/sessions/{session}/export")).await;
    let memory = rest.get("/api/v1/memories/export").await.ok().to_string();
    server.stop().await;
    let files =
        ["journal.db", "journal.db-wal"].map(|name| std::fs::read(program.folder().join(name)).unwrap_or_default());
    let kept = String::from_utf8_lossy(&files.concat()).into_owned();
    for (_, secret) in told {
        assert!(![&export, &memory, &kept].iter().any(|text| text.contains(secret)), "{secret}");
    }
}

/// The program with a secret in every setting that can hold one.
fn with_secrets() -> (Program, Vec<String>) {
    let (mut program, mut secrets) = (program(), Vec::new());
    for name in [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
        "BRAVE_API_KEY",
    ] {
        let secret = format!("given-{}-0123456789", name.to_lowercase().replace('_', "-"));
        program = program.with(name, &secret);
        secrets.push(secret);
    }
    program = program.with("SEARXNG_URL", "http://ada:given-searxng@127.0.0.1:9/?token=given-query");
    program = program.with("OPENAI_BASE_URL", "http://ada:given-openai@127.0.0.1:9/v1");
    secrets.extend(["given-searxng", "given-query", "given-openai", "test-token-0123456789"].map(str::to_owned));
    (program, secrets)
}

#[tokio::test]
async fn no_secret_of_the_settings_is_shown_whichever_it_is() {
    let (program, mut secrets) = with_secrets();
    let server = program.start().await;
    let shown = server.rest().get("/api/v1/config").await.ok();
    let setting = |key: &str| {
        let settings = shown["data"].as_array().unwrap();
        settings.iter().find(|setting| setting["key"] == key).unwrap()["value"].clone()
    };
    assert_eq!(setting("research.brave_api_key"), "(set, not shown)");
    assert_eq!(setting("research.searxng_url"), "http://…@127.0.0.1:9/?…");
    assert_eq!(setting("home.token"), "", "what is not set is seen to be so");
    assert_eq!(setting("limits.failed_entries_peer_max"), 60);
    for secret in &secrets {
        assert!(!shown.to_string().contains(secret), "{secret} is shown: {shown}");
    }
    server.stop().await;
    // External servers can only be configured in the file.
    let file = program.folder().join("config.toml");
    let servers = "[mcp.servers.files]\ncommand = \"mcp-files\"\nenv = { LOG = \"given-env\" }\n\
                   [mcp.servers.shop]\nurl = \"https://shop.example/mcp?key=given-key\"\n\
                   headers = { X-Region = \"given-header\" }\n";
    std::fs::write(&file, servers).unwrap();
    secrets.extend(["given-env", "given-key", "given-header"].map(str::to_owned));
    for arguments in [&["config"][..], &["config", "--json"]] {
        let arguments = [arguments, &["--config", file.to_str().unwrap()]].concat();
        let shown = program.run(&arguments).await;
        assert_eq!(shown.code(), 0, "{}", shown.stderr);
        assert!(shown.stdout.contains("shop.example/mcp") && shown.stdout.contains("X-Region"), "{}", shown.stdout);
        for secret in &secrets {
            assert!(!shown.stdout.contains(secret), "{secret} is shown: {}", shown.stdout);
        }
    }
}

#[tokio::test]
async fn every_secret_of_the_settings_is_redacted() {
    let model = ModelServer::start().await;
    let (program, secrets) = with_secrets();
    let server = program.with_model(&model).start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let known: Vec<&String> = secrets.iter().filter(|secret| secret.ends_with("0123456789")).collect();
    model.push(Reply::text("I see."));
    let message = known.iter().filter(|secret| !secret.contains("openai-api")).map(|secret| secret.as_str());
    let turn = rest.send(&session, &message.collect::<Vec<_>>().join(" and ")).await;
    rest.ended(&turn).await;
    let said = json!(last(&model).last_user()).to_string();
    assert!(!said.contains("given-") && said.contains("[redacted]"), "{said}");
}
