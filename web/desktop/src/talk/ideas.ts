/** Examples for an empty conversation and an empty desktop. Each works with the model there is. */
import type { wire } from "@dwell/client";
import type { IconName } from "../kit/icon.tsx";
import { language } from "../languages/current.ts";
import { texts } from "../languages/talk.ts";

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

/** The offline assistant reads home, reminders and arithmetic in German too, the rest in English. */
function readOffline(): { needsModel: boolean } {
  return { needsModel: language.value !== "en" };
}

/** Examples for the chat; the first ones that work are shown. */
function chatExamples(): readonly Idea[] {
  return [
    { icon: "edit", title: texts().writeSomething, words: texts().writeShortThankYou, needsModel: true },
    {
      icon: "list",
      title: texts().planSomething,
      words: texts().planThreeSimpleVegetarian,
      needsModel: true,
    },
    { icon: "memory", title: texts().saveSomethingToMemory, words: texts().rememberThatIAm, ...readOffline() },
    { icon: "bell", title: texts().beReminded, words: texts().remindMe10Minutes },
    { icon: "light", title: texts().askAboutYourHome, words: texts().whichLightsAreOn, needs: ["call_service"] },
    { icon: "chart", title: texts().calculateSomething, words: texts().whatIsShareOf, needs: ["calculator"] },
    {
      icon: "clock",
      title: texts().workWithDates,
      words: texts().howManyDaysUntil,
      needs: ["date_math"],
      ...readOffline(),
    },
    {
      icon: "globe",
      title: texts().askForTheTime,
      words: texts().whatTimeTokyo,
      needs: ["current_time"],
      ...readOffline(),
    },
    { icon: "clock", title: texts().aTimer, words: texts().setTimer },
  ];
}

/** Examples for the desktop. */
function desktopExamples(): readonly Idea[] {
  return [
    { icon: "clock", title: texts().aTimer, words: texts().openTheTimer, needs: ["window_open"], ...readOffline() },
    {
      icon: "edit",
      title: texts().aBoardOfNotes,
      words: texts().openBoardNotes,
      needs: ["window_open"],
      ...readOffline(),
    },
    {
      icon: "grid",
      title: texts().aTablePlanets,
      words: texts().showMeTablePlanets,
      needs: ["window_open"],
      needsModel: true,
    },
    {
      icon: "list",
      title: texts().aFormPlanDinner,
      words: texts().showFormPlanDinner,
      needs: ["window_open"],
      needsModel: true,
    },
  ];
}

/** The examples for the chat. */
export function chatIdeas(means: Means): Idea[] {
  return working(chatExamples(), means);
}

/** The examples for the desktop. */
export function desktopIdeas(means: Means): Idea[] {
  return working(desktopExamples(), means);
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
