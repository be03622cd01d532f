/** The desktop view: the windows that agents open, the taskbar, and a message box. */
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { current, currentProblem, titleOf } from "../store/sessions.ts";
import { IconButton } from "../kit/button.tsx";
import { Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { place } from "../route.ts";
import { TalkPanel } from "../talk/view.tsx";
import { EmptyDesktop } from "./empty-desktop.tsx";
import { Bell } from "./bell.tsx";
import { sendMessage, Composer } from "./composer.tsx";
import { ConversationContext } from "./context.ts";
import { Help } from "./help.tsx";
import { Monitors } from "./monitors.tsx";
import { useWidth } from "./screen.ts";
import { cycle, Surface } from "./surface.tsx";
import { Switcher, Taskbar } from "./taskbar.tsx";
import { texts } from "../languages/desktop.ts";
import "./desktop.css";
import "./windows.css";
import "./phone.css";

/** From this width on the chat can be docked beside the windows. */
const DOCK_MIN = 1_100;
/** Up to this width the phone layout is used. */
const PHONE_MAX = 720;
const DOCK_KEY = "dwell.desktop.dock";

/** Whether the chat is docked beside the windows, where the page is wide enough. */
const isDockWanted = signal(localStorage.getItem(DOCK_KEY) === "open");

function toggleDock(): void {
  isDockWanted.value = !isDockWanted.value;
  localStorage.setItem(DOCK_KEY, isDockWanted.value ? "open" : "closed");
}

export function DesktopView() {
  const conversation = current.value;
  const isOpening = conversation === undefined && place.value.session !== undefined;
  const problem = currentProblem.value ?? conversation?.problem.value;
  return (
    <ConversationContext.Provider value={conversation}>
      {isOpening && problem === undefined ? (
        <div class="empty">
          <Spinner label={texts().openingDesktop} />
        </div>
      ) : (
        <Desktop key={conversation?.id} conversation={conversation} problem={problem} />
      )}
    </ConversationContext.Provider>
  );
}

function Desktop({ conversation, problem }: { conversation: Conversation | undefined; problem: unknown }) {
  const root = useRef<HTMLDivElement>(null);
  const [isHelping, setHelping] = useState(false);
  const [asked, setAsked] = useState<unknown>();
  const width = useWidth();
  const isPhone = width <= PHONE_MAX;
  const mayDock = conversation !== undefined && width >= DOCK_MIN;
  const isDocked = mayDock && isDockWanted.value;
  const desktop = conversation?.desktop;
  const windows = desktop?.windows.value ?? [];
  const isBare = !windows.some((window) => window.state !== "minimized");
  useDesktopKeys(root, () => setHelping(true));
  // A link may name a window: `#/desktop/SESSION/WINDOW`.
  const { detail } = place.value;
  const isNamed = windows.some(({ window_id: id }) => id === detail);
  useEffect(() => {
    if (isNamed && detail !== undefined) desktop?.focus(detail);
  }, [isNamed, detail]);
  const ask = (words: string) => {
    setAsked(undefined);
    sendMessage(conversation, words).catch(setAsked);
  };
  return (
    <div class={isDocked ? "desktop-root docked" : "desktop-root"} ref={root}>
      <div class="page-head desktop-head">
        <h1>
          {texts().desktop}
          {conversation && <span class="desktop-title"> {titleOf(conversation.session.value)}</span>}
        </h1>
        {desktop && isPhone && <Switcher />}
        {desktop && <Monitors />}
        {desktop && <Bell />}
        {mayDock && (
          <IconButton
            icon="talk"
            label={isDocked ? texts().hideChat : texts().showChat}
            pressed={isDocked}
            onPress={toggleDock}
          />
        )}
        {!isPhone && <IconButton icon="info" label={texts().keyboardShortcuts} onPress={() => setHelping(true)} />}
      </div>
      <Problems
        error={problem ?? asked ?? desktop?.problem.value}
        onDismiss={() => desktop && (desktop.problem.value = undefined)}
      />
      <div class="desktop-middle">
        {desktop && <Surface isPhone={isPhone} />}
        {isBare && problem === undefined && (
          <EmptyDesktop onAsk={ask} isBusy={conversation?.isBusy.value ?? false} hasWindows={windows.length > 0} />
        )}
      </div>
      <div class="desktop-foot">
        {desktop && !isPhone && <Taskbar />}
        {!isDocked && <Composer conversation={conversation} />}
      </div>
      {isDocked && (
        <aside class="desktop-dock" aria-label={texts().conversation}>
          <TalkPanel />
        </aside>
      )}
      {isHelping && <Help onClose={() => setHelping(false)} />}
    </div>
  );
}

function Problems({ error, onDismiss }: { error: unknown; onDismiss: () => void }) {
  if (error === undefined) return <div />;
  return (
    <div class="desktop-problem">
      <ErrorNotice error={error} />
      <IconButton icon="close" label={texts().dismiss} small onPress={onDismiss} />
    </div>
  );
}

/** F6 cycles through the windows, `?` shows the shortcuts. */
function useDesktopKeys(root: { current: HTMLDivElement | null }, help: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping =
        target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
      // Open dialogs have their own keys.
      if (document.querySelector("dialog[open]")) return;
      if (event.key === "F6") cycle(root.current, event.shiftKey ? -1 : 1);
      else if (event.key === "?" && !isTyping) help();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
