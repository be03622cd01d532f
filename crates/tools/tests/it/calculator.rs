//! Tests of the calculator.

use protocol::Origin;
use serde_json::json;

use crate::harness::{Harness, context};

#[tokio::test]
async fn expressions_are_worked_out() {
    let harness = Harness::new().await;
    for (expression, value, exact) in
        [("0.1 + 0.2", "0.3", true), ("17% of 240", "40.8", true), ("1/3", "0.333333333333333", false)]
    {
        let output = harness.call("calculator", json!({"expression": expression}), context("1")).await.unwrap();
        assert_eq!(output.value, json!({"expression": expression, "value": value, "exact": exact}));
        assert_eq!(output.origin, Origin::Trusted);
    }
}

#[tokio::test]
async fn mistakes_are_told_with_their_place() {
    let harness = Harness::new().await;
    let refusal = harness.refusal("calculator", json!({"expression": "2 + * 3"}), context("1")).await;
    assert_eq!(refusal, "at character 5 of `2 + * 3`: expected a number but found `*`");
    let refusal = harness.refusal("calculator", json!({"expression": "1+".repeat(600)}), context("1")).await;
    assert!(refusal.contains("longer than 1000 characters"), "{refusal}");
}
