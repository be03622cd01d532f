//! Applies desktop events to the desktop and to the turns that work on it.

use protocol::{
    Action, Actions, AppAnswered, AppOutcome, AppRequest, AppRequested, Body, DialogAnswer, DialogAnswered, Event,
    Interaction, Origin, RestoreMode, SessionRestored, TurnId,
};

use super::{DesktopActor, PendingAppRequest, apply::RemovedItems};
use crate::{activity::DesktopActivity, state::State};

impl State {
    /// Applies an event that is about the desktop.
    pub(crate) fn apply_desktop(&mut self, event: &Event) {
        match &event.body {
            Body::Actions(done) => self.act(event, done),
            Body::DialogAnswered(answered) => self.hear_answer(answered),
            Body::ToastActed(acted) => self.desktop.dismiss(acted.toast_id),
            Body::AppReady(ready) => self.desktop.register(ready),
            Body::AppRequested(asked) => self.ask_app(event.turn_id, asked),
            Body::AppAnswered(answered) => self.hear_app(event, answered),
            Body::SessionRestored(restored) => self.restore(restored),
            Body::Interacted(done) => self.keep_commands(event, &done.interactions),
            // A window that could not be shown is reported, but does not change the desktop.
            _ => {}
        }
    }

    fn act(&mut self, event: &Event, done: &Actions) {
        let actor = event.agent_id.as_ref().map_or(DesktopActor::User, DesktopActor::Agent);
        for action in &done.actions {
            let gone = self.desktop.apply(action, &done.monitor_id, actor, event.at);
            self.forget_removed(gone);
        }
        let Some(doings) = event.turn_id.and_then(|id| self.activity_of(id)) else { return };
        doings.is_replay |= done.replay_of.is_some();
        doings.keys.extend(done.key.clone());
        doings.take_in(&done.actions);
        for action in &done.actions {
            if let Action::Dialog(dialog) | Action::Prompt(dialog) = action {
                doings.dialogs.entry(dialog.dialog_id).or_insert(None);
            }
        }
    }

    /// Keeps what the user did in apps, so that the apps can be restored.
    fn keep_commands(&mut self, event: &Event, interactions: &[Interaction]) {
        for interaction in interactions {
            if let Interaction::App { window_id, did: Some(command), .. } = interaction {
                self.desktop.keep_command(window_id, command.clone(), event.at);
            }
        }
    }

    /// Settles, in their turns, the questions that have gone from the desktop.
    fn forget_removed(&mut self, gone: RemovedItems) {
        for PendingAppRequest { turn_id, asked } in gone.requests {
            if let Some(doings) = self.activity_of(turn_id) {
                settle(doings.requests.get_mut(&asked.request_id), AppOutcome::Gone);
            }
        }
        for dialog in gone.dialogs {
            if let Some(doings) = self.activity_of(dialog.turn_id) {
                settle(doings.dialogs.get_mut(&dialog.dialog_id), DialogAnswer::Unanswered);
            }
        }
        if !gone.windows.is_empty() {
            self.forget_windows(&gone.windows);
        }
    }

    fn hear_answer(&mut self, answered: &DialogAnswered) {
        let Some(dialog) = self.desktop.settle_dialog(answered.dialog_id) else { return };
        if let Some(doings) = self.activity_of(dialog.turn_id) {
            settle(doings.dialogs.get_mut(&answered.dialog_id), answered.answer.clone());
        }
    }

    fn ask_app(&mut self, turn_id: Option<TurnId>, asked: &AppRequested) {
        let Some(turn_id) = turn_id else { return };
        // An app may show what a command tells it, and report it later.
        let is_told = matches!(asked.request, AppRequest::Command(_));
        if is_told && self.open.get(&turn_id).is_some_and(|turn| turn.origin() == Origin::Untrusted) {
            self.desktop.distrust(&asked.window_id);
        }
        self.desktop.ask(PendingAppRequest { turn_id, asked: asked.clone() });
        if let Some(doings) = self.activity_of(turn_id) {
            doings.requests.entry(asked.request_id).or_insert(None);
        }
    }

    fn hear_app(&mut self, event: &Event, answered: &AppAnswered) {
        let Some(turn_id) = self.desktop.pending_request(answered.request_id).map(|pending| pending.turn_id) else {
            return;
        };
        self.desktop.settle_request(answered.request_id, &answered.outcome, event.at);
        if let Some(doings) = self.activity_of(turn_id) {
            settle(doings.requests.get_mut(&answered.request_id), answered.outcome.clone());
        }
    }

    /// The open turns of the earlier session do not continue, and their questions are dropped.
    fn restore(&mut self, restored: &SessionRestored) {
        let Self { desktop, open, tape, .. } = self;
        desktop.drop_dialogs(|dialog| !open.contains_key(&dialog.turn_id));
        let mut gone = desktop.drop_requests(|pending| !open.contains_key(&pending.turn_id));
        if restored.windows == RestoreMode::Summarized {
            let closed = desktop.close(|_| true);
            tape.release_all();
            gone.windows = closed.windows;
            gone.requests.extend(closed.requests);
        }
        self.forget_removed(gone);
    }

    fn activity_of(&mut self, id: TurnId) -> Option<&mut DesktopActivity> {
        self.open.get_mut(&id).map(|turn| &mut turn.doings)
    }
}

/// The first answer counts.
fn settle<T>(asked: Option<&mut Option<T>>, answer: T) {
    if let Some(open) = asked {
        open.get_or_insert(answer);
    }
}
