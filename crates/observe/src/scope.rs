//! The trace context of the task at work. A task that is spawned does not inherit it.

use crate::TraceContext;

tokio::task_local! {
    static CURRENT: TraceContext;
}

/// Runs work below a span.
pub async fn scope<F: Future>(context: TraceContext, work: F) -> F::Output {
    CURRENT.scope(context, work).await
}

/// The same, if there is a span.
pub async fn scope_maybe<F: Future>(context: Option<TraceContext>, work: F) -> F::Output {
    match context {
        Some(context) => scope(context, work).await,
        None => work.await,
    }
}

/// The span that the task works below, if it is traced.
pub fn current() -> Option<TraceContext> {
    CURRENT.try_with(|context| *context).ok()
}

/// The header for an outgoing request of the task, if it is traced.
pub fn traceparent() -> Option<String> {
    current().map(|context| context.to_string())
}
