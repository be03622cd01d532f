/** A modal dialog, built on the browser's own, which traps the focus. */
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { useModal } from "./modal.ts";
import { texts } from "../languages/kit.ts";

/** A dialog that is open while it is rendered. Escape and the close button call `onClose`. */
export function Dialog(props: {
  title: string;
  children: ComponentChildren;
  foot?: ComponentChildren;
  onClose?: (() => void) | undefined;
  closeLabel?: string;
  kind?: "dialog" | "alertdialog";
  class?: string;
}) {
  const { title, children, foot, onClose, closeLabel = texts().close, kind = "dialog" } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useModal(dialog);
  return (
    <dialog
      ref={dialog}
      class={`dialog scroll ${props.class ?? ""}`}
      role={kind}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <div class="dialog-head">
        <h2 id={heading}>{title}</h2>
        {onClose && <IconButton icon="close" label={closeLabel} small onPress={onClose} />}
      </div>
      <div class="dialog-body">{children}</div>
      {foot !== undefined && <div class="dialog-foot">{foot}</div>}
    </dialog>
  );
}
