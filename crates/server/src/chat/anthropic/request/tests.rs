//! Tests of reading requests.

use super::*;

fn read(more: Value) -> MessagesRequest {
    let mut body = json!({ "model": "dwell", "max_tokens": 5, "messages": [{ "role": "user", "content": "hello" }] });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(body).unwrap()
}

#[test]
fn settings_become_those_of_a_turn() {
    let asked = read(json!({
        "temperature": 0.2, "top_p": 0.9, "stop_sequences": ["END", ""],
        "thinking": { "type": "enabled", "budget_tokens": 5_000 },
    }));
    let expected = ModelSettings {
        temperature: Some(0.2),
        top_p: Some(0.9),
        max_output_tokens: Some(5),
        stop: Some(vec!["END".to_owned()]),
        reasoning_effort: Some(ReasoningEffort::Medium),
        ..ModelSettings::default()
    };
    assert_eq!((asked.settings().unwrap(), asked.wants_thoughts()), (expected, true));
}

#[test]
fn thinking_becomes_an_effort() {
    let efforts = [
        (json!({}), None, false),
        (json!({ "output_config": { "effort": "high" } }), None, false),
        (json!({ "thinking": { "type": "disabled" } }), Some(ReasoningEffort::None), false),
        (json!({ "thinking": { "type": "adaptive" } }), None, true),
        (json!({ "thinking": { "type": "adaptive", "display": "omitted" } }), None, false),
        (json!({ "thinking": { "type": "enabled", "budget_tokens": 1_024 } }), Some(ReasoningEffort::Low), true),
        (
            json!({ "thinking": { "type": "adaptive" }, "output_config": { "effort": "max" } }),
            Some(ReasoningEffort::High),
            true,
        ),
    ];
    for (more, effort, wants) in efforts {
        let asked = read(more.clone());
        assert_eq!((asked.effort().unwrap(), asked.wants_thoughts()), (effort, wants), "{more}");
    }
}

#[test]
fn tools_and_choices_become_an_offer() {
    let tools =
        json!([{ "name": "weather", "description": "W.", "input_schema": { "type": "object" }, "strict": true }]);
    for (choice, expected, is_single) in [
        (json!(null), ToolChoice::Auto, false),
        (json!({ "type": "auto", "disable_parallel_tool_use": true }), ToolChoice::Auto, true),
        (json!({ "type": "any" }), ToolChoice::Required, false),
        (json!({ "type": "tool", "name": "weather" }), ToolChoice::Tool("weather".to_owned()), false),
        (json!({ "type": "none" }), ToolChoice::None, false),
    ] {
        let offer = read(json!({ "tools": tools, "tool_choice": choice })).take_offer().unwrap();
        assert_eq!((offer.tools.len(), &offer.tool_choice), (1, &expected), "{choice}");
        assert_eq!(offer.is_one_at_a_time(), is_single, "{choice}");
    }
}

#[test]
fn what_cannot_be_honoured_is_refused_by_name() {
    let refusal = |more: Value| {
        let mut asked = read(more);
        let found =
            asked.check().and_then(|()| asked.settings().map(drop)).and_then(|()| asked.response_schema().map(drop));
        found.and_then(|()| asked.take_offer().map(drop)).unwrap_err()
    };
    for (name, more) in [
        ("mcp_servers", json!({ "mcp_servers": [{ "url": "https://example.org" }] })),
        ("container", json!({ "container": "c1" })),
        ("max_tokens", json!({ "max_tokens": 0 })),
        ("thinking", json!({ "thinking": { "type": "deep" } })),
        ("web_search_20250305", json!({ "tools": [{ "type": "web_search_20250305", "name": "web_search" }] })),
        ("tool_choice", json!({ "tool_choice": { "type": "maybe" } })),
        ("output_config.format", json!({ "output_config": { "format": { "type": "grammar" } } })),
    ] {
        let problem = refusal(more.clone());
        assert!(problem.message.contains(&format!("`{name}`")), "{more}: {problem}");
    }
}

#[test]
fn what_has_no_effect_is_listed() {
    let asked = read(json!({ "top_k": 40, "service_tier": "auto", "cache_control": null, "mcp_servers": [] }));
    let mut expected = IgnoredFields::default();
    expected.add("service_tier");
    expected.add("top_k");
    assert_eq!(asked.ignored(), expected);
    assert!(asked.check().is_ok());
}

#[test]
fn a_schema_may_be_in_either_place() {
    let format = json!({ "type": "json_schema", "schema": { "type": "object" } });
    for more in [json!({ "output_config": { "format": format } }), json!({ "output_format": format })] {
        let schema = read(more.clone()).response_schema().unwrap().unwrap();
        assert_eq!(schema.to_value(), json!({ "type": "object" }), "{more}");
    }
}
