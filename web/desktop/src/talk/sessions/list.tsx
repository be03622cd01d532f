/** The session list: search, new session, and all sessions by day. */
import type { wire } from "@dwell/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, pathWith } from "../../store/api.ts";
import { isPinned } from "../../store/pins.ts";
import {
  forkAt,
  hasMoreSessions,
  inFolders,
  moreSessions,
  pin,
  pinned,
  rename,
  sessionQuery,
  sessions,
} from "../../store/sessions.ts";
import { isFinal } from "../../store/turn.ts";
import { announce } from "../../kit/announce.ts";
import { Button } from "../../kit/button.tsx";
import { ago } from "../../kit/format.ts";
import { Menu } from "../../kit/menu.tsx";
import { Spinner, ErrorNotice } from "../../kit/pieces.tsx";
import { SearchBox } from "../../kit/search-box.tsx";
import { go, hrefOf, place } from "../../route.ts";
import { waitingSessions } from "../approvals/open.ts";
import { foldBranches } from "../branches/lines.ts";
import { sessionDialog } from "./asked.ts";
import { FolderHead, isClosed } from "./folder-head.tsx";
import { excerpt, withPinned } from "./group.ts";
import { SessionRow, type SessionAction } from "./row.tsx";
import { searchMessages, messageHits } from "./message-search.ts";
import { titleFor } from "./titles.ts";
import { texts } from "../../languages/sessions.ts";
import "./sessions.css";

const TYPING_MS = 220;

