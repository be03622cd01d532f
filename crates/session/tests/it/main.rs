//! The heart, tested as tables and as properties.

mod behaviour;
mod fork;
mod life;
mod properties;
