/** Talks to the page's own frames without an origin (`frames/`), by messages only. */
import { addressOf } from "./address.ts";

/** The address of a frame. */
export function frameAddress(name: "diagram" | "run"): string {
  return addressOf(`/apps/frame/${name}.html`);
}

/** A message of a frame; undefined if it is none of ours. */
export function messageOf({ data }: MessageEvent<unknown>): { type: string; [name: string]: unknown } | undefined {
  const message = (data ?? {}) as { dwell?: unknown; type?: unknown };
  return message.dwell === 1 && typeof message.type === "string" ? { ...message, type: message.type } : undefined;
}
