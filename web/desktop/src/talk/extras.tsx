/** Extras of an answer: files, suggestions, actions. */
import { useEffect } from "preact/hooks";
import { fileIcon, showFiles } from "../artifacts/files.tsx";
import { artifactPath, artifacts, missingArtifacts, loadArtifacts } from "../artifacts/store.ts";
import type { Conversation } from "../store/conversation.ts";
import { forkAt } from "../store/sessions.ts";
import type { Turn } from "../store/turn.ts";
import { addressOf } from "../kit/address.ts";
import { IconButton } from "../kit/button.tsx";
import { CopyButton } from "../kit/code.tsx";
import { bytes } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { attempt } from "./attempt.ts";

/** The files that a turn created, to view and download. */
export function Artifacts({ conversation, ids }: { conversation: Conversation; ids: readonly string[] }) {
  useEffect(() => void loadArtifacts(conversation.id, ids), [ids.join()]);
  if (ids.length === 0) return null;
  return (
    <ul class="talk-chips" aria-label="Files">
      {ids.map((id) => (
        <li key={id} class="talk-file-chip">
          <FileChip conversation={conversation} id={id} />
        </li>
      ))}
    </ul>
  );
}

function FileChip({ conversation, id }: { conversation: Conversation; id: string }) {
  const about = artifacts.value.get(id);
  const name = about?.name ?? "File";
  if (missingArtifacts.value.has(id)) return <span class="talk-chip is-gone">{name} (deleted)</span>;
  return (
    <>
      <button type="button" class="talk-chip" onClick={() => showFiles(conversation.id, id)}>
        <Icon name={fileIcon(about?.media_type)} small />
        {name}
        {about && <span class="talk-chip-about numbers">{bytes(about.bytes)}</span>}
      </button>
      <a
        class="icon-button small"
        href={addressOf(artifactPath(id))}
        download={about?.name ?? true}
        aria-label={`Download ${name}`}
        title={`Download ${name}`}
      >
        <Icon name="download" />
      </a>
    </>
  );
}

/** Suggested follow-ups; a click sends one. */
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

/** The actions of a turn: copy, retry, fork. */
export function Actions({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const isActive = conversation.session.value.status === "active";
  return (
    <div class="talk-actions" role="group" aria-label="Actions">
      {turn.text.value !== "" && <CopyButton text={turn.text.value} label="Copy answer" />}
      {isActive && (
        <IconButton
          icon="retry"
          label="Regenerate"
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
