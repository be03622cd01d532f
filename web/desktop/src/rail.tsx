/** The navigation rail: the main views, and a menu with those for looking under the hood. */
import { useEffect, useRef, useState } from "preact/hooks";
import { unseen } from "./alerts/store.ts";
import mark from "./icon.svg";
import { Icon } from "./kit/icon.tsx";
import { MAIN_VIEWS, WORKSHOP_VIEWS } from "./places.ts";
import { hrefOf, place, type View } from "./route.ts";
import { openSettings } from "./settings/open.ts";
import { current } from "./store/sessions.ts";
import { texts } from "./languages/shell.ts";
import "./rail.css";

/** The names of the views. */
export function viewNames(): Record<View, string> {
  return {
    talk: texts().chat,
    desktop: texts().desktop,
    home: texts().home,
    planned: texts().planned,
    memory: texts().memory,
    agents: texts().agents,
    journal: texts().journal,
  };
}

function viewHints(): Partial<Record<View, string>> {
  return {
    agents: texts().whatRunsWhatQueued,
    journal: texts().everyEventSession,
  };
}

/** The rail: at the side, or at the bottom on phones. */
export function Rail() {
  const { view, session, detail, broken } = place.value;
  const windows = current.value?.desktop.view.value?.windows.length ?? 0;
  const alerts = unseen.value.length;
  const isAtAlerts = view === "planned" && detail === "alerts" && !broken;
  return (
    <nav class="rail" aria-label={texts().views}>
      <img class="mark" src={mark} alt="Dwell" />
      {MAIN_VIEWS.map((name) => (
        <a
          key={name}
          href={hrefOf({ view: name, session })}
          aria-current={name === view && !broken && !isAtAlerts ? "page" : undefined}
        >
          <span class="with-count">
            <Icon name={name} />
            {name === "desktop" && <Count count={windows} label={texts().windowCount} />}
            {name === "planned" && <Count count={alerts} label={texts().newAlertCount} />}
          </span>
          {viewNames()[name]}
        </a>
      ))}
      <div class="rest" />
      <a
        class="rail-bell"
        href={hrefOf({ view: "planned", session, detail: "alerts" })}
        aria-current={isAtAlerts ? "page" : undefined}
      >
        <span class="with-count">
          <Icon name="bell" />
          <Count count={alerts} label={texts().newCount} />
        </span>
        {texts().alerts}
      </a>
      <Workshop />
      <button type="button" aria-haspopup="dialog" onClick={() => (openSettings.value = "general")}>
        <Icon name="settings" />
        {texts().settings}
      </button>
    </nav>
  );
}

function Count({ count, label }: { count: number; label: (count: number) => string }) {
  if (count === 0) return null;
  return (
    <span class="count numbers" aria-label={label(count)}>
      {count}
    </span>
  );
}

/** A button that shows the links to the other views. Escape and a click elsewhere close it. */
function Workshop() {
  const { view, session } = place.value;
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isWithin = WORKSHOP_VIEWS.some((name) => name === view);
  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    addEventListener("pointerdown", away);
    addEventListener("focusin", away);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("focusin", away);
    };
  }, [isOpen]);
  useEffect(() => setOpen(false), [view]);
  return (
    <div
      class="rail-workshop"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.preventDefault();
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        class={isWithin ? "within" : undefined}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="tool" />
        {texts().workshop}
      </button>
      {isOpen && (
        <ul class="rail-menu" aria-label={texts().workshop}>
          {WORKSHOP_VIEWS.map((name) => (
            <li key={name}>
              <a
                href={hrefOf({ view: name, session })}
                aria-current={name === view ? "page" : undefined}
                onClick={() => setOpen(false)}
              >
                <Icon name={name} />
                <b>{viewNames()[name]}</b>
                <span>{viewHints()[name]}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
