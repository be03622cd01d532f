//! `dwell tools`: the tools that agents can call.

use protocol::{ToolPage, ToolServerView};
use serde_json::json;

use crate::{command_error::CommandError, config::Config, print_json};

pub(crate) async fn run(config: &Config) -> Result<(), CommandError> {
    let page: ToolPage = crate::client(config).await?.get("/tools").await?;
    if config.output.json {
        return print_json(&page);
    }
    for tool in page.data {
        let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let (effect, safety) = (word(json!(tool.effect)), word(json!(tool.safety)));
        let first_line = tool.description.lines().next().unwrap_or_default().to_owned();
        println!("{:20}  {effect:12}  {safety:8}  {first_line}", tool.name);
        if let Some(worker) = tool.worker {
            println!("{:20}  served by the tool worker {worker}", "");
        }
        if let Some(why) = tool.disabled_because {
            println!("{:20}  off: {why}", "");
        }
        if let Some(why) = tool.away_because {
            println!("{:20}  unavailable: {why}", "");
        }
    }
    for server in page.servers {
        print_server(&server);
    }
    Ok(())
}

/// An external server, and those of its tools that are left out.
fn print_server(server: &ToolServerView) {
    let state = match (&server.away_because, &server.protocol_version) {
        (Some(why), _) => format!("unavailable: {why}"),
        (None, Some(version)) => format!("connected, protocol {version}"),
        (None, None) => "connected".to_owned(),
    };
    println!("\nserver {}: {state}; {} tools", server.name, server.tools.len());
    for out in &server.left_out {
        println!("  left out: {}, because {}", out.tool, out.because);
    }
}
