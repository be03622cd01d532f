/** The empty state of the desktop, with examples. */
import { Icon } from "../kit/icon.tsx";
import { desktopIdeas } from "../talk/ideas.ts";
import { means } from "../talk/means.ts";

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
        {desktopIdeas(means()).map(({ words, title }) => (
          <li key={words}>
            <button class="button" type="button" onClick={() => onAsk(words)} title={words}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
