/** Notifications: they stay until they are dismissed. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { useDesk } from "./context.ts";

/** A bell with what there is to know. */
export function Bell() {
  const desk = useDesk();
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const notifications = desk.view.value?.notifications ?? [];
  const count = notifications.length;
  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    addEventListener("pointerdown", away);
    return () => removeEventListener("pointerdown", away);
  }, [isOpen]);
  return (
    <div
      class="desk-bell"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <IconButton
        buttonRef={button}
        icon="bell"
        label={count === 0 ? "Notifications: none" : `Notifications: ${count}`}
        expanded={isOpen}
        onPress={() => setOpen((before) => !before)}
      />
      {count > 0 && (
        <span class="desk-count numbers" aria-hidden="true">
          {count}
        </span>
      )}
      {isOpen && (
        <div class="desk-notes scroll" role="region" aria-label="Notifications" tabIndex={0}>
          {count === 0 && <p class="desk-none">Nothing to know. What agents want you to see stays here.</p>}
          <ul>
            {notifications.toReversed().map(({ toast_id: id, title, text, level = "plain" }) => (
              <li key={id}>
                <span class={`desk-tone ${level}`}>
                  <Icon name={level === "warning" || level === "danger" ? "warning" : "info"} small />
                </span>
                <div>
                  <p class="desk-note-title">{title}</p>
                  {text && <p>{text}</p>}
                </div>
                <IconButton icon="close" label={`Dismiss ${title}`} small onPress={() => void desk.actOnToast(id)} />
              </li>
            ))}
          </ul>
          {count > 1 && (
            <Button
              small
              kind="plain"
              onPress={() => {
                for (const { toast_id: id } of notifications) void desk.actOnToast(id);
              }}
            >
              Dismiss all
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
