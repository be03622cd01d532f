/** The width of the page as a signal. */
import { signal } from "@preact/signals";

const width = signal(innerWidth);
addEventListener("resize", () => (width.value = innerWidth));

/** The width of the page; components that read it render again when it changes. */
export function useWidth(): number {
  return width.value;
}
