//! Replay: a request that is identical to an earlier one, with the same windows and the same
//! context, is answered from the cache without a model. If the user reports that it was wrong, it
//! is not replayed again.

use desktop::tool_of;
use protocol::{Action, DIDNT_WORK, Request, Response, Settings, Toast, ToastButton, ToastId, Tone};
use session::{
    SavedApprovals, State,
    replay_cache::{CachedTurn, ReplayRequest},
};
use tools::{PolicyInput, Verdict, judge};

use super::{
    Halt,
    execute::TurnAnswer,
    plan::{self, TurnPlan},
    state::TurnState,
};
use crate::hub::Services;

/// The author of an answer from the cache.
const BY_ROTE: &str = "reload";

/// The earlier turn with exactly this request.
pub(super) fn find(state: &TurnState, known: Option<String>) -> Option<CachedTurn> {
    let turn = &state.input.turn;
    // A retry asks for something else, and the meaning of an answer depends on its question.
    let request = &turn.request;
    let is_plain =
        request.images.is_empty() && request.offer.shown().is_empty() && request.offer.response_schema.is_none();
    let stands_alone = is_plain && turn.retry_of.is_none() && turn.answers.is_none();
    if state.thread.rounds() > 0 || !stands_alone {
        return None;
    }
    let cached = state.input.reload.exact(&ReplayRequest { known, ..State::replay_request(turn) })?;
    let standing = state.input.inbox.borrow().standing.clone();
    let is_free = may_do(&state.services, &state.input.settings, &standing, &turn.request, &cached.actions);
    is_free.then(|| cached.clone())
}

/// Whether a model could do all of this now without an approval: a replay must not bypass policy.
pub(super) fn may_do(
    services: &Services,
    settings: &Settings,
    standing: &SavedApprovals,
    request: &Request,
    actions: &[Action],
) -> bool {
    let rules = plan::rules_of(settings, request);
    let offered = plan::offered(services, false, &rules, standing, request, false);
    actions.iter().all(|action| {
        let Some(spec) = offered.iter().find(|spec| tool_of(action) == Some(spec.name.as_str())) else { return false };
        let Some(entry) = services.tools.get(&spec.name) else { return false };
        let judged = PolicyInput {
            tool: &spec.name,
            scope: None,
            safety: entry.declaration.safety,
            tainted: false,
            confirm: None,
        };
        judge(&judged, &services.rules, &rules, tools::PastDecision::default()) == Verdict::Allow
    })
}

/// Replays the actions and returns the earlier answer. If that is no longer possible, a model is
/// called after all.
pub(super) async fn answer(state: &mut TurnState, plan: &mut TurnPlan) -> Result<Option<TurnAnswer>, Halt> {
    let Some((cached, otherwise)) = plan.replay.take() else { return Ok(None) };
    let mut actions = cached.actions.clone();
    actions.push(Action::Toast(Toast {
        toast_id: ToastId::new(state.services.world.ulid()),
        text: "Done as the last time.".to_owned(),
        level: Tone::Info,
        button: Some(ToastButton { label: "Didn't work".to_owned(), action: DIDNT_WORK.to_owned() }),
        replay_of: Some(cached.turn_id),
    }));
    let key = format!("{}-{}-{BY_ROTE}", state.input.session_id, state.input.turn.id);
    if let Err(failure) = state.session_port.commit(&key, actions, Some(cached.turn_id)).await {
        tracing::debug!(session = %state.input.session_id, %failure, "the earlier actions cannot be replayed");
        plan.route = otherwise;
        let shown = state.prompt_base.as_ref().map(|background| background.tools.clone()).unwrap_or_default();
        state.reporter.tell(plan.report(&shown)).await;
        return Ok(None);
    }
    let message = if cached.answer.is_empty() { "Done.".to_owned() } else { cached.answer };
    state.say(message.clone()).await;
    Ok(Some(TurnAnswer { response: Response::text(message, BY_ROTE), spent: None, steers: state.thread.steers() }))
}
