//! External servers as they are: programs that are started and servers that are called, well-behaved and not.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod address;
mod changing;
mod house;
mod letting_in;
mod losing;
mod process;
mod talking;
