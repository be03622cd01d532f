//! A running turn: a task that reports to its session and knows nothing of journals or subscribers.
//!
//! It passes through five stages, each a file here: [`receive`] selects the models, [`understand`]
//! recognizes the intent, [`plan`] picks the route, [`execute`] calls the model and tools until
//! there is an answer, [`complete`] assembles the answer. The session's actor starts the task once
//! the turn is committed as running, and aborts it to stop the turn, which drops the model's
//! stream. The task sends everything it does to the actor as a report, so a resumed turn starts
//! from the last report.

mod input;
mod slot;
mod state;

mod receive;

mod remember;

mod understand;

mod plan;

mod budget;
mod calls;
mod client;
mod client_tools;
mod context;
mod context_budget;
mod continuation;
mod conversation;
mod desktop_notes;
mod direct_call;
mod execute;
mod last_exchange;
mod memory_words;
mod model_call;
mod model_settings;
mod output_redactor;
mod partial_answer;
mod pictures;
mod prompt_sections;
mod recalled_memory;
mod reflex;
mod replay;
mod research_port;
mod schedule_words;
mod session_port;
mod structured;
mod told_once;
mod tool_selection;
mod trace;

mod complete;

use std::sync::Arc;

pub(crate) use conversation::window;
pub(crate) use desktop_notes::line as timeline_line;
pub(crate) use input::{ConversationContext, Inbox, TurnInput};
pub(crate) use model_settings::asked as asked_settings;
use protocol::{Stage, TurnError};
use session::TurnReport;
use slot::TurnSlot;
use state::TurnState;
pub(crate) use tool_selection::LikelyTools;

use crate::{
    hub::Services,
    live::{Reporter, TurnEnded},
};

/// Why a turn's work ends before its answer.
enum Halt {
    /// The turn was ended from outside, or waits for input: there is nothing to report.
    Over,
    /// The turn cannot continue.
    Failed(Box<TurnError>),
}

impl From<TurnEnded> for Halt {
    fn from(_: TurnEnded) -> Self {
        Self::Over
    }
}

impl From<TurnError> for Halt {
    fn from(error: TurnError) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// Runs a turn to its end and reports it.
pub(crate) async fn run(services: Arc<Services>, mut input: TurnInput, reporter: Reporter) {
    let slot = TurnSlot::begin(&services, &mut input, &reporter).await;
    let mut deadline = slot.watch_deadline();
    let (is_background, heartbeats) = (input.turn.request.background, services.heartbeats.clone());
    let beating = heartbeats.beat(services.world.clone(), input.turn.id);
    let mut state = TurnState::new(services, input, reporter, slot);
    let ended = tokio::select! {
        ended = stages(&mut state) => Some(ended),
        () = beating, if is_background => None,
        () = deadline.passed() => None,
    };
    match ended {
        Some(Ok(()) | Err(Halt::Over)) => {}
        Some(Err(Halt::Failed(error))) => {
            let usage = state.spent();
            state.reporter.tell_now(TurnReport::Failed { error: *error, usage }).await;
        }
        None => partial_answer::expire(&mut state).await,
    }
}

async fn stages(state: &mut TurnState) -> Result<(), Halt> {
    state.trace.enter(Stage::Receive);
    let chain = receive::enter(state).await?;
    state.trace.enter(Stage::Understand);
    let reflex = match memory_words::read(state).await {
        Some(reflex) => Some(reflex),
        None => {
            let about_schedules = schedule_words::read(state).await;
            about_schedules.reflex.or_else(|| reflex::read(state, about_schedules.orders_later))
        }
    };
    let intent = understand::enter(state, &chain, reflex.as_ref()).await?;
    // A client that requires a call or a schema gets no clarifying question.
    let request = &state.input.turn.request;
    let is_forced = request.offer.tool_choice.is_forced() || request.offer.response_schema.is_some();
    if !is_forced && understand::asks_back(state, &intent, reflex.as_ref()).await? {
        return Ok(());
    }
    if reflex.is_none() {
        remember::enter(state).await;
    }
    state.trace.enter(Stage::Plan);
    let mut plan = plan::enter(state, &intent, chain, reflex);
    state.trace.set_way(plan.route.as_str());
    state.trace.enter(Stage::Execute);
    execute::enter(state, &mut plan, &intent).await;
    let answer = match reflex::answer(state, &plan).await? {
        Some(answer) => Some(answer),
        None => replay::answer(state, &mut plan).await?,
    };
    if let Some(answer) = answer
        && complete::enter(state, answer, &intent).await?
    {
        return Ok(());
    }
    plan::go_on_with_model(state, &mut plan);
    loop {
        state.trace.enter(Stage::Execute);
        let answer = execute::answer(state, &plan).await?;
        if complete::enter(state, answer, &intent).await? {
            return Ok(());
        }
    }
}
