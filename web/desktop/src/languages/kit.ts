/** The texts of components that all views share, in the page's language. */
import { area } from "./area.ts";
import { kit } from "./en/kit.ts";

export const texts = area("kit", kit);
