//! A home that has never been reached: what is wrong with the connection, instead of "there is no
//! such entity".

use ports::ToolFailure;

use crate::port::{ConnectionStatus, HomePort};

/// Fails if nothing is known of the home because the connection to it is missing.
pub(crate) fn check_known(home: &dyn HomePort) -> Result<(), ToolFailure> {
    if !home.index().is_empty() {
        return Ok(());
    }
    match home.about().connection {
        ConnectionStatus::Connected { .. } => Ok(()),
        ConnectionStatus::Reconnecting { why, .. } => {
            Err(ToolFailure::Failed(format!("the home cannot be reached: {why}")))
        }
        ConnectionStatus::Refused { why } => Err(ToolFailure::Failed(format!("the home cannot be used: {why}"))),
    }
}
