//! Suggestions for an unknown name.

/// The most suggestions.
pub(super) const NAMES_MAX: usize = 3;
/// Less similar names are not suggested.
const LIKENESS_MIN: f64 = 0.55;

/// The most similar names, best first.
pub(super) fn nearest(wanted: &str, names: &[String]) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut ranked: Vec<(f64, &String)> =
        names.iter().map(|name| (likeness(&wanted, &name.to_lowercase()), name)).collect();
    ranked.retain(|(likeness, _)| *likeness >= LIKENESS_MIN);
    ranked.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
    ranked.into_iter().take(NAMES_MAX).map(|(_, name)| name.clone()).collect()
}

/// The similarity of two names, with the provider and without: from 0 to 1.
fn likeness(wanted: &str, name: &str) -> f64 {
    let (own, wanted_own) = (without_provider(name), without_provider(wanted));
    let alike = [(wanted, name), (wanted, own), (wanted_own, own)]
        .map(|(one, other)| strsim::normalized_damerau_levenshtein(one, other));
    let is_part = wanted_own.len() >= 3 && own.contains(wanted_own);
    let part: f64 = if is_part { 0.9 } else { 0.0 };
    alike.into_iter().fold(part, f64::max)
}

fn without_provider(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, model)| model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_come_first_and_strangers_not_at_all() {
        let names = ["ollama/qwen3:8b", "ollama/llama3.2", "openai/gpt-4.1-mini", "openai/gpt-4.1"].map(str::to_owned);
        assert_eq!(nearest("ollama/qwen3", &names)[0], "ollama/qwen3:8b");
        assert_eq!(nearest("openai/gpt-4.1-mni", &names)[0], "openai/gpt-4.1-mini");
        assert_eq!(nearest("gpt4.1", &names)[0], "openai/gpt-4.1");
        assert!(nearest("nosuchmodel", &names).is_empty());
    }
}
