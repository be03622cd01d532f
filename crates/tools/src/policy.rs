//! Decides whether a call may run: from data alone, never by a prompt.
//!
//! The server's [`Rules`] set the bounds; a session's [`SessionRules`] can only narrow them.

use protocol::Safety;
use serde::{Deserialize, Serialize};

use crate::pattern::{Pattern, PatternError};

/// The server setting that lets tools act on the outside world.
pub const ACTUATION_SETTING: &str = "tools.actuation";

/// What the server allows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Whether tools may act on the outside world.
    pub actuation: bool,
    /// The only calls that may run; none means all.
    pub allow: Option<Vec<Pattern>>,
    /// Calls that may not run.
    pub deny: Vec<Pattern>,
    /// Calls that need an approval each time.
    pub confirm: Vec<Pattern>,
}

/// What a session allows within the server's rules: its policy with the patterns parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionRules {
    /// Whether tools may act on the outside world; `None` means the server's setting.
    pub actuation: Option<bool>,
    /// The only calls that may run; none means all.
    pub allow: Option<Vec<Pattern>>,
    /// Calls that may not run.
    pub deny: Vec<Pattern>,
    /// Calls that need an approval each time.
    pub confirm: Vec<Pattern>,
    /// Whether only tools that read may run: the message of the turn was sent with a token that may
    /// talk and not act.
    pub reads_only: bool,
}

impl TryFrom<&protocol::Policy> for SessionRules {
    type Error = PatternError;

    fn try_from(policy: &protocol::Policy) -> Result<Self, PatternError> {
        let read = |patterns: &[String]| patterns.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            actuation: policy.actuation,
            allow: policy.allow.as_deref().map(read).transpose()?,
            deny: read(&policy.deny)?,
            confirm: read(&policy.confirm)?,
            reads_only: false,
        })
    }
}

/// The call that the policy judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyInput<'a> {
    /// The tool.
    pub tool: &'a str,
    /// What the call affects.
    pub scope: Option<&'a str>,
    /// What the tool affects.
    pub safety: Safety,
    /// Whether the turn has read text from outside the session.
    pub tainted: bool,
    /// Why the tool wants these arguments confirmed.
    pub confirm: Option<&'a str>,
}

/// Earlier decisions of the user in this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PastDecision {
    /// Exactly this call, by its digest, may always run.
    pub always: bool,
    /// This tool may never run.
    pub never: bool,
}

/// Whether a call may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The call may run.
    Allow,
    /// The user has to approve it, for this reason.
    Ask(String),
    /// The call may not run, for this reason.
    Deny(String),
}

/// Judges a call. The first rule that applies decides: denied by a rule, not in the allow list,
/// refused by the user, not allowed by the token, actuation disabled, confirmation required by the
/// tool, always allowed by the user, reaching out after reading text from outside, confirmation
/// required by policy.
pub fn judge(call: &PolicyInput<'_>, rules: &Rules, session: &SessionRules, standing: PastDecision) -> Verdict {
    let PolicyInput { tool, scope, safety, tainted, confirm } = *call;
    let covers = |pattern: &&Pattern| pattern.covers(tool, scope);
    let may_cover = |pattern: &&Pattern| pattern.may_cover(tool, scope);
    let what = scope.map_or_else(|| format!("`{tool}`"), |scope| format!("`{tool}` on `{scope}`"));
    for (whose, deny) in [("the server's", &rules.deny), ("this session's", &session.deny)] {
        if let Some(pattern) = deny.iter().find(may_cover) {
            return Verdict::Deny(format!("{what} is denied by {whose} policy (`{pattern}`)"));
        }
    }
    for (whose, allow) in [("the server's", &rules.allow), ("this session's", &session.allow)] {
        if allow.as_ref().is_some_and(|patterns| !patterns.iter().any(|pattern| covers(&pattern))) {
            return Verdict::Deny(format!("{what} is not allowed by {whose} policy"));
        }
    }
    if standing.never {
        return Verdict::Deny(refused(tool));
    }
    if let Some(reason) = beyond_token(tool, safety, session) {
        return Verdict::Deny(reason);
    }
    if let Some(reason) = actuation_off(tool, safety, rules, session) {
        return Verdict::Deny(reason);
    }
    // A call that needs confirmation each time cannot be allowed once and for all.
    if let Some(reason) = confirm {
        return Verdict::Ask(reason.to_owned());
    }
    if standing.always {
        return Verdict::Allow;
    }
    if tainted && safety.reaches_out() {
        return Verdict::Ask(format!(
            "the turn has read text from outside, which may contain instructions, and {what} reaches beyond Dwell"
        ));
    }
    for (whose, confirm) in [("the server's", &rules.confirm), ("this session's", &session.confirm)] {
        if let Some(pattern) = confirm.iter().find(may_cover) {
            return Verdict::Ask(format!("{whose} policy requires confirmation of {what} (`{pattern}`)"));
        }
    }
    Verdict::Allow
}

