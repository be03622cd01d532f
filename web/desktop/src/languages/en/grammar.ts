/** English plural forms, numbers and lists. */
import { grammarOf } from "../grammar.ts";

// Without a comma before "and".
export const { plural, ordinal, number, list } = grammarOf("en-GB");
