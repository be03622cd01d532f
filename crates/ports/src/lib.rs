//! The interfaces through which the parts of the server reach each other.
//!
//! A port is a trait and the plain types that it speaks. The part that needs something asks for the
//! port; the part that has it implements the port; `dwell` puts the two together. So neither knows
//! the other. There is no logic here, except for the ports of a call outside of a session, which do
//! nothing.

mod alerts;
mod desktop;
mod home_context;
mod home_feed;
mod library;
mod no_session;
mod pins;
mod reflex;
mod research;
mod tool_failure;

pub use alerts::{AlertChannel, DeliveryFailure};
pub use desktop::{DesktopPort, UserQuestion};
pub use home_context::{HomeContext, HomeSection};
pub use home_feed::{HomeChanges, HomeEvent, HomeFeed, HomeHappening, HomeHappenings, StateChange};
pub use library::{LibraryError, LibraryPort};
pub use no_session::{NoDesktop, NoPinStore, NoResearch};
pub use pins::{PinChange, PinStore};
pub use reflex::{AwaitedChange, Reflex, ReflexCall, ReflexCallResult, ReflexInput, Reflexes};
pub use research::{CompletionRequest, ResearchPort};
pub use tool_failure::ToolFailure;
