//! The tools by which agents look at a home. They stand on [`House`] alone: none knows which home it is.

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

use crate::House;

/// Adds the tools that look at a home and change nothing.
pub fn add_observing(registry: &mut Registry, home: Arc<dyn House>) -> Result<(), Error> {
    registry.add(search::SearchEntities { home: home.clone() })?;
    registry.add(state::GetState { home: home.clone() })?;
    registry.add(history::GetHistory { home: home.clone() })?;
    registry.add(logbook::GetLogbook { home: home.clone() })?;
    registry.add(errors::GetErrors { home: home.clone() })?;
    registry.add(diagnose::DiagnoseEntity { home: home.clone() })?;
    registry.add(analyze::AnalyzeErrors { home })
}

/// Whose words a home's answers are made of: names and messages of a real one are anybody's, those of the simulated one are ours.
fn origin(home: &dyn House) -> Origin {
    if home.about().simulated { Origin::Trusted } else { Origin::Untrusted }
}

/// A tool that looks and changes nothing.
fn observes(home: &dyn House, name: &str, description: &str) -> Declaration {
    let declaration = Declaration::new(name, description);
    Declaration { effect: Effect::Pure, safety: Safety::Observes, parallel: true, origin: origin(home), ..declaration }
}
