/** The surface windows stand on. It shows the whole desktop, however large it is itself. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useDesk } from "./context.ts";
import type { Size } from "./geometry.ts";
import { held } from "./grip.ts";
import { WindowFrame } from "./window.tsx";

/** The windows of the monitor that is looked at. */
export function Surface({ isPhone }: { isPhone: boolean }) {
  const desk = useDesk();
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
      held.value = undefined;
    };
  }, []);
  const stacked = desk.windows.value;
  const front = desk.front.value?.window_id;
  // In the order they were opened: a frame that is moved in the tree loads anew.
  const windows = stacked
    .map((window, depth) => ({ window, depth: depth + 1 }))
    .sort((one, other) => one.window.opened_at.localeCompare(other.window.opened_at));
  return (
    <div class={held.value ? "desk-surface holding" : "desk-surface"} ref={element}>
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
      {held.value?.by === "keys" && (
        <p class="desk-hint">
          <kbd>←</kbd> <kbd>↑</kbd> <kbd>→</kbd> <kbd>↓</kbd> {held.value.edge ? "resize" : "move"} · <kbd>Enter</kbd>{" "}
          done · <kbd>Esc</kbd> give up
        </p>
      )}
    </div>
  );
}

/** Brings the focus to the next window, or the one before, and with it the window to the front. */
export function cycle(root: HTMLElement | null, by: 1 | -1): void {
  const windows = [...(root?.querySelectorAll<HTMLElement>(".desk-window:not([hidden])") ?? [])];
  if (windows.length === 0) return;
  const now = windows.findIndex((window) => window.contains(document.activeElement));
  const next = now < 0 ? (by > 0 ? 0 : windows.length - 1) : (now + by + windows.length) % windows.length;
  windows.at(next)?.focus();
}
