/** How wide the page is. */
import { signal } from "@preact/signals";

const width = signal(innerWidth);
addEventListener("resize", () => (width.value = innerWidth));

/** The width of the page; whoever reads it is drawn anew when it changes. */
export function useWidth(): number {
  return width.value;
}
