/** The command palette: type to find a command, a session or a message; Enter does it. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "../kit/icon.tsx";
import { useModal } from "../kit/modal.ts";
import { go, place } from "../route.ts";
import { titleOf } from "../store/sessions.ts";
import { excerpt } from "../talk/sessions/group.ts";
import { type Command, commandsNow } from "./commands.ts";
import { KeysDialog } from "./help.tsx";
import { isMac } from "./keys.ts";
import { found, stepped } from "./match.ts";
import { openPalette } from "./open.ts";
import { useSessionHits } from "./sessions.ts";
import { keysOf, type Shortcut } from "./shortcuts.ts";
import { texts } from "../languages/palette.ts";
import "./palette.css";

/** A line of the list. */
type Item = {
  id: string;
  group: string;
  icon: IconName;
  title: string;
  note?: string | undefined;
  key?: Shortcut | undefined;
  run: () => void;
};

/** What is shown before anything is typed. */
const RECENT_MAX = 5;

/** The palette or the list of keys, whichever is open. */
export function Palette() {
  if (openPalette.value === "keys") return <KeysDialog onClose={() => (openPalette.value = undefined)} />;
  return openPalette.value === "commands" ? <CommandDialog /> : null;
}

function CommandDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const items = useItems(query);
  const at = Math.min(chosen, items.length - 1);
  useModal(dialog);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, items.length]);
  const close = () => (openPalette.value = undefined);
  const pick = (item: Item | undefined) => {
    if (!item) return;
    close();
    item.run();
  };
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") setChosen(stepped(at, 1, items.length));
    else if (event.key === "ArrowUp") setChosen(stepped(at, -1, items.length));
    else if (event.key === "Enter") pick(items[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label={texts().commandPalette}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        // A click on the backdrop closes it.
        if (event.target === dialog.current) close();
      }}
    >
      <div class="palette-box">
        <Icon name="search" small />
        <input
          class="palette-input"
          role="combobox"
          aria-label={texts().findCommandSessionOr}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={items[at] ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          placeholder={texts().findCommandSessionOr}
          spellcheck={false}
          autocomplete="off"
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div ref={list} id={id} class="palette-list scroll" role="listbox" aria-label={texts().found}>
        {grouped(items).map(({ group, from, items: part }) => (
          <div key={group} role="group" aria-label={group}>
            <div class="palette-group" aria-hidden="true">
              {group}
            </div>
            {part.map((item, index) => (
              <Line
                key={item.id}
                item={item}
                id={`${id}-${from + index}`}
                isChosen={from + index === at}
                onPoint={() => setChosen(from + index)}
                onPick={() => pick(item)}
              />
            ))}
          </div>
        ))}
      </div>
      {items.length === 0 && (
        <p class="palette-none" role="status">
          {texts().nothingCalled(query)}
        </p>
      )}
    </dialog>
  );
}

function Line(props: { item: Item; id: string; isChosen: boolean; onPoint: () => void; onPick: () => void }) {
  const { item, id, isChosen, onPoint, onPick } = props;
  return (
    <div class="palette-line" role="option" id={id} aria-selected={isChosen} onPointerMove={onPoint} onClick={onPick}>
      <Icon name={item.icon} small />
      <span class="palette-title">
        {item.title}
        {item.note !== undefined && <small>{item.note}</small>}
      </span>
      {item.key !== undefined && (
        <span class="palette-keys" aria-hidden="true">
          {keysOf(item.key, isMac).map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </div>
  );
}

/** The lines in order: commands that fit, then sessions, then messages. */
function useItems(query: string): Item[] {
  const hits = useSessionHits(query);
  const isBare = query.trim() === "";
  const { session: here } = place.value;
  const commands = found(commandsNow(), query).filter(({ group }) => !isBare || group !== texts().models);
  const sessions = hits.sessions
    .filter(({ session_id: id }) => id !== here)
    .slice(0, isBare ? RECENT_MAX : undefined)
    .map((session): Item => ({
      id: session.session_id,
      group: isBare ? texts().recentSessions : texts().sessions,
      icon: "talk",
      title: titleOf(session),
      note: session.status === "active" ? undefined : session.status,
      run: () => go({ view: "talk", session: session.session_id }),
    }));
  const messages = hits.messages.map((hit): Item => ({
    id: hit.id,
    group: texts().messages,
    icon: hit.role === "assistant" ? "agents" : "talk",
    title: excerpt(hit.text, query, 90)
      .map(({ text }) => text)
      .join(""),
    note: hit.role === "assistant" ? texts().answer : texts().you,
    run: () => go({ view: "talk", session: hit.sessionId, detail: hit.turnId }),
  }));
  const lines = byGroup(commands.map(itemOf));
  // A session is looked for by its title more often than a command by a word beside its own.
  return isBare ? [...lines, ...sessions] : [...lines, ...sessions, ...messages];
}

function itemOf({ id, title, icon, group, key, run }: Command): Item {
  return { id, title, icon, group, key, run };
}

/** The same, with the lines of a group together; the group with the best line first. */
function byGroup(items: readonly Item[]): Item[] {
  const groups = [...new Set(items.map(({ group }) => group))];
  return groups.flatMap((group) => items.filter((item) => item.group === group));
}

/** Lines under their headings, with the index of the first. */
function grouped(items: readonly Item[]): { group: string; from: number; items: Item[] }[] {
  const groups: { group: string; from: number; items: Item[] }[] = [];
  for (const [index, item] of items.entries()) {
    const last = groups.at(-1);
    if (last?.group === item.group) last.items.push(item);
    else groups.push({ group: item.group, from: index, items: [item] });
  }
  return groups;
}
