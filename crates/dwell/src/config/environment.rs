//! Every environment variable, in one place.

/// The variable that names the configuration file.
pub(super) const CONFIG: &str = "DWELL_CONFIG";

/// Variables with special names, and the setting that each sets. In addition, every setting `a.b`
/// has the variable `DWELL_A_B`.
const NAMED: [(&str, &str); 25] = [
    ("OPENAI_API_KEY", "openai.api_key"),
    ("OPENAI_BASE_URL", "openai.base_url"),
    ("ANTHROPIC_API_KEY", "anthropic.api_key"),
    ("ANTHROPIC_BASE_URL", "anthropic.base_url"),
    ("GEMINI_API_KEY", "gemini.api_key"),
    ("GOOGLE_API_KEY", "gemini.api_key"),
    ("GEMINI_BASE_URL", "gemini.base_url"),
    ("AZURE_OPENAI_API_KEY", "azure.api_key"),
    ("AZURE_OPENAI_ENDPOINT", "azure.endpoint"),
    ("AZURE_OPENAI_API_VERSION", "azure.api_version"),
    ("AZURE_OPENAI_DEPLOYMENT", "azure.deployment"),
    ("OPENROUTER_API_KEY", "openrouter.api_key"),
    ("OLLAMA_HOST", "ollama.host"),
    ("HOME_ASSISTANT_URL", "home.url"),
    ("HOME_ASSISTANT_TOKEN", "home.token"),
    ("SEARXNG_URL", "research.searxng_url"),
    ("BRAVE_API_KEY", "research.brave_api_key"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.otlp_endpoint"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "telemetry.headers"),
    ("OTEL_SERVICE_NAME", "telemetry.service_name"),
    ("DWELL_MODEL", "model.name"),
    ("DWELL_DATA", "data.dir"),
    ("DWELL_TOKEN", "server.token"),
    ("DWELL_LISTEN", "server.listen"),
    ("DWELL_URL", "client.url"),
];

/// The variables to read, in rising order of precedence, with the setting that each sets.
pub(super) fn names(keys: Vec<String>) -> Vec<(String, String)> {
    let general = keys.into_iter().map(|key| (format!("DWELL_{}", key.replace('.', "_").to_uppercase()), key));
    let named = NAMED.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned()));
    general.chain(named).collect()
}

/// The variables of one setting, in rising order of precedence.
pub(super) fn names_of(key: &str) -> Vec<String> {
    names(vec![key.to_owned()]).into_iter().filter(|(_, named)| named == key).map(|(name, _)| name).collect()
}

/// The value of a variable; an empty one counts as not set.
#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
pub(crate) fn get(name: &str) -> Result<Option<String>, String> {
    match std::env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(format!("the environment variable {name} is not plain text")),
    }
}

#[cfg(test)]
mod tests {
    use super::names_of;

    #[test]
    fn a_setting_has_a_general_variable_and_sometimes_one_of_its_own() {
        assert_eq!(names_of("model.name"), ["DWELL_MODEL_NAME", "DWELL_MODEL"]);
        assert_eq!(names_of("log.filter"), ["DWELL_LOG_FILTER"]);
    }
}
