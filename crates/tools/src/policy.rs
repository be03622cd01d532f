//! Whether a call may run: decided from data alone, never by a prompt.
//!
//! The server's [`Rules`] say what is possible at all; a session's [`SessionRules`] can only take away from that.

use protocol::Safety;
use serde::{Deserialize, Serialize};

use crate::pattern::{BadPattern, Pattern};

/// The setting of the server that lets tools change the world outside.
pub const ACTUATION_SETTING: &str = "tools.actuation";

/// What the server allows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Whether tools may change the world outside.
    pub actuation: bool,
    /// The only calls that may run; none means all.
    pub allow: Option<Vec<Pattern>>,
    /// Calls that may not run.
    pub deny: Vec<Pattern>,
    /// Calls that need an approval each time.
    pub confirm: Vec<Pattern>,
}

/// What a session allows within the server's rules: its policy with the patterns read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionRules {
    /// Whether tools may change the world outside; none means as the server says.
    pub actuation: Option<bool>,
    /// The only calls that may run; none means all.
    pub allow: Option<Vec<Pattern>>,
    /// Calls that may not run.
    pub deny: Vec<Pattern>,
    /// Calls that need an approval each time.
    pub confirm: Vec<Pattern>,
}

impl TryFrom<&protocol::Policy> for SessionRules {
    type Error = BadPattern;

    fn try_from(policy: &protocol::Policy) -> Result<Self, BadPattern> {
        let read = |patterns: &[String]| patterns.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            actuation: policy.actuation,
            allow: policy.allow.as_deref().map(read).transpose()?,
            deny: read(&policy.deny)?,
            confirm: read(&policy.confirm)?,
        })
    }
}

/// A call to be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged<'a> {
    /// The tool.
    pub tool: &'a str,
    /// What exactly it touches.
    pub scope: Option<&'a str>,
    /// What its tool touches.
    pub safety: Safety,
    /// Whether the turn has read text from outside.
    pub tainted: bool,
    /// Why its tool wants arguments like these confirmed.
    pub confirm: Option<&'a str>,
}

/// What a person has said before, in this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Exactly this call, by its digest, may always run.
    pub always: bool,
    /// This tool may never run.
    pub never: bool,
}

/// Whether a call may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Allow,
    /// A person has to say so, for this reason.
    Ask(String),
    /// It may not, for this reason.
    Deny(String),
}

/// Judges a call. The first line that applies decides: denied, not allowed, refused by a person, actuation off, reading from
/// outside before reaching out, to be confirmed.
pub fn judge(call: &Judged<'_>, rules: &Rules, session: &SessionRules, standing: Standing) -> Verdict {
    let Judged { tool, scope, safety, tainted, confirm } = *call;
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
            return Verdict::Deny(format!("{what} is not among what {whose} policy allows"));
        }
    }
    if standing.never {
        return Verdict::Deny(refused(tool));
    }
    if let Some(reason) = actuation_off(tool, safety, rules, session) {
        return Verdict::Deny(reason);
    }
    // What is confirmed each time is not allowed once and for all.
    if let Some(reason) = confirm {
        return Verdict::Ask(reason.to_owned());
    }
    if standing.always {
        return Verdict::Allow;
    }
    if tainted && safety.reaches_out() {
        return Verdict::Ask(format!(
            "the turn has read text from outside, which may carry instructions that nobody here has given, and {what} \
             reaches beyond Dwell"
        ));
    }
    for (whose, confirm) in [("the server's", &rules.confirm), ("this session's", &session.confirm)] {
        if let Some(pattern) = confirm.iter().find(may_cover) {
            return Verdict::Ask(format!("{whose} policy wants {what} confirmed (`{pattern}`)"));
        }
    }
    Verdict::Allow
}

/// Why no call of a tool can run at all, whatever it touches; none if one might.
pub fn barred(tool: &str, safety: Safety, rules: &Rules, session: &SessionRules, never: bool) -> Option<String> {
    for (whose, deny) in [("the server's", &rules.deny), ("this session's", &session.deny)] {
        if let Some(pattern) = deny.iter().find(|pattern| pattern.covers_all_of(tool)) {
            return Some(format!("`{tool}` is denied by {whose} policy (`{pattern}`)"));
        }
    }
    for (whose, allow) in [("the server's", &rules.allow), ("this session's", &session.allow)] {
        if allow.as_ref().is_some_and(|patterns| !patterns.iter().any(|pattern| pattern.names(tool))) {
            return Some(format!("`{tool}` is not among what {whose} policy allows"));
        }
    }
    if never {
        return Some(refused(tool));
    }
    actuation_off(tool, safety, rules, session)
}

/// Whether a tool of a client's own is denied by its name. What is allowed is said of Dwell's tools: a client's own runs
/// with the client, as the client allows.
pub fn is_denied(tool: &str, rules: &Rules, session: &SessionRules, never: bool) -> bool {
    never || [&rules.deny, &session.deny].into_iter().flatten().any(|pattern| pattern.covers_all_of(tool))
}

/// Whether some rule of the server is about a tool of that name.
pub fn is_ruled(tool: &str, rules: &Rules) -> bool {
    [&rules.deny, &rules.confirm].into_iter().flatten().any(|pattern| pattern.may_cover(tool, None))
}

/// Whether the model is shown the tool: one that can never run would only be called in vain.
pub fn is_offered(tool: &str, safety: Safety, rules: &Rules, session: &SessionRules, never: bool) -> bool {
    barred(tool, safety, rules, session, never).is_none()
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
    Some(format!("`{tool}` changes the world outside, and actuation is off: {setting} to turn it on"))
}
