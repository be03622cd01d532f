/** The texts of the journal, in the page's language. */
import { area } from "./area.ts";
import { journal } from "./en/journal.ts";

export const texts = area("journal", journal);
