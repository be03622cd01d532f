/** What every modal dialog has in common: it is shown when it is drawn, and gives the focus back when it is gone. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Shows a dialog as a modal one for as long as it is there. `onShown` is called once it is. */
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
      // The browser gives the focus back only from a dialog that is still in the page, and this one is gone already.
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
}
