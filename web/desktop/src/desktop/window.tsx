/** A window: title bar, content, and edges to resize it by. */
import type { wire } from "@dwell/client";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu, type MenuItem } from "../kit/menu.tsx";
import { type WindowActivity, windowActivity } from "./agents.ts";
import { WindowComposer } from "./window-composer.tsx";
import { Content } from "./content/content.tsx";
import { useDesktop } from "./context.ts";
import type { DesktopStore } from "./store.ts";
import { EDGES, type Rect, type Size, toRect } from "./geometry.ts";
import { startDrag, drag, startKeyDrag, handleDragKey, nudge } from "./drag.ts";
import { texts } from "../languages/desktop.ts";

function activityLabels(): Record<Exclude<WindowActivity, "idle">, string> {
  return {
    works: texts().itsAgentIsWorking,
    waits: texts().itsAgentHasQueued,
    asks: texts().itsAgentHasQuestion,
  };
}

type Props = { window: wire.Window; surface: Size; depth: number; isFront: boolean; isPhone: boolean };

/** A window on the surface. */
export function WindowFrame({ window, surface, depth, isFront, isPhone }: Props) {
  const desktop = useDesktop();
  const element = useRef<HTMLElement>(null);
  const heading = useId();
  const [isAsking, setAsking] = useState(false);
  const { window_id: id, state } = window;
  const isMaximized = state === "maximized" || isPhone;
  const isHeld = drag.value?.id === id;
  const rect = placeOf(window, surface, isMaximized);
  const report = (type: SimpleType) => {
    desktop.report({ type, window_id: id });
    if ((type === "window.close" || type === "window.minimize") && !isPhone) moveFocusFrom(element.current);
  };
  const isHidden = state === "minimized" || (isPhone && !isFront);

  useEffect(() => {
    // An iframe keeps its clicks; that it now has the focus is the only trace of them.
    const look = () => {
      if (element.current?.contains(document.activeElement)) desktop.focus(id);
    };
    addEventListener("blur", look);
    return () => removeEventListener("blur", look);
  }, [desktop, id]);

  const within = useKeptFocus(element, window.content);

  const keys = (event: KeyboardEvent) => {
    if (isPhone || handleDragKey(event, desktop, window, surface)) return;
    if (!event.altKey || !event.shiftKey) return;
    if (event.key.startsWith("Arrow")) nudge(desktop, window, surface, event.key);
    else if (event.code === "Equal" || event.code === "NumpadAdd") grow(desktop, window, surface, true);
    else if (event.code === "Minus" || event.code === "NumpadSubtract") grow(desktop, window, surface, false);
    else if (event.code === "KeyM") report(state === "maximized" ? "window.restore" : "window.maximize");
    else if (event.code === "KeyN") report("window.minimize");
    else if (event.code === "KeyW") report("window.close");
    else return;
    event.preventDefault();
  };

  return (
    <section
      ref={element}
      class={["desktop-window", isFront && "front", isMaximized && "full", isHeld && "held"].filter(Boolean).join(" ")}
      data-window-id={id}
      role="group"
      aria-roledescription={texts().windowRole}
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
        desktop.focus(id);
      }}
      onFocusOut={(event) => {
        // Without a new target the focused element was removed or disabled.
        if (event.relatedTarget) within.current = null;
      }}
      onPointerDown={() => desktop.focus(id)}
    >
      <header
        class="desktop-bar"
        onPointerDown={(event) => {
          const isButton = event.target instanceof Element && event.target.closest("button") !== null;
          if (!isButton && !isPhone) startDrag(event, desktop, window, surface);
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
          label={texts().messageButton}
          small
          expanded={isAsking}
          onPress={() => setAsking((before) => !before)}
        />
        <Menu
          label={texts().windowMenu}
          items={menuOf({ window, surface, isPhone, report, element: element.current })}
        />
        {!isPhone && (
          <IconButton icon="minimize" label={texts().minimise} small onPress={() => report("window.minimize")} />
        )}
        {!isPhone && state === "maximized" && (
          <IconButton icon="restore" label={texts().restore} small onPress={() => report("window.restore")} />
        )}
        {!isPhone && state !== "maximized" && (
          <IconButton icon="maximize" label={texts().maximise} small onPress={() => report("window.maximize")} />
        )}
        <IconButton icon="close" label={texts().close} small onPress={() => report("window.close")} />
      </header>
      <Body window={window} isShielded={!isFront || drag.value !== undefined} />
      {isAsking && <WindowComposer window={window} onDone={() => setAsking(false)} />}
      {!isMaximized &&
        EDGES.map((edge) => (
          <div
            key={edge}
            class={`desktop-edge ${edge}`}
            onPointerDown={(event) => startDrag(event, desktop, window, surface, edge)}
          />
        ))}
    </section>
  );
}

