/**
 * The area that shows a monitor's windows. It always shows the whole desktop, scaled to its size.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { useDesktop } from "./context.ts";
import type { Size } from "./geometry.ts";
import { drag } from "./drag.ts";
import { WindowFrame } from "./window.tsx";
import { texts } from "../languages/desktop.ts";

/** The windows of the selected monitor. */
export function Surface({ isPhone }: { isPhone: boolean }) {
  const desktop = useDesktop();
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | undefined>();
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = current;
      setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      drag.value = undefined;
    };
  }, []);
  const stacked = desktop.windows.value;
  const front = desktop.front.value?.window_id;
  // In opening order: an iframe that moves in the DOM reloads.
  const windows = stacked
    .map((window, depth) => ({ window, depth: depth + 1 }))
    .sort((one, other) => one.window.opened_at.localeCompare(other.window.opened_at));
  return (
    <div class={drag.value ? "desktop-surface holding" : "desktop-surface"} ref={element}>
      {size &&
        windows.map(({ window, depth }) => (
          <WindowFrame
            key={window.window_id}
            window={window}
            surface={size}
            depth={depth}
            isFront={window.window_id === front}
            isPhone={isPhone}
          />
        ))}
      {drag.value?.by === "keys" && (
        <p class="desktop-hint">
          <kbd>←</kbd> <kbd>↑</kbd> <kbd>→</kbd> <kbd>↓</kbd> {drag.value.edge ? texts().resize : texts().move} ·{" "}
          <kbd>{texts().enter}</kbd> {texts().enterEnds} <kbd>{texts().esc}</kbd> {texts().escapeCancels}
        </p>
      )}
    </div>
  );
}

/** Focuses the next or previous window, which also brings it to the front. */
export function cycle(root: HTMLElement | null, by: 1 | -1): void {
  const windows = [...(root?.querySelectorAll<HTMLElement>(".desktop-window:not([hidden])") ?? [])];
  if (windows.length === 0) return;
  const now = windows.findIndex((window) => window.contains(document.activeElement));
  const next = now < 0 ? (by > 0 ? 0 : windows.length - 1) : (now + by + windows.length) % windows.length;
  windows.at(next)?.focus();
}
