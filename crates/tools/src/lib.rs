//! Tools of agents, and the policy that decides which calls may run.
//!
//! A [`Tool`] is declared once, with typed arguments and a typed answer. The declaration serves the
//! model, the APIs and the documentation. The [`Registry`] holds all tools by name and calls them.
//! Code decides whether a call may run, never a prompt.

mod tool;

mod brief;
mod registry;

mod digest;
mod pattern;
mod policy;

mod limits;

mod dispatch;
mod shorten;

mod builtin;

pub mod http;
pub mod net;
pub mod redaction;

pub use builtin::{
    ARTIFACT_BYTES_MAX, ArtifactStore, OWNER_ARTIFACT_BYTES_MAX, PIN_CHARS_MAX, PINS_MAX, PinOutput, READ_BYTES_MAX,
    SESSION_ARTIFACT_BYTES_MAX, add_builtins, artifact_id, pin,
};
pub use digest::digest;
pub use dispatch::{CheckedCall, look_up, run, view};
pub use limits::{RateLimitExceeded, RateLimits};
pub use pattern::{Pattern, PatternError, fits};
pub use policy::{
    ACTUATION_SETTING, PastDecision, PolicyInput, Rules, SessionRules, Verdict, denial_reason, is_denied, is_offered,
    is_ruled, judge, simulation_off,
};
pub use registry::{AnyTool, Error, RegisteredTool, Registry, ToolKind, is_name};
pub use shorten::{ShortenLimits, ShortenedText, shorten};
pub use tool::{CallContext, CallLookup, Declaration, Output, PROGRESS_MAX, QuestionContext, Tool};
