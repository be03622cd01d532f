//! What the configuration or a session sets, by `provider/model`, `provider/beginning*`, or the
//! provider alone.

use std::collections::BTreeMap;

use protocol::ModelOverrides;

/// Settings of models, by key.
pub type Overrides = BTreeMap<String, ModelOverrides>;

/// How specifically a key matches: the larger, the closer.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum KeyMatch {
    Provider,
    Beginning(usize),
    /// The name without its tag: `qwen3` for `qwen3:8b`.
    Untagged,
    Exact,
}

/// The settings of a model. The closest key that sets a figure counts.
pub(crate) fn of(overrides: &Overrides, provider: &str, model: &str) -> ModelOverrides {
    let mut fitting: Vec<(KeyMatch, ModelOverrides)> =
        overrides.iter().filter_map(|(key, set)| Some((fit(key, provider, model)?, *set))).collect();
    fitting.sort_by(|(one, _), (other, _)| other.cmp(one));
    fitting.into_iter().fold(ModelOverrides::default(), |closer, (_, wider)| closer.or(wider))
}

/// Whether a key names exactly this model: then it is assumed to exist.
pub(crate) fn names(overrides: &Overrides, provider: &str, model: &str) -> bool {
    overrides.keys().any(|key| fit(key, provider, model) == Some(KeyMatch::Exact))
}

fn fit(key: &str, provider: &str, model: &str) -> Option<KeyMatch> {
    let Some((of, name)) = key.split_once('/') else { return (key == provider).then_some(KeyMatch::Provider) };
    if of != provider {
        return None;
    }
    if let Some(beginning) = name.strip_suffix('*') {
        return model.starts_with(beginning).then_some(KeyMatch::Beginning(beginning.len()));
    }
    if name == model || name.strip_suffix(":latest") == Some(model) {
        return Some(KeyMatch::Exact);
    }
    let untagged = model.split_once(':').map(|(untagged, _)| untagged);
    (untagged == Some(name)).then_some(KeyMatch::Untagged)
}

/// Checks keys and values; the error describes the first wrong one.
pub(crate) fn check(overrides: &Overrides, providers: &[&str]) -> Result<(), String> {
    for (key, set) in overrides {
        let provider = key.split('/').next().unwrap_or(key);
        if !providers.contains(&provider) {
            let known = providers.join("`, `");
            return Err(format!("`{key}` does not begin with a provider's name; the providers are `{known}`"));
        }
        if key.ends_with('/') || key.trim_end_matches('*').contains('*') {
            return Err(format!("`{key}` is not of the form `provider/model`, `provider/beginning*` or `provider`"));
        }
        set.check().map_err(|wrong| format!("`{key}`: {wrong}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(context_tokens: u64) -> ModelOverrides {
        ModelOverrides { context_tokens: Some(context_tokens), ..ModelOverrides::default() }
    }

    #[test]
    fn the_closest_key_counts_figure_by_figure() {
        let provider = ModelOverrides { images: Some(true), ..window(1_000) };
        let overrides: Overrides = [
            ("ollama", provider),
            ("ollama/qwen*", window(2_000)),
            ("ollama/qwen3*", window(3_000)),
            ("ollama/qwen3", window(4_000)),
            ("ollama/qwen3:8b", window(5_000)),
            ("openai/qwen3", window(6_000)),
        ]
        .map(|(key, set)| (key.to_owned(), set))
        .into();
        for (model, expected) in [
            ("qwen3:8b", 5_000),
            ("qwen3", 4_000),
            ("qwen3:4b", 4_000),
            ("qwen3-coder", 3_000),
            ("qwen2", 2_000),
            ("llama3.2", 1_000),
        ] {
            let set = of(&overrides, "ollama", model);
            assert_eq!((set.context_tokens, set.images), (Some(expected), Some(true)), "{model}");
        }
        assert_eq!(of(&overrides, "gemini", "x"), ModelOverrides::default());
        assert!(names(&overrides, "ollama", "qwen3") && !names(&overrides, "ollama", "qwen3:4b"));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |key: &str, set| check(&[(key.to_owned(), set)].into(), &["ollama"]).unwrap_err();
        assert!(wrong("olama/qwen3", window(1_000)).contains("`ollama`"));
        assert!(wrong("ollama/", window(1_000)).contains("provider/model"));
        assert!(wrong("ollama/q*3", window(1_000)).contains("beginning*"));
        assert!(wrong("ollama/q", window(3)).contains("`ollama/q`: `context_tokens`"));
    }
}
