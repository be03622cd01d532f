//! The operator's choice of providers and models: stored where `dwell setup` stores it, and in
//! effect from the next turn on.

use std::path::PathBuf;

use async_trait::async_trait;
use engine::Hub;
use protocol::{
    Code, DefaultModelPut, OverriddenSetting, Problem, ProviderKey, ProviderName, ProviderPut, ProviderTried,
    ProviderTry,
};
use server::ModelSetup;
use tokio::sync::Mutex;

use crate::{
    commands::model_probe,
    config::{self, Config, KeyNeeded, ProviderChoice, SetupFile, address_key, check_key},
};

/// The setup file of the data folder, and the server that it is for.
pub(super) struct StoredModels {
    hub: Hub,
    /// The configuration file.
    file: Option<PathBuf>,
    data: PathBuf,
    /// One change at a time.
    changing: Mutex<()>,
}

impl StoredModels {
    pub(super) fn new(hub: Hub, config: &Config) -> Self {
        let data = config.data_dir().to_owned();
        Self { hub, file: config.file.clone(), data, changing: Mutex::default() }
    }

    fn config(&self) -> Result<Config, Problem> {
        config::reload(self.file.as_deref(), &self.data).map_err(wrong_configuration)
    }

    /// The settings that take precedence over the file.
    fn above(&self) -> Result<Config, Problem> {
        config::reload_without_setup(self.file.as_deref(), &self.data).map_err(wrong_configuration)
    }

    /// Changes the file and the models that are in use: both, or neither.
    async fn change(
        &self,
        edit: impl FnOnce(&mut SetupFile) -> anyhow::Result<()>,
    ) -> Result<Vec<OverriddenSetting>, Problem> {
        let before = SetupFile::read(&self.data).map_err(|error| internal(&error))?;
        let mut file = before.clone();
        edit(&mut file).map_err(|error| internal(&error))?;
        file.write().map_err(|error| internal(&error))?;
        let changed = async {
            let config = self.config()?;
            self.hub.replace_models(config.model_choice())?;
            Ok::<_, Problem>(config)
        };
        let config = match changed.await {
            Ok(config) => config,
            Err(problem) => {
                before.write().map_err(|error| internal(&error))?;
                return Err(problem);
            }
        };
        let overridden = file.overridden(&config).into_iter();
        Ok(overridden.map(|(key, from)| OverriddenSetting { key, from }).collect())
    }

    /// The account as asked for. A key is sent to no address but the one that it was given for.
    fn account(
        &self,
        provider: ProviderName,
        address: Option<String>,
        key: Option<&ProviderKey>,
    ) -> Result<ProviderAccount, Problem> {
        let name = provider.as_str();
        let address = address.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        if let Some(address) = &address
            && name != "ollama"
            && !(address.starts_with("http://") || address.starts_with("https://"))
        {
            let hint = "Give the address of the API, as in `http://127.0.0.1:8000/v1`.";
            return Err(invalid(format!("`{address}` is no address"), hint));
        }
        let key = key.map(|key| check_key(&key.expose().into())).transpose();
        let key = key.map_err(|wrong| invalid(format!("the key is wrong: {wrong}"), "Paste the key alone."))?;
        let above = self.above()?;
        Self::check_precedence(&above, name, address.as_deref(), key.is_some())?;
        let (stored_address, stored_key) = SetupFile::read(&self.data).map_err(|error| internal(&error))?.account(name);
        let (address, key) = match (address, key) {
            (None, None) => (stored_address, stored_key),
            // A new key without an address is for the usual one.
            (None, Some(key)) => (None, Some(key)),
            (Some(address), key) => {
                let is_stored = stored_address.is_some_and(|stored| is_same(&stored, &address));
                (Some(address), key.or(stored_key.filter(|_| is_stored)))
            }
        };
        let used_address = above.provider_address(name).map(str::to_owned).or_else(|| address.clone());
        let used_key = above.provider_key(name).or_else(|| key.clone());
        let used = ProviderChoice::new(&above, name, used_address, used_key).map_err(|KeyNeeded| {
            let hint = "Give its key; a stored key is not sent to another address.";
            invalid(format!("{name} needs a key"), hint)
        })?;
        // Without an address there would be no Ollama.
        let address = if name == "ollama" { used.address.clone() } else { address };
        Ok(ProviderAccount { stored: ProviderChoice { name, address, key }, used })
    }

