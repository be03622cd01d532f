/** Toasts of agents, and other notices, shown above every view. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { current } from "../store/sessions.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon, type IconName } from "../kit/icon.tsx";
import type { DesktopStore } from "./store.ts";
import { texts } from "../languages/approvals.ts";
import "./toasts.css";

/** The minimum display time of a toast, and the extra time per character. */
const SHOWN_MS = 6_000;
const CHARACTER_MS = 40;
/** The display time of a toast with a button. */
const WITH_BUTTON_MS = 20_000;

const ICONS: Record<wire.Tone, IconName> = {
  plain: "info",
  info: "info",
  success: "check",
  warning: "warning",
  danger: "warning",
};

/**
 * Toasts close by themselves unless they are hovered or focused. A notification shows once and then
 * stays in the bell's list. `children` are lists that stand above them.
 */
export function Toasts({ children }: { children?: ComponentChildren }) {
  const desktop = current.value?.desktop;
  return (
    <div class="toasts">
      {children}
      {desktop && <ToastList key={desktop.sessionId} desktop={desktop} />}
    </div>
  );
}

function ToastList({ desktop }: { desktop: DesktopStore }) {
  const view = desktop.view.value;
  const fresh = useFresh(view?.notifications);
  const toasts = view?.toasts ?? [];
  return (
    <ul aria-live="polite" aria-label={texts().toasts}>
      {toasts.map((toast) => (
        <Card
          key={toast.toast_id}
          text={toast.text}
          level={toast.level}
          stays={toast.button ? WITH_BUTTON_MS : undefined}
          onGone={() => void desktop.actOnToast(toast.toast_id)}
          onDismiss={() => void desktop.actOnToast(toast.toast_id)}
          button={toast.button ?? undefined}
          onPress={(action) => void desktop.actOnToast(toast.toast_id, action)}
        />
      ))}
      {fresh.shown.map((notification) => (
        <Card
          key={notification.toast_id}
          title={notification.title}
          text={notification.text ?? ""}
          level={notification.level}
          onGone={() => fresh.hide(notification.toast_id)}
          onDismiss={() => void desktop.actOnToast(notification.toast_id)}
        />
      ))}
    </ul>
  );
}

/** Notifications that arrived while the page was open. */
function useFresh(notifications: readonly wire.Notification[] | undefined) {
  const known = useRef<Set<string> | undefined>(undefined);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  if (known.current === undefined && notifications !== undefined) {
    known.current = new Set(notifications.map((notification) => notification.toast_id));
  }
  const shown = (notifications ?? []).filter(({ toast_id: id }) => !known.current?.has(id) && !hidden.has(id));
  return { shown, hide: (id: string) => setHidden((before) => new Set(before).add(id)) };
}

type CardProps = {
  title?: string;
  text: string;
  level?: wire.Tone | undefined;
  stays?: number | undefined;
  onGone: () => void;
  onDismiss: () => void;
  button?: wire.ToastButton | undefined;
  onPress?: (action: string) => void;
};

function Card({ title, text, level = "plain", stays, onGone, onDismiss, button, onPress }: CardProps) {
  const [isHeld, setHeld] = useState(false);
  const gone = useRef(onGone);
  gone.current = onGone;
  useEffect(() => {
    if (isHeld) return;
    const ms = stays ?? SHOWN_MS + CHARACTER_MS * text.length;
    // The timer runs only while the tab is visible.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      timer = document.hidden ? undefined : setTimeout(() => gone.current(), ms);
    };
    begin();
    document.addEventListener("visibilitychange", begin);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", begin);
    };
  }, [isHeld, text, stays]);
  return (
    <li
      class={`toast ${level}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <Icon name={ICONS[level]} small />
      <div>
        {title !== undefined && <p class="toast-title">{title}</p>}
        {text !== "" && <p>{text}</p>}
        {button && (
          <Button small onPress={() => onPress?.(button.action)}>
            {button.label}
          </Button>
        )}
      </div>
      <IconButton icon="close" label={texts().dismiss} small onPress={onDismiss} />
    </li>
  );
}
