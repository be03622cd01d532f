/** Desktop: the windows that agents open, where one moves them about, fills them in and asks for more. */
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import { current, currentProblem, titleOf } from "../house/sessions.ts";
import { IconButton } from "../kit/button.tsx";
import { Spinner, Trouble } from "../kit/pieces.tsx";
import { place } from "../route.ts";
import { TalkPanel } from "../talk/view.tsx";
import { Begin } from "./begin.tsx";
import { Bell } from "./bell.tsx";
import { askFor, Composer } from "./composer.tsx";
import { Open } from "./context.ts";
import { Help } from "./help.tsx";
import { Monitors } from "./monitors.tsx";
import { useWidth } from "./screen.ts";
import { cycle, Surface } from "./surface.tsx";
import { Switcher, Taskbar } from "./taskbar.tsx";
import "./desktop.css";
import "./windows.css";
import "./phone.css";

/** From this width on the conversation may stand beside the windows. */
const DOCK_MIN = 1_100;
/** Up to this width it is a phone. */
const PHONE_MAX = 720;
const DOCK_KEY = "dwell.desktop.dock";

/** Whether the conversation stands beside the windows, where there is room. */
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
    <Open.Provider value={conversation}>
      {isOpening && problem === undefined ? (
        <div class="empty">
          <Spinner label="Opening the desktop" />
        </div>
      ) : (
        <Desktop key={conversation?.id} conversation={conversation} problem={problem} />
      )}
    </Open.Provider>
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
  const desk = conversation?.desk;
  const windows = desk?.windows.value ?? [];
  const isBare = !windows.some((window) => window.state !== "minimized");
  useDesktopKeys(root, () => setHelping(true));
  // An address may name a window: `#/desktop/SESSION/WINDOW`.
  const { detail } = place.value;
  const isNamed = windows.some(({ window_id: id }) => id === detail);
  useEffect(() => {
    if (isNamed && detail !== undefined) desk?.focus(detail);
  }, [isNamed, detail]);
  const ask = (words: string) => {
    setAsked(undefined);
    askFor(conversation, words).catch(setAsked);
  };
  return (
    <div class={isDocked ? "desk docked" : "desk"} ref={root}>
      <div class="page-head desk-head">
        <h1>
          Desktop
          {conversation && <span class="desk-title"> {titleOf(conversation.session.value)}</span>}
        </h1>
        {desk && isPhone && <Switcher />}
        {desk && <Monitors />}
        {desk && <Bell />}
        {mayDock && (
          <IconButton
            icon="talk"
            label={isDocked ? "Put the conversation away" : "Show the conversation beside the windows"}
            pressed={isDocked}
            onPress={toggleDock}
          />
        )}
        {!isPhone && <IconButton icon="info" label="Windows by keyboard" onPress={() => setHelping(true)} />}
      </div>
      <Problems
        error={problem ?? asked ?? desk?.problem.value}
        onDismiss={() => desk && (desk.problem.value = undefined)}
      />
      <div class="desk-middle">
        {desk && <Surface isPhone={isPhone} />}
        {isBare && problem === undefined && (
          <Begin onAsk={ask} isBusy={conversation?.isBusy.value ?? false} hasWindows={windows.length > 0} />
        )}
      </div>
      <div class="desk-foot">
        {desk && !isPhone && <Taskbar />}
        {!isDocked && <Composer conversation={conversation} />}
      </div>
      {isDocked && (
        <aside class="desk-dock" aria-label="Conversation">
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
    <div class="desk-problem">
      <Trouble error={error} />
      <IconButton icon="close" label="Dismiss" small onPress={onDismiss} />
    </div>
  );
}

/** F6 goes round the windows, `?` explains the keys. */
function useDesktopKeys(root: { current: HTMLDivElement | null }, help: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping =
        target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
      // What stands above the page has its own keys.
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
