/** The chat view: session list, conversation, message box. */
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { current, currentProblem } from "../store/sessions.ts";
import { Button } from "../kit/button.tsx";
import { useModal } from "../kit/modal.ts";
import { Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { go, place } from "../route.ts";
import { useAnnouncements } from "./announcements.ts";
import { attempt } from "./attempt.ts";
import { Composer, sendMessage, stopRunning } from "./composer.tsx";
import { TalkHead } from "./head.tsx";
import { SessionList } from "./sessions/list.tsx";
import { Transcript } from "./transcript.tsx";
import { Welcome } from "./welcome.tsx";
import { texts } from "../languages/talk.ts";
import "./talk.css";
import "./turn.css";
import "./work.css";
import "./composer.css";

const KEY = "dwell.talk.list";
const narrow = matchMedia("(max-width: 720px)");
const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => (isNarrow.value = narrow.matches));

/** Whether the session list is shown; on phones it is a drawer that always starts closed. */
const isListKept = signal(localStorage.getItem(KEY) !== "closed");
const isDrawerOpen = signal(false);

/** The chat view. */
export function TalkView() {
  const conversation = current.value;
  const isOpen = isNarrow.value ? isDrawerOpen.value : isListKept.value;
  const toggle = () => {
    if (isNarrow.value) {
      isDrawerOpen.value = !isDrawerOpen.value;
      return;
    }
    isListKept.value = !isListKept.value;
    localStorage.setItem(KEY, isListKept.value ? "open" : "closed");
  };
  useAnnouncements(conversation);
  return (
    <div
      class={isOpen && !isNarrow.value ? "talk has-list" : "talk"}
      onKeyDown={(event) => stopOnEscape(event, conversation)}
    >
      {isNarrow.value
        ? isDrawerOpen.value && <Drawer />
        : isListKept.value && <div class="talk-side">{<SessionList />}</div>}
      <div class="talk-main">
        <TalkHead conversation={conversation} isListOpen={isOpen} onList={toggle} />
        <ConversationArea conversation={conversation} />
        {isReady() && <Composer conversation={conversation} />}
      </div>
    </div>
  );
}

/** The conversation alone, to be docked beside another view. */
export function TalkPanel() {
  const conversation = current.value;
  useAnnouncements(conversation);
  return (
    <div class="talk-panel" onKeyDown={(event) => stopOnEscape(event, conversation)}>
      <ConversationArea conversation={conversation} />
      {isReady() && <Composer conversation={conversation} autofocus={false} />}
    </div>
  );
}

/** Whether the message box is shown: for an open session or a new one. */
function isReady(): boolean {
  return current.value !== undefined || place.value.session === undefined;
}

function stopOnEscape(event: KeyboardEvent, conversation: Conversation | undefined): void {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  // Escape in a dialog or a menu closes it.
  if (event.target instanceof Element && event.target.closest("dialog, [role=menu], [role=dialog]")) return;
  if (stopRunning(conversation)) event.preventDefault();
}

function ConversationArea({ conversation }: { conversation: Conversation | undefined }) {
  if (conversation) {
    const isEmpty = conversation.turns.value.length === 0 && conversation.outgoing.value.length === 0;
    const problem = conversation.problem.value;
    if (isEmpty) return <Welcome onAsk={(words) => void attempt(() => sendMessage(conversation, words))} />;
    return (
      <>
        {problem !== undefined && <ErrorNotice error={problem} />}
        <Transcript key={conversation.id} conversation={conversation} />
      </>
    );
  }
  if (place.value.session === undefined)
    return <Welcome onAsk={(words) => void attempt(() => sendMessage(undefined, words))} />;
  if (currentProblem.value === undefined)
    return <div class="empty">{<Spinner label={texts().openingConversation} />}</div>;
  return (
    <div class="talk-lost">
      <ErrorNotice error={currentProblem.value}>
        <div class="talk-choices">
          <Button small kind="primary" onPress={() => go({ view: "talk" })}>
            {texts().newConversation}
          </Button>
        </div>
      </ErrorNotice>
    </div>
  );
}

/** The session list on phones. */
function Drawer() {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => (isDrawerOpen.value = false);
  useModal(dialog);
  return (
    <dialog
      ref={dialog}
      class="talk-drawer"
      aria-label={texts().sessions}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        // A click on the backdrop closes it.
        if (event.target === dialog.current) close();
      }}
    >
      <SessionList onGo={close} />
    </dialog>
  );
}
