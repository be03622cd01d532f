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
import { Menu } from "../kit/menu.tsx";
import { canReadAloud, readAloud, reading } from "../speech/aloud.ts";
import { attempt } from "./attempt.ts";
import { branchAt } from "./branches/store.ts";
import { models } from "./models.ts";
import { turnDialog } from "./turn-dialog.ts";
import { texts } from "../languages/talk.ts";

/** The files that a turn created, to view and download. */
export function Artifacts({ conversation, ids }: { conversation: Conversation; ids: readonly string[] }) {
  useEffect(() => void loadArtifacts(conversation.id, ids), [ids.join()]);
  if (ids.length === 0) return null;
  return (
    <ul class="talk-chips" aria-label={texts().files}>
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
  const name = about?.name ?? texts().file;
  if (missingArtifacts.value.has(id))
    return (
      <span class="talk-chip is-gone">
        {name} {texts().deleted}
      </span>
    );
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
        aria-label={texts().downloadName(name)}
        title={texts().downloadName(name)}
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
    <ul class="talk-suggestions" aria-label={texts().suggestions}>
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

/** The actions of a turn: copy, read aloud, answer again, fork, delete. */
export function Actions({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const isActive = conversation.session.value.status === "active";
  const ask = (wish: "model" | "delete") => () => (turnDialog.value = { wish, conversation, turn });
  const hasModels = models.value.length > 1 && !conversation.session.value.settings.policy?.fixed_model;
  const hasMessage = turn.state.value.asked.message !== "";
  return (
    <div class="talk-actions" role="group" aria-label={texts().actions}>
      {turn.text.value !== "" && <CopyButton text={turn.text.value} label={texts().copyAnswer} />}
      {canReadAloud && turn.text.value !== "" && (
        <IconButton
          icon={reading.value === turn.id ? "stop" : "speaker"}
          label={reading.value === turn.id ? texts().stopReading : texts().readAloud}
          small
          onPress={() => readAloud(turn.id, turn.text.peek())}
        />
      )}
      {isActive && (
        <IconButton
          icon="retry"
          label={texts().regenerate}
          small
          onPress={() => void attempt(() => regenerate(conversation, turn))}
        />
      )}
      <IconButton
        icon="fork"
        label={texts().forkHere}
        small
        onPress={() => void attempt(() => forkAt(conversation.id, turn.id))}
      />
      <Menu
        label={texts().moreActions}
        items={[
          ...(hasModels && hasMessage
            ? [{ label: texts().answerWithAnotherModel, icon: "agents", onPick: ask("model") } as const]
            : []),
          { label: texts().deleteMessageAndAnswer, icon: "trash", danger: true, onPick: ask("delete") },
        ]}
      />
    </div>
  );
}

/** Another answer is another version of the message; a turn that failed is simply tried again. */
async function regenerate(conversation: Conversation, turn: Turn): Promise<void> {
  const { asked, status } = turn.state.peek();
  if (status !== "completed" || asked.message === "") return conversation.retry(turn.id);
  const model = asked.model ?? undefined;
  const images = [...(asked.images ?? [])];
  return branchAt(conversation, turn, asked.message, { images, ...(model !== undefined && { model }) });
}
