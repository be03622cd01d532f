/** The empty state of the desktop, with examples. */
import { Icon } from "../kit/icon.tsx";
import { desktopIdeas } from "../talk/ideas.ts";
import { means } from "../talk/means.ts";
import { texts } from "../languages/desktop.ts";

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
  if (hasWindows) return <p class="desktop-allaway">{texts().allWindowsAreMinimised}</p>;
  return (
    <div class="desktop-begin">
      <Icon name="desktop" />
      <h2>{isBusy ? texts().theAgentIsWorking : texts().noWindowsYet}</h2>
      <p>{texts().agentsOpenWindowsHere}</p>
      <ul aria-label={texts().examples}>
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
