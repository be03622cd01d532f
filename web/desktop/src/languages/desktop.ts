/** The texts of the desktop and its windows, in the page's language. */
import { area } from "./area.ts";
import { desktop } from "./en/desktop.ts";

export const texts = area("desktop", desktop);
