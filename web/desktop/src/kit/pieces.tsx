/** Small components shared by all views. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { describeError } from "../store/api.ts";
import { Icon, type IconName } from "./icon.tsx";
import { texts } from "../languages/kit.ts";

/** A short label on a coloured background. */
export function Badge({ children, tone }: { children: ComponentChildren; tone?: wire.Tone | "accent" | undefined }) {
  return <span class={`badge ${tone && tone !== "plain" ? tone : ""}`}>{children}</span>;
}

/** A notice; `tone` is its severity. */
export function Notice(props: {
  children: ComponentChildren;
  tone?: "info" | "warning" | "danger";
  role?: "status" | "alert";
}) {
  const { tone = "info", role, children } = props;
  return (
    <div class={`notice ${tone}`} role={role}>
      <Icon name={tone === "info" ? "info" : "warning"} small />
      <div>{children}</div>
    </div>
  );
}

/** An error and a hint on what to do. */
export function ErrorNotice({ error, children }: { error: unknown; children?: ComponentChildren }) {
  const { message, hint } = describeError(error);
  return (
    <Notice tone="danger" role="alert">
      <p>{message}</p>
      {hint && <p class="hint">{hint}</p>}
      {children}
    </Notice>
  );
}

/** An empty state. */
export function EmptyState({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children && <div>{children}</div>}
    </div>
  );
}

/** A loading indicator. */
export function Spinner({ label = texts().loading }: { label?: string }) {
  return (
    <span role="status">
      <span class="spinner" aria-hidden="true" style={{ display: "block" }} />
      <span class="unseen">{label}</span>
    </span>
  );
}

/** A tab list. */
export function Tabs<T extends string>(props: {
  label: string;
  tabs: readonly { id: T; label: string }[];
  value: T;
  onChange: (id: T) => void;
}) {
  const { label, tabs, value, onChange } = props;
  const move = (by: number) => {
    const index = tabs.findIndex(({ id }) => id === value);
    const next = tabs.at((index + by + tabs.length) % tabs.length);
    if (next) onChange(next.id);
  };
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "ArrowRight") move(1);
        else if (event.key === "ArrowLeft") move(-1);
        else return;
        event.preventDefault();
        const list = event.currentTarget;
        requestAnimationFrame(() => list.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab.id}
          role="tab"
          type="button"
          aria-selected={tab.id === value}
          tabIndex={tab.id === value ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
