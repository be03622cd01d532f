//! What model families have in common, by their names: how reasoning is configured, and which
//! settings they refuse.

use protocol::ReasoningEffort;

use crate::{Provider, ProviderKind};

/// The fewest tokens that Anthropic takes as a budget of thinking.
const THINKING_TOKENS_MIN: u64 = 1_024;

/// Whether a provider is OpenAI itself, or offers its models under their names.
pub(super) fn is_openai(provider: &Provider) -> bool {
    matches!(provider.kind, ProviderKind::Azure { .. })
        || provider.kind == ProviderKind::OpenAi && provider.name == "openai"
}

/// Whether it is a reasoning model of OpenAI: those refuse sampling settings.
pub(super) fn openai_reasons(model: &str) -> bool {
    let name = plain(model);
    ["o1", "o3", "o4", "gpt-5", "gpt-6"].iter().any(|family| name.starts_with(family)) && !name.contains("-chat")
}

/// Whether it is a model of OpenAI that does not reason.
pub(super) fn openai_only_talks(model: &str) -> bool {
    let name = plain(model);
    ["gpt-3.5", "gpt-4", "chatgpt"].iter().any(|family| name.starts_with(family)) || name.contains("-chat")
}

/// The nearest effort that a reasoning model of OpenAI supports.
pub(super) fn openai_effort(model: &str, effort: ReasoningEffort) -> &'static str {
    let name = plain(model);
    let is_first_five = name == "gpt-5" || name.starts_with("gpt-5-");
    match effort {
        ReasoningEffort::None | ReasoningEffort::Minimal if name.starts_with('o') => "low",
        ReasoningEffort::None if is_first_five => "minimal",
        // Later ones can switch reasoning off, and have no minimal effort.
        ReasoningEffort::Minimal if !is_first_five => "low",
        other => other.as_str(),
    }
}

/// How the thinking of an Anthropic model is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThinkingMode {
    /// It does not think.
    Never,
    /// By a number of tokens.
    ByTokens,
    /// By effort.
    ByEffort,
}

/// How the thinking of an Anthropic model is configured: up to 4.5 by tokens, later ones by effort.
pub(super) fn anthropic_thinking(model: &str) -> ThinkingMode {
    let name = plain(model).replace('.', "-");
    if name.starts_with("claude-3-7") {
        return ThinkingMode::ByTokens;
    }
    if ["claude-2", "claude-3", "claude-instant"].iter().any(|old| name.starts_with(old)) {
        return ThinkingMode::Never;
    }
    let numbers: Vec<&str> = name.split('-').filter(|part| part.bytes().all(|byte| byte.is_ascii_digit())).collect();
    // A longer number is a date, not a version.
    let minor = numbers.get(1).filter(|part| part.len() <= 2).and_then(|part| part.parse::<u32>().ok()).unwrap_or(0);
    if numbers.first() == Some(&"4") && minor <= 5 { ThinkingMode::ByTokens } else { ThinkingMode::ByEffort }
}

/// The thinking budget of Anthropic's models, at most half of the answer; none where that is below
/// the minimum.
pub(super) fn anthropic_budget(effort: ReasoningEffort, output_max: Option<u64>) -> Option<u64> {
    let wanted = match effort {
        ReasoningEffort::None => return None,
        ReasoningEffort::Minimal => THINKING_TOKENS_MIN,
        ReasoningEffort::Low => 2_048,
        ReasoningEffort::Medium => 8_192,
        ReasoningEffort::High => 24_576,
    };
    let budget = output_max.map_or(wanted, |max| wanted.min(max / 2));
    (budget >= THINKING_TOKENS_MIN).then_some(budget)
}

/// Whether it is a Gemini model that thinks; earlier ones refuse the setting.
pub(super) fn gemini_thinks(model: &str) -> bool {
    ["gemini-2.5", "gemini-3"].iter().any(|family| plain(model).starts_with(family))
}

/// Whether it is a Gemini model that takes a thinking level rather than a budget of tokens.
pub(super) fn gemini_takes_level(model: &str) -> bool {
    plain(model).starts_with("gemini-3")
}

/// The thinking budget of Gemini's models. The large model cannot switch it off.
pub(super) fn gemini_budget(model: &str, effort: ReasoningEffort) -> u32 {
    match effort {
        ReasoningEffort::None if plain(model).contains("-pro") => 128,
        ReasoningEffort::None => 0,
        ReasoningEffort::Minimal => 512,
        ReasoningEffort::Low => 1_024,
        ReasoningEffort::Medium => 8_192,
        ReasoningEffort::High => 24_576,
    }
}

/// The name without its maker.
fn plain(model: &str) -> String {
    model.rsplit('/').next().unwrap_or(model).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openais_models_are_told_apart_by_name() {
        for model in ["o3", "o4-mini", "gpt-5", "gpt-5.2-2025-12-11", "openai/gpt-5-mini"] {
            assert!(openai_reasons(model) && !openai_only_talks(model), "{model}");
        }
        for model in ["gpt-4o", "gpt-4.1-mini", "gpt-5-chat-latest", "chatgpt-4o-latest"] {
            assert!(!openai_reasons(model) && openai_only_talks(model), "{model}");
        }
        assert!(!openai_reasons("llama3") && !openai_only_talks("llama3"), "others are left to their servers");
        let efforts = |model| [ReasoningEffort::None, ReasoningEffort::Minimal].map(|it| openai_effort(model, it));
        assert_eq!(efforts("o3"), ["low", "low"]);
        assert_eq!(efforts("gpt-5-mini"), ["minimal", "minimal"]);
        assert_eq!(efforts("gpt-5.1"), ["none", "low"]);
    }

    #[test]
    fn anthropics_models_think_by_tokens_first_and_by_effort_later() {
        for (model, expected) in [
            ("claude-3-5-haiku-latest", ThinkingMode::Never),
            ("claude-3-7-sonnet-20250219", ThinkingMode::ByTokens),
            ("claude-sonnet-4-20250514", ThinkingMode::ByTokens),
            ("claude-opus-4-5-20251101", ThinkingMode::ByTokens),
            ("anthropic/claude-sonnet-4.5", ThinkingMode::ByTokens),
            ("claude-opus-4-6", ThinkingMode::ByEffort),
            ("claude-sonnet-5", ThinkingMode::ByEffort),
        ] {
            assert_eq!(anthropic_thinking(model), expected, "{model}");
        }
        assert_eq!(anthropic_budget(ReasoningEffort::High, Some(8_192)), Some(4_096));
        assert_eq!(anthropic_budget(ReasoningEffort::Low, Some(1_000)), None, "too few to think");
        assert_eq!(anthropic_budget(ReasoningEffort::None, None), None);
    }

    #[test]
    fn geminis_large_model_cannot_leave_it_out() {
        assert_eq!(gemini_budget("gemini-2.5-flash", ReasoningEffort::None), 0);
        assert_eq!(gemini_budget("gemini-2.5-pro", ReasoningEffort::None), 128);
        assert!(gemini_thinks("gemini-3-pro-preview") && !gemini_thinks("gemini-2.0-flash"));
    }
}
