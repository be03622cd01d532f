//! How a turn's models are asked: what the turn says itself, then what its agent, the session and the server say.

use std::cmp::Reverse;

use model::{Error, Model, Prompt, supported};
use protocol::{AgentId, ModelSettings, Request, Settings};
use tools::fits;

use super::work::Work;

/// What somebody has set for just this turn, agent or session. A model that cannot do it refuses it.
pub(crate) fn asked(settings: &Settings, agent_id: &AgentId, request: &Request) -> ModelSettings {
    let mut own = request.model_settings.clone();
    own.parallel_tool_calls = own.parallel_tool_calls.or(request.offer.parallel_tool_calls);
    let mut of_agent: Vec<(&String, &ModelSettings)> =
        settings.agent_settings.iter().filter(|(pattern, _)| fits(pattern, agent_id.as_str())).collect();
    // The name itself counts before a pattern, and a longer pattern before a shorter one.
    of_agent.sort_by_key(|(pattern, _)| (pattern.contains('*'), Reverse(pattern.len())));
    let with_agent = of_agent.into_iter().fold(own, |own, (_, wider)| own.or(wider));
    with_agent.or(&settings.model_settings)
}

/// All that a turn's models are asked with, as far as it is set at all.
pub(super) fn of(work: &Work) -> ModelSettings {
    own(work).or(&work.house.options.model_settings)
}

fn own(work: &Work) -> ModelSettings {
    asked(&work.job.settings, &work.job.turn.agent_id, &work.job.turn.request)
}

/// Sets a prompt for one of the turn's models. The first of them was chosen, so what it cannot do is refused, unless it is only
/// the server's own setting; one that stands in does what it can, and the turn's result says what was left out.
pub(super) fn set(work: &mut Work, model: &dyn Model, prompt: &mut Prompt) -> Result<(), Error> {
    let own = own(work);
    let is_chosen = work.chain.first().is_none_or(|first| first.name() == model.name());
    if is_chosen {
        model.check(&own)?;
    } else {
        for left_out in model.unsupported(&own) {
            let name = left_out.setting.as_str();
            work.notice(format!("`{}` was asked without `{name}`, which {}", model.name(), left_out.why));
        }
    }
    let (settings, _) = supported(model, &of(work));
    prompt.output_tokens_max = output_max(model, prompt.output_tokens_max, &settings);
    prompt.settings = settings;
    Ok(())
}

/// The longest answer: what the budget leaves, what is set, and what the model can say at all. Where neither of the first two
/// says anything, the provider decides.
fn output_max(model: &dyn Model, room: Option<u64>, settings: &ModelSettings) -> Option<u64> {
    let wanted = [room, settings.max_output_tokens].into_iter().flatten().min()?;
    Some(model.traits().output_tokens_max.map_or(wanted, |max| wanted.min(max)))
}

#[cfg(test)]
mod tests {
    use protocol::{Offer, ReasoningEffort};

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
        let offer = Offer { parallel_tool_calls: Some(false), ..Offer::default() };
        let request = Request { offer, ..Request::text("x") };
        let all = asked(&Settings::default(), &AgentId::main(), &request);
        assert_eq!(all.parallel_tool_calls, Some(false));
    }
}