    /// Refuses what would send a key of the configuration to the address that is given, or the key
    /// that is given to an address of the configuration.
    fn check_precedence(above: &Config, name: &str, address: Option<&str>, has_key: bool) -> Result<(), Problem> {
        let theirs = above.provider_address(name);
        let is_theirs = theirs.zip(address).is_some_and(|(theirs, address)| is_same(theirs, address));
        let hint = "Change it there; the configuration, the environment and the command line take precedence.";
        let from =
            |key: &str| above.shown.iter().find(|setting| setting.key == key).map(|setting| setting.from.clone());
        if address.is_some() && !is_theirs && above.provider_key(name).is_some() {
            let key = format!("{name}.api_key");
            let from = from(&key).unwrap_or_default();
            return Err(invalid(format!("`{key}` is set by {from}, and would be sent to this address"), hint));
        }
        if has_key && theirs.is_some() && !is_theirs {
            let key = format!("{name}.{}", address_key(name));
            let from = from(&key).unwrap_or_default();
            return Err(invalid(format!("`{key}` is set by {from}, and this key would be sent there"), hint));
        }
        Ok(())
    }
}

/// An account at a provider.
struct ProviderAccount {
    /// What is stored of it.
    stored: ProviderChoice,
    /// What is in effect: the configuration takes precedence.
    used: ProviderChoice,
}

/// Whether two addresses are the same one.
fn is_same(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

#[async_trait]
impl ModelSetup for StoredModels {
    async fn try_out(&self, asked: ProviderTry) -> Result<ProviderTried, Problem> {
        let ProviderTry { provider, api_key, address, model } = asked;
        let config = self.config()?;
        let choice = self.account(provider, address, api_key.as_ref())?.used;
        let default = config.default_model(choice.name);
        let models = model_probe::list(choice.provider(default)).await.map_err(|error| refused(&error))?;
        let model = model.or_else(|| models.first().cloned());
        let answered = model_probe::probe(choice.provider(default), model.as_deref()).await;
        let answered = answered.map_err(|error| refused(&error))?;
        let answered_ms = u64::try_from(answered.took.as_millis()).unwrap_or(u64::MAX);
        Ok(ProviderTried { models, model: answered.model, answered_ms })
    }

    async fn put(&self, provider: ProviderName, put: ProviderPut) -> Result<Vec<OverriddenSetting>, Problem> {
        let ProviderPut { api_key, address, model, is_default } = put;
        let _turn = self.changing.lock().await;
        let choice = self.account(provider, address, api_key.as_ref())?.stored;
        let name = provider.as_str();
        let default = model.as_deref().map_or_else(|| name.to_owned(), |model| format!("{name}/{model}"));
        self.change(|file| {
            file.set_provider(&choice, model.as_deref());
            if is_default {
                file.set_default(&default);
            }
            Ok(())
        })
        .await
    }

    async fn remove(&self, provider: ProviderName) -> Result<Vec<OverriddenSetting>, Problem> {
        let _turn = self.changing.lock().await;
        let mut file = SetupFile::read(&self.data).map_err(|error| internal(&error))?;
        if !file.forget(provider.as_str()) {
            let hint = "Only what was set up in the page or by `dwell setup` can be removed here.";
            let message = format!("{} is not set up here", provider.as_str());
            return Err(Problem::new(Code::NotFound, message, hint));
        }
        self.change(|file| {
            file.forget(provider.as_str());
            Ok(())
        })
        .await
    }

    async fn put_default(&self, put: DefaultModelPut) -> Result<Vec<OverriddenSetting>, Problem> {
        let DefaultModelPut { model, fallbacks, settings, overrides } = put;
        let _turn = self.changing.lock().await;
        for name in std::iter::once(&model).chain(fallbacks.iter().flatten()) {
            self.hub.check_model_name(Some(name)).await?;
        }
        let hint = "Correct it, or leave it out.";
        if let Some(settings) = &settings {
            settings.check().map_err(|wrong| invalid(format!("`settings` is wrong: {wrong}"), hint))?;
        }
        self.change(|file| {
            file.set_default(&model);
            if let Some(fallbacks) = &fallbacks {
                file.set_fallbacks(fallbacks);
            }
            if let Some(settings) = &settings {
                file.set_settings(settings)?;
            }
            if let Some(facts) = &overrides {
                file.set_overrides(&model, facts)?;
            }
            Ok(())
        })
        .await
    }
}

fn invalid(message: String, hint: &str) -> Problem {
    Problem::new(Code::InvalidRequest, message, hint)
}

fn wrong_configuration(wrong: String) -> Problem {
    let hint = "Correct it, and try again; the server goes on with what it has read at its start.";
    invalid(format!("the configuration has become wrong: {wrong}"), hint)
}

/// The provider did not answer: what it said is for the operator.
fn refused(error: &model::Error) -> Problem {
    Problem::new(
        Code::InvalidRequest,
        error.to_string(),
        "Nothing was stored. Check the key, the address and the model.",
    )
}

fn internal(error: &anyhow::Error) -> Problem {
    let hint = "Check that the server may write to its data folder.";
    Problem::new(Code::Unavailable, format!("the choice was not stored: {error:#}"), hint)
}
