/** Below a message: the arrows between its versions, and the button that edits it. */
import type { Conversation } from "../../store/conversation.ts";
import type { Turn } from "../../store/turn.ts";
import { announce } from "../../kit/announce.ts";
import { IconButton } from "../../kit/button.tsx";
import { attempt } from "../attempt.ts";
import { switchVersion, versionsIn } from "./store.ts";
import { texts } from "../../languages/sessions.ts";
import "./branches.css";

/** The arrows; nothing while the message has one version. */
export function VersionArrows({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const versions = versionsIn(conversation, turn);
  const { sessions, index } = versions;
  if (sessions.length < 2) return null;
  const step = (by: 1 | -1) =>
    void attempt(async () => {
      await switchVersion(versions, by);
      announce(texts().versionIndexOfSessions(index + by + 1, sessions.length));
    });
  return (
    <span class="talk-versions" role="group" aria-label={texts().versionsOfThisMessage}>
      <IconButton icon="left" label={texts().previousVersion} small disabled={index <= 0} onPress={() => step(-1)} />
      <span class="numbers">
        <span class="unseen">{texts().version} </span>
        {index + 1} / {sessions.length}
      </span>
      <IconButton
        icon="right"
        label={texts().nextVersion}
        small
        disabled={index >= sessions.length - 1}
        onPress={() => step(1)}
      />
    </span>
  );
}
