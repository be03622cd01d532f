/** The empty state of a conversation: a greeting and examples that work at once. */
import { Icon, type IconName } from "../kit/icon.tsx";
import mark from "../icon.svg";

const IDEAS: readonly { icon: IconName; title: string; words: string }[] = [
  { icon: "memory", title: "Save something to memory", words: "Remember that I am vegan" },
  { icon: "chart", title: "Calculate something", words: "What is 15% of 80?" },
  { icon: "clock", title: "Work with dates", words: "How many days until Christmas?" },
  { icon: "light", title: "Control your home", words: "Turn on the kitchen lights" },
];

/** The greeting. `onAsk` sends one of the examples. */
export function Welcome({ onAsk }: { onAsk: (words: string) => void }) {
  return (
    <div class="talk-welcome scroll">
      <div>
        <img src={mark} alt="" width="56" height="56" />
        <h2>{greeting(new Date().getHours())}</h2>
        <p>Ask a question or give a task. Your conversations are saved on your server.</p>
        <ul aria-label="Examples">
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
  if (hour < 5) return "Good evening. How can I help?";
  if (hour < 12) return "Good morning. How can I help?";
  if (hour < 18) return "Good afternoon. How can I help?";
  return "Good evening. How can I help?";
}
