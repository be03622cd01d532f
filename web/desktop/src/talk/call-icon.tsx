/** The status icon of a tool call. */
import { Icon, type IconName } from "../kit/icon.tsx";
import type { Call } from "./work.ts";

const SIGNS: Record<Call["status"], IconName> = {
  asked: "clock",
  running: "tool",
  ok: "check",
  assumed: "check",
  error: "warning",
  denied: "lock",
  cancelled: "close",
};

/** The icon of a call's status. */
export function CallIcon({ status }: { status: Call["status"] }) {
  if (status === "running") return <span class="talk-spin spinner" aria-hidden="true" />;
  return (
    <span class={`talk-sign ${status}`}>
      <Icon name={SIGNS[status]} small />
    </span>
  );
}
