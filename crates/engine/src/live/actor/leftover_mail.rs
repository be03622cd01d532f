//! Mail that comes when a session is being unloaded.

use tokio::sync::mpsc;

use super::super::mail::Mail;
use crate::Error;

/// Closes the mailbox and returns the remaining mail.
pub(super) async fn close(mail: &mut mpsc::Receiver<Mail>) -> Vec<Mail> {
    mail.close();
    let mut rest = Vec::new();
    while let Some(mail) = mail.recv().await {
        rest.push(mail);
    }
    rest
}

/// Answers all senders with an error: passing their mail on to the next actor would retry a failing
/// store over and over.
pub(super) fn refuse(mail: Vec<Mail>, error: &Error) {
    for mail in mail {
        // A caller that has gone needs no answer.
        match mail {
            Mail::Command { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::View { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Join { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Conversation { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Desktop { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Windows { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Approvals { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Schedules { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Alerts { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Forget { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Remove { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Wake
            | Mail::HomeChanged(_)
            | Mail::HomeEvent(_)
            | Mail::TurnEnded(_)
            | Mail::Report { .. }
            | Mail::Progress { .. } => {}
        }
    }
}
