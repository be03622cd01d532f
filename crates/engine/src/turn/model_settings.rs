//! Settings of a turn's model calls: from the turn itself, then its agent, the session and the
//! server.

use std::cmp::Reverse;

use model::{Error, Model, Prompt, supported};
use protocol::{AgentId, ModelSettings, Request, Settings};
use tools::fits;

use super::state::TurnState;

/// What was set for just this turn, agent or session. A model that does not support it refuses it.
pub(crate) fn asked(settings: &Settings, agent_id: &AgentId, request: &Request) -> ModelSettings {
    let mut own = request.model_settings.clone();
    own.parallel_tool_calls = own.parallel_tool_calls.or(request.offer.parallel_tool_calls);
    let mut of_agent: Vec<(&String, &ModelSettings)> =
        settings.agent_settings.iter().filter(|(pattern, _)| fits(pattern, agent_id.as_str())).collect();
    // An exact name counts before a pattern, and a longer pattern before a shorter one.
    of_agent.sort_by_key(|(pattern, _)| (pattern.contains('*'), Reverse(pattern.len())));
    let with_agent = of_agent.into_iter().fold(own, |own, (_, wider)| own.or(wider));
    with_agent.or(&settings.model_settings)
}

/// The settings of the turn's model calls.
pub(super) fn of(state: &TurnState) -> ModelSettings {
    own(state).or(&state.services.models.settings())
}

fn own(state: &TurnState) -> ModelSettings {
    asked(&state.input.settings, &state.input.turn.agent_id, &state.input.turn.request)
}

/// Applies the settings to a prompt for one of the turn's models. The first model was chosen, so
/// settings that it does not support are refused, unless they are only the server's defaults. A
/// fallback model ignores them, and the turn's result says which.
pub(super) fn set(state: &mut TurnState, model: &dyn Model, prompt: &mut Prompt) -> Result<(), Error> {
    let own = own(state);
    let is_chosen = state.chain.first().is_none_or(|first| first.name() == model.name());
    if is_chosen {
        model.check(&own)?;
    } else {
        for left_out in model.unsupported(&own) {
            let name = left_out.setting.as_str();
            state.notice(format!("`{}` was called without `{name}`, which {}", model.name(), left_out.why));
        }
    }
    let (settings, _) = supported(model, &of(state));
    prompt.output_tokens_max = output_max(model, prompt.output_tokens_max, &settings);
    prompt.settings = settings;
    Ok(())
}

/// The maximum length of an answer: the smallest of the budget, the setting and the model's limit.
/// Without the first two, the provider decides.
fn output_max(model: &dyn Model, space: Option<u64>, settings: &ModelSettings) -> Option<u64> {
    let wanted = [space, settings.max_output_tokens].into_iter().flatten().min()?;
    Some(model.traits().output_tokens_max.map_or(wanted, |max| wanted.min(max)))
}

#[cfg(test)]
mod tests {
    use protocol::{ClientToolOffer, ReasoningEffort};

    use super::*;

    fn temperature(value: f64) -> ModelSettings {
        ModelSettings { temperature: Some(value), ..ModelSettings::default() }
    }

    #[test]
    fn the_narrowest_level_that_says_something_counts() {
        let effort = ModelSettings { reasoning_effort: Some(ReasoningEffort::Low), ..temperature(0.1) };
        let mut settings = Settings { model_settings: effort, ..Settings::default() };
        settings.agent_settings.insert("ma*".to_owned(), ModelSettings { seed: Some(7), ..temperature(0.2) });
        settings.agent_settings.insert("*".to_owned(), ModelSettings { seed: Some(8), ..ModelSettings::default() });
        let of = |settings: &Settings, request: &Request| asked(settings, &AgentId::main(), request);
        let all = of(&settings, &Request::text("x"));
        assert_eq!((all.temperature, all.seed), (Some(0.2), Some(7)));
        assert_eq!(all.reasoning_effort, Some(ReasoningEffort::Low));
        settings.agent_settings.insert("main".to_owned(), temperature(0.3));
        assert_eq!(of(&settings, &Request::text("x")).temperature, Some(0.3), "the name itself counts first");
        let request = Request { model_settings: temperature(0.4), ..Request::text("x") };
        assert_eq!(of(&settings, &request).temperature, Some(0.4));
    }

    #[test]
    fn what_the_client_offers_says_whether_calls_come_at_once() {
        let offer = ClientToolOffer { parallel_tool_calls: Some(false), ..ClientToolOffer::default() };
        let request = Request { offer, ..Request::text("x") };
        let all = asked(&Settings::default(), &AgentId::main(), &request);
        assert_eq!(all.parallel_tool_calls, Some(false));
    }
}