/** The list. `onGo` is called when a session is opened. */
export function SessionList({ onGo }: { onGo?: () => void }) {
  const [renaming, setRenaming] = useState<string>();
  const [active, setActive] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => searchMessages(), []);
  const now = new Date();
  const here = place.value.session;
  // A search has every branch that fits it.
  const fold = sessionQuery.value.trim() === "" ? foldBranches : (all: readonly wire.SessionView[]) => all;
  const groups = withPinned(fold(sessions.value, here), fold(pinned.value, here), now, fold(inFolders.value, here));
  // In the order in which they are shown, for the arrow keys.
  const all = groups.filter((group) => !isClosed(group)).flatMap((group) => group.sessions);
  const waiting = waitingSessions.value;
  const first = [active, here].find((id) => all.some(({ session_id }) => session_id === id)) ?? all[0]?.session_id;

  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(error);
    }
  };
  const wish = (session: wire.SessionView, what: SessionAction) => {
    if (what === "fork") void attempt(() => forkLast(session));
    else if (what === "pin") void attempt(() => pinOrNot(session));
    else if (what === "rename") setRenaming(session.session_id);
    else sessionDialog.value = { session, wish: what };
  };
  const renamed = (session: wire.SessionView, title: string | undefined) => {
    setRenaming(undefined);
    requestAnimationFrame(() => rowOf(list.current, session.session_id)?.focus());
    if (title === undefined) return;
    void attempt(async () => {
      await rename(session.session_id, title);
      announce(texts().renamedToTitle(title));
    });
  };
  const move = (event: KeyboardEvent) => {
    const to = target(list.current, event);
    if (!to) return;
    event.preventDefault();
    to.focus();
  };

  return (
    <nav class="sessions" aria-label={texts().sessions}>
      <div class="sessions-head">
        <Button icon="plus" onPress={() => (go({ view: "talk" }), onGo?.())}>
          {texts().new}
        </Button>
        <Menu
          label={texts().more}
          small={false}
          items={[
            { label: texts().importSession, icon: "upload", onPick: () => (sessionDialog.value = { wish: "import" }) },
          ]}
        />
      </div>
      <Search onDown={() => rowOf(list.current, first)?.focus()} />
      {problem !== undefined && <ErrorNotice error={problem} />}
      <div
        ref={list}
        class="sessions-list scroll"
        onKeyDown={move}
        onFocusIn={(event) => {
          const id = (event.target as Element).closest("[data-session]")?.getAttribute("data-session");
          if (id) setActive(id);
        }}
      >
        {groups.map((group) => (
          <section key={group.isFolder ? `folder ${group.label}` : group.label} aria-label={group.label}>
            <h2 class="sessions-day">{group.isFolder ? <FolderHead group={group} /> : group.label}</h2>
            <ul>
              {(isClosed(group) ? [] : group.sessions).map((session) => (
                <SessionRow
                  key={session.session_id}
                  session={session}
                  now={now}
                  isOpen={session.session_id === here}
                  isActive={session.session_id === first}
                  isWaiting={waiting.has(session.session_id)}
                  isRenaming={renaming === session.session_id}
                  onGo={onGo}
                  onAction={(what) => wish(session, what)}
                  onRenamed={(title) => renamed(session, title)}
                />
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 && <NoSessions />}
        {hasMoreSessions.value && <More list={list} />}
        <MessageHits onGo={onGo} />
      </div>
    </nav>
  );
}

function Search({ onDown }: { onDown: () => void }) {
  const [text, setText] = useState(sessionQuery.value);
  useEffect(() => {
    const timer = setTimeout(() => (sessionQuery.value = text), text === "" ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <SearchBox
      label={texts().searchSessionsAndMessages}
      placeholder={texts().search}
      value={text}
      onChange={setText}
      onKeyDown={(event) => {
        if (event.key === "ArrowDown") onDown();
        else if (event.key === "Escape" && text !== "") setText("");
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}

function NoSessions() {
  const query = sessionQuery.value.trim();
  return <p class="sessions-none">{query === "" ? texts().noSessionsYet : texts().noSessionTitled(query)}</p>;
}

/** Loads the next page when the end comes into view. */
function More({ list }: { list: { current: HTMLDivElement | null } }) {
  const end = useRef<HTMLDivElement>(null);
  const count = sessions.value.length;
  useEffect(() => {
    const element = end.current;
    if (!element) return;
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void moreSessions().catch(() => undefined);
      },
      { root: list.current, rootMargin: "200px" },
    );
    watch.observe(element);
    return () => watch.disconnect();
    // A page that does not fill the view loads the next one at once.
  }, [count]);
  return (
    <div class="sessions-more" ref={end}>
      <Spinner label={texts().loadingMoreSessions} />
    </div>
  );
}

function MessageHits({ onGo }: { onGo: (() => void) | undefined }) {
  const { query, hits } = messageHits.value;
  if (query === "" || hits.length === 0) return null;
  return (
    <section aria-label={texts().messages}>
      <h2 class="sessions-day">{texts().messages}</h2>
      <ul>
        {hits.map((hit) => {
          const to = { view: "talk", session: hit.sessionId, detail: hit.turnId } as const;
          return (
            <li key={hit.id} class="sessions-said">
              <a
                href={hrefOf(to)}
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                  event.preventDefault();
                  go(to);
                  onGo?.();
                }}
              >
                <span class="sessions-words">
                  {excerpt(hit.text, query).map((piece, index) =>
                    piece.isHit ? <mark key={index}>{piece.text}</mark> : piece.text,
                  )}
                </span>
                <small>
                  {hit.role === "assistant" ? texts().answer : texts().you} {texts().in}{" "}
                  {titleFor(hit.sessionId) ?? "…"} · {ago(hit.at)}
                </small>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function rowOf(list: HTMLElement | null, id: string | undefined): HTMLElement | null {
  return id === undefined ? null : (list?.querySelector<HTMLElement>(`[data-session="${id}"] > a`) ?? null);
}

/** The row that an arrow key moves to; undefined inside menus and text boxes. */
function target(list: HTMLElement | null, event: KeyboardEvent): HTMLElement | undefined {
  const links = [...(list?.querySelectorAll<HTMLElement>("li > a") ?? [])];
  const now = links.findIndex((link) => link === event.target);
  if (now < 0) return undefined;
  switch (event.key) {
    case "ArrowDown":
      return links[now + 1];
    case "ArrowUp":
      return links[Math.max(0, now - 1)];
    case "Home":
      return links[0];
    case "End":
      return links.at(-1);
    default:
      return undefined;
  }
}

async function pinOrNot(session: wire.SessionView): Promise<void> {
  const isWanted = !isPinned(session);
  await pin(session.session_id, isWanted);
  announce(isWanted ? texts().pinned : texts().unpinned);
}

async function forkLast(session: wire.SessionView): Promise<void> {
  const path = pathWith(`/api/v1/sessions/${session.session_id}/turns`, { order: "newest", limit: 20 });
  const { data } = await api<wire.TurnPage>("GET", path);
  const last = data.find(({ status }) => isFinal(status));
  if (!last) throw new Error(texts().nothingForkYetNo);
  await forkAt(session.session_id, last.turn_id);
  announce(texts().forkedNewSessionOpen);
}
