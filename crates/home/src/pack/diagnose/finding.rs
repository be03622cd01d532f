//! The findings of a diagnosis, and their ranking.

use schemars::JsonSchema;
use serde::Serialize;

use crate::EntityId;

/// The cause of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The battery is empty.
    Battery,
    /// The power supply.
    Supply,
    /// The network.
    Network,
    /// The integration is not loaded.
    Integration,
    /// The hub of the device.
    Hub,
    /// The whole device is unavailable.
    Device,
    /// An entity that it is made of.
    Source,
    /// An entity that it uses is unavailable.
    Part,
    /// A failing automation or script.
    Run,
    /// It was switched by a user or an automation.
    Switched,
    /// Something else happened at the same moments.
    Correlated,
    /// An entry of the system log.
    Logged,
    /// A symptom, which explains nothing.
    Symptom,
}

impl Cause {
    /// What to do about it.
    fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::Battery => "Replace the battery; the device should come back by itself within minutes.",
            Self::Supply => {
                "Have an electrician look at the supply and the circuit (loose connection, a large load switching on); until then a driver with a wider input range helps."
            }
            Self::Network => "Look at the router: when and why it restarted; give it and the hubs uninterrupted power.",
            Self::Integration => {
                "Check that the device is on and reachable at its address, then reload the integration."
            }
            Self::Hub => "Restart the hub, and see whether what is reached through it comes back.",
            Self::Device => "Check that the device has power and is in range; power-cycle it.",
            Self::Part => "Fix the entities that it uses; until then it cannot work.",
            Self::Run => "Correct the step that fails in the automation or script, then run it once by hand.",
            Self::Switched => "Look at what switches it if that is not wanted.",
            Self::Correlated => "Look at what happened at the same moments.",
            Self::Source | Self::Logged | Self::Symptom => return None,
        })
    }
}

/// A finding.
#[derive(Debug, Clone)]
pub(super) struct DiagnosticFinding {
    pub(super) cause: Cause,
    pub(super) what: String,
    /// From 0 to 1.
    pub(super) confidence: f64,
    /// The entity it is about.
    pub(super) entity_id: Option<EntityId>,
    /// The sources.
    pub(super) evidence: Vec<String>,
}

/// A finding as it is returned.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct FindingOutput {
    what: String,
    /// From 0 to 1.
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_id: Option<EntityId>,
    /// Sources that show it.
    evidence: Vec<String>,
}

impl From<DiagnosticFinding> for FindingOutput {
    fn from(finding: DiagnosticFinding) -> Self {
        let DiagnosticFinding { what, confidence, entity_id, evidence, .. } = finding;
        Self { what, confidence: (confidence * 100.0).round() / 100.0, entity_id, evidence }
    }
}

/// The confidence from which a finding counts as the cause.
const SURE: f64 = 0.5;
/// The number of findings returned besides the cause.
const FINDINGS_MAX: usize = 6;
const ADVICE_MAX: usize = 3;

/// Ranks findings: the likely cause, the rest, and the advice.
pub(super) fn rank(
    mut findings: Vec<DiagnosticFinding>,
) -> (Option<FindingOutput>, Vec<FindingOutput>, Vec<&'static str>) {
    findings.sort_by(|one, two| two.confidence.total_cmp(&one.confidence));
    let mut advice: Vec<&'static str> = Vec::new();
    let has = |cause: Cause| findings.iter().any(|finding| finding.cause == cause && finding.confidence >= SURE);
    // Once the cause is known, general advice about unavailable devices is not needed.
    let is_known = has(Cause::Battery) || has(Cause::Integration) || has(Cause::Hub);
    let matters =
        |finding: &&DiagnosticFinding| finding.confidence >= SURE && !(is_known && finding.cause == Cause::Device);
    for finding in findings.iter().filter(matters) {
        advice.extend(finding.cause.advice().filter(|one| !advice.contains(one)));
    }
    advice.truncate(ADVICE_MAX);
    let explains = |finding: &DiagnosticFinding| {
        finding.confidence >= SURE && !matches!(finding.cause, Cause::Symptom | Cause::Source | Cause::Logged)
    };
    let cause = findings.iter().position(explains).map(|number| findings.remove(number).into());
    findings.truncate(FINDINGS_MAX);
    (cause, findings.into_iter().map(FindingOutput::from).collect(), advice)
}

impl FindingOutput {
    /// The text.
    pub(super) fn what(&self) -> &str {
        &self.what
    }
}
