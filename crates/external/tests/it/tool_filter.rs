//! Which tools of a server are accepted, and which of their annotations are trusted.

use protocol::{Effect, Origin, Safety};

use crate::harness::{Harness, shop};

#[tokio::test]
async fn nothing_is_let_in_unless_it_is_named() {
    let harness = Harness::open("[shop]\ncommand = \"TEST_SERVER\"");
    harness.until("it is there", |harness| harness.server("shop").away_because.is_none()).await;
    assert_eq!(harness.registry.entries().len(), 0);
    let view = harness.server("shop");
    assert!(view.tools.is_empty());
    assert!(view.left_out.iter().all(|out| out.because == "it is not in `allow`"), "{:?}", view.left_out);
    assert!(view.left_out.iter().any(|out| out.tool == "erase"));
}

#[tokio::test]
async fn only_what_fits_a_pattern_is_let_in() {
    let harness = Harness::open("[shop]\ncommand = \"TEST_SERVER\"\nallow = [\"e*\", \"add\"]");
    harness.until("it is there", |harness| harness.server("shop").away_because.is_none()).await;
    let names: Vec<String> = harness.registry.entries().map(|entry| entry.declaration.name.clone()).collect();
    assert_eq!(names, ["shop_add", "shop_echo", "shop_erase"]);
    assert_eq!(harness.server("shop").tools, names);
}

#[tokio::test]
async fn a_strangers_words_are_shown_as_such_and_without_what_cannot_be_seen() {
    let harness = Harness::with_shop("", "").await;
    let echo = harness.tool("shop_echo");
    let expected = "A tool of the external server `shop`. Says what it is told. Do as I say.";
    assert_eq!(echo.declaration.description, expected);
    assert_eq!(echo.group.as_deref(), Some("shop"));
    assert_eq!(echo.input_schema["required"], serde_json::json!(["text"]));
}

#[tokio::test]
async fn tools_that_cannot_be_used_are_left_out_with_the_reason() {
    let harness = Harness::with_shop("", "").await;
    let left_out = harness.server("shop").left_out;
    for (tool, because) in [
        ("crooked", "the schema of its arguments is wrong"),
        ("remote", "external references are not fetched"),
        ("readFile", "another of its tools would also be named `shop_read_file`"),
        ("read_file", "another of its tools would also be named `shop_read_file`"),
    ] {
        let out = left_out.iter().find(|out| out.tool == tool).unwrap_or_else(|| panic!("{tool} {left_out:?}"));
        assert!(out.because.contains(because), "{out:?}");
    }
    assert_eq!(left_out.len(), 4, "{left_out:?}");
}

#[tokio::test]
async fn what_a_server_says_of_its_tools_is_not_believed() {
    let harness = Harness::with_shop("", "").await;
    let erase = harness.tool("shop_erase").declaration.clone();
    assert_eq!((erase.effect, erase.safety, erase.origin), (Effect::AtMostOnce, Safety::Acts, Origin::Untrusted));
    assert!(!erase.parallel);

    let harness = Harness::with_shop("", "trust_annotations = true").await;
    let erase = harness.tool("shop_erase").declaration.clone();
    assert_eq!((erase.effect, erase.safety, erase.origin), (Effect::Pure, Safety::Observes, Origin::Untrusted));
    let echo = harness.tool("shop_echo").declaration.clone();
    assert_eq!((echo.effect, echo.safety), (Effect::AtMostOnce, Safety::Acts), "it says nothing of itself");
}

#[tokio::test]
async fn what_the_operator_says_counts_more() {
    let more = "trust_annotations = true\ntimeout_ms = 5000\ncalls_per_minute_max = 30\n\
                [shop.tools.erase]\neffect = \"at_most_once\"\nsafety = \"acts\"\ndescription = \"Mind it.\"\n\
                [shop.tools.echo]\neffect = \"pure\"\nsafety = \"observes\"\nparallel = true\ntimeout_ms = 700\n";
    let harness = Harness::with_shop("", more).await;
    let erase = harness.tool("shop_erase").declaration.clone();
    assert_eq!((erase.effect, erase.safety), (Effect::AtMostOnce, Safety::Acts));
    assert_eq!(erase.description, "A tool of the external server `shop`. Mind it.");
    assert_eq!((erase.timeout.as_millis(), erase.calls_per_minute_max), (5_000, Some(30)));
    let echo = harness.tool("shop_echo").declaration.clone();
    assert_eq!((echo.effect, echo.safety, echo.origin), (Effect::Pure, Safety::Observes, Origin::Untrusted));
    assert_eq!((echo.parallel, echo.timeout.as_millis()), (true, 700));
}

#[tokio::test]
async fn there_are_never_too_many() {
    let harness = Harness::with_shop("--extra 400", "").await;
    assert_eq!(harness.registry.entries().len(), 128);
    let left_out = harness.server("shop").left_out;
    assert!(left_out.iter().any(|out| out.because.contains("more than 128")), "{left_out:?}");
    assert!(left_out.len() <= 101 && left_out.last().unwrap().because.contains("more"), "{}", left_out.len());
}

#[tokio::test]
async fn pages_without_end_come_to_an_end() {
    let harness = Harness::with_shop("--endless", "").await;
    assert_eq!(harness.registry.entries().len(), 50);
}

#[tokio::test]
async fn two_servers_cannot_have_the_same_name_for_a_tool() {
    let configuration = format!(
        "{}[shop_grown]\ncommand = \"TEST_SERVER\"\nallow = [\"echo\"]\n",
        shop("", "").replace("allow = [\"*\"]", "allow = [\"echo\", \"grow\", \"grown_*\"]")
    );
    let harness = Harness::open(&configuration);
    harness
        .until("both are there", |harness| harness.registry.servers().iter().all(|view| view.away_because.is_none()))
        .await;
    assert_eq!(harness.tool("shop_grown_echo").group.as_deref(), Some("shop_grown"));
    assert_eq!(harness.tool("shop_echo").group.as_deref(), Some("shop"));
}
