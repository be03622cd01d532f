//! `dwell setup` in a terminal: a few questions, each with a default.

mod terminal;

use std::io::IsTerminal;

use memory::embedding::folder;
use secrecy::SecretString;

use self::terminal::{Terminal, ask_secret};
use super::provider::{choice, in_runtime, models, save, try_out};
use crate::{
    cli::ProviderArg,
    command_error::CommandError,
    commands::model_probe,
    config::{Config, ProviderChoice, check_key},
};

/// Models that are offered by number; others can be typed.
const OFFERED_MAX: usize = 20;

/// The choices, in the order in which they are offered.
const PROVIDERS: [(ProviderArg, &str); 6] = [
    (ProviderArg::Anthropic, "Anthropic (a key)"),
    (ProviderArg::Openai, "OpenAI, or a server that speaks its API: vLLM, llama.cpp, LM Studio"),
    (ProviderArg::Gemini, "Google Gemini (a key)"),
    (ProviderArg::Openrouter, "OpenRouter (a key)"),
    (ProviderArg::Ollama, "Ollama"),
    (ProviderArg::None, "none: the offline model, which needs no network"),
];

/// Whether questions can be asked and read.
pub(super) fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks which model answers, and writes that down. Whether the embedding model is wanted, too.
pub(super) fn run(config: &Config) -> Result<bool, CommandError> {
    let mut terminal = Terminal::open()?;
    let ollama = in_runtime(async { Ok(find_ollama(config).await) })?;
    terminal.say("Which model shall answer?");
    for (number, (arg, words)) in PROVIDERS.iter().enumerate() {
        let found = match &ollama {
            Some(models) if *arg == ProviderArg::Ollama => format!(" (runs on this machine, {} models)", models.len()),
            None if *arg == ProviderArg::Ollama => {
                " (does not answer on this machine; its address is asked for)".into()
            }
            _ => String::new(),
        };
        terminal.say(&format!("  {}  {words}{found}", number + 1));
    }
    let usual = if ollama.is_some() { 5 } else { PROVIDERS.len() };
    let picked = terminal.number("number", usual, PROVIDERS.len())?;
    let arg = PROVIDERS[picked - 1].0;
    match arg.section() {
        None => save(config, None, None, None)?,
        Some(section) => set_up(config, &mut terminal, section, ollama.is_some())?,
    }
    offer_embedding(config, &mut terminal)
}

/// The models of an Ollama on this machine, if one answers.
async fn find_ollama(config: &Config) -> Option<Vec<String>> {
    let choice = ProviderChoice { name: "ollama", address: Some(config.ollama_address()), key: None };
    let busy = config.output.busy("looking for Ollama on this machine");
    let listed = model_probe::list(choice.provider(config.default_model("ollama"))).await.ok();
    drop(busy);
    listed.filter(|models| !models.is_empty())
}

/// Asks for what the provider needs until it works.
fn set_up(
    config: &Config,
    terminal: &mut Terminal,
    section: &'static str,
    has_ollama: bool,
) -> Result<(), CommandError> {
    loop {
        let address = match section {
            "openai" => terminal.line("address of the server (empty: OpenAI's own)", "")?,
            "ollama" if has_ollama => config.ollama_address(),
            "ollama" => terminal.line("address of Ollama", &config.ollama_address())?,
            _ => String::new(),
        };
        let address = Some(address).filter(|address| !address.trim().is_empty());
        let key = match section {
            "ollama" => None,
            "openai" if address.is_some() => key(terminal, "key (empty: none)", true)?,
            _ => key(terminal, "key (it is not shown)", false)?,
        };
        let choice = choice(config, section, address, key)?;
        match in_runtime(models(config, &choice)).and_then(|listed| pick(config, terminal, &choice, &listed)) {
            Ok(()) => return Ok(()),
            // A wrong key, address or name: the user corrects it.
            Err(CommandError::Failed(error)) => terminal.say(&format!("that does not work: {error:#}")),
            Err(other) => return Err(other),
        }
        if !terminal.yes("try again?", true)? {
            return Err(CommandError::Failed(anyhow::anyhow!("nothing was written")));
        }
    }
}

/// A key that is typed unseen; pasted ones are checked at once.
fn key(terminal: &mut Terminal, question: &str, may_be_empty: bool) -> Result<Option<SecretString>, CommandError> {
    loop {
        match check_key(&ask_secret(question)?) {
            Ok(key) => return Ok(Some(key)),
            Err("it is empty") if may_be_empty => return Ok(None),
            Err(wrong) => terminal.say(wrong),
        }
    }
}

/// Lets the user pick a model, tries it and writes it down.
fn pick(
    config: &Config,
    terminal: &mut Terminal,
    choice: &ProviderChoice,
    listed: &[String],
) -> Result<(), CommandError> {
    for (number, name) in listed.iter().take(OFFERED_MAX).enumerate() {
        terminal.say(&format!("  {}  {name}", number + 1));
    }
    if listed.len() > OFFERED_MAX {
        terminal.say(&format!("  … and {} more, which can be named", listed.len() - OFFERED_MAX));
    }
    let usual = listed.first().map_or_else(|| config.default_model(choice.name), String::as_str);
    let said =
        terminal.line(if listed.is_empty() { "name of the model" } else { "number or name of the model" }, usual)?;
    let numbered = said.trim().parse::<usize>().ok().and_then(|number| listed.get(number.checked_sub(1)?));
    let model = numbered.cloned().unwrap_or_else(|| said.trim().to_owned());
    let answer = in_runtime(try_out(config, choice, Some(&model)))?;
    save(config, Some(choice), Some(&model), Some(&answer))
}

/// Whether the embedding model is missing and wanted.
fn offer_embedding(config: &Config, terminal: &mut Terminal) -> Result<bool, CommandError> {
    let card = config.embedding_model().map_err(super::misused)?;
    if folder::check(&config.embedding_dir(card), card.files).is_ok() {
        return Ok(false);
    }
    let size = super::sources::source(card)?.size;
    terminal.yes(&format!("download the embedding model {} ({size}), for search by meaning?", card.name), true)
}
