/** The texts of the dialogs about sessions and turns, and of exported transcripts, in the page's language. */
import { area } from "./area.ts";
import { dialogs } from "./en/dialogs.ts";

export const texts = area("dialogs", dialogs);
