//! Research in sources, and notes on their content.
//!
//! A [`Source`] finds and reads documents: the [`library`] of documents on this machine, a web
//! search, or a page by its URL. [`read`] extracts the text of what was fetched or opened, and
//! [`passages`] splits it into pieces that can be cited. [`researcher`] is the research itself: it
//! divides the question, queries the sources in parallel, ranks the passages and writes notes with
//! citations. [`pack`] has the tools for agents. All text from sources is untrusted.

pub mod library;
pub mod pack;
pub mod passages;
pub mod read;
pub mod researcher;
pub mod source;
pub mod web;

pub use source::{Lead, LibrarySource, Source, SourceDocument, SourceError};
