//! What was asked before, word for word, with the same windows open and the same known, is done again by rote: no model is
//! asked. Whoever sees that it was wrong says so, and it is not done again.

use desktop::tool_of;
use protocol::{Action, DIDNT_WORK, Request, Response, Settings, Toast, ToastButton, ToastId, Tone};
use session::{
    Standing, State,
    reload::{Asked, Cached},
};
use tools::{Judged, Verdict, judge};

use super::{
    Halt,
    execute::Answer,
    plan::{self, Plan},
    work::Work,
};
use crate::hub::House;

/// Who answers when nobody is asked.
const BY_ROTE: &str = "reload";

/// What an earlier turn did that was asked exactly this.
pub(super) fn find(work: &Work, known: Option<String>) -> Option<Cached> {
    let turn = &work.job.turn;
    // Whoever tries again wants something else, and an answer means what its question meant.
    let is_plain = turn.request.images.is_empty() && turn.request.offer.shown().is_empty();
    let stands_alone = is_plain && turn.retry_of.is_none() && turn.answers.is_none();
    if work.thread.rounds() > 0 || !stands_alone {
        return None;
    }
    let cached = work.job.reload.exact(&Asked { known, ..State::asked(turn) })?;
    let standing = work.job.heard.borrow().standing.clone();
    let is_free = may_do(&work.house, &work.job.settings, &standing, &turn.request, &cached.actions);
    is_free.then(|| cached.clone())
}

/// Whether a model could do all of this now without anybody being asked: by rote, nothing gets round policy.
pub(super) fn may_do(
    house: &House,
    settings: &Settings,
    standing: &Standing,
    request: &Request,
    actions: &[Action],
) -> bool {
    let rules = plan::rules_of(settings);
    let offered = plan::offered(house, false, &rules, standing, request, false);
    actions.iter().all(|action| {
        let Some(spec) = offered.iter().find(|spec| tool_of(action) == Some(spec.name.as_str())) else { return false };
        let Some(entry) = house.tools.get(&spec.name) else { return false };
        let judged =
            Judged { tool: &spec.name, scope: None, safety: entry.declaration.safety, tainted: false, confirm: None };
        judge(&judged, &house.rules, &rules, tools::Standing::default()) == Verdict::Allow
    })
}

/// Does it again, and gives what was answered then. If it cannot be done any more, a model is asked after all.
pub(super) async fn answer(work: &mut Work, plan: &mut Plan) -> Result<Option<Answer>, Halt> {
    let Some((cached, otherwise)) = plan.replay.take() else { return Ok(None) };
    let mut actions = cached.actions.clone();
    actions.push(Action::Toast(Toast {
        toast_id: ToastId::new(work.house.world.ulid()),
        text: "Done as the last time.".to_owned(),
        level: Tone::Info,
        button: Some(ToastButton { label: "Didn't work".to_owned(), action: DIDNT_WORK.to_owned() }),
        replay_of: Some(cached.turn_id),
    }));
    let key = format!("{}-{}-{BY_ROTE}", work.job.session_id, work.job.turn.id);
    if let Err(failure) = work.desk.commit(&key, actions, Some(cached.turn_id)).await {
        tracing::debug!(session = %work.job.session_id, %failure, "what was done before cannot be done again");
        plan.way = otherwise;
        let shown = work.background.as_ref().map(|background| background.tools.clone()).unwrap_or_default();
        work.reporter.tell(plan.report(&shown)).await;
        return Ok(None);
    }
    let message = if cached.answer.is_empty() { "Done.".to_owned() } else { cached.answer };
    work.say(message.clone()).await;
    Ok(Some(Answer { response: Response::text(message, BY_ROTE), spent: None, steers: work.thread.steers() }))
}
