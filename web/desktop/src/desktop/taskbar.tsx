/** The windows that are open, also those that are put away. */
import type { wire } from "@dwell/client";
import { useRef } from "preact/hooks";
import { Icon, type IconName } from "../kit/icon.tsx";
import { useDesk } from "./context.ts";
import { AgentMark } from "./window.tsx";

const ICONS: Record<wire.Content["type"], IconName> = {
  markdown: "journal",
  html: "journal",
  text: "journal",
  table: "grid",
  chart: "chart",
  components: "list",
  artifact: "file",
  app: "desktop",
};

/** A button for each window: it brings the window to the front, or puts away the one that is there. */
export function Taskbar() {
  const desk = useDesk();
  const list = useRef<HTMLUListElement>(null);
  const windows = [...desk.windows.value].sort(
    (one, other) =>
      firstOf(desk.windows.value, one.group).localeCompare(firstOf(desk.windows.value, other.group)) ||
      one.opened_at.localeCompare(other.opened_at),
  );
  const front = desk.front.value?.window_id;
  const press = (window: wire.Window) => {
    const { window_id: id } = window;
    if (id === front) {
      desk.report({ type: "window.minimize", window_id: id });
      return;
    }
    desk.report({ type: "window.focus", window_id: id });
    const root = list.current?.closest(".desk");
    // It has to be shown before it can have the focus.
    setTimeout(() => root?.querySelector<HTMLElement>(`[data-window-id="${CSS.escape(id)}"]`)?.focus());
  };
  if (windows.length === 0) return <div class="desk-tasks" />;
  return (
    <nav class="desk-tasks scroll" aria-label="Windows">
      <ul ref={list}>
        {windows.map((window, index) => (
          <li key={window.window_id} class={isJoined(windows, index) ? "joined" : undefined}>
            <button
              type="button"
              class={window.state === "minimized" ? "away" : undefined}
              aria-current={window.window_id === front ? "true" : undefined}
              title={window.state === "minimized" ? `${window.title} (minimised)` : window.title}
              onClick={() => press(window)}
            >
              <Icon name={ICONS[window.content.type]} small />
              <span>{window.title}</span>
              <AgentMark window={window} />
              {window.state === "minimized" && <span class="unseen">, minimised</span>}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** When the first window of a group was opened. */
function firstOf(windows: readonly wire.Window[], group: string): string {
  const times = windows.filter((window) => window.group === group).map((window) => window.opened_at);
  return times.sort()[0] ?? "";
}

/** Whether it shares its agent with the one before it. */
function isJoined(windows: readonly wire.Window[], index: number): boolean {
  return index > 0 && windows[index - 1]?.group === windows[index]?.group;
}

/** On a phone: which of the windows is shown. */
export function Switcher() {
  const desk = useDesk();
  const windows = desk.windows.value;
  const front = desk.front.value?.window_id ?? "";
  if (windows.length === 0) return null;
  const byAge = [...windows].sort((one, other) => one.opened_at.localeCompare(other.opened_at));
  const at = byAge.findIndex((window) => window.window_id === front);
  return (
    <label class="desk-switcher">
      <span class="unseen">Window</span>
      <select
        class="input"
        value={front}
        onChange={(event) => {
          const id = event.currentTarget.value;
          if (id !== "") desk.report({ type: "window.focus", window_id: id });
        }}
      >
        {front === "" && <option value="">Choose a window…</option>}
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
