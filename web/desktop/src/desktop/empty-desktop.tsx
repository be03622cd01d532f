/** The empty state of the desktop, with examples. */
import { Icon } from "../kit/icon.tsx";

const IDEAS = [
  { words: "Show a timer for ten minutes", label: "A timer for ten minutes" },
  { words: "Show me a table of the planets with their size and distance", label: "A table of the planets" },
  { words: "Open a board of notes", label: "A board of notes" },
  { words: "Show a form to plan a dinner: guests, date and wishes", label: "A form to plan a dinner" },
];

/** The empty desktop; `onAsk` receives the chosen example. */
export function EmptyDesktop({
  onAsk,
  isBusy,
  hasWindows,
}: {
  onAsk: (words: string) => void;
  isBusy: boolean;
  hasWindows: boolean;
}) {
  if (hasWindows) return <p class="desktop-allaway">All windows are minimised. Open them from the taskbar.</p>;
  return (
    <div class="desktop-begin">
      <Icon name="desktop" />
      <h2>{isBusy ? "The agent is working" : "No windows yet"}</h2>
      <p>
        Agents open windows here: tables, charts, forms, notes, small apps. Move them, fill them in, and ask each one
        for more.
      </p>
      <ul aria-label="Examples">
        {IDEAS.map(({ words, label }) => (
          <li key={words}>
            <button class="button" type="button" onClick={() => onAsk(words)} title={words}>
              {label}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
