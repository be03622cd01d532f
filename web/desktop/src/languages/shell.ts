/** The texts of the page's frame, alerts and signing in, in the page's language. */
import { area } from "./area.ts";
import { shell } from "./en/shell.ts";

export const texts = area("shell", shell);
