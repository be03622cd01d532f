/** What comes with an answer: what was kept, what to ask next, and what one can do with it. */
import { useEffect } from "preact/hooks";
import { fileIcon, showFiles } from "../artifacts/files.tsx";
import { artifactPath, artifacts, gone, learnOf } from "../artifacts/store.ts";
import type { Conversation } from "../house/conversation.ts";
import { forkAt } from "../house/sessions.ts";
import type { Turn } from "../house/turn.ts";
import { IconButton } from "../kit/button.tsx";
import { CopyButton } from "../kit/code.tsx";
import { bytes } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { attempt } from "./attempt.ts";

/** What the turn has kept beside the conversation: to look at, and to download. */
export function Artifacts({ conversation, ids }: { conversation: Conversation; ids: readonly string[] }) {
  useEffect(() => void learnOf(conversation.id, ids), [ids.join()]);
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
  if (gone.value.has(id)) return <span class="talk-chip is-gone">{name}, no longer kept</span>;
  return (
    <>
      <button type="button" class="talk-chip" onClick={() => showFiles(conversation.id, id)}>
        <Icon name={fileIcon(about?.media_type)} small />
        {name}
        {about && <span class="talk-chip-about numbers">{bytes(about.bytes)}</span>}
      </button>
      <a
        class="icon-button small"
        href={artifactPath(id)}
        download={about?.name ?? true}
        aria-label={`Download ${name}`}
        title={`Download ${name}`}
      >
        <Icon name="download" />
      </a>
    </>
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
