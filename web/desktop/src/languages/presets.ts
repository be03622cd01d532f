/** The texts of prompts and personas, in the page's language. */
import { area } from "./area.ts";
import { presets } from "./en/presets.ts";

export const texts = area("presets", presets);
