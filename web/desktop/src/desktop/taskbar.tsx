/** The taskbar: all open windows, including minimised ones. */
import type { wire } from "@dwell/client";
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "../kit/icon.tsx";
import { useDesktop } from "./context.ts";
import { scrolledTo } from "./geometry.ts";
import { AgentMark } from "./window.tsx";
import { texts } from "../languages/desktop.ts";

const ICONS: Record<wire.WindowContent["type"], IconName> = {
  markdown: "journal",
  html: "journal",
  text: "journal",
  table: "grid",
  chart: "chart",
  components: "list",
  artifact: "file",
  app: "desktop",
};

/** A button for each window: it brings the window to the front, or minimises the frontmost one. */
export function Taskbar() {
  const desktop = useDesktop();
  const list = useRef<HTMLUListElement>(null);
  const windows = [...desktop.windows.value].sort(
    (one, other) =>
      firstOf(desktop.windows.value, one.group).localeCompare(firstOf(desktop.windows.value, other.group)) ||
      one.opened_at.localeCompare(other.opened_at),
  );
  const front = desktop.front.value?.window_id;
  const press = (window: wire.Window) => {
    const { window_id: id } = window;
    if (id === front) {
      desktop.report({ type: "window.minimize", window_id: id });
      return;
    }
    desktop.report({ type: "window.focus", window_id: id });
    const root = list.current?.closest(".desktop-root");
    // It must be visible before it can be focused.
    setTimeout(() => root?.querySelector<HTMLElement>(`[data-window-id="${CSS.escape(id)}"]`)?.focus());
  };
  useEffect(() => {
    // Only the taskbar scrolls; `scrollIntoView` might move the page too.
    const bar = list.current?.parentElement;
    const button = bar?.querySelector<HTMLElement>("[aria-current=true]");
    if (bar && button) bar.scrollLeft = scrolledTo(bar, button.offsetLeft, button.offsetWidth);
  }, [front, windows.length]);
  if (windows.length === 0) return <div class="desktop-tasks" />;
  return (
    <nav class="desktop-tasks scroll" aria-label={texts().windows} onWheel={scrollAcross}>
      <ul ref={list}>
        {windows.map((window, index) => (
          <li key={window.window_id} class={isJoined(windows, index) ? "joined" : undefined}>
            <button
              type="button"
              class={window.state === "minimized" ? "away" : undefined}
              aria-current={window.window_id === front ? "true" : undefined}
              title={window.state === "minimized" ? texts().titleMinimised(window.title) : window.title}
              onClick={() => press(window)}
            >
              <Icon name={ICONS[window.content.type]} small />
              <span>{window.title}</span>
              <AgentMark window={window} />
              {window.state === "minimized" && <span class="unseen">{texts().minimised}</span>}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Turns the wheel of a mouse, which has one direction only, into scrolling across. */
function scrollAcross(event: WheelEvent & { currentTarget: HTMLElement }): void {
  if (event.deltaX === 0 && event.deltaY !== 0) event.currentTarget.scrollLeft += event.deltaY;
}

/** The time when the first window of a group was opened. */
function firstOf(windows: readonly wire.Window[], group: string): string {
  const times = windows.filter((window) => window.group === group).map((window) => window.opened_at);
  return times.sort()[0] ?? "";
}

/** Whether a window shares its agent with the previous one. */
function isJoined(windows: readonly wire.Window[], index: number): boolean {
  return index > 0 && windows[index - 1]?.group === windows[index]?.group;
}

/** The window selector on phones. */
export function Switcher() {
  const desktop = useDesktop();
  const windows = desktop.windows.value;
  const front = desktop.front.value?.window_id ?? "";
  if (windows.length === 0) return null;
  const byAge = [...windows].sort((one, other) => one.opened_at.localeCompare(other.opened_at));
  const at = byAge.findIndex((window) => window.window_id === front);
  return (
    <label class="desktop-switcher">
      <span class="unseen">{texts().window}</span>
      <select
        class="input"
        value={front}
        onChange={(event) => {
          const id = event.currentTarget.value;
          if (id !== "") desktop.report({ type: "window.focus", window_id: id });
        }}
      >
        {front === "" && <option value="">{texts().chooseAWindow}</option>}
        {byAge.map((window, index) => (
          <option key={window.window_id} value={window.window_id}>
            {windows.length > 1 ? `${index + 1}. ${window.title}` : window.title}
          </option>
        ))}
      </select>
      <span class="numbers" aria-hidden="true">
        {at >= 0 ? `${at + 1}/${windows.length}` : windows.length}
      </span>
    </label>
  );
}
