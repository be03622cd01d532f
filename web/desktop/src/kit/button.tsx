/** Buttons. */
import type { ComponentChildren, Ref } from "preact";
import { Icon, type IconName } from "./icon.tsx";

type Press = { onPress?: (() => void) | undefined; disabled?: boolean | undefined };

/** A button with a text. */
export function Button(
  props: Press & {
    children: ComponentChildren;
    kind?: "primary" | "danger" | "plain";
    small?: boolean;
    icon?: IconName;
    type?: "button" | "submit";
    autofocus?: boolean;
    label?: string;
  },
) {
  const { children, kind, small, icon, type = "button", onPress, disabled, autofocus, label } = props;
  const names = ["button", kind, small && "small"].filter(Boolean).join(" ");
  return (
    <button
      class={names}
      type={type}
      disabled={disabled ?? false}
      onClick={onPress}
      aria-label={label}
      {...(autofocus ? { autofocus: true } : {})}
    >
      {icon && <Icon name={icon} small />}
      {children}
    </button>
  );
}

/** A button with an icon; `label` is its accessible name and its tooltip. */
export function IconButton(
  props: Press & {
    icon: IconName;
    label: string;
    small?: boolean;
    pressed?: boolean;
    expanded?: boolean;
    buttonRef?: Ref<HTMLButtonElement>;
  },
) {
  const { icon, label, small, onPress, disabled, pressed, expanded, buttonRef } = props;
  return (
    <button
      {...(buttonRef === undefined ? {} : { ref: buttonRef })}
      class={small ? "icon-button small" : "icon-button"}
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      disabled={disabled ?? false}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
