//! What brings an app back to where it was: the commands it has done, less those that later ones have made void.

use protocol::{AppCommand, CommandSpec, Keep, Manifest};
use serde_json::Value;

use super::json_bytes;
use crate::limits::{RESTORE_BYTES_MAX, RESTORE_COMMANDS_MAX};

/// Takes in a command that the app has done. One that its manifest does not name leaves nothing behind.
///
/// What is kept comes in the order it was last done, since a later command may write over what an earlier one of
/// another name did. A `clear` is kept itself: the app may begin with something that it has cleared.
pub(super) fn keep(kept: &mut Vec<AppCommand>, manifest: &Manifest, command: AppCommand) {
    let Some(spec) = spec_of(manifest, &command) else { return };
    match spec.keep {
        Keep::Nothing => return,
        Keep::All => kept.push(command),
        Keep::Last => {
            let slot = slot_of(spec, &command);
            kept.retain(|earlier| earlier.name != command.name || slot_of(spec, earlier) != slot);
            kept.push(command);
        }
        Keep::Clear => {
            kept.clear();
            kept.push(command);
        }
        Keep::ClearSlot => {
            if let Some(slot) = slot_of(spec, &command) {
                kept.retain(|earlier| spec_of(manifest, earlier).and_then(|spec| slot_of(spec, earlier)) != Some(slot));
            }
        }
    }
    cut(kept);
}

/// Whether the manifest says that such a command leaves itself behind.
pub(super) fn is_kept(manifest: &Manifest, command: &AppCommand) -> bool {
    spec_of(manifest, command).is_some_and(|spec| matches!(spec.keep, Keep::Last | Keep::All | Keep::Clear))
}

/// The oldest leave until the rest is within its limits.
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

/// What the command is about, where the manifest says which argument tells that.
fn slot_of<'a>(spec: &CommandSpec, command: &'a AppCommand) -> Option<&'a Value> {
    command.arguments.get(spec.slot.as_deref()?)
}

#[cfg(test)]
mod tests;
