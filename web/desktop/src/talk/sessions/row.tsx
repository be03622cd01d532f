/** A row of the session list: title, time, status mark, menu. */
import type { wire } from "@dwell/client";
import { useEffect, useRef } from "preact/hooks";
import { isPinned } from "../../store/pins.ts";
import { titleOf } from "../../store/sessions.ts";
import { exactTime } from "../../kit/format.ts";
import { Menu } from "../../kit/menu.tsx";
import { go, hrefOf } from "../../route.ts";
import { whenIn } from "./group.ts";
import { texts } from "../../languages/sessions.ts";

/** An action in a session's menu. */
export type SessionAction = "rename" | "pin" | "folder" | "export" | "fork" | "end" | "delete";

type Props = {
  session: wire.SessionView;
  now: Date;
  isOpen: boolean;
  /** Whether the Tab key leads to this row. */
  isActive: boolean;
  isWaiting: boolean;
  isRenaming: boolean;
  onGo: (() => void) | undefined;
  onAction: (wish: SessionAction) => void;
  onRenamed: (title: string | undefined) => void;
};

/** A row of the list. */
export function SessionRow(props: Props) {
  const { session, now, isOpen, isActive, isWaiting, isRenaming, onGo, onAction: onWish, onRenamed } = props;
  const title = titleOf(session);
  const hasEnded = session.status !== "active";
  const to = { view: "talk", session: session.session_id } as const;
  if (isRenaming) {
    return (
      <li class="sessions-row">
        <RenameBox title={title} onDone={onRenamed} />
      </li>
    );
  }
  return (
    <li class={`sessions-row ${hasEnded ? "ended" : ""}`} data-session={session.session_id}>
      <a
        href={hrefOf(to)}
        aria-current={isOpen ? "true" : undefined}
        tabIndex={isActive ? 0 : -1}
        onClick={(event) => {
          // The browser opens other tabs and windows itself.
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
          event.preventDefault();
          go(to);
          onGo?.();
        }}
      >
        <span class="sessions-title">{title}</span>
        <Mark session={session} isWaiting={isWaiting} />
        {hasEnded && <span class="unseen">, {session.status}</span>}
        <time class="numbers" dateTime={session.updated_at} title={exactTime(session.updated_at)}>
          {whenIn(session.updated_at, now)}
        </time>
      </a>
      <Menu
        label={texts().actionsForTitle(title)}
        items={[
          { label: texts().rename, icon: "edit", onPick: () => onWish("rename") },
          { label: isPinned(session) ? texts().unpin : texts().pin, icon: "pin", onPick: () => onWish("pin") },
          { label: texts().moveToFolder, icon: "folder", onPick: () => onWish("folder") },
          { label: texts().export, icon: "download", onPick: () => onWish("export") },
          { label: texts().fork, icon: "fork", onPick: () => onWish("fork") },
          ...(hasEnded
            ? []
            : [{ label: texts().end, icon: "stop", danger: true, onPick: () => onWish("end") } as const]),
          { label: texts().delete, icon: "trash", danger: true, onPick: () => onWish("delete") },
        ]}
      />
    </li>
  );
}

function Mark({ session, isWaiting }: { session: wire.SessionView; isWaiting: boolean }) {
  if (isWaiting) {
    return (
      <span class="sessions-mark waits" title={texts().waitingForApproval}>
        <span class="unseen">{texts().waitingSuffix}</span>
      </span>
    );
  }
  if (session.open_turns.length === 0) return null;
  return (
    <span class="sessions-mark" title={texts().running}>
      <span class="unseen">{texts().runningSuffix}</span>
    </span>
  );
}

/** The rename input: Enter saves; Escape or an unchanged title cancels. */
function RenameBox({ title, onDone }: { title: string; onDone: (title: string | undefined) => void }) {
  const box = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => box.current?.select(), []);
  const done = (isKept: boolean) => {
    if (isDone.current) return;
    isDone.current = true;
    const next = box.current?.value.trim() ?? title;
    onDone(isKept && next !== title ? next : undefined);
  };
  return (
    <input
      ref={box}
      class="input sessions-rename"
      aria-label={texts().newTitle}
      defaultValue={title}
      maxLength={120}
      onBlur={() => done(true)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        done(event.key === "Enter");
      }}
    />
  );
}
