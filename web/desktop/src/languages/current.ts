/** The language of the page: what is chosen, what the browser asks for, and what is loaded. */
import { effect, signal } from "@preact/signals";
import type { Catalogue } from "./catalogue.ts";
import { isLanguage, type Language, localeOf, wantedLanguage } from "./match.ts";

/** A choice: `auto` follows the browser. */
export type LanguageChoice = "auto" | Language;

const KEY = "dwell.language";

/** Every language but English, which comes with the views. */
const CATALOGUES: Record<Exclude<Language, "en">, () => Promise<Catalogue>> = {
  de: async () => (await import("./de/index.ts")).german,
};

/** The texts of the language that is shown; undefined for English. */
export const translation = signal<Catalogue | undefined>(undefined);

/** The language that is shown. */
export const language = signal<Language>("en");

/**
 * The locale that dates and numbers are written in: the browser's own variant of the language that
 * is shown. Undefined, which is the environment's, until the page has started.
 */
export const locale = signal<string | undefined>(undefined);

/** The choice in the settings. */
export const languageChoice = signal<LanguageChoice>("auto");

/**
 * Shows the chosen language, now and whenever the choice changes. The promise is fulfilled when the
 * page can be rendered in it.
 */
export async function startLanguage(): Promise<void> {
  const kept = localStorage.getItem(KEY) ?? "";
  languageChoice.value = isLanguage(kept) ? kept : "auto";
  let shown: Promise<void> | undefined;
  effect(() => {
    const choice = languageChoice.value;
    if (choice === "auto") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
    shown = show(choice);
  });
  addEventListener("languagechange", () => void show(languageChoice.peek()));
  await shown;
}

async function show(choice: LanguageChoice): Promise<void> {
  const wanted = choice === "auto" ? wantedLanguage(navigator.languages) : choice;
  let texts: Catalogue | undefined;
  try {
    texts = wanted === "en" ? undefined : await CATALOGUES[wanted]();
  } catch {
    // The server went away meanwhile: the page stays in the language it has.
    return;
  }
  // A later choice was faster.
  if (languageChoice.peek() !== choice) return;
  translation.value = texts;
  language.value = wanted;
  locale.value = localeOf(wanted, navigator.languages);
  document.documentElement.lang = wanted;
}
