//! Diagnoses automations and scripts: their last runs, and whether the entities they use are
//! available.

use ports::ToolFailure;

use super::{finding::Cause, investigation::Investigation};
use crate::pack::answer::{cut, if_readable};

/// The number of unavailable entities that are checked.
const SILENT_MAX: usize = 15;

impl Investigation<'_> {
    /// Examines the runs.
    pub(super) async fn runs(&mut self) -> Result<(), ToolFailure> {
        let subject = self.subject.clone();
        let id = &subject.entity.id;
        self.context.say(format!("Reading the last runs of {}", subject.entity.name));
        let read = self.home.traces(id).await;
        let traces = if_readable(read, "the last runs", &mut self.also)?.unwrap_or_default();
        let is_bad = |outcome: &str| !matches!(outcome, "finished" | "failed_conditions" | "running" | "");
        let bad = traces.iter().filter(|trace| trace.error.is_some() || is_bad(&trace.outcome)).count();
        if let Some(last) = traces.first() {
            let source = self.sources.trace(&subject);
            let when = self.clock.at(last.at);
            let trigger = last.trigger.as_deref().map_or_else(String::new, |trigger| format!(", set off by {trigger}"));
            if last.error.is_some() || is_bad(&last.outcome) {
                let why = last.error.as_deref().unwrap_or(&last.outcome);
                let what = format!(
                    "Its last run ({when}{trigger}) failed: {}; {bad} of the last {} runs failed",
                    cut(why, 220),
                    traces.len()
                );
                self.found(Cause::Run, 0.96, Some(id), what, vec![source]);
            } else if last.outcome == "failed_conditions" {
                let what = format!("Its last run ({when}{trigger}) ended at once: its conditions were not met");
                self.found(Cause::Symptom, 0.6, Some(id), what, vec![source]);
            } else {
                self.also.push(format!("its last run ({when}{trigger}) finished without error"));
            }
        }
        if id.domain() == "automation" && subject.word() == "off" {
            let source = self.sources.state(&subject);
            self.found(Cause::Switched, 0.9, Some(id), format!("{} is turned off", subject.entity.name), vec![source]);
        }
        self.silent_parts().await
    }

    /// The unavailable entities that it uses.
    async fn silent_parts(&mut self) -> Result<(), ToolFailure> {
        let subject = self.subject.clone();
        let mut silent = self.home.index().matching(|entity| entity.exposed);
        silent.retain(|snapshot| {
            snapshot.state.as_deref().is_some_and(|state| state.state == crate::EntityState::UNAVAILABLE)
        });
        for snapshot in silent.into_iter().take(SILENT_MAX) {
            let related = self.related(&snapshot.entity.id).await?;
            if related.used_by.iter().any(|user| user.entity_id == subject.entity.id) {
                let since = snapshot.state.as_deref().map(|state| self.clock.at(state.changed_at)).unwrap_or_default();
                let name = &snapshot.entity.name;
                let what = format!(
                    "It uses {name} ({}), which is unavailable since {since}; diagnose that next",
                    snapshot.entity.id
                );
                let evidence = vec![self.sources.related(&snapshot), self.sources.state(&snapshot)];
                self.found(Cause::Part, 0.75, Some(&snapshot.entity.id), what, evidence);
            }
        }
        Ok(())
    }
}
