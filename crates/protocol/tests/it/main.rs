//! The wire formats, pinned: a change here is a change that every client and every journal sees.

mod events;
mod messages;
mod samples;
