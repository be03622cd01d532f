//! A turn at work: a task that reports to its session and knows nothing of journals or followers.
//!
//! It goes through five stages, each a file here: [`receive`] takes the message up, [`understand`] finds out what is
//! meant, [`plan`] picks the way, [`execute`] thinks and acts until there is an answer, [`complete`] puts the answer
//! together. It is started by the session's actor once the turn is committed as running, and stopped by aborting it,
//! which drops the model's stream. Whatever it does is told to the actor as a report, so that a turn that is resumed
//! starts from what was reported last.

mod job;
mod shift;
mod work;

mod receive;

mod remember;

mod understand;

mod plan;

mod beside;
mod budget;
mod called;
mod calls;
mod client;
mod context;
mod conversation;
mod cut;
mod desk;
mod execute;
mod found;
mod last_exchange;
mod model_call;
mod model_settings;
mod offer;
mod pictures;
mod recalled;
mod reflex;
mod replay;
mod scaffold;
mod share;
mod study;
mod tool_selection;
mod words;

mod complete;

use std::sync::Arc;

pub(crate) use beside::line as timeline_line;
pub(crate) use conversation::window;
pub(crate) use job::{Conversation, Heard, Job};
pub(crate) use model_settings::asked as asked_settings;
use protocol::TurnError;
use session::Report;
use shift::Shift;
pub(crate) use tool_selection::LikelyTools;
use work::Work;

use crate::{
    hub::House,
    live::{Over, Reporter},
};

/// Why a turn's work ends before its answer.
enum Halt {
    /// It was ended by somebody else, or waits for somebody: there is nothing to report.
    Over,
    /// It cannot go on.
    Failed(Box<TurnError>),
}

impl From<Over> for Halt {
    fn from(_: Over) -> Self {
        Self::Over
    }
}

impl From<TurnError> for Halt {
    fn from(error: TurnError) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// Runs a turn to its end and reports it.
pub(crate) async fn run(house: Arc<House>, mut job: Job, reporter: Reporter) {
    let shift = Shift::begin(house.clone(), &mut job, &reporter).await;
    let mut overtime = shift.overtime();
    let mut work = Work::new(house, job, reporter, shift);
    let ended = tokio::select! {
        ended = stages(&mut work) => Some(ended),
        () = overtime.is_up() => None,
    };
    match ended {
        Some(Ok(()) | Err(Halt::Over)) => {}
        Some(Err(Halt::Failed(error))) => {
            let usage = work.spent();
            work.reporter.tell_now(Report::Failed { error: *error, usage }).await;
        }
        None => found::expire(&mut work).await,
    }
}

async fn stages(work: &mut Work) -> Result<(), Halt> {
    let chain = receive::enter(work).await?;
    let reflex = reflex::read(work);
    let intent = understand::enter(work, &chain, reflex.as_ref()).await?;
    // Who wants a call gets no question back.
    let is_forced = work.job.turn.request.offer.tool_choice.is_forced();
    if !is_forced && understand::asks_back(work, &intent, reflex.as_ref()).await? {
        return Ok(());
    }
    if reflex.is_none() {
        remember::enter(work).await;
    }
    let mut plan = plan::enter(work, &intent, chain, reflex);
    execute::enter(work, &mut plan, &intent).await;
    let answer = match reflex::answer(work, &plan).await? {
        Some(answer) => Some(answer),
        None => replay::answer(work, &mut plan).await?,
    };
    if let Some(answer) = answer
        && complete::enter(work, answer, &intent).await?
    {
        return Ok(());
    }
    loop {
        let answer = execute::answer(work, &plan).await?;
        if complete::enter(work, answer, &intent).await? {
            return Ok(());
        }
    }
}
