//! A turn at work: a task that reports to its session and knows nothing of journals or followers.
//!
//! It is started by the session's actor once the turn is committed as running, and stopped by aborting it, which
//! drops the model's stream. Whatever it does is told to the actor as a report.

mod context;
mod execute;

use std::{sync::Arc, time::Duration};

use model::Prompt;
use protocol::Stage;
use session::{OpenTurn, State};

use crate::{
    hub::House,
    live::{Report, Reporter},
};

/// All that a turn needs to know, taken from the state when it begins.
pub(crate) struct Job {
    prompt: Prompt,
    time_budget: Duration,
}

impl Job {
    pub(crate) fn new(state: &State, turn: &OpenTurn) -> Self {
        let budget = turn.time_budget_ms(state.settings.budgets.max_duration_ms);
        Self { prompt: context::assemble(state, turn), time_budget: Duration::from_millis(budget) }
    }
}

/// Runs a turn to its end and reports it.
pub(crate) async fn run(house: Arc<House>, job: Job, reporter: Reporter) {
    // The semaphore is never closed; if it were, running without a permit would be the lesser evil.
    let _permit = house.turn_permits.acquire().await;
    reporter.report(Report::Stage(Stage::Execute)).await;
    let work = execute::answer(&house, job.prompt, job.time_budget, &reporter);
    let ending = match tokio::time::timeout(job.time_budget, work).await {
        Ok(Ok(response)) => Report::Done(response),
        Ok(Err(error)) => Report::Failed(error),
        Err(_) => Report::Expired("time_budget".to_owned()),
    };
    reporter.report(ending).await;
}
