//! A read-only user of Home Assistant.

use serde_json::{Value, json};

use super::HomeAssistant;
use crate::RestClient;

const NAME: &str = "reader";
const PASSWORD: &str = "reads-and-nothing-else";

impl HomeAssistant {
    /// Creates a user of the read-only group and logs in as a browser would; returns the user's
    /// token.
    pub async fn make_reader(&self) -> String {
        let mut link = self.link().await;
        let wanted = json!({ "name": NAME, "group_ids": ["system-read-only"] });
        let made = link.call("config/auth/create", wanted).await.expect("a user");
        let login = json!({ "user_id": made["user"]["id"], "username": NAME, "password": PASSWORD });
        link.call("config/auth_provider/homeassistant/create", login).await.expect("a login");

        let client = format!("{}/", self.url());
        let visitor = RestClient::new(&self.url(), None);
        let begin = json!({ "client_id": client, "handler": ["homeassistant", null], "redirect_uri": client });
        let flow = visitor.post("/auth/login_flow", begin).await.ok();
        let step = format!("/auth/login_flow/{}", flow["flow_id"].as_str().expect("a flow"));
        let named = json!({ "client_id": client, "username": NAME, "password": PASSWORD });
        let code = visitor.post(&step, named).await.ok();
        let code = code["result"].as_str().expect("a code");
        let asked = format!("grant_type=authorization_code&code={code}&client_id={client}");
        let request = reqwest::Client::new().post(format!("{}/auth/token", self.url())).body(asked);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let granted = request.send().await.expect("an answer").bytes().await.expect("an answer");
        let granted: Value = serde_json::from_slice(&granted).expect("an answer in JSON");
        granted["access_token"].as_str().expect("a token").to_owned()
    }
}
