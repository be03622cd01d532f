/** A dropdown menu: arrow keys move, Escape closes and returns the focus to the button. */
import { useEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** A menu item. */
export type MenuItem = { label: string; icon?: IconName; danger?: boolean; onPick: () => void };

/** A button that opens a menu. */
export function Menu({
  label,
  items,
  icon = "more",
  small = true,
}: {
  label: string;
  items: MenuItem[];
  icon?: IconName;
  small?: boolean;
}) {
  const [at, setAt] = useState<DOMRect | undefined>();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setAt(undefined);
    button.current?.focus();
  };
  return (
    <>
      <IconButton
        buttonRef={button}
        icon={icon}
        label={label}
        small={small}
        expanded={at !== undefined}
        onPress={() => setAt(at ? undefined : button.current?.getBoundingClientRect())}
      />
      {at && <MenuList label={label} at={at} items={items} onClose={close} />}
    </>
  );
}

function MenuList({
  label,
  at,
  items,
  onClose,
}: {
  label: string;
  at: DOMRect;
  items: MenuItem[];
  onClose: () => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const { width, height } = element.getBoundingClientRect();
    const below = at.bottom + 4 + height <= innerHeight;
    element.style.top = `${below ? at.bottom + 4 : Math.max(4, at.top - 4 - height)}px`;
    element.style.left = `${Math.max(4, Math.min(at.right - width, innerWidth - width - 4))}px`;
    element.querySelector("button")?.focus();
    const away = (event: Event) => {
      if (!element.contains(event.target as Node)) onClose();
    };
    addEventListener("pointerdown", away);
    addEventListener("resize", onClose);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("resize", onClose);
    };
  }, []);
  const move = (by: number) => {
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons.at((now + by + buttons.length) % buttons.length)?.focus();
  };
  return (
    <div
      ref={list}
      class="menu"
      role="menu"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "Escape" || event.key === "Tab") onClose();
        else if (event.key === "ArrowDown") move(1);
        else if (event.key === "ArrowUp") move(-1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {items.map((item) => (
        <button
          key={item.label}
          role="menuitem"
          type="button"
          class={item.danger ? "danger" : undefined}
          onClick={() => {
            onClose();
            item.onPick();
          }}
        >
          {item.icon && <Icon name={item.icon} small />}
          {item.label}
        </button>
      ))}
    </div>
  );
}
