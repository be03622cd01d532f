//! Mail that comes when a session is being unloaded.

use std::collections::BTreeSet;

use protocol::{OwnerId, SessionId};
use tokio::sync::mpsc;

use super::super::mail::Mail;
use crate::{Error, hub::Services};

/// Closes the mailbox and returns the remaining mail.
pub(super) async fn close(mail: &mut mpsc::Receiver<Mail>) -> Vec<Mail> {
    mail.close();
    let mut rest = Vec::new();
    while let Some(mail) = mail.recv().await {
        rest.push(mail);
    }
    rest
}

/// Takes leave of a session that could not be loaded, and of its mail.
pub(super) fn leave_unloaded(services: &Services, session_id: SessionId, mail: Vec<Mail>, error: &Error) {
    if *error == Error::NoSession || error.is_elsewhere() {
        // It was deleted, or another node wakes it.
        services.alarms.set(session_id, None);
        services.home_triggers.set(session_id, BTreeSet::new());
    }
    // What is damaged stays so, however often it is told.
    let may_pass = !matches!(error, Error::NoSession | Error::Journal(journal::Error::DamagedSession { .. }));
    if may_pass && mail.iter().any(|mail| matches!(mail, Mail::TurnEnded(_))) {
        services.ends_missed.notify_one();
    }
    refuse(mail, error);
}

/// Answers all senders with an error: passing their mail on to the next actor would retry a failing
/// store over and over. Whether a session of another owner exists is not disclosed, and so not
/// where it is.
pub(super) fn refuse(mail: Vec<Mail>, error: &Error) {
    let of = |asking: &OwnerId| match error {
        Error::Journal(journal::Error::Elsewhere { owner, .. }) if owner != asking => Error::NoSession,
        error => error.clone(),
    };
    for mail in mail {
        // A caller that has gone needs no answer.
        match mail {
            Mail::Command { owner, reply, .. } => drop(reply.send(Err(of(&owner)))),
            Mail::View { owner, reply } => drop(reply.send(Err(of(&owner)))),
            Mail::Join { owner, reply } => drop(reply.send(Err(of(&owner)))),
            Mail::Conversation { owner, reply, .. } => drop(reply.send(Err(of(&owner)))),
            Mail::Desktop { owner, reply } => drop(reply.send(Err(of(&owner)))),
            Mail::Windows { owner, reply } => drop(reply.send(Err(of(&owner)))),
            Mail::Approvals { owner, reply } => drop(reply.send(Err(of(&owner)))),
            Mail::Schedules { owner, reply } => drop(reply.send(Err(of(&owner)))),
            Mail::Alerts { owner, reply } => drop(reply.send(Err(of(&owner)))),
            Mail::Forget { owner, reply, .. } => drop(reply.send(Err(of(&owner)))),
            Mail::Remove { owner, reply, .. } => drop(reply.send(Err(of(&owner)))),
            Mail::Wake
            | Mail::HomeChanged(_)
            | Mail::HomeEvent(_)
            | Mail::TurnEnded(_)
            | Mail::Report { .. }
            | Mail::Progress { .. } => {}
        }
    }
}
