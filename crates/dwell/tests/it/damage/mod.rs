//! Files that a bad disk, or a careless hand, has changed behind the program's back.

mod loss;
mod sessions;
