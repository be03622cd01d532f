/** The texts of the contents of windows, in the page's language. */
import { area } from "./area.ts";
import { windows } from "./en/windows.ts";

export const texts = area("windows", windows);
