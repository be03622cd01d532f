//! Every environment variable, in one place.

/// Names the configuration file.
pub(super) const CONFIG: &str = "DWELL_CONFIG";

/// Variables with names of their own, and the setting each stands for. Beside these, every setting `a.b` has the
/// variable `DWELL_A_B`.
const NAMED: [(&str, &str); 7] = [
    ("OPENAI_API_KEY", "model.api_key"),
    ("OPENAI_BASE_URL", "model.base_url"),
    ("DWELL_MODEL", "model.name"),
    ("DWELL_DATA", "data.dir"),
    ("DWELL_TOKEN", "server.token"),
    ("DWELL_LISTEN", "server.listen"),
    ("DWELL_URL", "client.url"),
];

/// The variables to look at, in rising order of precedence, with the setting each stands for.
pub(super) fn names(keys: Vec<String>) -> Vec<(String, String)> {
    let general = keys.into_iter().map(|key| (format!("DWELL_{}", key.replace('.', "_").to_uppercase()), key));
    let named = NAMED.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned()));
    general.chain(named).collect()
}

/// The value of a variable; one that is set to nothing counts as not set.
#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
pub(super) fn get(name: &str) -> Result<Option<String>, String> {
    match std::env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(format!("the environment variable {name} is not plain text")),
    }
}
