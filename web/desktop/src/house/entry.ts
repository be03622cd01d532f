/** How one gets in: by an invitation in the first address, by the cookie of an earlier visit, or by the token. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api, ApiError, onLockedOut } from "./api.ts";

/** Whether we are in. */
export type Entry =
  | { state: "checking" }
  | { state: "in"; owner: string; version?: string | undefined }
  /** `hint` says what to do, where something was tried. */
  | { state: "out"; problem?: string | undefined; hint?: string | undefined }
  /** The server cannot be reached. */
  | { state: "away" };

export const entry = signal<Entry>({ state: "checking" });

onLockedOut.add(() => {
  if (entry.value.state === "in") entry.value = { state: "out" };
});

/** An invitation in the address; it is taken out of it at once. */
function takeInvitation(): string | undefined {
  const found = /^#invitation=([\w-]+)$/.exec(location.hash)?.[1];
  if (found !== undefined) history.replaceState(null, "", location.pathname);
  return found;
}

/** Comes in with what there is. */
export async function comeIn(): Promise<void> {
  const invitation = takeInvitation();
  if (invitation !== undefined && (await tryWith({ invitation }))) return;
  try {
    entry.value = { state: "in", ...(await api<wire.EntryView>("GET", "/api/v1/entry")) };
  } catch (error) {
    if (!(error instanceof ApiError)) entry.value = { state: "away" };
    else if (entry.value.state !== "out") entry.value = { state: "out" };
  }
}

/** Tries an invitation or a token; says whether it was good. */
export async function tryWith(proof: { invitation: string } | { token: string }): Promise<boolean> {
  try {
    entry.value = { state: "in", ...(await api<wire.EntryView>("POST", "/api/v1/entry", proof)) };
    return true;
  } catch (error) {
    if (error instanceof ApiError) entry.value = { state: "out", problem: error.message, hint: error.hint };
    else entry.value = { state: "away" };
    return false;
  }
}

/** Leaves; the cookie is worth nothing here any more. */
export async function leave(): Promise<void> {
  await api<undefined>("DELETE", "/api/v1/entry");
  location.assign("/");
}
