/** Matches the languages of the page with those that the browser asks for. Pure. */

/** The languages of the page. */
export const LANGUAGES = ["en", "de"] as const;
/** Their names in themselves, so that they are found in a page one cannot read. */
export const LANGUAGE_NAMES = { en: "English", de: "Deutsch" } as const satisfies Record<Language, string>;
/** A language of the page. */
export type Language = (typeof LANGUAGES)[number];

/** Whether the page has this language. */
export function isLanguage(name: string): name is Language {
  return LANGUAGES.some((language) => language === name);
}

/** The first wanted language that the page has; English if there is none. */
export function wantedLanguage(wanted: readonly string[]): Language {
  return wanted.map(baseOf).find(isLanguage) ?? "en";
}

/** The wanted variant of a language, as `de-AT` of `de`. */
export function localeOf(language: Language, wanted: readonly string[]): string {
  return wanted.find((tag) => baseOf(tag) === language) ?? language;
}

function baseOf(tag: string): string {
  return tag.split("-", 1)[0]?.toLowerCase() ?? "";
}
