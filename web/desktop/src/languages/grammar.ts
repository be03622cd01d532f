/** What a language's catalogue needs to build sentences: plural forms, numbers, lists, times. */

/** The forms of a text by number; `#` stands for the number. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The grammar of a language, by `Intl`. */
export type Grammar = {
  /** The form for a number. */
  plural: (count: number, forms: PluralForms) => string;
  /** The form for a place in an order: `2nd`. */
  ordinal: (place: number, forms: PluralForms) => string;
  /** `12,345`. */
  number: (value: number) => string;
  /** `a, b and c`. */
  list: (items: readonly string[]) => string;
  /** `5 minutes ago`. */
  ago: (count: number, unit: Intl.RelativeTimeFormatUnit) => string;
};

export function grammarOf(language: string): Grammar {
  const rules = new Intl.PluralRules(language);
  const ordinals = new Intl.PluralRules(language, { type: "ordinal" });
  const numbers = new Intl.NumberFormat(language);
  const number = (value: number) => numbers.format(value);
  return {
    plural: (count, forms) => (forms[rules.select(count)] ?? forms.other).replace("#", number(count)),
    ordinal: (place, forms) => (forms[ordinals.select(place)] ?? forms.other).replace("#", number(place)),
    number,
    list: (items) => new Intl.ListFormat(language, { type: "conjunction" }).format(items),
    // Not shortened: the period of an abbreviation would meet that of the sentence around it.
    ago: (count, unit) => new Intl.RelativeTimeFormat(language).format(-count, unit),
  };
}
