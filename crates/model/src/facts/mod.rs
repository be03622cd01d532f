//! What is known of models: how much they read and write, what they can do, what they cost.
//!
//! Each figure has a source, and the first that has one counts: what the configuration or the session sets
//! ([`overrides`]), what the provider says when it is asked ([`asked`]), the table of known models ([`table`]), and
//! last a cautious guess. [`merged`] puts them together. [`kept`] holds what providers said, in memory and in a file, and
//! [`default`] picks the model that answers when only its provider is named.

pub(crate) mod asked;
pub(crate) mod default;
pub(crate) mod kept;
pub(crate) mod merged;
pub(crate) mod overrides;
mod table;

pub(crate) use asked::{AskedModel, AskedProvider};
pub(crate) use kept::Kept;
pub(crate) use merged::Merged;
