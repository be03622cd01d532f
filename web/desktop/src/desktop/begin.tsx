/** What stands on an empty desktop: how to begin. */
import { Icon } from "../kit/icon.tsx";

const IDEAS = [
  { words: "Show a timer for ten minutes", label: "A timer for ten minutes" },
  { words: "Show me a table of the planets with their size and distance", label: "A table of the planets" },
  { words: "Open a board of notes", label: "A board of notes" },
  { words: "Show a form to plan a dinner: guests, date and wishes", label: "A form to plan a dinner" },
];

/** An invitation; `onAsk` is told what was asked. */
export function Begin({
  onAsk,
  isBusy,
  hasWindows,
}: {
  onAsk: (words: string) => void;
  isBusy: boolean;
  hasWindows: boolean;
}) {
  if (hasWindows) return <p class="desk-allaway">All windows are put away. They are in the bar below.</p>;
  return (
    <div class="desk-begin">
      <Icon name="desktop" />
      <h2>{isBusy ? "The agent is at work" : "Open a window: ask for it"}</h2>
      <p>
        Agents put what they make here: tables, charts, forms, notes, small apps. You move them about, fill them in, and
        ask each of them for more.
      </p>
      <ul aria-label="For example">
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
