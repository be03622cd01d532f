//! Calls that fail: unknown tools, invalid arguments, tools that hang or panic.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Safety};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tools::{CallContext, CallLookup, Declaration, Registry, Rules, Tool, look_up, run, view};

use crate::harness::{Harness, context};

/// A tool whose behaviour the arguments choose.
struct ScriptedTool {
    effect: Effect,
    ended: Arc<AtomicBool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    how: ToolBehaviour,
    #[serde(default)]
    service: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ToolBehaviour {
    Answer,
    Hang,
    Panic,
}

/// Records that it was dropped.
struct DropFlag(Arc<AtomicBool>);

impl Drop for DropFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[async_trait]
impl Tool for ScriptedTool {
    type Input = Input;
    type Output = Option<u32>;

    fn declaration(&self) -> Declaration {
        let timeout = Duration::from_secs(5);
        Declaration { effect: self.effect, timeout, ..Declaration::new("odd", "Does as it is told.") }
    }

    async fn call(&self, input: Input, _context: &CallContext) -> Result<Option<u32>, ToolFailure> {
        let _guard = DropFlag(self.ended.clone());
        match input.how {
            ToolBehaviour::Answer => Ok(Some(7)),
            ToolBehaviour::Hang => std::future::pending().await,
            ToolBehaviour::Panic => panic!("a bug with a secret in it"),
        }
    }

    async fn look_up(&self, input: Input, _context: &CallContext) -> Result<CallLookup<Option<u32>>, ToolFailure> {
        match input.how {
            ToolBehaviour::Answer => Ok(CallLookup::Happened(Some(7))),
            ToolBehaviour::Hang => std::future::pending().await,
            ToolBehaviour::Panic => Ok(CallLookup::DidNotHappen),
        }
    }

    fn scope(&self, input: &Input) -> Option<String> {
        input.service.clone()
    }
}

fn odd(effect: Effect) -> (Registry, Arc<AtomicBool>) {
    let ended = Arc::new(AtomicBool::new(false));
    let mut registry = Registry::default();
    registry.add(ScriptedTool { effect, ended: ended.clone() }).unwrap();
    (registry, ended)
}

async fn fails(effect: Effect, how: &str) -> ToolFailure {
    let (registry, _) = odd(effect);
    run(&registry.get("odd").unwrap(), json!({"how": how}), context("1")).await.unwrap_err()
}

#[tokio::test]
async fn an_unknown_tool_is_told_what_there_is() {
    let harness = Harness::new().await;
    for (name, near) in [
        ("calculater", Some("did you mean `calculator`?")),
        ("artifact_reed", Some("`artifact_read`")),
        ("time", Some("`current_time`")),
        ("launch_rockets_now", None),
    ] {
        let told = harness.registry.check(name, &json!({})).err().unwrap();
        assert!(told.starts_with(&format!("there is no tool `{name}`")), "{told}");
        assert_eq!(told.contains("did you mean"), near.is_some(), "{told}");
        assert!(told.contains(near.unwrap_or_default()), "{told}");
        assert!(told.contains("Available: artifact_list, artifact_read"), "{told}");
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_what_would() {
    let harness = Harness::new().await;
    for (arguments, what) in [
        (json!({}), "missing field `expression`"),
        (json!(null), "missing field `expression`"),
        (json!({"expression": 4}), "invalid type: integer `4`, expected a string"),
        (json!({"expression": "1", "precision": 2}), "unknown field `precision`"),
        (json!(["1 + 1"]), "have to be a JSON object"),
        (json!("{\"expression\": 1 +"), "the arguments are not valid JSON (expected"),
        (json!("{\"expression\": \"1\"}"), "not a string with one inside"),
    ] {
        let told = harness.registry.check("calculator", &arguments).err().unwrap();
        assert!(told.contains(what), "{told}");
        assert!(told.ends_with("`calculator` needs `expression` (string)"), "{told}");
    }
    let told = harness.registry.check("artifact_save", &json!({})).err().unwrap();
    let fields = "`artifact_save` needs `name` (string), `content` (string) and may have `media_type` (string)";
    assert!(told.ends_with(fields), "{told}");
}

#[tokio::test]
async fn a_checked_call_says_what_it_touches() {
    let (registry, _) = odd(Effect::Pure);
    let checked = registry.check("odd", &json!({"how": "answer", "service": "light.turn_on"})).ok().unwrap();
    assert_eq!(checked.scope.as_deref(), Some("light.turn_on"));
    let output = run(&checked.entry, json!({"how": "answer"}), context("1")).await.unwrap();
    assert_eq!(output.value, json!(7));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_given_up() {
    for (effect, may_have_happened) in
        [(Effect::Pure, false), (Effect::Idempotent, true), (Effect::Verifiable, true), (Effect::AtMostOnce, true)]
    {
        match fails(effect, "hang").await {
            ToolFailure::Failed(why) => {
                assert!(!may_have_happened && why == "`odd` did not answer within 5 s", "{why}")
            }
            ToolFailure::Unknown(why) => {
                assert!(may_have_happened && why.contains("look before trying again"), "{why}")
            }
            ToolFailure::Invalid(why) => panic!("{why}"),
        }
    }
}

#[tokio::test]
async fn a_tool_that_panics_harms_no_other_call() {
    for effect in [Effect::Pure, Effect::AtMostOnce] {
        let (why, is_unknown) = match fails(effect, "panic").await {
            ToolFailure::Failed(why) => (why, false),
            ToolFailure::Unknown(why) => (why, true),
            ToolFailure::Invalid(why) => panic!("{why}"),
        };
        assert!(why.contains("`odd` crashed") && !why.contains("secret"), "{why}");
        assert_eq!(is_unknown, effect == Effect::AtMostOnce, "it may have done something before it broke");
    }
}

#[tokio::test]
async fn dropping_a_call_ends_it() {
    let (registry, ended) = odd(Effect::Pure);
    let entry = registry.get("odd").unwrap();
    let call = run(&entry, json!({"how": "hang"}), context("1"));
    assert!(tokio::time::timeout(Duration::from_millis(20), call).await.is_err());
    while !ended.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn looking_up_has_the_same_bounds() {
    let (registry, _) = odd(Effect::Verifiable);
    let entry = &*registry.get("odd").unwrap();
    let found = look_up(entry, json!({"how": "answer"}), context("1")).await;
    assert!(matches!(found, Ok(CallLookup::Happened(output)) if output.value == json!(7)));
    assert_eq!(look_up(entry, json!({"how": "panic"}), context("1")).await, Ok(CallLookup::DidNotHappen));
    assert!(look_up(entry, json!({"how": "hang"}), context("1")).await.is_err());
}

#[tokio::test]
async fn clients_see_whether_a_tool_can_run() {
    let (registry, _) = odd(Effect::AtMostOnce);
    let entry = &*registry.get("odd").unwrap();
    let off = view(entry, &Rules::default());
    assert!(!off.enabled && off.disabled_because.unwrap().contains("tools.actuation"));
    let on = view(entry, &Rules { actuation: true, ..Rules::default() });
    assert_eq!((on.name.as_str(), on.enabled, on.disabled_because), ("odd", true, None));
    assert_eq!((on.safety, on.effect, on.timeout_ms), (Safety::Acts, Effect::AtMostOnce, 5_000));
    assert_eq!(on.input_schema.get("required"), Some(&Value::from(vec!["how"])));
}
