//! What a diagnosis finds, and what follows from it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::EntityId;

/// What kind of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// A battery is empty.
    Battery,
    /// The electricity itself.
    Supply,
    /// The network went.
    Network,
    /// The integration is not loaded.
    Integration,
    /// The device through which it is reached.
    Hub,
    /// The device is silent as a whole.
    Device,
    /// What it is made of.
    Source,
    /// What it uses is silent.
    Part,
    /// An automation or a script that fails.
    Run,
    /// Somebody or something switched it.
    Switched,
    /// Something else happened at the same moments.
    Together,
    /// The system log speaks of it.
    Logged,
    /// What is seen of it, which explains nothing.
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
            Self::Part => "Find out what is wrong with what it uses; until then it cannot do its work.",
            Self::Run => "Correct the step that fails in the automation or script, then run it once by hand.",
            Self::Switched => "Look at what switches it if that is not wanted.",
            Self::Together => "Look at what happened at the same moments.",
            Self::Source | Self::Logged | Self::Symptom => return None,
        })
    }
}

/// Something that was found.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) cause: Cause,
    pub(super) what: String,
    /// From 0 to 1.
    pub(super) confidence: f64,
    /// What it is about.
    pub(super) entity_id: Option<EntityId>,
    /// Sources.
    pub(super) evidence: Vec<String>,
}

/// A finding as it is told.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Told {
    what: String,
    /// From 0 to 1.
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_id: Option<EntityId>,
    /// Sources that show it.
    evidence: Vec<String>,
}

impl From<Finding> for Told {
    fn from(finding: Finding) -> Self {
        let Finding { what, confidence, entity_id, evidence, .. } = finding;
        Self { what, confidence: (confidence * 100.0).round() / 100.0, entity_id, evidence }
    }
}

/// How sure one has to be to call something the cause.
const SURE: f64 = 0.5;
/// How many findings are told beside the cause.
const FINDINGS_MAX: usize = 6;
const ADVICE_MAX: usize = 3;

/// Findings in order: the likely cause, the rest, and what to do.
pub(super) fn rank(mut findings: Vec<Finding>) -> (Option<Told>, Vec<Told>, Vec<&'static str>) {
    findings.sort_by(|one, two| two.confidence.total_cmp(&one.confidence));
    let mut advice: Vec<&'static str> = Vec::new();
    let has = |cause: Cause| findings.iter().any(|finding| finding.cause == cause && finding.confidence >= SURE);
    // Whoever knows why a device is silent needs no advice on silent devices.
    let is_known = has(Cause::Battery) || has(Cause::Integration) || has(Cause::Hub);
    let matters = |finding: &&Finding| finding.confidence >= SURE && !(is_known && finding.cause == Cause::Device);
    for finding in findings.iter().filter(matters) {
        advice.extend(finding.cause.advice().filter(|one| !advice.contains(one)));
    }
    advice.truncate(ADVICE_MAX);
    let explains = |finding: &Finding| {
        finding.confidence >= SURE && !matches!(finding.cause, Cause::Symptom | Cause::Source | Cause::Logged)
    };
    let cause = findings.iter().position(explains).map(|number| findings.remove(number).into());
    findings.truncate(FINDINGS_MAX);
    (cause, findings.into_iter().map(Told::from).collect(), advice)
}

impl Told {
    /// In words.
    pub(super) fn what(&self) -> &str {
        &self.what
    }
}
