/** A window: its title bar, what it shows, and the edges one can pull. */
import type { wire } from "@dwell/client";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu, type MenuItem } from "../kit/menu.tsx";
import { type AtWork, atWork } from "./agents.ts";
import { Ask } from "./ask.tsx";
import { Content } from "./content/content.tsx";
import { useDesk } from "./context.ts";
import type { Desk } from "./desk.ts";
import { EDGES, type Rect, type Size, toShown } from "./geometry.ts";
import { grip, held, holdByKeys, keyWhileHeld, nudge } from "./grip.ts";

const AT_WORK: Record<Exclude<AtWork, "idle">, string> = {
  works: "Its agent is at work",
  waits: "Its agent has something waiting",
  asks: "Its agent asks you something",
};

type Props = { window: wire.Window; surface: Size; depth: number; isFront: boolean; isPhone: boolean };

/** A window on the surface. */
export function WindowFrame({ window, surface, depth, isFront, isPhone }: Props) {
  const desk = useDesk();
  const element = useRef<HTMLElement>(null);
  const heading = useId();
  const [isAsking, setAsking] = useState(false);
  const { window_id: id, state } = window;
  const isMaximized = state === "maximized" || isPhone;
  const isHeld = held.value?.id === id;
  const rect = placeOf(window, surface, isMaximized);
  const report = (type: SimpleType) => {
    desk.report({ type, window_id: id });
    if ((type === "window.close" || type === "window.minimize") && !isPhone) giveFocusOn(element.current);
  };
  const isHidden = state === "minimized" || (isPhone && !isFront);

  useEffect(() => {
    // A frame takes its clicks for itself; that it has the focus now is all there is to be seen of them.
    const look = () => {
      if (element.current?.contains(document.activeElement)) desk.focus(id);
    };
    addEventListener("blur", look);
    return () => removeEventListener("blur", look);
  }, [desk, id]);

  const within = useKeptFocus(element, window.content);

  const keys = (event: KeyboardEvent) => {
    if (isPhone || keyWhileHeld(event, desk, window, surface)) return;
    if (!event.altKey || !event.shiftKey) return;
    if (event.key.startsWith("Arrow")) nudge(desk, window, surface, event.key);
    else if (event.code === "Equal" || event.code === "NumpadAdd") grow(desk, window, surface, true);
    else if (event.code === "Minus" || event.code === "NumpadSubtract") grow(desk, window, surface, false);
    else if (event.code === "KeyM") report(state === "maximized" ? "window.restore" : "window.maximize");
    else if (event.code === "KeyN") report("window.minimize");
    else if (event.code === "KeyW") report("window.close");
    else return;
    event.preventDefault();
  };

  return (
    <section
      ref={element}
      class={["desk-window", isFront && "front", isMaximized && "full", isHeld && "held"].filter(Boolean).join(" ")}
      data-window-id={id}
      role="group"
      aria-roledescription="window"
      aria-labelledby={heading}
      tabIndex={0}
      hidden={isHidden}
      style={{
        left: `${rect.left}px`,
        top: `${rect.top}px`,
        width: `${rect.width}px`,
        height: `${rect.height}px`,
        zIndex: depth,
      }}
      onKeyDown={keys}
      onFocusIn={(event) => {
        within.current = event.target instanceof Element ? event.target : null;
        desk.focus(id);
      }}
      onFocusOut={(event) => {
        // Without a place to go it was taken away, as from a button that is pressed and waits.
        if (event.relatedTarget) within.current = null;
      }}
      onPointerDown={() => desk.focus(id)}
    >
      <header
        class="desk-bar"
        onPointerDown={(event) => {
          const isButton = event.target instanceof Element && event.target.closest("button") !== null;
          if (!isButton && !isPhone) grip(event, desk, window, surface);
        }}
        onDblClick={(event) => {
          const isButton = event.target instanceof Element && event.target.closest("button") !== null;
          if (!isButton && !isPhone) report(state === "maximized" ? "window.restore" : "window.maximize");
        }}
      >
        <AgentMark window={window} />
        <h2 id={heading} title={window.title}>
          {window.title}
        </h2>
        <LockMark window={window} />
        <IconButton
          icon="talk"
          label="Ask this window"
          small
          expanded={isAsking}
          onPress={() => setAsking((before) => !before)}
        />
        <Menu label="Window menu" items={menuOf({ window, surface, isPhone, report, element: element.current })} />
        {!isPhone && <IconButton icon="minimize" label="Minimise" small onPress={() => report("window.minimize")} />}
        {!isPhone && state === "maximized" && (
          <IconButton icon="restore" label="Restore" small onPress={() => report("window.restore")} />
        )}
        {!isPhone && state !== "maximized" && (
          <IconButton icon="maximize" label="Maximise" small onPress={() => report("window.maximize")} />
        )}
        <IconButton icon="close" label="Close" small onPress={() => report("window.close")} />
      </header>
      <Body window={window} isShielded={!isFront || held.value !== undefined} />
      {isAsking && <Ask window={window} onDone={() => setAsking(false)} />}
      {!isMaximized &&
        EDGES.map((edge) => (
          <div
            key={edge}
            class={`desk-edge ${edge}`}
            onPointerDown={(event) => grip(event, desk, window, surface, edge)}
          />
        ))}
    </section>
  );
}

