//! Looking for sources, and saying what they say.
//!
//! A [`Source`] finds and reads: the [`library`] of documents on this machine, a search of the web, a page by its address.
//! [`read`] makes readable text of what was fetched or opened, [`passages`] cuts it into pieces that can be cited. [`work`] is
//! the research itself: questions, sources in parallel, passages in order of their worth, notes with marks that resolve.
//! [`pack`] is what agents are offered of it. Nothing here trusts a word that it reads.

pub mod library;
pub mod pack;
pub mod passages;
pub mod read;
pub mod source;
pub mod web;
pub mod work;

pub use source::{Lead, LibrarySource, Reading, Source, SourceError};
