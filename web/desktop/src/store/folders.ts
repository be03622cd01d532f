/** Folders of sessions: a session names its folder in a preference. Pure. */
import type { wire } from "@dwell/client";

/** The longest name of a folder. */
export const FOLDER_MAX = 60;

/** The folder of a session, if it is in one. */
export function folderOf({ settings }: Pick<wire.SessionView, "settings">): string | undefined {
  const name = settings.preferences?.["folder"];
  return typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, FOLDER_MAX) : undefined;
}
