/** Examples for an empty conversation and an empty desktop. Each works with the model there is. */
import type { wire } from "@dwell/client";
import type { IconName } from "../kit/icon.tsx";

/** An example message. */
export type Idea = {
  icon: IconName;
  title: string;
  words: string;
  /** Tools that the answer needs. */
  needs?: readonly string[];
  /** Whether only a language model can answer it. */
  needsModel?: boolean;
};

/** What there is to answer with. */
export type Means = { isOffline: boolean; tools: ReadonlySet<string> };

/** The number of examples shown. */
const SHOWN = 4;

/** Examples for the chat; the first ones that work are shown. */
const CHAT: readonly Idea[] = [
  { icon: "edit", title: "Write something", words: "Write a short thank-you note to my neighbour", needsModel: true },
  {
    icon: "list",
    title: "Plan something",
    words: "Plan three simple vegetarian dinners and the shopping list for them",
    needsModel: true,
  },
  { icon: "memory", title: "Save something to memory", words: "Remember that I am vegan" },
  { icon: "bell", title: "Be reminded", words: "Remind me in 10 minutes to take the pizza out" },
  { icon: "light", title: "Ask about your home", words: "Which lights are on?", needs: ["call_service"] },
  { icon: "chart", title: "Calculate something", words: "What is 15% of 80?", needs: ["calculator"] },
  { icon: "clock", title: "Work with dates", words: "How many days until Christmas?", needs: ["date_math"] },
  { icon: "globe", title: "Ask for the time", words: "What time is it in Tokyo?", needs: ["current_time"] },
];

/** Examples for the desktop. */
const DESKTOP: readonly Idea[] = [
  { icon: "clock", title: "A timer", words: "Open the timer", needs: ["window_open"] },
  { icon: "edit", title: "A board of notes", words: "Open a board of notes", needs: ["window_open"] },
  {
    icon: "grid",
    title: "A table of the planets",
    words: "Show me a table of the planets with their size and distance in a window",
    needs: ["window_open"],
    needsModel: true,
  },
  {
    icon: "list",
    title: "A form to plan a dinner",
    words: "Show a form to plan a dinner: guests, date and wishes",
    needs: ["window_open"],
    needsModel: true,
  },
];

/** The examples for the chat. */
export function chatIdeas(means: Means): Idea[] {
  return working(CHAT, means);
}

/** The examples for the desktop. */
export function desktopIdeas(means: Means): Idea[] {
  return working(DESKTOP, means);
}

function working(ideas: readonly Idea[], { isOffline, tools }: Means): Idea[] {
  const works = ({ needs = [], needsModel = false }: Idea) =>
    !(needsModel && isOffline) && needs.every((tool) => tools.has(tool));
  return ideas.filter(works).slice(0, SHOWN);
}

/**
 * Whether the built-in offline model answers. Until the models are known the answer is yes: what
 * works offline works with every model.
 */
export function isOfflineModel(page: wire.ModelPage | undefined, chosen: string | undefined): boolean {
  if (page === undefined) return true;
  const name = chosen ?? page.default;
  const known = page.models?.find((model) => model.name === name);
  return (known?.provider ?? name) === "offline";
}
