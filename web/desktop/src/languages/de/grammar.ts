/** German plural forms, numbers, lists and times. */
import { grammarOf } from "../grammar.ts";

export const { plural, ordinal, number, list, ago } = grammarOf("de");
