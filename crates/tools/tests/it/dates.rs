//! Tests of the time and date tools.

use serde_json::{Value, json};
use tools::{Error, Registry, add_builtins};

use crate::harness::{Harness, at, context};

#[tokio::test]
async fn the_time_is_told_in_any_zone() {
    let harness = Harness::new().await;
    let berlin = json!({
        "time": "00:30", "date": "2024-02-29", "weekday": "Thursday", "time_zone": "Europe/Berlin",
        "iso": "2024-02-29T00:30:00+01:00"
    });
    assert_eq!(harness.value("current_time", json!({}), context("1")).await, berlin);
    assert_eq!(harness.value("current_time", Value::Null, context("1")).await, berlin, "nothing said is nothing asked");
    for (zone, time, date, iso) in [
        ("UTC", "23:30", "2024-02-28", "2024-02-28T23:30:00+00:00"),
        ("America/New_York", "18:30", "2024-02-28", "2024-02-28T18:30:00-05:00"),
        ("asia/kolkata", "05:00", "2024-02-29", "2024-02-29T05:00:00+05:30"),
    ] {
        let told = harness.value("current_time", json!({"time_zone": zone}), context("1")).await;
        assert_eq!((told["time"].as_str(), told["date"].as_str()), (Some(time), Some(date)), "{zone}");
        assert_eq!(told["iso"], iso);
    }
}

#[tokio::test]
async fn summer_time_is_known() {
    let harness = Harness::new().await;
    let mut summer = context("1");
    summer.now = at("2026-07-01T10:00:00Z");
    assert_eq!(harness.value("current_time", json!({}), summer).await["iso"], "2026-07-01T12:00:00+02:00");
}

#[tokio::test]
async fn an_unknown_zone_is_refused_with_one_that_is_known() {
    let harness = Harness::new().await;
    for (zone, example) in [("Berlin", "`Europe/Berlin`"), ("New York", "`America/New_York`"), ("Atlantis", "`UTC`")] {
        for tool in ["current_time", "date_math"] {
            let refusal = harness.refusal(tool, json!({"time_zone": zone}), context("1")).await;
            assert!(refusal.contains(zone) && refusal.contains(example), "{refusal}");
        }
    }
    let refused = add_builtins(&mut Registry::default(), harness.store.clone(), "Mars/Olympus");
    assert!(matches!(refused, Err(Error::BadTimeZone(why)) if why.contains("Mars/Olympus")));
}

#[tokio::test]
async fn dates_are_reckoned() {
    let harness = Harness::new().await;
    for (arguments, date, weekday, days) in [
        (json!({}), "2024-02-29", "Thursday", 0),
        (json!({"add": "1 year"}), "2025-02-28", "Friday", 365),
        (json!({"add": "4 years"}), "2028-02-29", "Tuesday", 1461),
        (json!({"from": "2024-01-31", "add": "1 month"}), "2024-02-29", "Thursday", 29),
        (json!({"from": "2023-01-31", "add": "1 month"}), "2023-02-28", "Tuesday", 28),
        (json!({"from": "2024-03-31", "add": "-1 month"}), "2024-02-29", "Thursday", -31),
        (json!({"from": "2024-05-15", "add": "-2 months 1 day"}), "2024-03-16", "Saturday", -60),
        (json!({"from": "2024-12-30", "add": "3 weeks"}), "2025-01-20", "Monday", 21),
        (json!({"from": "tomorrow"}), "2024-03-01", "Friday", 0),
        (json!({"from": "yesterday", "time_zone": "UTC"}), "2024-02-27", "Tuesday", 0),
        (json!({"from": "2024-02-01", "until": "2024-03-01"}), "2024-03-01", "Friday", 29),
        (json!({"until": "2024-02-01"}), "2024-02-01", "Thursday", -28),
    ] {
        let told = harness.value("date_math", arguments.clone(), context("1")).await;
        assert_eq!((told["date"].as_str(), told["weekday"].as_str()), (Some(date), Some(weekday)), "{arguments}");
        assert_eq!(told["days"], days, "{arguments}");
    }
}

#[tokio::test]
async fn what_cannot_be_reckoned_is_refused() {
    let harness = Harness::new().await;
    for (arguments, why) in [
        (json!({"from": "2023-02-29"}), "`from`: `2023-02-29` is not a date"),
        (json!({"until": "next summer"}), "`until`: `next summer` is not a date"),
        (json!({"add": "3 hours"}), "`hours` is not a unit of dates"),
        (json!({"add": "1 day", "until": "today"}), "not both"),
        (json!({"add": "9000 years"}), "beyond the years"),
    ] {
        let refusal = harness.refusal("date_math", arguments, context("1")).await;
        assert!(refusal.contains(why), "{refusal}");
    }
}
