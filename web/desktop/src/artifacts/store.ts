/** Metadata of artifacts by id, and which artifacts no longer exist. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api, pathWith } from "../store/api.ts";

const PAGE = 200;

/** The loaded artifacts, by id. */
export const artifacts = signal<ReadonlyMap<string, wire.ArtifactView>>(new Map());
/** Artifacts that no longer exist: deleted, or expired. */
export const missingArtifacts = signal<ReadonlySet<string>>(new Set());
/** Requested ids, so that each is requested once. */
const asked = new Set<string>();

/** The path of an artifact's content. */
export function artifactPath(id: string): string {
  return `/api/v1/artifacts/${id}`;
}

/** Loads all artifacts of a session, newest first. */
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

/** Loads the metadata of these artifacts; those the session does not have no longer exist. */
export async function loadArtifacts(sessionId: string, ids: readonly string[]): Promise<void> {
  const unknown = ids.filter((id) => !artifacts.value.has(id) && !asked.has(id));
  if (unknown.length === 0) return;
  for (const id of unknown) asked.add(id);
  try {
    await readArtifacts(sessionId);
    const lost = unknown.filter((id) => !artifacts.value.has(id));
    if (lost.length > 0) missingArtifacts.value = new Set([...missingArtifacts.value, ...lost]);
  } catch {
    // Links work without names; the next one shown tries again.
    for (const id of unknown) asked.delete(id);
  }
}

/** Deletes an artifact permanently. */
export async function removeArtifact(id: string): Promise<void> {
  await api("DELETE", artifactPath(id));
  missingArtifacts.value = new Set([...missingArtifacts.value, id]);
}
