//! What agents can do, and what they may.
//!
//! A [`Tool`] is declared once, with typed arguments and a typed answer; the declaration serves the model, the doors and
//! the manual alike. The [`Registry`] holds all tools under their names and calls them. Whether a call may run is
//! decided in code, never by a prompt.

mod library;
mod nowhere;
mod outlook;
mod reflex;
mod study;
mod surroundings;
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
    ARTIFACT_BYTES_MAX, Cabinet, OWNER_ARTIFACT_BYTES_MAX, PIN_CHARS_MAX, PINS_MAX, Pinned, READ_BYTES_MAX,
    SESSION_ARTIFACT_BYTES_MAX, add_builtins, artifact_id, pin,
};
pub use digest::digest;
pub use dispatch::{Checked, look_up, run, view};
pub use library::{Library, LibraryError};
pub use limits::{RateLimits, TooMany};
pub use nowhere::{NoDesktop, NoKeeper, NoStudy};
pub use outlook::{HomeNews, Outlook};
pub use pattern::{BadPattern, Pattern, fits};
pub use policy::{
    ACTUATION_SETTING, Judged, Rules, SessionRules, Standing, Verdict, barred, is_denied, is_offered, is_ruled, judge,
};
pub use reflex::{Reflex, ReflexCall, Reflexes, Said, Settled};
pub use registry::{AnyTool, Entry, Error, Registry, is_name};
pub use shorten::{Lengths, Shortened, shorten};
pub use study::{Study, Thought};
pub use surroundings::{Senses, Surroundings};
pub use tool::{Asking, Context, Declaration, Desktop, Failure, Found, Keeper, Keeping, Output, Tool};
