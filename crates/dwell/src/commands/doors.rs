//! `dwell doors`: where other assistants' clients reach the server, as they want to be told it.

use secrecy::ExposeSecret;

use crate::{
    config::Config,
    failure::Failure,
    serve::{Address, find_ollama_key},
};

pub(crate) fn run(config: &Config) -> Result<(), Failure> {
    let url = Address::find(config.data_dir()).unwrap_or_else(|| format!("http://{}", config.server.listen));
    println!("MCP      {url}/mcp, with the token as bearer; or the command `dwell mcp`");
    println!("OpenAI   {url}/v1, with the token as API key");
    match find_ollama_key(config)? {
        Some(key) => println!("Ollama   {url}/ollama/{}", key.expose_secret()),
        None => println!("Ollama   its key is made when the server is started for the first time"),
    }
    match config.wyoming.listen.as_str() {
        "" => println!("Wyoming  closed; set `wyoming.listen`, for example to 0.0.0.0:10700"),
        listen => println!("Wyoming  tcp://{listen}"),
    }
    Ok(())
}
