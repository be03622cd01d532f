//! `dwell tools`: what agents can do here.

use protocol::ToolPage;
use serde_json::json;

use crate::{config::Config, failure::Failure, print_json};

pub(crate) async fn run(config: &Config, is_json: bool) -> Result<(), Failure> {
    let page: ToolPage = crate::client(config)?.get("/tools").await?;
    if is_json {
        return print_json(&page);
    }
    for tool in page.data {
        let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let (effect, safety) = (word(json!(tool.effect)), word(json!(tool.safety)));
        let first_line = tool.description.lines().next().unwrap_or_default().to_owned();
        println!("{:20}  {effect:12}  {safety:8}  {first_line}", tool.name);
        if let Some(why) = tool.disabled_because {
            println!("{:20}  off: {why}", "");
        }
    }
    Ok(())
}
