/** Where nothing has been said yet: a greeting, and a few things that work at once. */
import { Icon, type IconName } from "../kit/icon.tsx";
import mark from "../icon.svg";

const IDEAS: readonly { icon: IconName; title: string; words: string }[] = [
  { icon: "memory", title: "Tell it something once", words: "Remember that I am vegan" },
  { icon: "chart", title: "Let it work something out", words: "What is 15% of 80?" },
  { icon: "clock", title: "Count the days", words: "How many days until Christmas?" },
  { icon: "light", title: "Switch something at home", words: "Turn on the kitchen lights" },
];

/** The greeting. `onAsk` says one of the ideas. */
export function Welcome({ onAsk }: { onAsk: (words: string) => void }) {
  return (
    <div class="talk-welcome scroll">
      <div>
        <img src={mark} alt="" width="56" height="56" />
        <h2>{greeting(new Date().getHours())}</h2>
        <p>Ask, tell or hand over a task. What you say stays here, also when you close the page.</p>
        <ul aria-label="Ideas">
          {IDEAS.map(({ icon, title, words }) => (
            <li key={words}>
              <button type="button" onClick={() => onAsk(words)}>
                <Icon name={icon} />
                <span>{title}</span>
                <b>{words}</b>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function greeting(hour: number): string {
  if (hour < 5) return "Good night. What keeps you up?";
  if (hour < 12) return "Good morning. What is on your mind?";
  if (hour < 18) return "Good afternoon. What can I do?";
  return "Good evening. What can I do?";
}
