/** The texts of schedules' times in words, in the page's language. */
import { area } from "./area.ts";
import { rules } from "./en/rules.ts";

export const texts = area("rules", rules);