/** What one is at may go when the content changes, as a button that was pressed: the focus then stays with the window. */
function useKeptFocus(element: { current: HTMLElement | null }, content: wire.Content): { current: Element | null } {
  const within = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (!within.current || within.current.isConnected) return;
    within.current = null;
    if (document.activeElement === document.body) element.current?.focus();
  }, [content]);
  return within;
}

/** The focus of a window that goes is the next window's; without one, that of the line to ask in. */
function giveFocusOn(gone: HTMLElement | null): void {
  const root = gone?.closest(".desk");
  setTimeout(() => {
    const { activeElement } = document;
    if (activeElement !== document.body && !gone?.contains(activeElement)) return;
    const next = root?.querySelector<HTMLElement>(".desk-window.front:not([hidden])");
    (next ?? root?.querySelector<HTMLElement>(".desk-composer input"))?.focus();
  });
}

type SimpleType = Extract<
  wire.Interaction,
  { type: "window.close" | "window.minimize" | "window.maximize" | "window.restore" | "window.lock" | "window.unlock" }
>["type"];

function placeOf(window: wire.Window, surface: Size, isMaximized: boolean): Rect {
  if (isMaximized) return { left: 0, top: 0, ...surface };
  const now = held.value;
  return now?.id === window.window_id ? now.rect : toShown(window.bounds, surface);
}

function grow(desk: Desk, window: wire.Window, surface: Size, isLarger: boolean): void {
  nudge(desk, window, surface, isLarger ? "ArrowRight" : "ArrowLeft", "e");
  const widened = desk.windows.peek().find((one) => one.window_id === window.window_id) ?? window;
  nudge(desk, widened, surface, isLarger ? "ArrowDown" : "ArrowUp", "s");
}

function menuOf(about: {
  window: wire.Window;
  surface: Size;
  isPhone: boolean;
  report: (type: SimpleType) => void;
  element: HTMLElement | null;
}): MenuItem[] {
  const { window, surface, isPhone, report, element } = about;
  const hold = (edge?: "se") => {
    element?.focus();
    holdByKeys(window, surface, edge);
  };
  const isFull = window.state === "maximized";
  const places: MenuItem[] = [
    ...(isFull
      ? []
      : [
          { label: "Move with the arrow keys", onPick: () => hold() },
          { label: "Resize with the arrow keys", onPick: () => hold("se") },
        ]),
    isFull
      ? { label: "Restore", icon: "restore", onPick: () => report("window.restore") }
      : { label: "Maximise", icon: "maximize", onPick: () => report("window.maximize") },
    { label: "Minimise", icon: "minimize", onPick: () => report("window.minimize") },
  ];
  return [
    ...(isPhone ? [] : places),
    window.locked_by
      ? { label: "Unlock: agents may change it", icon: "unlock", onPick: () => report("window.unlock") }
      : { label: "Lock: keep agents out", icon: "lock", onPick: () => report("window.lock") },
    { label: "Close the window", icon: "close", danger: true, onPick: () => report("window.close") },
  ];
}

function Body({ window, isShielded }: { window: wire.Window; isShielded: boolean }) {
  const desk = useDesk();
  const isApp = window.content.type === "app";
  // A frame would swallow the pointer that moves the window.
  const hasFrame = isApp || window.content.type === "artifact";
  return (
    <div
      class={isApp ? "desk-body app" : "desk-body scroll"}
      {...(!isApp && { tabIndex: 0, role: "group", "aria-label": `${window.title}: content` })}
    >
      <Content window={window} onFail={(error) => desk.cannotShow(window.window_id, error)} />
      {hasFrame && isShielded && <div class="desk-shield" />}
    </div>
  );
}

/** What the window's agent is at. */
export function AgentMark({ window }: { window: wire.Window }) {
  const view = useDesk().view.value;
  const at = view ? atWork(view, window.window_id) : "idle";
  if (at === "idle") return <span class="desk-mark idle" aria-hidden="true" />;
  return (
    <span class={`desk-mark ${at}`} title={AT_WORK[at]}>
      <span class="unseen">{AT_WORK[at]}</span>
    </span>
  );
}

function LockMark({ window }: { window: wire.Window }) {
  const { locked_by: holder } = window;
  if (!holder) return null;
  const words = holder === "user" ? "Locked by you: no agent changes it" : "Locked by an agent while it works on it";
  return (
    <span class="desk-lock" title={words}>
      <Icon name="lock" small />
      <span class="unseen">{words}</span>
    </span>
  );
}
