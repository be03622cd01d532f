//! `dwell doors`: the addresses of the server's APIs, in the form that other clients expect.

use secrecy::ExposeSecret;

use crate::{
    command_error::CommandError,
    config::Config,
    serve::{AddressFile, find_ollama_key},
};

pub(crate) fn run(config: &Config) -> Result<(), CommandError> {
    let url = AddressFile::find(config.data_dir()).unwrap_or_else(|| format!("http://{}", config.server.listen));
    println!("MCP      {url}/mcp, with the token as bearer token; or the command `dwell mcp`");
    println!("OpenAI   {url}/v1, with the token as API key");
    match find_ollama_key(config)? {
        Some(key) => println!("Ollama   {url}/ollama/{}", key.expose_secret()),
        None => println!("Ollama   the key is created when the server first starts"),
    }
    match config.wyoming.listen.as_str() {
        "" => println!("Wyoming  off; set `wyoming.listen`, for example to 0.0.0.0:10700"),
        listen => println!("Wyoming  tcp://{listen}"),
    }
    Ok(())
}
