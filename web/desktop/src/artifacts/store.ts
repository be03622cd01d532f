/** What is known of the artifacts of sessions: names, kinds and sizes by id, and which are gone. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api, pathWith } from "../house/api.ts";

const PAGE = 200;

/** Those that were read, by id. */
export const artifacts = signal<ReadonlyMap<string, wire.ArtifactView>>(new Map());
/** Those that are not there any more: removed, or collected after their time. */
export const gone = signal<ReadonlySet<string>>(new Set());
/** Those that were asked for, so that each is asked for once. */
const asked = new Set<string>();

/** Where the bytes are. */
export function artifactPath(id: string): string {
  return `/api/v1/artifacts/${id}`;
}

/** Reads all artifacts of a session, newest first. */
export async function readArtifacts(sessionId: string): Promise<readonly wire.ArtifactView[]> {
  const found: wire.ArtifactView[] = [];
  let cursor: string | undefined;
  do {
    const path = pathWith(`/api/v1/sessions/${sessionId}/artifacts`, { limit: PAGE, cursor });
    const page = await api<wire.ArtifactPage>("GET", path);
    found.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  artifacts.value = new Map([...artifacts.value, ...found.map((one) => [one.artifact_id, one] as const)]);
  return found;
}

/** Learns of these; what a session does not have is gone. */
export async function learnOf(sessionId: string, ids: readonly string[]): Promise<void> {
  const unknown = ids.filter((id) => !artifacts.value.has(id) && !asked.has(id));
  if (unknown.length === 0) return;
  for (const id of unknown) asked.add(id);
  try {
    await readArtifacts(sessionId);
    const lost = unknown.filter((id) => !artifacts.value.has(id));
    if (lost.length > 0) gone.value = new Set([...gone.value, ...lost]);
  } catch {
    // The links work without their names; the next that is shown asks again.
    for (const id of unknown) asked.delete(id);
  }
}

/** Removes one for good. */
export async function removeArtifact(id: string): Promise<void> {
  await api("DELETE", artifactPath(id));
  gone.value = new Set([...gone.value, id]);
}
