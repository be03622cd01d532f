/** Signing in: by an invitation in the URL, by the cookie of an earlier visit, or by the token. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { addressOf } from "../kit/address.ts";
import { api, ApiError, onUnauthorized } from "./api.ts";

/** Whether the browser is signed in. */
export type Entry =
  | { state: "checking" }
  | { state: "in"; owner: string; version?: string | undefined }
  /** `problem` and `hint` are set after a failed attempt. */
  | { state: "out"; problem?: string | undefined; hint?: string | undefined }
  /** The server cannot be reached. */
  | { state: "away" };

export const entry = signal<Entry>({ state: "checking" });

onUnauthorized.add(() => {
  if (entry.value.state === "in") entry.value = { state: "out" };
});

/** The invitation in the URL, if any; it is removed from the URL at once. */
function takeInvitation(): string | undefined {
  const found = /^#invitation=([\w-]+)$/.exec(location.hash)?.[1];
  if (found !== undefined) history.replaceState(null, "", location.pathname);
  return found;
}

/** Signs in with the invitation in the URL, or else with the cookie. */
export async function resumeSignIn(): Promise<void> {
  const invitation = takeInvitation();
  if (invitation !== undefined && (await signIn({ invitation }))) return;
  try {
    entry.value = { state: "in", ...(await api<wire.EntryView>("GET", "/api/v1/entry")) };
  } catch (error) {
    if (!(error instanceof ApiError)) entry.value = { state: "away" };
    else if (entry.value.state !== "out") entry.value = { state: "out" };
  }
}

/** Signs in with an invitation or a token; returns whether it was accepted. */
export async function signIn(proof: { invitation: string } | { token: string }): Promise<boolean> {
  try {
    entry.value = { state: "in", ...(await api<wire.EntryView>("POST", "/api/v1/entry", proof)) };
    return true;
  } catch (error) {
    if (error instanceof ApiError) entry.value = { state: "out", problem: error.message, hint: error.hint };
    else entry.value = { state: "away" };
    return false;
  }
}

/** Signs out; the server revokes the cookie. */
export async function signOut(): Promise<void> {
  await api<undefined>("DELETE", "/api/v1/entry");
  location.assign(addressOf("/"));
}
