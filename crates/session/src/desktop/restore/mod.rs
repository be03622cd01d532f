//! Restoring an app: keeps the commands it has carried out, without those that later ones have made
//! void.

use protocol::{AppCommand, CommandSpec, Manifest, ReplayMode};
use serde_json::Value;

use super::json_bytes;
use crate::limits::{RESTORE_BYTES_MAX, RESTORE_COMMANDS_MAX};

/// Adds a command that the app has carried out. A command that the manifest does not name is not
/// kept.
///
/// The commands are kept in the order of their last use, since a later command may overwrite the
/// effect of an earlier one with another name. A `clear` is kept itself: the app may start with
/// content that it has cleared.
pub(super) fn keep(kept: &mut Vec<AppCommand>, manifest: &Manifest, command: AppCommand) {
    let Some(spec) = spec_of(manifest, &command) else { return };
    match spec.keep {
        ReplayMode::Nothing => return,
        ReplayMode::All => kept.push(command),
        ReplayMode::Last => {
            let slot = slot_of(spec, &command);
            kept.retain(|earlier| earlier.name != command.name || slot_of(spec, earlier) != slot);
            kept.push(command);
        }
        ReplayMode::Clear => {
            kept.clear();
            kept.push(command);
        }
        ReplayMode::ClearSlot => {
            if let Some(slot) = slot_of(spec, &command) {
                kept.retain(|earlier| spec_of(manifest, earlier).and_then(|spec| slot_of(spec, earlier)) != Some(slot));
            }
        }
    }
    cut(kept);
}

/// Whether the manifest says that the command has to be replayed.
pub(super) fn is_kept(manifest: &Manifest, command: &AppCommand) -> bool {
    spec_of(manifest, command)
        .is_some_and(|spec| matches!(spec.keep, ReplayMode::Last | ReplayMode::All | ReplayMode::Clear))
}

/// Drops the oldest commands until the rest is within the limits.
fn cut(kept: &mut Vec<AppCommand>) {
    let (mut bytes, mut fitting) = (0, 0);
    for command in kept.iter().rev().take(RESTORE_COMMANDS_MAX) {
        bytes += json_bytes(command);
        if bytes > RESTORE_BYTES_MAX {
            break;
        }
        fitting += 1;
    }
    kept.drain(..kept.len() - fitting);
}

fn spec_of<'a>(manifest: &'a Manifest, command: &AppCommand) -> Option<&'a CommandSpec> {
    manifest.commands.iter().find(|spec| spec.name == command.name)
}

/// The value of the argument that the manifest names as the command's slot.
fn slot_of<'a>(spec: &CommandSpec, command: &'a AppCommand) -> Option<&'a Value> {
    command.arguments.get(spec.slot.as_deref()?)
}

#[cfg(test)]
mod tests;
