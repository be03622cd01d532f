//! Facts about models: context window, output limit, abilities, price.
//!
//! Each figure has a source, and the first source that has it counts: what the configuration or the
//! session sets ([`overrides`]), what the provider says ([`discovery`]), the table of known models
//! ([`table`]), and last a cautious guess. [`model_facts`] merges them. [`cache`] keeps the answers
//! of providers, in RAM and in a file, and [`default`] picks the model that answers when only its
//! provider is named.

pub(crate) mod cache;
pub(crate) mod default;
pub(crate) mod discovery;
pub(crate) mod model_facts;
pub(crate) mod overrides;
mod table;

pub(crate) use cache::DiscoveryCache;
pub(crate) use discovery::{DiscoveredModel, DiscoveredProvider};
pub(crate) use model_facts::ModelFacts;
