//! Why a statement failed, sorted by what can be done about it.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use crate::Error;

/// Why a statement, or a transaction of several, did nothing that counts.
#[derive(Debug)]
pub(super) enum Failure {
    /// The store refused it.
    Refused(Error),
    /// The connection is gone. Whether the last statement was done is not known.
    Lost(String),
    /// No connection became free in time. Nothing was sent.
    Busy(String),
    /// The database undid it, because it ran into another transaction. It can be repeated.
    Conflict(String),
    /// The database refused it, and would again.
    Sql(Box<tokio_postgres::Error>),
}

impl Failure {
    /// This node's lease has ended. It is renewed as soon as the database answers, so it is waited
    /// for like the database.
    pub(super) fn lease_ended() -> Self {
        Self::Lost("this node's lease has ended, and is not renewed yet".to_owned())
    }

    /// The name of the unique constraint that was violated.
    pub(super) fn violated(&self) -> Option<&str> {
        match self {
            Self::Sql(error) => {
                let error = error.as_db_error()?;
                (*error.code() == SqlState::UNIQUE_VIOLATION).then(|| error.constraint()).flatten()
            }
            Self::Refused(_) | Self::Lost(_) | Self::Busy(_) | Self::Conflict(_) => None,
        }
    }

    /// The error for the caller; `action` is what was attempted.
    pub(super) fn explain(self, action: &'static str) -> Error {
        match self {
            Self::Refused(error) => error,
            Self::Lost(cause) | Self::Busy(cause) => Error::Away { cause },
            Self::Conflict(cause) => Error::Storage { action, cause },
            Self::Sql(error) => Error::Storage { action, cause: words(&error) },
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(db) = error.as_db_error() else {
            // Without an answer of the database it is the connection, unless a value did not fit.
            return if error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>()) {
                Self::Lost(words(&error))
            } else {
                Self::Sql(Box::new(error))
            };
        };
        let code = db.code();
        if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED {
            return Self::Conflict(words(&error));
        }
        // Connection exceptions, shutdown, start-up, too many connections; connections that idled
        // too long for the server; and a standby, which a failover may leave behind the address for
        // a moment.
        let is_away = code.code().starts_with("08")
            || [
                &SqlState::ADMIN_SHUTDOWN,
                &SqlState::CRASH_SHUTDOWN,
                &SqlState::CANNOT_CONNECT_NOW,
                &SqlState::TOO_MANY_CONNECTIONS,
                &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                &SqlState::IDLE_SESSION_TIMEOUT,
                &SqlState::READ_ONLY_SQL_TRANSACTION,
            ]
            .contains(&code);
        if is_away { Self::Lost(words(&error)) } else { Self::Sql(Box::new(error)) }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Refused(Error::Storage { action: "serialize it as JSON", cause: error.to_string() })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// An error with its causes. The driver's own text leaves out what the database says.
pub(super) fn words(error: &tokio_postgres::Error) -> String {
    if let Some(db) = error.as_db_error() {
        return format!("{} ({})", db.message(), db.code().code());
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let part = error.to_string();
        if !text.contains(&part) {
            text.push_str(": ");
            text.push_str(&part);
        }
        cause = error.source();
    }
    text
}

/// The address of the database is wrong, for this reason.
pub(super) fn wrong_address(cause: &str) -> Error {
    Error::Address(cause.to_owned())
}
