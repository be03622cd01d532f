/** Opens a modal dialog when it is mounted, and restores the focus when it is unmounted. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Shows a dialog as modal while it is mounted. `onShown` is called once it is open. */
export function useModal(
  dialog: RefObject<HTMLDialogElement | null>,
  onShown?: (element: HTMLDialogElement) => void,
): void {
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const before = document.activeElement;
    if (!element.open) element.showModal();
    onShown?.(element);
    return () => {
      element.close();
      // The browser restores the focus only for a dialog that is still in the document.
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
}
