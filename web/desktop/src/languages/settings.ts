/** The texts of the settings, in the page's language. */
import { area } from "./area.ts";
import { settings } from "./en/settings.ts";

export const texts = area("settings", settings);