/// Why no call of a tool can run, whatever its scope; `None` if some call may run.
pub fn denial_reason(tool: &str, safety: Safety, rules: &Rules, session: &SessionRules, never: bool) -> Option<String> {
    for (whose, deny) in [("the server's", &rules.deny), ("this session's", &session.deny)] {
        if let Some(pattern) = deny.iter().find(|pattern| pattern.covers_all_of(tool)) {
            return Some(format!("`{tool}` is denied by {whose} policy (`{pattern}`)"));
        }
    }
    for (whose, allow) in [("the server's", &rules.allow), ("this session's", &session.allow)] {
        if allow.as_ref().is_some_and(|patterns| !patterns.iter().any(|pattern| pattern.names(tool))) {
            return Some(format!("`{tool}` is not allowed by {whose} policy"));
        }
    }
    if never {
        return Some(refused(tool));
    }
    beyond_token(tool, safety, session).or_else(|| actuation_off(tool, safety, rules, session))
}

/// Whether a client's own tool is denied by name. Allow lists cover Dwell's tools only: a client's
/// tool runs in the client, under the client's rules.
pub fn is_denied(tool: &str, rules: &Rules, session: &SessionRules, never: bool) -> bool {
    never || [&rules.deny, &session.deny].into_iter().flatten().any(|pattern| pattern.covers_all_of(tool))
}

/// Whether a rule of the server covers a tool of that name.
pub fn is_ruled(tool: &str, rules: &Rules) -> bool {
    [&rules.deny, &rules.confirm].into_iter().flatten().any(|pattern| pattern.may_cover(tool, None))
}

/// Whether the model is shown the tool. A tool that can never run would only be called in vain.
pub fn is_offered(tool: &str, safety: Safety, rules: &Rules, session: &SessionRules, never: bool) -> bool {
    denial_reason(tool, safety, rules, session, never).is_none()
}

/// Why a tool that acts in a simulation may not run: the server's setting is about the outside
/// world alone, but a session that may not act does not act in the simulation either.
pub fn simulation_off(tool: &str, is_simulated: bool, session: &SessionRules) -> Option<String> {
    let is_off = is_simulated && session.actuation == Some(false);
    is_off.then(|| format!("`{tool}` acts, and actuation is off: set `policy.actuation` of this session to turn it on"))
}

/// Why a tool that changes something may not run in a turn that may only read.
fn beyond_token(tool: &str, safety: Safety, session: &SessionRules) -> Option<String> {
    let is_beyond = session.reads_only && safety != Safety::Observes;
    is_beyond.then(|| {
        format!("`{tool}` changes something, and the token of this message may only talk: it needs the scope `act`")
    })
}

fn refused(tool: &str) -> String {
    format!("the user has refused `{tool}` for the rest of this session")
}

fn actuation_off(tool: &str, safety: Safety, rules: &Rules, session: &SessionRules) -> Option<String> {
    let setting = match (rules.actuation, session.actuation) {
        _ if safety != Safety::Acts => return None,
        (false, _) => format!("set `{ACTUATION_SETTING}` in the server's configuration"),
        (true, Some(false)) => "set `policy.actuation` of this session".to_owned(),
        (true, _) => return None,
    };
    Some(format!("`{tool}` acts on the outside world, and actuation is off: {setting} to turn it on"))
}
