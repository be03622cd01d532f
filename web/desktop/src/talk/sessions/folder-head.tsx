/** The heading of a folder in the session list, which closes and opens it. */
import { signal } from "@preact/signals";
import { Icon } from "../../kit/icon.tsx";
import type { Group } from "./group.ts";

const KEY = "dwell.folders.closed";

/** The folders that are closed in this browser. */
const closed = signal<ReadonlySet<string>>(read());

function read(): ReadonlySet<string> {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
  } catch {
    return new Set();
  }
}

/** Whether the sessions of a group are hidden. */
export function isClosed({ label, isFolder = false }: Group): boolean {
  return isFolder && closed.value.has(label);
}

/** The heading. */
export function FolderHead({ group }: { group: Group }) {
  const isOpen = !isClosed(group);
  const toggle = () => {
    const next = new Set(closed.value);
    if (!next.delete(group.label)) next.add(group.label);
    closed.value = next;
    localStorage.setItem(KEY, JSON.stringify([...next]));
  };
  return (
    <button type="button" class="sessions-folder" aria-expanded={isOpen} onClick={toggle}>
      <Icon name={isOpen ? "down" : "right"} small />
      <Icon name="folder" small />
      <span>{group.label}</span>
      <span class="numbers">{group.sessions.length}</span>
    </button>
  );
}