/** Keeps the focus in the window when new content removes the focused element. */
function useKeptFocus(
  element: { current: HTMLElement | null },
  content: wire.WindowContent,
): { current: Element | null } {
  const within = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (!within.current || within.current.isConnected) return;
    within.current = null;
    if (document.activeElement === document.body) element.current?.focus();
  }, [content]);
  return within;
}

/** Moves the focus from a closed window to the next one, or else to the message box. */
function moveFocusFrom(gone: HTMLElement | null): void {
  const root = gone?.closest(".desktop-root");
  setTimeout(() => {
    const { activeElement } = document;
    if (activeElement !== document.body && !gone?.contains(activeElement)) return;
    const next = root?.querySelector<HTMLElement>(".desktop-window.front:not([hidden])");
    (next ?? root?.querySelector<HTMLElement>(".desktop-composer input"))?.focus();
  });
}

type SimpleType = Extract<
  wire.Interaction,
  { type: "window.close" | "window.minimize" | "window.maximize" | "window.restore" | "window.lock" | "window.unlock" }
>["type"];

function placeOf(window: wire.Window, surface: Size, isMaximized: boolean): Rect {
  if (isMaximized) return { left: 0, top: 0, ...surface };
  const now = drag.value;
  return now?.id === window.window_id ? now.rect : toRect(window.bounds, surface);
}

function grow(desktop: DesktopStore, window: wire.Window, surface: Size, isLarger: boolean): void {
  nudge(desktop, window, surface, isLarger ? "ArrowRight" : "ArrowLeft", "e");
  const widened = desktop.windows.peek().find((one) => one.window_id === window.window_id) ?? window;
  nudge(desktop, widened, surface, isLarger ? "ArrowDown" : "ArrowUp", "s");
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
    startKeyDrag(window, surface, edge);
  };
  const isFull = window.state === "maximized";
  const places: MenuItem[] = [
    ...(isFull
      ? []
      : [
          { label: texts().moveWithArrowKeys, onPick: () => hold() },
          { label: texts().resizeWithArrowKeys, onPick: () => hold("se") },
        ]),
    isFull
      ? { label: texts().restore, icon: "restore", onPick: () => report("window.restore") }
      : { label: texts().maximise, icon: "maximize", onPick: () => report("window.maximize") },
    { label: texts().minimise, icon: "minimize", onPick: () => report("window.minimize") },
  ];
  return [
    ...(isPhone ? [] : places),
    window.locked_by
      ? { label: texts().unlock, icon: "unlock", onPick: () => report("window.unlock") }
      : { label: texts().lockAgainstChangesBy, icon: "lock", onPick: () => report("window.lock") },
    { label: texts().closeWindow, icon: "close", danger: true, onPick: () => report("window.close") },
  ];
}

function Body({ window, isShielded }: { window: wire.Window; isShielded: boolean }) {
  const desktop = useDesktop();
  const isApp = window.content.type === "app";
  // An iframe would swallow the pointer events that move the window.
  const hasFrame = isApp || window.content.type === "artifact";
  return (
    <div
      class={isApp ? "desktop-body app" : "desktop-body scroll"}
      {...(!isApp && { tabIndex: 0, role: "group", "aria-label": texts().titleContent(window.title) })}
    >
      <Content window={window} onFail={(error) => desktop.reportRenderError(window.window_id, error)} />
      {hasFrame && isShielded && <div class="desktop-shield" />}
    </div>
  );
}

/** The activity mark of the window's agent. */
export function AgentMark({ window }: { window: wire.Window }) {
  const view = useDesktop().view.value;
  const at = view ? windowActivity(view, window.window_id) : "idle";
  if (at === "idle") return <span class="desktop-mark idle" aria-hidden="true" />;
  return (
    <span class={`desktop-mark ${at}`} title={activityLabels()[at]}>
      <span class="unseen">{activityLabels()[at]}</span>
    </span>
  );
}

function LockMark({ window }: { window: wire.Window }) {
  const { locked_by: holder } = window;
  if (!holder) return null;
  const words = holder === "user" ? texts().lockedByYouAgents : texts().lockedByAgentWhile;
  return (
    <span class="desktop-lock" title={words}>
      <Icon name="lock" small />
      <span class="unseen">{words}</span>
    </span>
  );
}
