//! `dwell doors`: the addresses of the server's APIs, in the form that other clients expect.

use secrecy::ExposeSecret;
use serde_json::json;

use crate::{
    command_error::CommandError,
    config::Config,
    print_json,
    serve::{AddressFile, find_ollama_key},
};

pub(crate) async fn run(config: &Config) -> Result<(), CommandError> {
    let running = AddressFile::find(config.data_dir());
    let is_running = running.is_some();
    let scheme = if config.tls.is_on() { "https" } else { "http" };
    let url = running.unwrap_or_else(|| format!("{scheme}://{}", config.server.listen));
    let ollama = find_ollama_key(config).await?.map(|key| format!("{url}/ollama/{}", key.expose_secret()));
    let wyoming = Some(config.wyoming.listen.as_str()).filter(|listen| !listen.is_empty());
    let wyoming = wyoming.map(|listen| format!("tcp://{listen}"));
    if config.output.json {
        return print_json(&json!({
            "url": url,
            "announced": is_running,
            "mcp": format!("{url}/mcp"),
            "openai": format!("{url}/v1"),
            "anthropic": url,
            "ollama": ollama,
            "wyoming": wyoming,
        }));
    }
    println!("MCP      {url}/mcp, with the token as bearer token; or the command `dwell mcp`");
    println!("OpenAI   {url}/v1, with the token as API key");
    println!("Ollama   {}", ollama.as_deref().unwrap_or("the key is created when the server first starts"));
    let off = "off; set `wyoming.listen`, for example to 0.0.0.0:10700";
    println!("Wyoming  {}", wyoming.as_deref().unwrap_or(off));
    Ok(())
}
