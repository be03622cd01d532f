//! Damaged files: changes to the data folder that Dwell did not make.

mod loss;
mod sessions;
