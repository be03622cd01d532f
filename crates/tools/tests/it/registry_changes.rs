//! Tools that are added and removed at run time.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Effect;
use serde_json::{Value, json};
use tools::{AnyTool, CallContext, CallLookup, Declaration, Error, Output, Registry};

use crate::harness::Harness;

/// A tool of a plugin.
struct PluginTool {
    name: &'static str,
    description: &'static str,
}

#[async_trait]
impl AnyTool for PluginTool {
    fn declaration(&self) -> Declaration {
        Declaration { effect: Effect::Pure, ..Declaration::new(self.name, self.description) }
    }

    fn input_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn output_schema(&self) -> Option<Value> {
        None
    }

    fn scope(&self, _: &Value) -> Result<Option<String>, ToolFailure> {
        Ok(None)
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Output, ToolFailure> {
        Err(ToolFailure::Failed("it does nothing".to_owned()))
    }

    async fn look_up(&self, _: Value, _: &CallContext) -> Result<CallLookup<Output>, ToolFailure> {
        Ok(CallLookup::Unknown)
    }
}

fn brought(names: &[&'static str]) -> Vec<Arc<dyn AnyTool>> {
    names.iter().map(|name| Arc::new(PluginTool { name, description: "Does nothing." }) as Arc<dyn AnyTool>).collect()
}

fn names(registry: &Registry, group: &str) -> Vec<String> {
    let own = registry.entries().filter(|entry| entry.group.as_deref() == Some(group));
    own.map(|entry| entry.declaration.name.clone()).collect()
}

#[tokio::test]
async fn what_a_group_offers_is_replaced_whole_and_nothing_else_is_touched() {
    let registry = Harness::new().await.registry;
    let before = registry.entries().len();
    let elsewhere = registry.clone();
    assert_eq!(registry.replace("shop", brought(&["shop_search", "shop_buy"])), []);
    assert_eq!(registry.replace("post", brought(&["post_send"])), []);
    assert_eq!(names(&elsewhere, "shop"), ["shop_buy", "shop_search"], "clones are the same registry");
    assert_eq!(registry.replace("shop", brought(&["shop_rent"])), []);
    assert_eq!(names(&registry, "shop"), ["shop_rent"]);
    assert_eq!(names(&registry, "post"), ["post_send"]);
    assert_eq!(registry.replace("shop", Vec::new()), []);
    assert_eq!(registry.entries().len(), before + 1);
}

#[tokio::test]
async fn a_name_that_is_taken_is_refused_and_the_others_come_in() {
    let registry = Harness::new().await.registry;
    registry.replace("post", brought(&["post_send"]));
    let refused = registry.replace("shop", brought(&["calculator", "post_send", "Shop", "shop_buy", "shop_buy"]));
    let taken = |name: &str| Error::NameTaken(name.to_owned());
    let expected = [Error::BadName("Shop".to_owned()), taken("calculator"), taken("post_send"), taken("shop_buy")];
    assert_eq!(refused, expected);
    assert_eq!(names(&registry, "shop"), ["shop_buy"]);
    assert_eq!(registry.get("calculator").unwrap().group, None, "what is built in stays");
    assert_eq!(registry.get("post_send").unwrap().group.as_deref(), Some("post"));
}

#[tokio::test]
async fn changes_are_told_of_and_the_same_again_is_none() {
    let registry = Registry::default();
    let mut changes = registry.changes();
    registry.replace("shop", brought(&["shop_buy"]));
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    registry.replace("shop", brought(&["shop_buy"]));
    assert!(!changes.has_changed().unwrap(), "a client that reads the list again would find no difference");
    let reworded = PluginTool { name: "shop_buy", description: "Does something." };
    registry.replace("shop", vec![Arc::new(reworded)]);
    assert!(changes.has_changed().unwrap());
}

#[tokio::test]
async fn a_listing_of_the_tools_shows_one_moment() {
    let registry = Registry::default();
    registry.replace("shop", brought(&["shop_buy", "shop_rent"]));
    let listed = registry.entries();
    let kept = registry.get("shop_buy").unwrap();
    registry.replace("shop", Vec::new());
    assert_eq!(listed.len(), 2);
    assert_eq!(kept.declaration.name, "shop_buy");
    assert!(registry.get("shop_buy").is_none());
}
