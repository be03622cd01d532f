//! The tools by which agents query a home. They use only [`HomePort`]: none knows which home it is.

mod analyze;
mod answer;
mod diagnose;
mod errors;
mod history;
mod logbook;
mod period;
mod search;
mod series;
mod state;

use std::sync::Arc;

use protocol::{Effect, Origin, Safety};
use tools::{Declaration, Error, Registry};

use crate::HomePort;
pub(crate) use answer::failed;

/// Adds the tools that query a home and change nothing.
pub fn add_home_queries(registry: &mut Registry, home: Arc<dyn HomePort>) -> Result<(), Error> {
    registry.add(search::SearchEntities { home: home.clone() })?;
    registry.add(state::GetState { home: home.clone() })?;
    registry.add(history::GetHistory { home: home.clone() })?;
    registry.add(logbook::GetLogbook { home: home.clone() })?;
    registry.add(errors::GetErrors { home: home.clone() })?;
    registry.add(diagnose::DiagnoseEntity { home: home.clone() })?;
    registry.add(analyze::AnalyzeErrors { home })
}

/// Whether a home's answers can be trusted: names and messages of a real home are untrusted, those
/// of the simulated one are our own.
fn origin(home: &dyn HomePort) -> Origin {
    if home.about().simulated { Origin::Trusted } else { Origin::Untrusted }
}

/// The declaration of a tool that changes nothing.
fn observes(home: &dyn HomePort, name: &str, description: &str) -> Declaration {
    let declaration = Declaration::new(name, description);
    Declaration { effect: Effect::Pure, safety: Safety::Observes, parallel: true, origin: origin(home), ..declaration }
}
