//! Functions of the client: a response ends with the calls, and the request with their outputs
//! continues the same turn.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient};

use super::{PATH, events, function, id, kinds, output_of, respond, text, user, weather};
use crate::{
    harness::{last, results, shown, system},
    openai::turns,
    started,
};

fn body(input: &Value) -> Value {
    json!({ "model": "dwell", "input": input, "tools": [function("get_weather"), function("get_time")] })
}

/// A response that asks for the weather in two cities.
async fn asking(model: &ModelServer, rest: &RestClient) -> Value {
    model.push(Reply::text("Let me see.").then_tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]));
    respond(rest, body(&json!("How is the weather?"))).await
}

#[tokio::test]
async fn outputs_alone_continue_the_previous_response() {
    let (model, program, server) = started().await;
    let asked = asking(&model, &server.rest()).await;
    let [message, first, second] = asked["output"].as_array().unwrap().as_slice() else { panic!("{asked}") };
    assert_eq!((&asked["status"], &message["content"][0]["text"]), (&json!("completed"), &json!("Let me see.")));
    let turn_id = id(&asked).trim_start_matches("resp_").to_owned();
    let call = json!({
        "type": "function_call", "id": format!("fc_{turn_id}_0"), "call_id": format!("call_{turn_id}_0"),
        "name": "get_weather", "arguments": "{\"city\":\"Oslo\"}", "status": "completed",
    });
    assert_eq!(first, &call);
    assert_eq!(asked["tools"][0]["name"], "get_weather");
    assert!(shown(&last(&model)).contains(&"get_time".to_owned()));

    // The turn waits for the client, also across a restart.
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    let again = rest.get(&format!("{PATH}/{}", id(&asked))).await.ok();
    assert_eq!((&again["status"], &again["output"]), (&json!("completed"), &asked["output"]));

    model.push(Reply::text("Snow and sun.").usage(20, 7));
    let outputs = json!([output_of(first, "snow"), output_of(second, "sun")]);
    let mut next = body(&outputs);
    next["previous_response_id"] = asked["id"].clone();
    next["instructions"] = json!("Answer like a pirate.");
    let answer = respond(&rest, next.clone()).await;
    assert_eq!((text(&answer), &answer["usage"]["total_tokens"]), ("Snow and sun.".to_owned(), &json!(27)));
    assert_eq!(answer["id"], format!("resp_{turn_id}_2"), "a part of the same turn");
    assert_eq!(results(&last(&model)), [("c1".into(), "snow".into()), ("c2".into(), "sun".into())]);
    assert!(system(&last(&model)).contains("pirate"), "instructions may change with the outputs");
    assert_eq!(respond(&rest, next).await["output"], answer["output"], "sent again, it is answered again");
    assert_eq!((turns(&server).await, model.requests().len()), (vec![1], 2));

    for (response, expected) in [(&asked, &asked["output"]), (&answer, &answer["output"])] {
        let stored = rest.get(&format!("{PATH}/{}", id(response))).await.ok();
        assert_eq!((&stored["output"], &stored["usage"]), (expected, &response["usage"]));
    }
    let items = rest.get(&format!("{PATH}/{}/input_items?order=asc", id(&answer))).await.ok();
    assert_eq!((&items["data"][0]["call_id"], &items["data"][0]["output"]), (&first["call_id"], &json!("snow")));
    let items = rest.get(&format!("{PATH}/{}/input_items", id(&asked))).await.ok();
    assert_eq!(items["data"][0]["content"][0], json!({ "type": "input_text", "text": "How is the weather?" }));

    let late = json!({ "input": "Never mind.", "previous_response_id": asked["id"] });
    let refused = rest.post(PATH, late).await;
    assert!(refused.status == 400 && refused.body["error"]["message"].as_str().unwrap().contains(&id(&answer)));
    let more = json!({ "input": "Thanks.", "previous_response_id": answer["id"] });
    respond(&rest, more).await;
    assert_eq!(turns(&server).await, [2]);
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn the_whole_list_continues_the_turn_round_by_round() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let asked = asking(&model, &rest).await;
    let mut list = vec![user("How is the weather?")];
    list.extend(asked["output"].as_array().unwrap().clone());
    list.extend([output_of(&asked["output"][1], "snow"), output_of(&asked["output"][2], "sun")]);
    model.push(Reply::tool_calls([weather("c3", "Bonn")]));
    let second = respond(&rest, body(&json!(list))).await;
    assert_eq!(second["output"].as_array().unwrap().len(), 1, "calls without a text have no message: {second}");
    list.extend([second["output"][0].clone(), output_of(&second["output"][0], "rain")]);
    model.push(Reply::text("Mixed."));
    let third = respond(&rest, body(&json!(list))).await;
    assert_eq!((text(&third), turns(&server).await), ("Mixed.".to_owned(), vec![1]));
    list.extend([third["output"][0].clone(), user("Thanks.")]);
    respond(&rest, body(&json!(list))).await;
    assert_eq!(turns(&server).await, [2], "and the list is recognised afterwards");

    let unknown = json!([output_of(&json!({ "call_id": "call_abc" }), "x")]);
    let refused = rest.post(PATH, body(&unknown)).await;
    assert!(refused.status == 400 && refused.body["error"]["message"].as_str().unwrap().contains("call_abc"));
}

#[tokio::test]
async fn calls_are_streamed_and_a_temporary_session_waits_for_their_outputs() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Let me see.").then_tool_calls([weather("c1", "Oslo")]));
    let mut request = body(&json!("How is the weather?"));
    request["stream"] = json!(true);
    request["store"] = json!(false);
    request["tool_choice"] = json!({ "type": "function", "name": "get_weather" });
    let (_, told) = events(&server, PATH, Some(request.clone())).await;
    let expected = [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(kinds(&told), expected);
    let [.., added, delta, done, item, completed] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((&added["output_index"], &added["item"]["arguments"]), (&json!(1), &json!("")));
    assert_eq!((&delta["delta"], &delta["item_id"]), (&done["arguments"], &item["item"]["id"]));
    assert_eq!(completed["response"]["output"][1], item["item"]);
    assert_eq!(last(&model).raw()["tool_choice"]["function"]["name"], "get_weather");

    model.push(Reply::text("Snow."));
    request["input"] = json!([output_of(&item["item"], "snow")]);
    request["tool_choice"] = json!("auto");
    let (_, told) = events(&server, PATH, Some(request)).await;
    let completed = told.last().unwrap();
    assert_eq!((&completed["type"], text(&completed["response"])), (&json!("response.completed"), "Snow.".to_owned()));
    assert_eq!(turns(&server).await, Vec::<u64>::new());
}
