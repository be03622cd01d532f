/** What comes with an answer: what it rests on, what was kept, what to ask next, and what one can do with it. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../house/api.ts";
import type { Conversation } from "../house/conversation.ts";
import { forkAt } from "../house/sessions.ts";
import type { Turn } from "../house/turn.ts";
import { IconButton } from "../kit/button.tsx";
import { CopyButton } from "../kit/code.tsx";
import { bytes } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { attempt } from "./attempt.ts";
import { showSource } from "./sources.tsx";

/** Chips that open what the answer rests on. */
export function Citations({ turn }: { turn: Turn }) {
  const citations = turn.state.value.response?.citations ?? [];
  if (citations.length === 0) return null;
  return (
    <ul class="talk-chips" aria-label="Sources">
      {citations.map((citation, index) => (
        <li key={citation.source}>
          <button type="button" class="talk-chip" title={citation.source} onClick={() => showSource(citation, turn)}>
            <span class="talk-chip-number">{index + 1}</span>
            {citation.title || citation.source}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Names and sizes of what was kept, by id. */
const artifacts = signal<ReadonlyMap<string, wire.ArtifactView>>(new Map());
const asked = new Set<string>();

async function readArtifacts(sessionId: string): Promise<void> {
  try {
    const page = await api<wire.ArtifactPage>("GET", `/api/v1/sessions/${sessionId}/artifacts`);
    const known = new Map(artifacts.value);
    for (const one of page.data) known.set(one.artifact_id, one);
    artifacts.value = known;
  } catch {
    // The links work without their names.
  }
}

/** What the turn has kept beside the conversation, to download. */
export function Artifacts({ conversation, ids }: { conversation: Conversation; ids: readonly string[] }) {
  const unknown = ids.find((id) => !artifacts.value.has(id));
  useEffect(() => {
    if (unknown === undefined || asked.has(unknown)) return;
    asked.add(unknown);
    void readArtifacts(conversation.id);
  }, [unknown]);
  if (ids.length === 0) return null;
  return (
    <ul class="talk-chips" aria-label="Files">
      {ids.map((id) => {
        const about = artifacts.value.get(id);
        return (
          <li key={id}>
            <a class="talk-chip" href={`/api/v1/artifacts/${id}`} download={about?.name ?? true}>
              <Icon name="download" small />
              {about?.name ?? "File"}
              {about && <span class="talk-chip-about numbers">{bytes(about.bytes)}</span>}
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** What might be asked next; pressing it asks it. */
export function Suggestions({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const { response, status } = turn.state.value;
  const suggestions = status === "completed" ? (response?.suggestions ?? []) : [];
  if (suggestions.length === 0 || conversation.session.value.status !== "active") return null;
  return (
    <ul class="talk-suggestions" aria-label="Suggestions">
      {suggestions.map((suggestion) => (
        <li key={suggestion}>
          <button type="button" onClick={() => void conversation.send(suggestion).catch(() => undefined)}>
            {suggestion}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Copy, ask again, go on from here in a session of its own. */
export function Actions({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const isActive = conversation.session.value.status === "active";
  return (
    <div class="talk-actions" role="group" aria-label="This turn">
      {turn.text.value !== "" && <CopyButton text={turn.text.value} label="Copy the answer" />}
      {isActive && (
        <IconButton
          icon="retry"
          label="Ask again"
          small
          onPress={() => void attempt(() => conversation.retry(turn.id))}
        />
      )}
      <IconButton
        icon="fork"
        label="Fork here"
        small
        onPress={() => void attempt(() => forkAt(conversation.id, turn.id))}
      />
    </div>
  );
}
