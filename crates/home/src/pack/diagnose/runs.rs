//! Automations and scripts: how their last runs went, and whether what they use is there.

use tools::Failure;

use super::{case::Case, finding::Cause};
use crate::pack::answer::{cut, if_readable};

/// How many silent entities are asked about.
const SILENT_MAX: usize = 15;

impl Case<'_> {
    /// Looks at the runs of the subject.
    pub(super) async fn runs(&mut self) -> Result<(), Failure> {
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

    /// What it uses of which nothing is heard.
    async fn silent_parts(&mut self) -> Result<(), Failure> {
        let subject = self.subject.clone();
        let mut silent = self.home.index().matching(|entity| entity.exposed);
        silent
            .retain(|standing| standing.state.as_deref().is_some_and(|state| state.state == crate::State::UNAVAILABLE));
        for standing in silent.into_iter().take(SILENT_MAX) {
            let related = self.related(&standing.entity.id).await?;
            if related.used_by.iter().any(|user| user.entity_id == subject.entity.id) {
                let since = standing.state.as_deref().map(|state| self.clock.at(state.changed_at)).unwrap_or_default();
                let name = &standing.entity.name;
                let what = format!(
                    "It uses {name} ({}), which is unavailable since {since}; diagnose that next",
                    standing.entity.id
                );
                let evidence = vec![self.sources.related(&standing), self.sources.state(&standing)];
                self.found(Cause::Part, 0.75, Some(&standing.entity.id), what, evidence);
            }
        }
        Ok(())
    }
}
