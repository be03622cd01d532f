/** The empty state of a conversation: a greeting and examples that work at once. */
import { Icon } from "../kit/icon.tsx";
import { openSettings } from "../settings/open.ts";
import mark from "../icon.svg";
import { chatIdeas } from "./ideas.ts";
import { isKnownOffline, means } from "./means.ts";
import { texts } from "../languages/talk.ts";

/** The greeting. `onAsk` sends one of the examples. */
export function Welcome({ onAsk }: { onAsk: (words: string) => void }) {
  const isOffline = isKnownOffline();
  return (
    <div class="talk-welcome scroll">
      <div>
        <img src={mark} alt="" width="56" height="56" />
        <h2>{greeting(new Date().getHours())}</h2>
        <p>{texts().askQuestionOrGive}</p>
        <ul aria-label={texts().examples}>
          {chatIdeas(means()).map(({ icon, title, words }) => (
            <li key={words}>
              <button type="button" onClick={() => onAsk(words)}>
                <Icon name={icon} />
                <span>{title}</span>
                <b>{words}</b>
              </button>
            </li>
          ))}
        </ul>
        {isOffline && <NoModel />}
      </div>
    </div>
  );
}

/** Says what works without a language model, and where to set one up. */
function NoModel() {
  return (
    <p class="talk-no-model">
      {texts().noLanguageModelSet}{" "}
      <button type="button" class="text-button" onClick={() => (openSettings.value = "models")}>
        {texts().setUpAModel}
      </button>
    </p>
  );
}

function greeting(hour: number): string {
  if (hour < 5) return texts().goodEveningHowCan;
  if (hour < 12) return texts().goodMorningHowCan;
  if (hour < 18) return texts().goodAfternoonHowCan;
  return texts().goodEveningHowCan;
}
