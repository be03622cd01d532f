/** The texts of the command palette and the list of keys, in the page's language. */
import { area } from "./area.ts";
import { palette } from "./en/palette.ts";

export const texts = area("palette", palette);
