/** The notification bell. Notifications stay until they are dismissed. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { useDesktop } from "./context.ts";
import { texts } from "../languages/desktop.ts";

/** The bell and its list of notifications. */
export function Bell() {
  const desktop = useDesktop();
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const notifications = desktop.view.value?.notifications ?? [];
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
      class="desktop-bell"
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
        label={count === 0 ? texts().notificationsNone : texts().notificationsCount(count)}
        expanded={isOpen}
        onPress={() => setOpen((before) => !before)}
      />
      {count > 0 && (
        <span class="desktop-count numbers" aria-hidden="true">
          {count}
        </span>
      )}
      {isOpen && (
        <div class="desktop-notes scroll" role="region" aria-label={texts().notifications} tabIndex={0}>
          {count === 0 && <p class="desktop-none">{texts().noNotifications}</p>}
          <ul>
            {notifications.toReversed().map(({ toast_id: id, title, text, level = "plain" }) => (
              <li key={id}>
                <span class={`desktop-tone ${level}`}>
                  <Icon name={level === "warning" || level === "danger" ? "warning" : "info"} small />
                </span>
                <div>
                  <p class="desktop-note-title">{title}</p>
                  {text && <p>{text}</p>}
                </div>
                <IconButton
                  icon="close"
                  label={texts().dismissTitle(title)}
                  small
                  onPress={() => void desktop.actOnToast(id)}
                />
              </li>
            ))}
          </ul>
          {count > 1 && (
            <Button
              small
              kind="plain"
              onPress={() => {
                for (const { toast_id: id } of notifications) void desktop.actOnToast(id);
              }}
            >
              {texts().dismissAll}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
